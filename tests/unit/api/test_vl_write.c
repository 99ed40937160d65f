/* Variable-length data written through the whole library: overwriting gives heap space back, and failing allocations
 * leave a file that opens, with old or new elements. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "H5Apublic.h"
#include "H5Dpublic.h"
#include "H5Epublic.h"
#include "H5Fpublic.h"
#include "H5Ppublic.h"
#include "H5Rpublic.h"
#include "H5Spublic.h"
#include "H5Tpublic.h"
#include "base/alloc.h"
#include "unit/cmocka_all.h"

enum { N = 40 };

struct element {
    char *text;
    hvl_t list; /* of strings */
};

struct set {
    struct element elements[N];
    char texts[N][40];
    char *lists[N][3];
};

static char path[64];
static hid_t string, list, type, space;

static void make_types(void)
{
    hsize_t n = N;
    snprintf(path, sizeof path, "/tmp/tessera-vl-%d.h5", (int)getpid());
    string = H5Tcopy(H5T_C_S1);
    H5Tset_size(string, H5T_VARIABLE);
    list = H5Tvlen_create(string);
    type = H5Tcreate(H5T_COMPOUND, sizeof(struct element));
    H5Tinsert(type, "text", HOFFSET(struct element, text), string);
    H5Tinsert(type, "list", HOFFSET(struct element, list), list);
    space = H5Screate_simple(1, &n, NULL);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void fill(struct set *s, int version)
{
    for (int i = 0; i < N; i++) {
        snprintf(s->texts[i], sizeof s->texts[i], "%.*s%d.%d", (i + version) % 20, "xxxxxxxxxxxxxxxxxxxxxxxxx", version,
                 i);
        for (int k = 0; k < 3; k++)
            s->lists[i][k] = s->texts[(i + k) % N];
        s->elements[i] = (struct element){s->texts[i], {(size_t)((i + version) % 4), s->lists[i]}};
    }
}

static bool same(const struct element *a, const struct element *b)
{
    if (!a->text || strcmp(a->text, b->text) != 0 || a->list.len != b->list.len)
        return false;
    for (size_t k = 0; k < a->list.len; k++)
        if (strcmp(((char **)a->list.p)[k], ((char **)b->list.p)[k]) != 0)
            return false;
    return true;
}

/* Every element must be one of the two. */
static unsigned check(hid_t d, const struct set *a, const struct set *b)
{
    struct element back[N];
    unsigned of_a = 0;
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (int i = 0; i < N; i++) {
        bool is_a = same(&back[i], &a->elements[i]);
        assert_true(is_a || same(&back[i], &b->elements[i]));
        of_a += is_a;
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, back);
    return of_a;
}

static hid_t make_file(hid_t *d, bool chunked, const struct set *s)
{
    hsize_t chunk = 16;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
        H5Pset_chunk(dcpl, 1, &chunk);
        H5Pset_deflate(dcpl, 3);
    }
    *d = H5Dcreate2(f, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(*d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->elements) >= 0);
    assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    H5Pclose(dcpl);
    return f;
}

static void space_comes_back(void **test)
{
    (void)test;
    static struct set s;
    for (int chunked = 0; chunked < 2; chunked++) {
        hid_t d, f;
        hsize_t first = 0, last;
        fill(&s, 0);
        f = make_file(&d, chunked, &s);
        for (int version = 1; version < 100; version++) {
            fill(&s, version);
            assert_true(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.elements) >= 0);
            assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
            assert_int_equal(check(d, &s, &s), N);
            if (version == 5)
                H5Fget_filesize(f, &first);
        }
        H5Fget_filesize(f, &last);
        assert_true(last <= first + 2 * 8192);
        H5Dclose(d);
        H5Fclose(f);
        unlink(path);
    }
}

static void allocation_failures(void **test)
{
    (void)test;
    static struct set old, new;
    unsigned failures = 0;
    fill(&old, 1);
    fill(&new, 2);
    for (int chunked = 0; chunked < 2; chunked++) {
        bool done = false;
        for (unsigned long at = 1; !done; at += at < 100 ? 1 : 7) {
            hid_t d, f = make_file(&d, chunked, &old);
            ts_alloc_fail_at(at, TS_FAULT_ONCE);
            herr_t status = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, new.elements);
            done = ts_alloc_fail_at(0, TS_FAULT_ONCE) < at;
            failures += status < 0;
            H5Dclose(d);
            H5Fclose(f);
            f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
            assert_true(f >= 0);
            d = H5Dopen2(f, "d", H5P_DEFAULT);
            unsigned of_new = check(d, &new, &old);
            assert_true(status < 0 || of_new == N);
            H5Dclose(d);
            H5Fclose(f);
        }
    }
    assert_true(failures > 100);
    unlink(path);
}

/* References of release 1.12: those to regions and attributes are in the heap, and go with what is overwritten. */
static void references(void **test)
{
    (void)test;
    static struct set s;
    hsize_t three = 3, first = 0, last = 0;
    hid_t d, f, refs_space = H5Screate_simple(1, &three, NULL), fapl = H5Pcreate(H5P_FILE_ACCESS);
    fill(&s, 0);
    f = make_file(&d, false, &s);
    hid_t refs = H5Dcreate2(f, "refs", H5T_STD_REF, refs_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(refs >= 0);
    for (int turn = 0; turn < 60; turn++) {
        H5R_ref_t to[3], back[3];
        hsize_t start = (hsize_t)turn % 20, count = 7, low, high;
        memset(to, 0, sizeof to);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
        assert_true(H5Rcreate_object(f, "/d", H5P_DEFAULT, &to[0]) >= 0);
        assert_true(H5Rcreate_region(f, "/d", space, H5P_DEFAULT, &to[1]) >= 0);
        H5Sselect_all(space);
        assert_true(H5Rcreate_attr(f, "/d", "some name", H5P_DEFAULT, &to[2]) >= 0);
        assert_true(H5Dwrite(refs, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0);
        assert_true(H5Dread(refs, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        for (int i = 0; i < 3; i++)
            assert_true(H5Requal(&to[i], &back[i]) > 0);
        hid_t region = H5Ropen_region(&back[1], H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Sget_select_bounds(region, &low, &high) >= 0);
        assert_int_equal(low, start);
        H5Sclose(region);
        for (int i = 0; i < 3; i++) {
            H5Rdestroy(&to[i]);
            H5Rdestroy(&back[i]);
        }
        H5Fflush(f, H5F_SCOPE_GLOBAL);
        H5Fget_filesize(f, turn == 3 ? &first : &last);
    }
    assert_true(last <= first + 8192);
    H5Dclose(refs);
    H5Dclose(d);
    H5Fclose(f);
    H5Sclose(refs_space);
    H5Pclose(fapl);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(space_comes_back),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(references),
    };
    make_types();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
