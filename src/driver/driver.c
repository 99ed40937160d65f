#include "driver/driver.h"
#include "base/env.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "driver/access.h"
#include "driver/classes.h"
#include "driver/user.h"

static _Atomic(ts_driver_wrapper *) open_wrapper;

void ts_driver_set_wrapper(ts_driver_wrapper *wrapper)
{
    atomic_store(&open_wrapper, wrapper);
}

int ts_driver_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    ts_driver_wrapper *wrap = atomic_load(&open_wrapper);
    struct ts_driver *inner;
    if (ts_driver_open_member(name, flags, config, &inner) < 0)
        return -1;
    if (!wrap) {
        *out = inner;
        return 0;
    }
    if (wrap(name, flags, inner, out) < 0) {
        ts_driver_close(inner);
        return -1;
    }
    return 0;
}

int ts_driver_open_member(const char *name, unsigned flags, const struct ts_driver_config *config,
                          struct ts_driver **out)
{
    if (config->with_image && config->kind != TS_DRIVER_CORE && config->kind != TS_DRIVER_USER)
        return TS_ERR(VFL, CANTINIT, "the access list has a file image, which only files in memory are made from");
    switch (config->kind) {
    /* Buffered streams are a way of doing the same I/O: the bytes live in one POSIX file. */
    case TS_DRIVER_SEC2:
    case TS_DRIVER_STDIO:
        return ts_sec2_open(name, flags, config, out);
    case TS_DRIVER_LOG:
        return ts_log_open(name, flags, config, out);
    case TS_DRIVER_CORE:
        return ts_core_open(name, flags, config, out);
    case TS_DRIVER_FAMILY:
        return ts_family_open(name, flags, config, out);
    case TS_DRIVER_MULTI:
        return ts_multi_open(name, flags, config, out);
    case TS_DRIVER_SPLITTER:
        return ts_splitter_open(name, flags, config, out);
    case TS_DRIVER_USER:
        return ts_user_open(name, flags, config, out);
    default:
        return TS_ERR(VFL, BADVALUE, "file driver %d is not known", (int)config->kind);
    }
}

int ts_driver_open_part(const char *name, unsigned flags, const struct ts_driver_config *part,
                        const struct ts_driver_config *whole, struct ts_driver **out)
{
    struct ts_driver_config config = part ? *part : (struct ts_driver_config){.kind = TS_DRIVER_SEC2};
    config.access = whole->access;
    config.access_kind = whole->access_kind;
    return ts_driver_open_member(name, flags, &config, out);
}

int ts_driver_delete_part(const char *name, const struct ts_driver_config *part)
{
    const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
    return ts_driver_delete(name, part ? part : &sec2);
}

int ts_driver_delete(const char *name, const struct ts_driver_config *config)
{
    switch (config->kind) {
    case TS_DRIVER_FAMILY:
        return ts_family_delete(name, config);
    case TS_DRIVER_MULTI:
        return ts_multi_delete(name, config);
    case TS_DRIVER_SPLITTER:
        return ts_splitter_delete(name, config);
    case TS_DRIVER_USER:
        return ts_user_delete(name, config);
    case TS_DRIVER_CORE:
        if (!config->core.backing_store)
            return 0;
        break;
    default:
        break;
    }
    if (remove(name) != 0)
        return TS_ERR(VFL, CANTDELETEFILE, "cannot delete '%s': " TS_ERRNO, name, TS_ERRNO_OF(errno));
    return 0;
}

enum ts_lock_policy ts_driver_lock_policy(bool use, bool ignore_when_disabled)
{
    const char *value = ts_env("HDF5_USE_FILE_LOCKING");
    if (value && (strcmp(value, "FALSE") == 0 || strcmp(value, "0") == 0))
        return TS_LOCK_NONE;
    if (value && (strcmp(value, "TRUE") == 0 || strcmp(value, "1") == 0))
        return TS_LOCK_STRICT;
    if (value && strcmp(value, "BEST_EFFORT") == 0)
        return TS_LOCK_BEST_EFFORT;
    if (!use)
        return TS_LOCK_NONE;
    return ignore_when_disabled ? TS_LOCK_BEST_EFFORT : TS_LOCK_STRICT;
}

int ts_driver_lock(struct ts_driver *d, bool exclusive, enum ts_lock_policy policy)
{
    if (policy == TS_LOCK_NONE)
        return 1;
    if (!d->cls->lock)
        return 0;
    int status = d->cls->lock(d, exclusive);
    if (status == 1 && policy == TS_LOCK_STRICT)
        return TS_ERR(VFL, CANTLOCKFILE,
                      "unable to lock file: the file system has no locks (see HDF5_USE_FILE_LOCKING)");
    return status;
}

int ts_driver_unlock(struct ts_driver *d)
{
    return d->cls->unlock ? d->cls->unlock(d) : 0;
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
    if (config->kind == TS_DRIVER_SPLITTER) {
        member_free(config->splitter.rw);
        member_free(config->splitter.wo);
        ts_free(config->splitter.wo_path);
        ts_free(config->splitter.log_path);
    }
    if (config->kind == TS_DRIVER_LOG)
        ts_free(config->log.path);
    if (config->kind == TS_DRIVER_USER && config->user.cls) {
        ts_user_info_free(config->user.cls, config->user.info);
        ts_user_class_unref(config->user.cls);
    }
    ts_access_unref(config->access);
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

static int splitter_copy(struct ts_driver_config *dst, const struct ts_driver_config *src)
{
    dst->splitter.rw = dst->splitter.wo = NULL;
    dst->splitter.wo_path = dst->splitter.log_path = NULL;
    if (member_copy(&dst->splitter.rw, src->splitter.rw) < 0 || member_copy(&dst->splitter.wo, src->splitter.wo) < 0)
        return -1;
    if (src->splitter.wo_path && !(dst->splitter.wo_path = ts_strdup(src->splitter.wo_path)))
        return -1;
    if (src->splitter.log_path && !(dst->splitter.log_path = ts_strdup(src->splitter.log_path)))
        return -1;
    return 0;
}

static int user_copy(struct ts_driver_config *dst, const struct ts_driver_config *src)
{
    dst->user.info = dst->user.list = NULL;
    ts_user_class_ref(dst->user.cls);
    return ts_user_info_copy(dst->user.cls, src->user.info, &dst->user.info);
}

int ts_driver_config_copy(struct ts_driver_config *dst, const struct ts_driver_config *src)
{
    *dst = *src;
    ts_access_ref(dst->access);
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
    } else if (src->kind == TS_DRIVER_SPLITTER) {
        status = splitter_copy(dst, src);
    } else if (src->kind == TS_DRIVER_LOG) {
        status = src->log.path && !(dst->log.path = ts_strdup(src->log.path)) ? -1 : 0;
    } else if (src->kind == TS_DRIVER_USER) {
        status = user_copy(dst, src);
    }
    if (status < 0)
        ts_driver_config_deinit(dst);
    return status;
}
