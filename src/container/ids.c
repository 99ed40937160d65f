/* Ids of files and of what is open in them; what closing the last one of a file means for the others. */
#include "container/ids.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/mount.h"
#include "id/id.h"
#include "object/place.h"
#include "type/type.h"

static void handle_ref(void *obj)
{
    ts_fhandle_ref(obj);
}

static void handle_unref(void *obj)
{
    ts_fhandle_unref(obj);
}

static struct ts_count *handle_count(void *obj, unsigned i)
{
    return i == 0 ? &((struct ts_fhandle *)obj)->refs : NULL;
}

/* The handle that keeps an object's file open, borrowed from the object; NULL when it belongs to no file. */
static struct ts_fhandle *handle_of(H5I_type_t type, void *obj)
{
    struct ts_loc loc;
    return ts_location_of(type, obj, &loc) == 0 ? loc.fh : NULL;
}

/* Where any file will do, datatypes in none count, too, but for those that are locked. */
static bool is_free_type(const struct ts_container_ids *filter, H5I_type_t type, const void *obj)
{
    return type == H5I_DATATYPE && !filter->file && !filter->local && !filter->tree &&
           ((const struct ts_type *)obj)->state != TS_TYPE_IMMUTABLE;
}

static bool id_matches(const struct ts_container_ids *filter, hid_t id)
{
    H5I_type_t type;
    unsigned mark = ts_err_mark();
    void *obj = ts_id_pin_any(id, &type);
    if (!obj) {
        ts_err_rewind(mark);
        return false;
    }
    struct ts_fhandle *fh = handle_of(type, obj);
    ts_err_rewind(mark);
    bool match = fh && (!filter->file || fh->file == filter->file) && (!filter->local || fh == filter->local) &&
                 (!filter->tree || ts_mount_same_tree(fh, filter->tree));
    match = match || is_free_type(filter, type, obj);
    ts_id_unpin(type, obj);
    return match;
}

ssize_t ts_container_ids_collect(const struct ts_container_ids *filter, size_t max, hid_t *out)
{
    static const struct {
        unsigned flag;
        H5I_type_t type;
    } kinds[] = {{H5F_OBJ_FILE, H5I_FILE},
                 {H5F_OBJ_DATASET, H5I_DATASET},
                 {H5F_OBJ_GROUP, H5I_GROUP},
                 {H5F_OBJ_DATATYPE, H5I_DATATYPE},
                 {H5F_OBJ_ATTR, H5I_ATTR}};
    size_t found = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        hid_t *ids;
        size_t n;
        if (!(filter->types & kinds[k].flag))
            continue;
        if (ts_id_list(kinds[k].type, false, &ids, &n) < 0)
            return -1;
        for (size_t i = 0; i < n && found < max; i++)
            if (id_matches(filter, ids[i])) {
                if (out)
                    out[found] = ids[i];
                found++;
            }
        ts_free(ids);
    }
    return (ssize_t)found;
}

/* Files that are mounted together are closed together, with the last of their ids. How many of those there are, and how
 * many of their objects. */
static int count_tree(struct ts_fhandle *fh, ssize_t *files, ssize_t *objects)
{
    struct ts_container_ids filter = {.tree = fh, .types = H5F_OBJ_FILE};
    *files = ts_container_ids_collect(&filter, 2, NULL);
    filter.types = H5F_OBJ_ALL & ~H5F_OBJ_FILE;
    *objects = *files < 0 ? -1 : ts_container_ids_collect(&filter, SIZE_MAX, NULL);
    return *objects < 0 ? -1 : 0;
}

/* With the degree SEMI open objects forbid closing. */
static int handle_may_close(void *obj)
{
    struct ts_fhandle *fh = obj;
    ssize_t files, objects;
    if (fh->file->agreed.close_degree != H5F_CLOSE_SEMI)
        return 0;
    if (count_tree(fh, &files, &objects) < 0)
        return -1;
    if (files > 1 || objects == 0)
        return 0;
    return TS_ERR_AS(FILE, CANTCLOSEFILE, "can't close file, there are objects still open",
                     "'%s' has %zd open objects, and its close degree H5F_CLOSE_SEMI forbids closing", fh->name,
                     objects);
}

/* With STRONG they are closed too. Another thread may be faster with some of them. */
static int close_objects(struct ts_fhandle *fh)
{
    struct ts_container_ids filter = {.tree = fh, .types = H5F_OBJ_ALL & ~H5F_OBJ_FILE};
    ssize_t files, objects;
    if (fh->file->agreed.close_degree != H5F_CLOSE_STRONG)
        return 0;
    if (count_tree(fh, &files, &objects) < 0)
        return -1;
    if (files > 0 || objects == 0)
        return 0;
    hid_t *ids = ts_malloc((size_t)objects * sizeof *ids);
    if (!ids)
        return -1;
    ssize_t n = ts_container_ids_collect(&filter, (size_t)objects, ids);
    unsigned mark = ts_err_mark(), owed = ts_err_owed();
    for (ssize_t i = 0; i < n; i++)
        while (ts_id_dec(ids[i]) > 0)
            ;
    if (ts_err_owed() == owed)
        ts_err_rewind(mark);
    ts_free(ids);
    return n < 0 ? -1 : 0;
}

static void handle_close(void *obj)
{
    if (close_objects(obj) < 0)
        ts_err_owe();
    ts_fhandle_close(obj);
}

void ts_container_ids_init(void)
{
    static const struct ts_id_class cls = {.ref = handle_ref,
                                           .unref = handle_unref,
                                           .may_close = handle_may_close,
                                           .close = handle_close,
                                           .count = handle_count};
    ts_id_class_set(H5I_FILE, &cls);
}
