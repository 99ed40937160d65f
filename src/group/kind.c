/* What a group is to those who know objects only. */
#include "group/copy.h"
#include "group/dense.h"
#include "group/edit.h"
#include "group/group.h"
#include "group/open.h"
#include "group/symtab.h"

static int open_group(const struct ts_loc *loc, const char *path, struct ts_plist *apl, void **out)
{
    (void)apl;
    struct ts_object *obj;
    if (ts_group_open(loc, path, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

static int group_meta_size(const struct ts_loc *loc, const struct ts_ohdr *oh, H5_ih_info_t *out)
{
    struct ts_open_group g;
    *out = (H5_ih_info_t){0, 0};
    if (ts_open_group_read((struct ts_ohdr *)oh, &g) < 0)
        return -1;
    if (g.storage == H5G_STORAGE_TYPE_SYMBOL_TABLE)
        return ts_symtab_meta_size(loc->fh->file, &g.table, out);
    return g.storage == H5G_STORAGE_TYPE_DENSE ? ts_dense_meta_size(loc->fh->file, &g.info, out) : 0;
}

void ts_group_init_kinds(void)
{
    static const struct ts_object_kind kind = {.id_type = H5I_GROUP,
                                               .open = open_group,
                                               .meta_size = group_meta_size,
                                               .farewell = ts_group_farewell,
                                               .destroy = ts_group_destroy,
                                               .copy_message = ts_group_copy_message,
                                               .copy_rest = ts_group_copy_rest};
    ts_object_kind_register(H5O_TYPE_GROUP, &kind);
}
