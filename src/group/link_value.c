/* What a link says of itself, and its value. Classes of the application are asked. */
#include "group/link_value.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/lock.h"

static ssize_t query(const struct ts_link_class *cls, const struct ts_link *link, void *buf, size_t size)
{
    TS_MAY_CALL_OUT();
    const void *data = link->value_size ? link->value : NULL;
    return cls->cls.query_func(link->name, data, link->value_size, buf, size);
}

/* What the application's class says the size is; unknown classes have no value to show. */
static int user_value_size(const struct ts_link *link, size_t *out)
{
    struct ts_link_class cls;
    *out = 0;
    if (!ts_link_class_get(link->type, &cls))
        return 0;
    if (cls.builtin) {
        *out = link->value_size;
        return 0;
    }
    if (!cls.cls.query_func)
        return 0;
    ssize_t size = query(&cls, link, NULL, 0);
    if (size < 0)
        return TS_ERR(LINK, CALLBACK, "query buffer size callback returned negative value");
    *out = (size_t)size;
    return 0;
}

int ts_link_describe(const struct ts_link *link, H5L_info1_t *out)
{
    memset(out, 0, sizeof *out);
    out->type = link->type;
    out->corder_valid = link->corder_valid;
    out->corder = link->corder;
    out->cset = link->cset;
    if (link->type == H5L_TYPE_HARD) {
        out->u.address = link->addr;
        return 0;
    }
    if (link->type != H5L_TYPE_SOFT)
        return user_value_size(link, &out->u.val_size);
    out->u.val_size = ts_link_value_size(link);
    return 0;
}

static int user_value(const struct ts_link *link, char *buf, size_t size)
{
    struct ts_link_class cls = {.builtin = false};
    bool known = ts_link_class_get(link->type, &cls);
    if (cls.builtin) {
        if (buf)
            memcpy(buf, link->value, size < link->value_size ? size : link->value_size);
        return 0;
    }
    if (!known || !cls.cls.query_func) {
        if (buf && size > 0)
            buf[0] = '\0';
        return 0;
    }
    if (query(&cls, link, buf, size) < 0)
        return TS_ERR(LINK, CALLBACK, "query callback returned failure");
    return 0;
}

int ts_link_value(const struct ts_link *link, void *buf, size_t size)
{
    if (link->type == H5L_TYPE_HARD)
        return TS_ERR(LINK, BADTYPE, "'%s' is not a symbolic or user-defined link", link->name);
    if (link->type != H5L_TYPE_SOFT)
        return user_value(link, buf, size);
    if (buf && size > 0) {
        const char *path = link->value;
        size_t n = strlen(path) + 1, copied = n < size ? n : size;
        memcpy(buf, path, copied - 1);
        ((char *)buf)[copied - 1] = '\0';
        /* Zeros behind it, too, if the buffer is one: nothing is larger than PTRDIFF_MAX. */
        if (n < size && size <= PTRDIFF_MAX)
            memset((char *)buf + n, 0, size - n);
    }
    return 0;
}
