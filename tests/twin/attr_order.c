/* In which order attributes come, and what they say of it: default and latest format, tracked, indexed or neither, few and
 * many; made, opened again, deleted, renamed, with other objects made between them.
 *
 * In libhdf5 an attribute that is made after others were deleted may get into the place of one, which the native order
 * shows; here it is the last. So only tracked ones are made after a deletion, and not shown in native order. libhdf5 loses
 * renamed attributes of an index by creation order: these are not renamed. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_NAME "attr_order.h5"

static const char *const names[] = {"z", "y", "x", "c", "m", "b", "a", "w", "d", "k", "e"};

static herr_t print_name(hid_t obj, const char *name, void *data)
{
    (void)obj, (void)data;
    printf(" %s", name);
    return 0;
}

static herr_t print_info(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    (void)obj, (void)data;
    printf(" %s(%d,%u)", name, (int)info->corder_valid, info->corder);
    return 0;
}

static void by_index(hid_t obj, H5_index_t index, H5_iter_order_t order)
{
    hsize_t at = 0;
    printf("  index %d order %d:", (int)index, (int)order);
    if (H5Aiterate2(obj, index, order, &at, print_info, NULL) < 0)
        printf(" fails");
    printf(" | ");
    for (hsize_t i = 0; i < (hsize_t)H5Aget_num_attrs(obj); i++) {
        char name[64] = "fails";
        H5A_info_t info = {0};
        H5Aget_name_by_idx(obj, ".", index, order, i, name, sizeof name, H5P_DEFAULT);
        H5Aget_info_by_idx(obj, ".", index, order, i, &info, H5P_DEFAULT);
        printf(" %s(%u)", name, info.corder);
    }
    printf("\n");
}

static void by_number(hid_t obj)
{
    unsigned at = 0;
    printf("  iterate:");
    H5Aiterate1(obj, &at, print_name, NULL);
    printf("\n  number:");
    for (unsigned i = 0; i < (unsigned)H5Aget_num_attrs(obj); i++) {
        char name[64] = "fails";
        H5A_info_t info = {0};
        hid_t attr = H5Aopen_idx(obj, i);
        H5Aget_name(attr, sizeof name, name);
        H5Aget_info(attr, &info);
        printf(" %s(%d,%u)", name, (int)info.corder_valid, info.corder);
        H5Aclose(attr);
    }
    printf("\n");
}

static void show_sorted(hid_t obj, const char *what)
{
    printf(" %s\n", what);
    for (int index = 0; index < 2; index++)
        for (int order = 0; order < 2; order++)
            by_index(obj, (H5_index_t)index, (H5_iter_order_t)order);
    by_number(obj);
}

static void show(hid_t obj, const char *what)
{
    show_sorted(obj, what);
    by_index(obj, H5_INDEX_NAME, H5_ITER_NATIVE);
    by_index(obj, H5_INDEX_CRT_ORDER, H5_ITER_NATIVE);
}

static void add(hid_t obj, const char *name, hsize_t n)
{
    hid_t space = H5Screate_simple(1, &n, NULL), attr = H5Acreate2(obj, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5A_info_t info = {0};
    H5Aget_info(attr, &info);
    printf(" made %s: %d %u\n", name, (int)info.corder_valid, info.corder);
    H5Aclose(attr);
    H5Sclose(space);
}

struct way {
    H5F_libver_t low;
    unsigned order; /* H5P_CRT_ORDER_* */
    int n;
};

