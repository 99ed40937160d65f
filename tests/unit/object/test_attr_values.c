/* Attributes whose values lie in heaps: with the attribute, or its object, they go, and the file does not grow; the
 * values of others stay, in the same collections too. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "unit/cmocka_all.h"

static char path[64];

enum { STRING, STRINGS, SEQUENCE, NESTED, IN_COMPOUND, IN_ARRAY, REFERENCE, KINDS };

/* Memory for one value of any kind, about a thousand bytes of it in a heap. */
struct value {
    char text[1000];
    int numbers[250];
    char *strings[3];
    hvl_t inner[2];
    H5R_ref_t ref;
    union {
        char *string;
        hvl_t sequence;
        struct {
            int n;
            char *string;
        } compound;
        char *array[2];
    } u;
    const void *data;
};

static hid_t string_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(t, H5T_VARIABLE) >= 0);
    return t;
}

static hid_t type_of(int kind)
{
    hid_t text = string_type(), t = -1, inner;
    hsize_t two = 2;
    switch (kind) {
    case STRING:
    case STRINGS:
        return text;
    case SEQUENCE:
        t = H5Tvlen_create(H5T_NATIVE_INT);
        break;
    case NESTED:
        inner = H5Tvlen_create(H5T_NATIVE_INT);
        t = H5Tvlen_create(inner);
        H5Tclose(inner);
        break;
    case IN_COMPOUND:
        t = H5Tcreate(H5T_COMPOUND, 2 * sizeof(char *));
        H5Tinsert(t, "n", 0, H5T_NATIVE_INT);
        H5Tinsert(t, "string", sizeof(char *), text);
        break;
    case IN_ARRAY:
        t = H5Tarray_create2(text, 1, &two);
        break;
    default:
        t = H5Tcopy(H5T_STD_REF);
    }
    H5Tclose(text);
    return t;
}

static hid_t space_of(int kind)
{
    hsize_t three = 3;
    return kind == STRINGS ? H5Screate_simple(1, &three, NULL) : H5Screate(H5S_SCALAR);
}

static void make_value(int kind, int seed, hid_t file, struct value *v)
{
    memset(v->text, 'a' + seed % 26, sizeof v->text - 1);
    v->text[sizeof v->text - 1] = 0;
    for (int i = 0; i < 250; i++)
        v->numbers[i] = seed + i;
    for (int i = 0; i < 3; i++)
        v->strings[i] = v->text + 300 * i;
    v->data = &v->u;
    if (kind == STRING)
        v->u.string = v->text;
    else if (kind == STRINGS)
        v->data = v->strings;
    else if (kind == SEQUENCE)
        v->u.sequence = (hvl_t){250, v->numbers};
    else if (kind == NESTED) {
        v->inner[0] = (hvl_t){100, v->numbers};
        v->inner[1] = (hvl_t){150, v->numbers + 100};
        v->u.sequence = (hvl_t){2, v->inner};
    } else if (kind == IN_COMPOUND) {
        v->u.compound.n = seed;
        v->u.compound.string = v->text;
    } else if (kind == IN_ARRAY) {
        v->u.array[0] = v->text;
        v->u.array[1] = v->text + 500;
    } else {
        hsize_t dims = 1000, start = 1, stride = 7, count = (hsize_t)(20 + seed % 10);
        hid_t space = H5Screate_simple(1, &dims, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL);
        assert_true(H5Rcreate_region(file, "d", space, H5P_DEFAULT, &v->ref) >= 0);
        H5Sclose(space);
        v->data = &v->ref;
    }
}

static bool same_numbers(const hvl_t *got, const int *want, size_t n)
{
    return got->len == n && memcmp(got->p, want, n * sizeof *want) == 0;
}

