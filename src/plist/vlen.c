/* Copies of variable-length values that lists hold. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "plist/dcpl.h"
#include "type/reclaim.h"
#include "type/type.h"

static int duplicate_one(const struct ts_type *type, void *element);

static int duplicate_string(void *element)
{
    char *s, *copy = NULL;
    memcpy(&s, element, sizeof s);
    if (s && !(copy = strdup(s)))
        return TS_ERR(RESOURCE, NOSPACE, "a string of %zu bytes", strlen(s));
    memcpy(element, &copy, sizeof copy);
    return 0;
}

static int duplicate_sequence(const struct ts_type *type, void *element)
{
    hvl_t from, to = {0};
    size_t bytes;
    memcpy(&from, element, sizeof from);
    if (from.len == 0 || !from.p) {
        memcpy(element, &to, sizeof to);
        return 0;
    }
    if (!ts_mul_size(from.len, ts_type_size(type->base), &bytes) || !(to.p = malloc(bytes)))
        return TS_ERR(RESOURCE, NOSPACE, "a sequence of %zu elements", from.len);
    memcpy(to.p, from.p, bytes);
    to.len = from.len;
    if (ts_vlen_duplicate(type->base, to.p, to.len) < 0) {
        free(to.p);
        return -1;
    }
    memcpy(element, &to, sizeof to);
    return 0;
}

static int duplicate_members(const struct ts_type *type, char *element)
{
    for (size_t i = 0; i < type->u.compound.n; i++) {
        const struct ts_member *m = &type->u.compound.members[i];
        if (duplicate_one(m->type, element + m->offset) < 0) {
            while (i-- > 0)
                ts_vlen_reclaim(type->u.compound.members[i].type, element + type->u.compound.members[i].offset, 1);
            return -1;
        }
    }
    return 0;
}

static int duplicate_one(const struct ts_type *type, void *element)
{
    if (!ts_type_has_vlen_or_ref(type))
        return 0;
    switch (ts_type_class(type)) {
    case H5T_VLEN:
        return ts_type_is_vlen_string(type) ? duplicate_string(element) : duplicate_sequence(type, element);
    case H5T_COMPOUND:
        return duplicate_members(type, element);
    case H5T_ARRAY:
        return ts_vlen_duplicate(type->base, element, type->u.array.n_elements);
    default:
        return 0;
    }
}

int ts_vlen_duplicate(const struct ts_type *type, void *elements, size_t n)
{
    if (!ts_type_has_vlen_or_ref(type))
        return 0;
    size_t size = ts_type_size(type);
    for (size_t i = 0; i < n; i++)
        if (duplicate_one(type, (char *)elements + i * size) < 0) {
            ts_vlen_reclaim(type, elements, i);
            return -1;
        }
    return 0;
}

void ts_vlen_reclaim(const struct ts_type *type, void *elements, size_t n)
{
    static const struct ts_reclaim how = {0};
    ts_reclaim(type, &how, n, elements);
}
