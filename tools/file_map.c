/* The map of a whole file: that of each dataset that a map can be made of, and what is left out. */
#include <stdlib.h>
#include <string.h>

#include "chunks.h"

struct file_map {
    FILE *out, *left_out;
    const char *top; /* the group */
    enum chunk_order order;
    size_t mapped, refused;
    int status;
};

static void put_left_out(struct file_map *m, const char *path, const char *why)
{
    fprintf(m->left_out, "%s\n    {\"dataset\": ", m->refused++ ? "," : "");
    print_json_text(m->left_out, path);
    fputs(", \"why\": ", m->left_out);
    print_json_text(m->left_out, why);
    fputc('}', m->left_out);
}

static bool is_empty(hid_t dset)
{
    hid_t space = H5Dget_space(dset);
    bool empty = H5Sget_simple_extent_type(space) == H5S_NULL;
    H5Sclose(space);
    return empty;
}

static int map_dataset(struct file_map *m, const struct target *target)
{
    struct chunk_view view;
    if (is_empty(target->obj)) {
        put_left_out(m, target->path, "it is empty: it has a null space");
        return 0;
    }
    int status = chunk_view_init(&view, target, NULL);
    char *lacks = status == 0 ? map_lacks(&view) : NULL;
    if (lacks) {
        put_left_out(m, target->path, lacks);
    } else if (status == 0) {
        fputs(m->mapped++ ? ",\n" : "\n", m->out);
        status = print_map(m->out, &view, m->order);
    }
    free(lacks);
    chunk_view_deinit(&view);
    return status;
}

static herr_t map_object(hid_t group, const char *name, const H5O_info2_t *info, void *data)
{
    struct file_map *m = data;
    size_t size = strlen(m->top) + strlen(name) + 2;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    char *path = malloc(size);
    if (!path)
        return m->status = tool_error("no memory for a name");
    snprintf(path, size, "%s%s%s", m->top, m->top[1] ? "/" : "", name);
    struct target target = {.path = path, .obj = H5Oopen(group, name, H5P_DEFAULT)};
    m->status = target.obj < 0 ? tool_error("%s: cannot open it", path) : map_dataset(m, &target);
    if (target.obj >= 0)
        H5Oclose(target.obj);
    free(path);
    return m->status;
}

int print_file_map(FILE *out, const struct target *target, enum chunk_order order)
{
    char *left_out = NULL, name[4096] = "";
    size_t size;
    struct file_map m = {.out = out, .top = target->path, .order = order};
    H5Fget_name(target->file, name, sizeof name);
    fputs("{\n\"tessera_map\": 1,\n\"file\": ", out);
    print_json_text(out, name);
    fputs(",\n\"datasets\": [", out);
    m.left_out = open_memstream(&left_out, &size);
    herr_t visited = H5Ovisit3(target->obj, H5_INDEX_NAME, H5_ITER_INC, map_object, &m, H5O_INFO_BASIC);
    fclose(m.left_out);
    fprintf(out, "],\n\"left_out\": [%s]\n}\n", left_out);
    free(left_out);
    if (visited < 0 && m.status == 0)
        m.status = tool_error("%s: cannot go through what is in it", target->path);
    return m.status;
}
