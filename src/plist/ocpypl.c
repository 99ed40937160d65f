/* Encoded merge list: the paths with their NULs, then an empty one. */
#include "plist/ocpypl.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "plist/engine.h"

static void paths_close(void *value)
{
    struct ts_paths *p = value;
    ts_plist_names_free(p->paths, p->n);
    *p = (struct ts_paths){0};
}

static int paths_add(struct ts_paths *p, size_t at, const char *path)
{
    char *copy = ts_strdup(path);
    if (!copy || TS_GROW(p->paths, p->capacity, p->n + 1) < 0) {
        ts_free(copy);
        return -1;
    }
    memmove(p->paths + at + 1, p->paths + at, (p->n - at) * sizeof *p->paths);
    p->paths[at] = copy;
    p->n++;
    return 0;
}

static int paths_copy(void *value)
{
    struct ts_paths *from = value, copy = {0};
    for (size_t i = 0; i < from->n; i++)
        if (paths_add(&copy, i, from->paths[i]) < 0) {
            paths_close(&copy);
            return -1;
        }
    *from = copy;
    return 0;
}

static int paths_cmp(const void *va, const void *vb)
{
    const struct ts_paths *a = va, *b = vb;
    if (a->n != b->n)
        return 1;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->paths[i], b->paths[i]) != 0)
            return 1;
    return 0;
}

static void paths_encode(const void *value, size_t size, struct ts_wr *w)
{
    const struct ts_paths *p = value;
    (void)size;
    for (size_t i = 0; i < p->n; i++)
        ts_wr_bytes(w, p->paths[i], strlen(p->paths[i]) + 1);
    ts_wr_u8(w, 0);
}

static int paths_decode(struct ts_rd *r, void *value, size_t size)
{
    struct ts_paths p = {0};
    const char *path;
    (void)size;
    while ((path = ts_rd_cstr(r)) && *path)
        if (paths_add(&p, p.n, path) < 0) {
            paths_close(&p);
            return -1;
        }
    if (!path) {
        paths_close(&p);
        return TS_ERR(PLIST, CANTDECODE, "encoded merge list ends early");
    }
    *(struct ts_paths *)value = p;
    return 0;
}

static const struct ts_prop_ops paths_ops = {
    .copy = paths_copy, .close = paths_close, .cmp = paths_cmp, .encode = paths_encode, .decode = paths_decode};

int ts_ocpypl_define(void)
{
    static const struct ts_prop_spec specs[] = {
        TS_PROPERTY_SPEC(ocpypl, copy_flags, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(ocpypl, merge_types, NULL, &paths_ops, 0),
        TS_PROPERTY_SPEC(ocpypl, merge_search, NULL, &ts_prop_plain, 0),
    };
    return ts_plist_define(TS_PLIST_OBJECT_COPY, specs, sizeof specs / sizeof *specs);
}

int ts_fmpl_define(void)
{
    static const struct ts_prop_spec spec = TS_PROPERTY_SPEC(fmpl, mount_local, NULL, &ts_prop_plain, 0);
    return ts_plist_define(TS_PLIST_FILE_MOUNT, &spec, 1);
}

int ts_ocpypl_add_path(struct ts_plist *pl, const char *path)
{
    struct ts_paths *p = ts_ocpypl_edit_merge_types(pl);
    if (!p)
        return -1;
    int ret = paths_add(p, 0, path);
    ts_plist_release(pl);
    return ret;
}

int ts_ocpypl_clear_paths(struct ts_plist *pl)
{
    struct ts_paths *p = ts_ocpypl_edit_merge_types(pl);
    if (!p)
        return -1;
    paths_close(p);
    ts_plist_release(pl);
    return 0;
}

int ts_ocpypl_paths(struct ts_plist *pl, struct ts_paths *out)
{
    const struct ts_paths *p = ts_ocpypl_hold_merge_types(pl);
    if (!p)
        return -1;
    *out = *p;
    int ret = paths_copy(out);
    ts_plist_release(pl);
    return ret;
}

void ts_paths_deinit(struct ts_paths *paths)
{
    paths_close(paths);
}
