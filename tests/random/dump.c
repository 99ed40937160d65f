/* All that a file holds, as lines of text in an order that depends on the contents alone: what a script is checked by. */
#include "ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects by the path on which they were first met. */
struct met {
    haddr_t address;
    char *path;
};

struct name_list {
    size_t n, room;
    char **names;
};

static struct met *met;
static size_t n_met;
static hid_t dumped;
static int failed;

const char *dump_path_of(haddr_t address)
{
    for (size_t i = 0; i < n_met; i++)
        if (met[i].address == address)
            return met[i].path;
    return NULL;
}

static void *grow(void *p, size_t n, size_t size)
{
    /* A power of two is when it is full. */
    return n & (n - 1) ? p : realloc(p, (n ? 2 * n : 1) * size);
}

static void add_name(struct name_list *list, const char *name)
{
    list->names = grow(list->names, list->n, sizeof *list->names);
    list->names[list->n++] = strdup(name);
}

static void free_names(struct name_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->names[i]);
    free(list->names);
}

static herr_t keep_link(hid_t group, const char *name, const H5L_info_t *info, void *list)
{
    (void)group;
    (void)info;
    add_name(list, name);
    return 0;
}

static herr_t keep_attribute(hid_t object, const char *name, const H5A_info_t *info, void *list)
{
    (void)object;
    (void)info;
    add_name(list, name);
    return 0;
}

static int must(long long status, const char *what, const char *path)
{
    if (status >= 0)
        return 1;
    printf("failed: %s %s\n", what, path);
    failed = 1;
    return 0;
}

static char *join(const char *group, const char *name)
{
    size_t size = strlen(group) + strlen(name) + 2;
    char *path = malloc(size);
    snprintf(path, size, "%s%s%s", group, strcmp(group, "/") == 0 ? "" : "/", name);
    return path;
}

static void meet(const char *path)
{
    H5O_info_t info;
    if (!must(H5Oget_info_by_name(dumped, path, &info, H5P_DEFAULT), "object", path) || dump_path_of(info.addr))
        return;
    met = grow(met, n_met, sizeof *met);
    met[n_met++] = (struct met){info.addr, strdup(path)};
    if (info.type != H5O_TYPE_GROUP)
        return;
    struct name_list list = {0, 0, NULL};
    must(H5Literate_by_name(dumped, path, H5_INDEX_NAME, H5_ITER_INC, NULL, keep_link, &list, H5P_DEFAULT), "links of",
         path);
    for (size_t i = 0; i < list.n; i++) {
        char *child = join(path, list.names[i]);
        H5L_info_t link;
        if (must(H5Lget_info(dumped, child, &link, H5P_DEFAULT), "link", child) && link.type == H5L_TYPE_HARD)
            meet(child);
        free(child);
    }
    free_names(&list);
}

static void print_dims(const char *label, hid_t space, int maximum)
{
    hsize_t dims[MAX_RANK], max[MAX_RANK];
    H5S_class_t class = H5Sget_simple_extent_type(space);
    printf(" %s", label);
    if (class != H5S_SIMPLE) {
        printf("%s", class == H5S_NULL ? "null" : "scalar");
        return;
    }
    int rank = H5Sget_simple_extent_dims(space, dims, max);
    for (int i = 0; i < rank; i++) {
        hsize_t n = maximum ? max[i] : dims[i];
        printf(i ? ",%lld" : "%lld", n == H5S_UNLIMITED ? -1 : (long long)n);
    }
}

static void print_type(hid_t type, const struct kind *k)
{
    H5O_info_t info;
    const char *path = NULL;
    printf(" %s", k ? k->name : "?");
    if (H5Tcommitted(type) <= 0)
        return;
    if (H5Oget_info(type, &info) >= 0)
        path = dump_path_of(info.addr);
    printf(" type=%s", path ? path : "hidden");
}

static void print_elements(const struct kind *k, hid_t space, char *buf)
{
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    for (size_t i = 0; i < n; i++) {
        putchar(' ');
        kind_print(k, buf + i * k->size);
    }
    if (k->variable && n > 0)
        H5Dvlen_reclaim(k->mem, space, H5P_DEFAULT, buf);
}