static hid_t make_object(hid_t file, int is_dataset, unsigned order)
{
    hid_t ocpl = H5Pcreate(is_dataset ? H5P_DATASET_CREATE : H5P_GROUP_CREATE), space = H5Screate(H5S_SCALAR);
    H5Pset_attr_creation_order(ocpl, order);
    hid_t obj = is_dataset ? H5Dcreate2(file, "obj", H5T_NATIVE_INT, space, H5P_DEFAULT, ocpl, H5P_DEFAULT)
                           : H5Gcreate2(file, "obj", H5P_DEFAULT, ocpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(ocpl);
    return obj;
}

static void change(hid_t obj, const struct way *way)
{
    if (!(way->order & H5P_CRT_ORDER_INDEXED)) {
        H5Arename(obj, "x", "o");
        show(obj, "one renamed");
    }
    add(obj, "n1", 1);
    add(obj, "n2", 40);
    show(obj, "two more");
    H5Adelete(obj, "y");
    show(obj, "one deleted");
    for (int i = 3; i < 10 && way->n > 8; i++)
        H5Adelete(obj, names[i]);
    show(obj, "few left");
    if (way->order) {
        add(obj, "y", 1);
        show_sorted(obj, "one of them made again");
    }
}

static void run(const struct way *way, int is_dataset)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, way->low, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t obj = make_object(file, is_dataset, way->order);
    printf("low %d order %u, %d attributes of a %s\n", (int)way->low, way->order, way->n, is_dataset ? "dataset" : "group");
    for (int i = 0; i < way->n; i++)
        add(obj, names[i], 1);
    show(obj, "made");
    H5Oclose(obj);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    obj = H5Oopen(file, "obj", H5P_DEFAULT);
    show(obj, "opened again");
    change(obj, way);
    H5Oclose(obj);
    H5Fclose(file);
    H5Pclose(fapl);
}

/* Thresholds count from the format of 1.8 on, or where the order is tracked. */
static void phase_change(H5F_libver_t low, unsigned order, int is_dataset)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), ocpl = H5Pcreate(is_dataset ? H5P_DATASET_CREATE : H5P_GROUP_CREATE);
    hid_t space = H5Screate(H5S_SCALAR);
    unsigned most = 99, least = 99;
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    H5Pset_attr_creation_order(ocpl, order);
    H5Pset_attr_phase_change(ocpl, 0, 0);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t obj = is_dataset ? H5Dcreate2(file, "obj", H5T_NATIVE_INT, space, H5P_DEFAULT, ocpl, H5P_DEFAULT)
                           : H5Gcreate2(file, "obj", H5P_DEFAULT, ocpl, H5P_DEFAULT);
    for (int i = 0; i < 3; i++)
        add(obj, names[i], 1);
    show(obj, "made with thresholds of 0");
    H5Oclose(obj);
    obj = H5Oopen(file, "obj", H5P_DEFAULT);
    H5Pclose(ocpl);
    ocpl = is_dataset ? H5Dget_create_plist(obj) : H5Gget_create_plist(obj);
    H5Pget_attr_phase_change(ocpl, &most, &least);
    printf("low %d order %u thresholds of a %s: %u %u\n", (int)low, order, is_dataset ? "dataset" : "group", most, least);
    H5Pclose(ocpl);
    H5Oclose(obj);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(fapl);
}

static void print_times(hid_t file, const char *name)
{
    H5O_info_t info = {0};
    H5Oget_info_by_name(file, name, &info, H5P_DEFAULT);
    printf("  times of %s: %d %d %d %d\n", name, info.atime != 0, info.mtime != 0, info.ctime != 0, info.btime != 0);
}

static void times(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    printf("low %d\n", (int)low);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "dataset", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static const char *const objects[] = {"group", "dataset", "type"};
    for (int i = 0; i < 3; i++)
        print_times(file, objects[i]);
    H5Tclose(type);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(fapl);
}

/* Objects between them keep the header from growing where it is. */
static void between(int is_dataset, hsize_t step)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), obj = make_object(file, is_dataset, 0);
    for (int i = 0; i < 11; i++) {
        add(obj, names[i], 1 + (hsize_t)i * step);
        H5Gclose(H5Gcreate2(file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Fflush(file, H5F_SCOPE_LOCAL);
    }
    show(obj, "with objects between them");
    H5Oclose(obj);
    H5Fclose(file);
    H5Pclose(fapl);
}

int main(void)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};
    static const unsigned orders[] = {0, H5P_CRT_ORDER_TRACKED, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                run(&(struct way){lows[i], orders[j], k % 2 ? 11 : 4}, k / 2);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++)
            phase_change(lows[i], orders[j % 3], j / 3);
        times(lows[i]);
    }
    for (hsize_t step = 0; step < 40; step += 13) {
        between(0, step);
        between(1, step);
    }
    unlink(FILE_NAME);
    return 0;
}
