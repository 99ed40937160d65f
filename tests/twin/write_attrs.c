/* Attributes created, written, renamed and deleted, compact and dense, with and without their order of creation. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "write_attrs.h5"

static void result(const char *what, long status)
{
    printf("%s: %s\n", what, status < 0 ? "fails" : "works");
}

#define DO(call) result(#call, (long)(call))

static hid_t make_fapl(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    return fapl;
}

static herr_t show_attr(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT), space = H5Aget_space(attr);
    int values[64] = {0};
    printf("  '%.20s' corder %d/%d cset %d size %lu class %d points %ld", name, *(int *)data && info->corder_valid,
           *(int *)data ? (int)info->corder : 0, (int)info->cset, (unsigned long)info->data_size,
           (int)H5Sget_simple_extent_type(space), (long)H5Sget_simple_extent_npoints(space));
    if (info->data_size <= 256 && H5Aread(attr, H5T_NATIVE_INT, values) >= 0)
        printf(" values %d %d %d", values[0], values[1], values[2]);
    printf("\n");
    H5Sclose(space);
    H5Aclose(attr);
    return 0;
}

static void show(hid_t obj, int ordered)
{
    H5O_info_t info = {0};
    printf("%d attributes\n", H5Aget_num_attrs(obj));
    H5Oget_info(obj, &info);
    printf("info: %d attributes, %u links\n", (int)info.num_attrs, info.rc);
    H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_INC, NULL, show_attr, &ordered);
    if (!ordered)
        return;
    for (int i = 0; i < 3; i++) {
        char name[100] = "";
        if (H5Aget_name_by_idx(obj, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)i * 2, name, 100, H5P_DEFAULT) > 0)
            printf("  in order %d: %s\n", i * 2, name);
        if (H5Aget_name_by_idx(obj, ".", H5_INDEX_CRT_ORDER, H5_ITER_DEC, (hsize_t)i, name, 100, H5P_DEFAULT) > 0)
            printf("  from the end %d: %s\n", i, name);
    }
}

static hid_t make_space(int i)
{
    hsize_t dims[2] = {(hsize_t)(i % 4 + 1), (hsize_t)(i % 3 + 1)}, zero = 0;
    switch (i % 5) {
    case 0:
        return H5Screate(H5S_SCALAR);
    case 1:
        return H5Screate(H5S_NULL);
    case 2:
        return H5Screate_simple(1, &zero, NULL);
    default:
        return H5Screate_simple(2, dims, NULL);
    }
}

static hid_t make_type(int i)
{
    hid_t types[] = {H5T_NATIVE_INT, H5T_STD_I16BE, H5T_IEEE_F64LE, H5T_STD_U8LE, H5T_IEEE_F32BE};
    return types[i % 5];
}

static void add(hid_t obj, const char *prefix, int i)
{
    char name[64];
    int values[64];
    hid_t space = make_space(i), acpl = H5Pcreate(H5P_ATTRIBUTE_CREATE);
    snprintf(name, sizeof name, "%s%d", prefix, i);
    if (i % 3 == 0)
        H5Pset_char_encoding(acpl, H5T_CSET_UTF8);
    hid_t attr = H5Acreate2(obj, name, make_type(i), space, acpl, H5P_DEFAULT);
    for (int k = 0; k < 64; k++)
        values[k] = (i + k) % 100;
    if (attr < 0 || H5Awrite(attr, H5T_NATIVE_INT, values) < 0)
        printf("cannot make %s\n", name);
    H5Aclose(attr);
    H5Pclose(acpl);
    H5Sclose(space);
}

static void drop(hid_t obj, const char *prefix, int i)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", prefix, i);
    if (H5Adelete(obj, name) < 0)
        printf("cannot delete %s\n", name);
}

static hid_t reopen(hid_t file, hid_t fapl, hid_t *obj)
{
    H5Gclose(*obj);
    result("close", H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    *obj = H5Gopen2(file, "g", H5P_DEFAULT);
    return file;
}

static void grow_and_shrink(H5F_libver_t low, unsigned order, const unsigned *phase)
{
    hid_t fapl = make_fapl(low), gcpl = H5Pcreate(H5P_GROUP_CREATE);
    printf("== bound %d, order %u, phase change %d\n", (int)low, order, phase ? (int)phase[0] : -1);
    if (order)
        H5Pset_attr_creation_order(gcpl, order);
    if (phase)
        H5Pset_attr_phase_change(gcpl, phase[0], phase[1]);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t obj = H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    int ordered = order != 0;
    for (int i = 0; i < 7; i++)
        add(obj, "a", i);
    show(obj, ordered);
    file = reopen(file, fapl, &obj);
    for (int i = 7; i < 40; i++)
        add(obj, "a", i);
    show(obj, ordered);
    file = reopen(file, fapl, &obj);
    show(obj, ordered);
    DO(H5Arename(obj, "a11", "a rather longer name than the one that was there before"));
    DO(H5Arename(obj, "a12", "z"));
    for (int i = 3; i < 38; i++)
        if (i != 11 && i != 12)
            drop(obj, "a", i);
    show(obj, ordered);
    DO(H5Arename(obj, "z", "y"));
    DO(H5Adelete_by_idx(obj, ".", H5_INDEX_NAME, H5_ITER_DEC, 1, H5P_DEFAULT));
    show(obj, ordered);
    file = reopen(file, fapl, &obj);
    show(obj, ordered);
    for (int i = 50; i < 53; i++)
        add(obj, "b", i);
    if (ordered)
        DO(H5Adelete_by_idx(file, "g", H5_INDEX_CRT_ORDER, H5_ITER_DEC, 1, H5P_DEFAULT));
    show(obj, ordered);
    H5Gclose(obj);
    result("close", H5Fclose(file));
    H5Pclose(gcpl);
    H5Pclose(fapl);
}

static void misuse(void)
{
    printf("== misuse\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), type = H5T_NATIVE_INT;
    hid_t attr = H5Acreate2(group, "a", type, space, H5P_DEFAULT, H5P_DEFAULT), empty = H5Screate(H5S_SIMPLE);
    hid_t compound = H5Tcreate(H5T_COMPOUND, 8), string = H5Tcopy(H5T_C_S1);
    int value = 5;
    DO(H5Acreate2(group, "a", type, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, "", type, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, NULL, type, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(attr, "b", type, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, "b", space, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, "b", type, type, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, "b", type, empty, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate2(group, "b", compound, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Aclose(H5Acreate_by_name(file, "g", "by name", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    DO(H5Acreate_by_name(file, "nowhere", "b", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Aclose(H5Acreate1(group, "old call", type, space, H5P_DEFAULT)));
    DO(H5Awrite(attr, string, &value));
    DO(H5Awrite(attr, type, NULL));
    DO(H5Awrite(group, type, &value));
    DO(H5Arename(group, "a", "by name"));
    DO(H5Arename(group, "a", "a"));
    DO(H5Arename(group, "nothing", "c"));
    DO(H5Arename(group, "", "c"));
    DO(H5Arename(group, "a", NULL));
    DO(H5Arename_by_name(file, "g", "by name", "by another name", H5P_DEFAULT));
    DO(H5Adelete(group, "nothing"));
    DO(H5Adelete(group, NULL));
    DO(H5Adelete_by_name(file, "g", "by another name", H5P_DEFAULT));
    DO(H5Adelete_by_name(file, "nowhere", "a", H5P_DEFAULT));
    DO(H5Adelete_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 7, H5P_DEFAULT));
    DO(H5Adelete_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 1, H5P_DEFAULT));
    show(group, 0);
    H5Aclose(attr);
    H5Gclose(group);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    group = H5Gopen2(file, "g", H5P_DEFAULT);
    attr = H5Aopen(group, "a", H5P_DEFAULT);
    DO(H5Acreate2(group, "b", type, space, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Awrite(attr, type, &value));
    DO(H5Arename(group, "a", "c"));
    DO(H5Adelete(group, "a"));
    printf("%d attributes\n", H5Aget_num_attrs(group));
    H5Aclose(attr);
    H5Gclose(group);
    H5Fclose(file);
    H5Tclose(compound);
    H5Tclose(string);
    H5Sclose(empty);
    H5Sclose(space);
}

/* Several ids of one attribute. */
static void two_handles(void)
{
    printf("== two handles\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT), type = H5T_NATIVE_INT;
    hid_t a = H5Acreate2(group, "a", type, space, H5P_DEFAULT, H5P_DEFAULT), b = H5Aopen(file, "a", H5P_DEFAULT);
    int value = 5, seen = 0;
    char name[20] = "";
    DO(H5Aread(b, type, &seen));
    printf("at first %d\n", seen);
    DO(H5Awrite(a, type, &value));
    DO(H5Aread(b, type, &seen));
    printf("%d\n", seen);
    value = 6;
    DO(H5Awrite(b, type, &value));
    DO(H5Aread(a, type, &seen));
    printf("%d\n", seen);
    DO(H5Arename(file, "a", "b"));
    H5Aget_name(a, sizeof name, name);
    printf("%s\n", name);
    H5Aget_name(b, sizeof name, name);
    printf("%s\n", name);
    value = 7;
    DO(H5Awrite(a, type, &value));
    DO(H5Aclose(a));
    a = H5Aopen(file, "b", H5P_DEFAULT);
    DO(H5Aread(a, type, &seen));
    printf("%d\n", seen);
    DO(H5Adelete(file, "b"));
    DO(H5Aread(a, type, &seen));
    printf("%d\n", seen);
    DO(H5Awrite(a, type, &value));
    DO(H5Aclose(a));
    DO(H5Aclose(b));
    show(group, 0);
    H5Gclose(group);
    DO(H5Fclose(file));
    H5Sclose(space);
}

static void large(void)
{
    printf("== large\n");
    hid_t fapl = make_fapl(H5F_LIBVER_V18), file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hsize_t n = 100000;
    hid_t space = H5Screate_simple(1, &n, NULL), group = H5Gopen2(file, "/", H5P_DEFAULT);
    int *values = malloc(n * sizeof *values), *seen = calloc(n, sizeof *seen);
    for (hsize_t i = 0; i < n; i++)
        values[i] = (int)(i * 7);
    add(group, "small", 0);
    hid_t attr = H5Acreate2(group, "large", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
    DO(H5Awrite(attr, H5T_NATIVE_INT, values));
    values[77777] = 1;
    DO(H5Awrite(attr, H5T_NATIVE_INT, values));
    H5Aclose(attr);
    add(group, "small", 5);
    DO(H5Arename(group, "large", "still large"));
    H5Gclose(group);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    group = H5Gopen2(file, "/", H5P_DEFAULT);
    attr = H5Aopen(group, "still large", H5P_DEFAULT);
    DO(H5Aread(attr, H5T_NATIVE_INT, seen));
    printf("%s\n", memcmp(values, seen, n * sizeof *values) ? "different" : "equal");
    H5Aclose(attr);
    show(group, 0);
    DO(H5Adelete(group, "still large"));
    show(group, 0);
    H5Gclose(group);
    DO(H5Fclose(file));
    free(values);
    free(seen);
    H5Sclose(space);
    H5Pclose(fapl);
}

static void variable_length(void)
{
    printf("== variable length\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t n = 3;
    hid_t string = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL), numbers = H5Tvlen_create(H5T_NATIVE_INT);
    const char *words[3] = {"one", "", "a third word that is longer"};
    char *seen[3];
    int some[4] = {1, 2, 3, 4};
    hvl_t lists[3] = {{2, some}, {0, NULL}, {4, some}}, got[3];
    H5Tset_size(string, H5T_VARIABLE);
    hid_t a = H5Acreate2(file, "words", string, space, H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Acreate2(file, "lists", numbers, space, H5P_DEFAULT, H5P_DEFAULT);
    DO(H5Awrite(a, string, words));
    words[0] = "uno";
    DO(H5Awrite(a, string, words));
    DO(H5Awrite(b, numbers, lists));
    H5Aclose(a);
    H5Aclose(b);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    a = H5Aopen(file, "words", H5P_DEFAULT);
    b = H5Aopen(file, "lists", H5P_DEFAULT);
    DO(H5Aread(a, string, seen));
    printf("'%s' '%s' '%s'\n", seen[0], seen[1], seen[2]);
    DO(H5Aread(b, numbers, got));
    printf("%d %d %d: %d\n", (int)got[0].len, (int)got[1].len, (int)got[2].len, ((int *)got[2].p)[3]);
    DO(H5Dvlen_reclaim(string, space, H5P_DEFAULT, seen));
    DO(H5Dvlen_reclaim(numbers, space, H5P_DEFAULT, got));
    H5Aclose(a);
    H5Aclose(b);
    DO(H5Fclose(file));
    H5Tclose(string);
    H5Tclose(numbers);
    H5Sclose(space);
}

static void committed_type(void)
{
    printf("== committed datatype\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t type = H5Tcopy(H5T_STD_I16BE);
    H5O_info_t info;
    int value = 12, seen = 0;
    DO(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t attr = H5Acreate2(file, "a", type, space, H5P_DEFAULT, H5P_DEFAULT);
    DO(H5Awrite(attr, H5T_NATIVE_INT, &value));
    H5Oget_info(type, &info);
    printf("%u links\n", info.rc);
    hid_t of = H5Aget_type(attr);
    printf("committed %d equal %d\n", (int)H5Tcommitted(of), (int)H5Tequal(of, type));
    H5Tclose(of);
    hid_t self = H5Acreate2(type, "on itself", type, space, H5P_DEFAULT, H5P_DEFAULT);
    result("on itself", self);
    H5Oget_info(type, &info);
    printf("%u links, %d attributes\n", info.rc, (int)info.num_attrs);
    DO(H5Ldelete(file, "t", H5P_DEFAULT));
    H5Oget_info(type, &info);
    printf("%u links\n", info.rc);
    H5Aclose(self);
    DO(H5Adelete(type, "on itself"));
    H5Oget_info(type, &info);
    printf("%u links\n", info.rc);
    H5Aclose(attr);
    H5Tclose(type);
    DO(H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    attr = H5Aopen(file, "a", H5P_DEFAULT);
    DO(H5Aread(attr, H5T_NATIVE_INT, &seen));
    of = H5Aget_type(attr);
    H5Oget_info(of, &info);
    printf("%d of a committed datatype %d with %u links\n", seen, (int)H5Tcommitted(of), info.rc);
    H5Tclose(of);
    H5Aclose(attr);
    DO(H5Adelete(file, "a"));
    DO(H5Fclose(file));
    H5Sclose(space);
}

static herr_t delete_it(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    ++*(int *)data;
    return H5Adelete(obj, name);
}

static void inside_iteration(void)
{
    printf("== deleting inside an iteration\n");
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);
    int n = 0;
    for (int i = 0; i < 5; i++)
        add(group, "a", i);
    DO(H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, delete_it, &n));
    printf("%d calls\n", n);
    show(group, 0);
    H5Gclose(group);
    DO(H5Fclose(file));
}

int main(void)
{
    static const H5F_libver_t bounds[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};
    static const unsigned none[] = {0, 0}, few[] = {4, 2};
    setvbuf(stdout, NULL, _IONBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        grow_and_shrink(bounds[i], 0, NULL);
        grow_and_shrink(bounds[i], 0, none);
        grow_and_shrink(bounds[i], H5P_CRT_ORDER_TRACKED, NULL);
        grow_and_shrink(bounds[i], H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, few);
    }
    misuse();
    two_handles();
    large();
    variable_length();
    committed_type();
    inside_iteration();
    unlink(FILE_NAME);
    return 0;
}