static void dump_attribute(hid_t object, const char *path, const char *name, int ordered)
{
    int mark = own_mark();
    H5A_info_t info;
    hid_t a = own(H5Aopen(object, name, H5P_DEFAULT));
    if (!must(a, name, path) || !must(H5Aget_info(a, &info), name, path))
        return;
    hid_t type = own(H5Aget_type(a)), space = own(H5Aget_space(a));
    const struct kind *k = kind_of(type);
    printf("attribute %s %s cset=%d", path, name, info.cset);
    print_type(type, k);
    print_dims("dims=", space, 0);
    if (ordered)
        printf(" order=%d", info.corder_valid ? (int)info.corder : -1);
    if (k) {
        size_t n = (size_t)H5Sget_simple_extent_npoints(space);
        char *buf = calloc(n + 1, k->size);
        if (H5Aread(a, k->mem, buf) < 0)
            printf(" failed");
        else
            print_elements(k, space, buf);
        free(buf);
    }
    putchar('\n');
    disown_from(mark);
}

static void dump_attributes(hid_t object, const char *path, int ordered)
{
    struct name_list list = {0, 0, NULL};
    must(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, keep_attribute, &list), "attributes of", path);
    for (size_t i = 0; i < list.n; i++)
        dump_attribute(object, path, list.names[i], ordered);
    free_names(&list);
}

/* By creation, the last first. */
static void dump_order(hid_t object, const char *path, int links)
{
    struct name_list list = {0, 0, NULL};
    if (links)
        must(H5Literate(object, H5_INDEX_CRT_ORDER, H5_ITER_DEC, NULL, keep_link, &list), "order of", path);
    else
        must(H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_DEC, NULL, keep_attribute, &list), "order of", path);
    printf("%s %s", links ? "links" : "attributes", path);
    for (size_t i = 0; i < list.n; i++)
        printf(" %s", list.names[i]);
    putchar('\n');
    free_names(&list);
}

static void dump_link_value(const char *path, const H5L_info_t *info)
{
    const char *file, *target;
    unsigned flags;
    char *value = calloc(info->u.val_size + 1, 1);
    if (H5Lget_val(dumped, path, value, info->u.val_size, H5P_DEFAULT) < 0)
        printf(" failed");
    else if (info->type == H5L_TYPE_SOFT)
        printf(" soft %s", value);
    else if (H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &target) < 0)
        printf(" failed");
    else
        printf(" external %s %s", file, target);
    free(value);
}

static void dump_links(const char *path, int ordered)
{
    struct name_list list = {0, 0, NULL};
    H5Literate_by_name(dumped, path, H5_INDEX_NAME, H5_ITER_INC, NULL, keep_link, &list, H5P_DEFAULT);
    for (size_t i = 0; i < list.n; i++) {
        char *child = join(path, list.names[i]);
        H5L_info_t info;
        if (must(H5Lget_info(dumped, child, &info, H5P_DEFAULT), "link", child)) {
            printf("link %s cset=%d", child, info.cset);
            if (ordered)
                printf(" order=%lld", info.corder_valid ? (long long)info.corder : -1);
            if (info.type == H5L_TYPE_HARD) {
                const char *to = dump_path_of(info.u.address);
                printf(" hard %s", to ? to : "?");
            } else
                dump_link_value(child, &info);
            putchar('\n');
        }
        free(child);
    }
    free_names(&list);
}

static void print_filters(hid_t dcpl)
{
    int n = H5Pget_nfilters(dcpl);
    printf(" filters=");
    for (int i = 0; i < n; i++) {
        unsigned flags, config, values[20];
        size_t n_values = 20;
        printf(i ? ",%d" : "%d", H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, values, 0, NULL, &config));
    }
}

static void print_creation(hid_t dcpl, const struct kind *k)
{
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
    hsize_t chunk[MAX_RANK];
    char element[KIND_SIZE];
    H5D_fill_value_t filled;
    H5D_layout_t layout = H5Pget_layout(dcpl);
    printf(" layout=%s", layout >= 0 && layout < 4 ? layouts[layout] : "?");
    if (layout == H5D_CHUNKED) {
        int rank = H5Pget_chunk(dcpl, MAX_RANK, chunk);
        for (int i = 0; i < rank; i++)
            printf("%c%d", i ? ',' : ':', (int)chunk[i]);
    }
    print_filters(dcpl);
    printf(" external=%d", H5Pget_external_count(dcpl));
    if (H5Pfill_value_defined(dcpl, &filled) < 0)
        printf(" fill=failed");
    else if (filled == H5D_FILL_VALUE_USER_DEFINED && k) {
        printf(" fill=");
        if (H5Pget_fill_value(dcpl, k->mem, element) < 0)
            printf("failed");
        else
            kind_print(k, element);
    }
}

