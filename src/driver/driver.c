#include "driver/driver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "driver/classes.h"

int ts_driver_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    switch (config->kind) {
    /* Logging and buffered streams are ways of doing the same I/O: the bytes live in one POSIX file. */
    case TS_DRIVER_SEC2:
    case TS_DRIVER_LOG:
    case TS_DRIVER_STDIO:
        return ts_sec2_open(name, flags, out);
    case TS_DRIVER_CORE:
        return ts_core_open(name, flags, config, out);
    case TS_DRIVER_FAMILY:
        return ts_family_open(name, flags, config, out);
    case TS_DRIVER_MULTI:
        return ts_multi_open(name, flags, config, out);
    default:
        return TS_ERR(VFL, BADVALUE, "file driver %d is not known", (int)config->kind);
    }
}

static void member_free(struct ts_driver_config *member)
{
    if (member)
        ts_driver_config_deinit(member);
    ts_free(member);
}

void ts_driver_config_deinit(struct ts_driver_config *config)
{
    if (config->kind == TS_DRIVER_FAMILY)
        member_free(config->family.member);
    if (config->kind == TS_DRIVER_MULTI)
        for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
            member_free(config->multi.member[i]);
            ts_free(config->multi.name[i]);
        }
    *config = (struct ts_driver_config){.kind = TS_DRIVER_SEC2};
}

static int member_copy(struct ts_driver_config **dst, const struct ts_driver_config *src)
{
    if (!src)
        return 0;
    *dst = ts_calloc(1, sizeof **dst);
    if (!*dst)
        return -1;
    return ts_driver_config_copy(*dst, src);
}

static int multi_copy(struct ts_driver_config *dst, const struct ts_driver_config *src)
{
    for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
        if (member_copy(&dst->multi.member[i], src->multi.member[i]) < 0)
            return -1;
        if (src->multi.name[i] && !(dst->multi.name[i] = ts_strdup(src->multi.name[i])))
            return -1;
    }
    return 0;
}

int ts_driver_config_copy(struct ts_driver_config *dst, const struct ts_driver_config *src)
{
    *dst = *src;
    int status = 0;
    if (src->kind == TS_DRIVER_FAMILY) {
        dst->family.member = NULL;
        status = member_copy(&dst->family.member, src->family.member);
    } else if (src->kind == TS_DRIVER_MULTI) {
        for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
            dst->multi.member[i] = NULL;
            dst->multi.name[i] = NULL;
        }
        status = multi_copy(dst, src);
    }
    if (status < 0)
        ts_driver_config_deinit(dst);
    return status;
}
