#include "type/reclaim.h"

#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "type/type.h"

static void release(const struct ts_reclaim *how, void *p)
{
    if (how->free) {
        TS_MAY_CALL_OUT();
        how->free(p, how->info);
    } else {
        ts_free(p);
    }
}

static void reclaim_vlen(const struct ts_type *t, const struct ts_reclaim *how, uint8_t *at)
{
    if (ts_type_is_vlen_string(t)) {
        char *s;
        memcpy(&s, at, sizeof s);
        release(how, s);
        memset(at, 0, sizeof s);
        return;
    }
    hvl_t vl;
    memcpy(&vl, at, sizeof vl);
    if (vl.len) {
        if (vl.p)
            ts_reclaim(t->base, how, vl.len, vl.p);
        if (vl.p)
            release(how, vl.p);
    }
    memset(at, 0, sizeof vl);
}

void ts_reclaim(const struct ts_type *t, const struct ts_reclaim *how, size_t n, void *buf)
{
    if (!ts_type_has_vlen_or_ref(t))
        return;
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = (uint8_t *)buf + i * t->size;
        if (t->cls == H5T_VLEN)
            reclaim_vlen(t, how, at);
        else if (t->cls == H5T_ARRAY)
            ts_reclaim(t->base, how, t->u.array.n_elements, at);
        else if (t->cls == H5T_REFERENCE && t->u.ref.kind >= H5R_OBJECT2 && how->destroy_reference)
            how->destroy_reference(at);
        for (size_t m = 0; t->cls == H5T_COMPOUND && m < t->u.compound.n; m++)
            ts_reclaim(t->u.compound.members[m].type, how, 1, at + t->u.compound.members[m].offset);
    }
}