static void dump_data(hid_t d, const char *path, const struct kind *k)
{
    hid_t space = own(H5Dget_space(d));
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    char *buf = calloc(n + 1, k->size);
    printf("data %s", path);
    if (n > 0 && H5Dread(d, k->mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) < 0)
        printf(" failed");
    else
        print_elements(k, space, buf);
    putchar('\n');
    free(buf);
}

static void print_comment(hid_t object)
{
    char comment[600] = "";
    if (H5Oget_comment(object, comment, sizeof comment) < 0)
        printf(" comment=failed");
    else if (*comment)
        printf(" comment=%s", comment);
}

static void dump_dataset(hid_t d, const char *path)
{
    hid_t type = own(H5Dget_type(d)), space = own(H5Dget_space(d)), dcpl = own(H5Dget_create_plist(d));
    const struct kind *k = kind_of(type);
    print_type(type, k);
    print_dims("dims=", space, 0);
    print_dims("max=", space, 1);
    print_creation(dcpl, k);
    print_comment(d);
    putchar('\n');
    if (k)
        dump_data(d, path, k);
}

static void dump_group(hid_t g, const char *path)
{
    H5G_info_t info;
    unsigned flags = 0;
    hid_t gcpl = own(H5Gget_create_plist(g));
    if (!must(H5Gget_info(g, &info), "group", path) || !must(H5Pget_link_creation_order(gcpl, &flags), "list", path))
        return;
    printf(" links=%d", (int)info.nlinks);
    if (flags & H5P_CRT_ORDER_TRACKED)
        printf(" next=%lld", (long long)info.max_corder);
    print_comment(g);
    putchar('\n');
    dump_links(path, (flags & H5P_CRT_ORDER_TRACKED) != 0);
    if (flags & H5P_CRT_ORDER_TRACKED)
        dump_order(g, path, 1);
}

/* Without it the order that an attribute says it has is that of its message, or none. */
static int attribute_order(hid_t object, H5O_type_t type)
{
    unsigned flags = 0;
    hid_t list = type == H5O_TYPE_GROUP     ? H5Gget_create_plist(object)
                 : type == H5O_TYPE_DATASET ? H5Dget_create_plist(object)
                                            : H5Tget_create_plist(object);
    must(H5Pget_attr_creation_order(own(list), &flags), "list of", "object");
    return (flags & H5P_CRT_ORDER_TRACKED) != 0;
}

static void dump_object(const char *path)
{
    H5O_info_t info;
    hid_t object = own(H5Oopen(dumped, path, H5P_DEFAULT));
    if (!must(object, "open", path) || !must(H5Oget_info(object, &info), "info", path))
        return;
    printf("%s %s rc=%u attributes=%d", info.type == H5O_TYPE_GROUP     ? "group"
                                        : info.type == H5O_TYPE_DATASET ? "dataset"
                                                                        : "datatype",
           path, info.rc, (int)info.num_attrs);
    if (info.type == H5O_TYPE_GROUP)
        dump_group(object, path);
    else if (info.type == H5O_TYPE_DATASET)
        dump_dataset(object, path);
    else {
        const struct kind *k = kind_of(object);
        printf(" %s", k ? k->name : "?");
        print_comment(object);
        putchar('\n');
    }
    int ordered = attribute_order(object, info.type);
    dump_attributes(object, path, ordered);
    if (ordered)
        dump_order(object, path, 0);
}

int dump_file(hid_t file)
{
    dumped = file;
    failed = 0;
    meet("/");
    for (size_t i = 0; i < n_met; i++) {
        int mark = own_mark();
        dump_object(met[i].path);
        if (disown_from(mark) < 0)
            printf("failed: close %s\n", met[i].path);
    }
    for (size_t i = 0; i < n_met; i++)
        free(met[i].path);
    free(met);
    met = NULL;
    n_met = 0;
    return failed ? -1 : 0;
}