static bool is_value(int kind, int seed, hid_t file, const void *got)
{
    static struct value v;
    const hvl_t *sequence = got;
    char *const *strings = got;
    make_value(kind, seed, file, &v);
    switch (kind) {
    case STRING:
        return strcmp(strings[0], v.text) == 0;
    case STRINGS:
        return strcmp(strings[0], v.strings[0]) == 0 && strcmp(strings[2], v.strings[2]) == 0;
    case SEQUENCE:
        return same_numbers(sequence, v.numbers, 250);
    case NESTED:
        return sequence->len == 2 && same_numbers(sequence->p, v.numbers, 100) &&
               same_numbers((hvl_t *)sequence->p + 1, v.numbers + 100, 150);
    case IN_COMPOUND:
        return *(const int *)got == seed && strcmp(strings[1], v.text) == 0;
    case IN_ARRAY:
        return strcmp(strings[0], v.text) == 0 && strcmp(strings[1], v.text + 500) == 0;
    default: {
        hid_t space = H5Ropen_region((H5R_ref_t *)(uintptr_t)got, H5P_DEFAULT, H5P_DEFAULT);
        bool right = H5Sget_select_npoints(space) == 20 + seed % 10;
        H5Sclose(space);
        H5Rdestroy(&v.ref);
        return right;
    }
    }
}

static void write_attr(hid_t attr, int kind, int seed, hid_t file)
{
    static struct value v;
    hid_t type = type_of(kind);
    make_value(kind, seed, file, &v);
    assert_true(H5Awrite(attr, type, v.data) >= 0);
    if (kind == REFERENCE)
        H5Rdestroy(&v.ref);
    H5Tclose(type);
}

static void put(hid_t object, const char *name, int kind, int seed, hid_t file)
{
    hid_t type = type_of(kind), space = space_of(kind);
    hid_t attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attr >= 0);
    write_attr(attr, kind, seed, file);
    assert_true(H5Aclose(attr) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0);
}

static void check_attr(hid_t attr, int kind, int seed, hid_t file)
{
    hid_t type = type_of(kind), space = space_of(kind);
    union {
        char *strings[4];
        hvl_t sequence;
        H5R_ref_t ref;
    } got;
    assert_true(H5Aread(attr, type, &got) >= 0);
    assert_true(is_value(kind, seed, file, &got));
    assert_true(H5Treclaim(type, space, H5P_DEFAULT, &got) >= 0);
    H5Sclose(space);
    H5Tclose(type);
}

static void check(hid_t object, const char *name, int kind, int seed, hid_t file)
{
    hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attr >= 0);
    check_attr(attr, kind, seed, file);
    assert_true(H5Aclose(attr) >= 0);
}

enum { COMPACT, DENSE, SHARED, LATEST, STORES };

static hid_t open_new(int store)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
    if (store != COMPACT)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (store == SHARED) {
        H5Pset_shared_mesg_nindexes(fcpl, 1);
        H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ATTR_FLAG, 10);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    assert_true(file >= 0);
    hsize_t dims = 1000;
    hid_t space = H5Screate_simple(1, &dims, NULL);
    H5Dclose(H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(fcpl);
    H5Pclose(fapl);
    return file;
}

static hid_t new_group(hid_t file, const char *name, int store)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    if (store == DENSE)
        assert_true(H5Pset_attr_phase_change(gcpl, 0, 0) >= 0);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    assert_true(group >= 0 && H5Pclose(gcpl) >= 0);
    return group;
}

static const char *named(const char *what, int i)
{
    static char name[40];
    snprintf(name, sizeof name, "%s %d", what, i);
    return name;
}

static long long close_and_size(hid_t file)
{
    struct stat st;
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(stat(path, &st), 0);
    return (long long)st.st_size;
}

