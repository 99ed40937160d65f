/* Groups and links. */
#include <stdio.h>

#include "faults/faults.h"

static int make_empty(const char *path, hid_t fapl)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    return 0;
}

static const char *link_name(int i)
{
    static char name[64];
    snprintf(name, sizeof name, "/g/link number %d", i);
    return name;
}

/* A group with n soft links, with creation order or not. */
static int make_links(const char *path, hid_t fapl, int n, bool order)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    KEEP(gcpl, H5Pcreate(H5P_GROUP_CREATE));
    if (order)
        TRY(H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    KEEP(group, H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    for (int i = 0; i < n; i++)
        TRY(H5Lcreate_soft("nowhere", file, link_name(i), H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

static int make_compact(const char *path, hid_t fapl)
{
    return make_links(path, fapl, 7, false);
}

static int make_dense(const char *path, hid_t fapl)
{
    return make_links(path, fapl, 9, true);
}

static int make_large(const char *path, hid_t fapl)
{
    return make_links(path, fapl, 120, false);
}

static int make_large_order(const char *path, hid_t fapl)
{
    return make_links(path, fapl, 120, true);
}

static int create_groups(hid_t file, int step)
{
    char name[40];
    snprintf(name, sizeof name, "group %d", step);
    KEEP(group, H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

static int create_path(hid_t file, int step)
{
    (void)step;
    KEEP(lcpl, H5Pcreate(H5P_LINK_CREATE));
    TRY(H5Pset_create_intermediate_group(lcpl, 1));
    KEEP(group, H5Gcreate2(file, "a/b/c", lcpl, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

static int insert_links(hid_t file, int step)
{
    return H5Lcreate_soft("elsewhere", file, link_name(1000 + step), H5P_DEFAULT, H5P_DEFAULT);
}

static int delete_links(hid_t file, int step)
{
    return H5Ldelete(file, link_name(step), H5P_DEFAULT);
}

static int delete_by_index(hid_t file, int step)
{
    return H5Ldelete_by_idx(file, "g", step ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_DEC, 1, H5P_DEFAULT);
}

static int every_kind(hid_t file, int step)
{
    switch (step) {
    case 0:
        return H5Lcreate_hard(file, "/g", file, "/g/itself", H5P_DEFAULT, H5P_DEFAULT);
    case 1:
        return H5Lcreate_external("other.h5", "/there", file, "/outside", H5P_DEFAULT, H5P_DEFAULT);
    case 2:
        return H5Lmove(file, "/outside", file, "/g/moved", H5P_DEFAULT, H5P_DEFAULT);
    case 3:
        return H5Lcopy(file, "/g/moved", file, "/copied", H5P_DEFAULT, H5P_DEFAULT);
    case 4:
        return H5Lmove(file, "/g", file, "/h", H5P_DEFAULT, H5P_DEFAULT);
    default:
        return H5Oset_comment_by_name(file, "/h", "a comment", H5P_DEFAULT);
    }
}

static int delete_group(hid_t file, int step)
{
    return H5Ldelete(file, step ? "/new" : "/g", H5P_DEFAULT);
}

static int make_two(const char *path, hid_t fapl)
{
    TRY(make_large_order(path, fapl));
    KEEP(file, H5Fopen(path, H5F_ACC_RDWR, fapl));
    KEEP(group, H5Gcreate2(file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

static int count_references(hid_t file, int step)
{
    KEEP(group, H5Oopen(file, "g", H5P_DEFAULT));
    return step < 2 ? H5Oincr_refcount(group) : H5Odecr_refcount(group);
}

static int make_old(const char *path, hid_t fapl)
{
    (void)fapl;
    return from_corpus("group_old_100links.h5", path);
}

static int change_old(hid_t file, int step)
{
    char name[64];
    if (step == 4)
        return H5Ldelete(file, "/new 1", H5P_DEFAULT);
    snprintf(name, sizeof name, "/new %d", step);
    if (step == 3)
        return H5Lmove(file, "/new 0", file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (step == 2)
        return H5Lcreate_soft("a soft link", file, name, H5P_DEFAULT, H5P_DEFAULT);
    KEEP(group, H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

static const struct scenario scenarios[] = {
    {.name = "groups", .make = make_empty, .step = create_groups, .steps = 4},
    {.name = "groups-latest", .make = make_empty, .step = create_groups, .steps = 4, .flags = FAULTS_LATEST},
    {.name = "groups-small-cache", .make = make_empty, .step = create_groups, .steps = 12, .flags = FAULTS_SMALL_CACHE},
    {.name = "path", .make = make_empty, .step = create_path, .steps = 1},
    {.name = "compact-to-dense", .make = make_compact, .step = insert_links, .steps = 3},
    {.name = "dense-to-compact", .make = make_dense, .step = delete_links, .steps = 5},
    {.name = "dense-insert", .make = make_large, .step = insert_links, .steps = 3},
    {.name = "dense-insert-order", .make = make_large_order, .step = insert_links, .steps = 3, .flags = FAULTS_LATEST},
    {.name = "dense-delete", .make = make_large_order, .step = delete_links, .steps = 3},
    {.name = "dense-delete-by-index", .make = make_large_order, .step = delete_by_index, .steps = 2},
    {.name = "dense-delete-swmr",
     .make = make_large_order,
     .step = delete_links,
     .steps = 3,
     .flags = FAULTS_LATEST | FAULTS_SWMR | FAULTS_SMALL_CACHE},
    {.name = "dense-insert-swmr",
     .make = make_large_order,
     .step = insert_links,
     .steps = 3,
     .flags = FAULTS_LATEST | FAULTS_SWMR | FAULTS_SMALL_CACHE},
    {.name = "links", .make = make_dense, .step = every_kind, .steps = 6},
    {.name = "delete-group", .make = make_two, .step = delete_group, .steps = 2},
    {.name = "reference-counts", .make = make_compact, .step = count_references, .steps = 3},
    {.name = "symbol-table", .make = make_old, .step = change_old, .steps = 5},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
