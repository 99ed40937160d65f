#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

struct listing {
    const char *base; /* printed in front of every name */
    struct table *table;
    bool recursive, attributes;
    int status;
};

enum { NAME, TYPE, SPACE, LAYOUT, BYTES };

static const char help[] = "usage: tessera ls [-r] [-a] FILE[/PATH]\n\n"
                           "Lists the links of a group, or describes one object.\n\n"
                           "  -r, --recursive   everything below, too\n"
                           "  -a, --attributes  the attributes of each object, too\n"
                           "  -h, --help        this text\n";

static void put_type(struct table *t, hid_t type)
{
    describe_type(table_cell(t, TYPE), type);
    table_cell_end(t);
}

static void put_space(struct table *t, hid_t space)
{
    describe_space(table_cell(t, SPACE), space);
    table_cell_end(t);
}

static void put_text(struct table *t, size_t column, const char *text)
{
    fputs(text, table_cell(t, column));
    table_cell_end(t);
}

static void put_name(struct table *t, const char *prefix, const char *name)
{
    table_row(t);
    FILE *out = table_cell(t, NAME);
    fputs(prefix, out);
    print_escaped(out, name, strlen(name), false);
    table_cell_end(t);
}

static void put_dataset(struct table *t, hid_t dset)
{
    hid_t type = H5Dget_type(dset), space = H5Dget_space(dset), dcpl = H5Dget_create_plist(dset);
    put_type(t, type);
    put_space(t, space);
    describe_layout(table_cell(t, LAYOUT), dcpl);
    table_cell_end(t);
    describe_bytes(table_cell(t, BYTES), H5Dget_storage_size(dset));
    table_cell_end(t);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_group(struct table *t, hid_t group)
{
    H5G_info_t info = {.nlinks = 0};
    H5Gget_info(group, &info);
    fprintf(table_cell(t, TYPE), "group, %llu link%s", (unsigned long long)info.nlinks, info.nlinks == 1 ? "" : "s");
    table_cell_end(t);
}

static void put_named_type(struct table *t, hid_t type)
{
    FILE *out = table_cell(t, TYPE);
    fputs("datatype ", out);
    describe_type(out, type);
    table_cell_end(t);
}

static void put_object(struct table *t, hid_t obj)
{
    switch (H5Iget_type(obj)) {
    case H5I_GROUP:
        put_group(t, obj);
        break;
    case H5I_DATASET:
        put_dataset(t, obj);
        break;
    case H5I_DATATYPE:
        put_named_type(t, obj);
        break;
    default:
        put_text(t, TYPE, "unknown object");
    }
}

static herr_t put_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    struct table *t = data;
    (void)info;
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT), type = H5Aget_type(attr), space = H5Aget_space(attr);
    put_name(t, "    @", name);
    put_type(t, type);
    put_space(t, space);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
    return 0;
}

static void put_row(const struct listing *listing, const char *path, hid_t obj)
{
    put_name(listing->table, "", path);
    put_object(listing->table, obj);
    if (listing->attributes)
        H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_INC, NULL, put_attribute, listing->table);
}

static char *join(const char *base, const char *name)
{
    size_t length = strlen(base) + strlen(name) + 2;
    char *path = malloc(length);
    snprintf(path, length, "%s%s%s", base, strcmp(base, "/") == 0 ? "" : "/", name);
    return path;
}

static void describe_link(FILE *out, const H5L_info2_t *info, const char *target)
{
    const char *file, *object;
    if (info->type == H5L_TYPE_SOFT)
        fprintf(out, "-> %s", target);
    else if (info->type == H5L_TYPE_EXTERNAL &&
             H5Lunpack_elink_val(target, info->u.val_size, NULL, &file, &object) >= 0)
        fprintf(out, "-> %s : %s", file, object);
    else
        fprintf(out, "user-defined link of class %d", (int)info->type);
}

static void put_link(const struct listing *listing, hid_t group, const char *path, const char *name,
                     const H5L_info2_t *info)
{
    char *target = calloc(1, info->u.val_size + 1);
    put_name(listing->table, "", path);
    if (H5Lget_val(group, name, target, info->u.val_size, H5P_DEFAULT) < 0) {
        put_text(listing->table, TYPE, "link that cannot be read");
    } else {
        describe_link(table_cell(listing->table, TYPE), info, target);
        table_cell_end(listing->table);
    }
    free(target);
}

static herr_t list_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    struct listing *listing = data;
    char *path = join(listing->base, name);
    if (info->type != H5L_TYPE_HARD) {
        put_link(listing, group, path, name, info);
    } else {
        hid_t obj = H5Oopen(group, name, H5P_DEFAULT);
        if (obj >= 0)
            put_row(listing, path, obj);
        else
            listing->status = tool_error("cannot open %s", path);
        if (obj >= 0)
            H5Oclose(obj);
    }
    free(path);
    return 0;
}

static int list_group(hid_t group, struct listing *listing)
{
    if (listing->attributes)
        put_row(listing, listing->base, group);
    herr_t status = listing->recursive ? H5Lvisit2(group, H5_INDEX_NAME, H5_ITER_INC, list_link, listing)
                                       : H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_link, listing);
    return status < 0 ? tool_error("cannot list %s", listing->base) : listing->status;
}

static int list(const struct target *target, void *ctx)
{
    struct listing *listing = ctx;
    int status = 0;
    listing->table = table_new();
    listing->base = target->path;
    if (H5Iget_type(target->obj) == H5I_GROUP)
        status = list_group(target->obj, listing);
    else
        put_row(listing, target->path, target->obj);
    table_free(listing->table);
    return status;
}

int tool_ls(int argc, char **argv)
{
    static const struct option options[] = {{"recursive", no_argument, NULL, 'r'},
                                            {"attributes", no_argument, NULL, 'a'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct listing listing = {0};
    for (int option; (option = getopt_long(argc, argv, "rah", options, NULL)) != -1;)
        switch (option) {
        case 'r':
            listing.recursive = true;
            break;
        case 'a':
            listing.attributes = true;
            break;
        default:
            return tool_help(help, option == 'h');
        }
    if (optind + 1 != argc)
        return tool_help(help, false);
    return tool_use(argv[optind], list, &listing);
}