/* A group whose neighbours stay, and one that comes and goes; what comes and goes does so `times` times. */
static long long play(int store, int kind, int times, bool objects)
{
    hid_t file = open_new(store), stays = new_group(file, "stays", store);
    for (int i = 0; i < 5; i++)
        put(stays, named("neighbour", i), kind, i, file);
    for (int i = 0; i < times; i++) {
        hid_t group = objects ? new_group(file, "comes", store) : stays;
        put(group, "comes", kind, 7 + i, file);
        put(group, "comes too", kind, 8 + i, file);
        hid_t attr = H5Aopen(group, "comes too", H5P_DEFAULT);
        write_attr(attr, kind, 9 + i, file);
        assert_true(H5Aclose(attr) >= 0);
        check(group, "comes too", kind, 9 + i, file);
        if (i % 5 == 2)
            assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
        if (objects) {
            assert_true(H5Gclose(group) >= 0 && H5Ldelete(file, "comes", H5P_DEFAULT) >= 0);
        } else {
            assert_true(H5Adelete(group, "comes") >= 0);
            assert_true(H5Adelete_by_name(file, "stays", "comes too", H5P_DEFAULT) >= 0);
        }
    }
    for (int i = 0; i < 5; i++)
        check(stays, named("neighbour", i), kind, i, file);
    assert_true(H5Gclose(stays) >= 0);
    return close_and_size(file);
}

static void check_neighbours(int kind)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), stays = H5Gopen2(file, "stays", H5P_DEFAULT);
    for (int i = 0; i < 5; i++)
        check(stays, named("neighbour", i), kind, i, file);
    assert_true(H5Gclose(stays) >= 0 && H5Fclose(file) >= 0);
}

/* Some collections are there from the beginning on, and free ones wait for a flush. */
static void the_file_does_not_grow(void **state)
{
    (void)state;
    for (int store = 0; store < STORES; store++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int objects = 0; objects < 2; objects++) {
                long long few = play(store, kind, 20, objects), many = play(store, kind, 120, objects);
                if (many > few + 8192)
                    fail_msg("store %d, kind %d, %s: %lld bytes, then %lld", store, kind,
                             objects ? "objects" : "attributes", few, many);
                check_neighbours(kind);
            }
}

/* By its number; and a copy has values of its own. */
static void copies_keep_theirs(void **state)
{
    (void)state;
    for (int store = 0; store < STORES; store++)
        for (int kind = 0; kind < KINDS; kind++) {
            hid_t file = open_new(store), group = new_group(file, "group", store);
            put(group, "a", kind, 3, file);
            assert_true(H5Ocopy(file, "group", file, "copy", H5P_DEFAULT, H5P_DEFAULT) >= 0);
            assert_true(H5Adelete_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT) >= 0);
            put(group, "b", kind, 4, file);
            assert_true(H5Arename(group, "b", "c") >= 0);
            hid_t copy = H5Gopen2(file, "copy", H5P_DEFAULT);
            /* Regions that H5Ocopy does not follow are null in the copy. */
            if (kind != REFERENCE)
                check(copy, "a", kind, 3, file);
            check(group, "c", kind, 4, file);
            assert_true(H5Gclose(copy) >= 0 && H5Gclose(group) >= 0);
            assert_true(H5Ldelete(file, "copy", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
            file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
            group = H5Gopen2(file, "group", H5P_DEFAULT);
            check(group, "c", kind, 4, file);
            assert_true(H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
        }
}

static void who_has_it_open_may_read_it(void **state)
{
    (void)state;
    hid_t file = open_new(LATEST), group = new_group(file, "group", LATEST);
    put(group, "a", STRING, 3, file);
    hid_t attr = H5Aopen(group, "a", H5P_DEFAULT);
    assert_true(H5Adelete(group, "a") >= 0);
    put(group, "b", STRING, 4, file);
    check_attr(attr, STRING, 3, file);
    assert_true(H5Aclose(attr) >= 0 && H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_file_does_not_grow), cmocka_unit_test(copies_keep_theirs),
                                       cmocka_unit_test(who_has_it_open_may_read_it)};
    snprintf(path, sizeof path, "/tmp/attr-values-%ld.h5", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
