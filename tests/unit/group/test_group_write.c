/* Links entered, moved and removed at random in groups of every storage, against a model; what holds them stays sound,
 * across flushes and closing. Memory may run out at any point: the file is then as last flushed. */
#include "unit/cmocka_all.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "corpus.h"
#include "group/edit.h"
#include "hdf5.h"

enum { NAMES = 1500 };

/* What the group has: 0 nothing, else 1 + the seed of the link's value. */
struct model {
    unsigned value[NAMES];
    size_t n;
};

static uint64_t state;

static unsigned random_below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 33) % n);
}

static void name_of(unsigned k, char *name)
{
    static const char filler[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
    sprintf(name, "%.*s%u", (int)(k * 13 % 50), filler, k);
}

static void value_of(unsigned seed, char *value)
{
    sprintf(value, "/to/%u%.*s", seed, (int)(seed % 30), "------------------------------");
}

static void check_sound(hid_t group)
{
    struct ts_place place;
    assert_int_equal(ts_place_from_id(group, &place), 0);
    if (ts_group_verify(&place.loc) < 0)
        fail_msg("%s", ts_err_current()->rec[0].text);
    ts_place_deinit(&place);
}

static void check_model(hid_t group, const struct model *m)
{
    char name[80], expected[80], value[80];
    H5G_info_t info;
    assert_true(H5Gget_info(group, &info) >= 0);
    assert_int_equal(info.nlinks, m->n);
    for (unsigned k = 0; k < NAMES; k++) {
        name_of(k, name);
        assert_int_equal(H5Lexists(group, name, H5P_DEFAULT), m->value[k] != 0);
        if (m->value[k] == 0)
            continue;
        value_of(m->value[k] - 1, expected);
        assert_true(H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT) >= 0);
        assert_string_equal(value, expected);
    }
    check_sound(group);
}

static void enter(hid_t group, struct model *m, unsigned k)
{
    char name[80], value[80];
    unsigned seed = random_below(100000);
    name_of(k, name);
    value_of(seed, value);
    assert_true(H5Lcreate_soft(value, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    m->value[k] = seed + 1;
    m->n++;
}

static void leave(hid_t group, struct model *m, unsigned k)
{
    char name[80];
    name_of(k, name);
    assert_true(H5Ldelete(group, name, H5P_DEFAULT) >= 0);
    m->value[k] = 0;
    m->n--;
}

static void rename_link(hid_t group, struct model *m, unsigned from, unsigned to)
{
    char a[80], b[80];
    name_of(from, a);
    name_of(to, b);
    herr_t status = H5Lmove(group, a, group, b, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(status < 0, m->value[to] != 0);
    if (status < 0)
        return;
    m->value[to] = m->value[from];
    m->value[from] = 0;
}

/* Grows, then shrinks, so that every storage is entered and left. */
static void one(hid_t group, struct model *m, bool growing)
{
    unsigned k = random_below(NAMES);
    if (m->value[k] == 0) {
        if (growing || random_below(8) == 0)
            enter(group, m, k);
    } else if (random_below(5) == 0) {
        rename_link(group, m, k, random_below(NAMES));
    } else if (!growing || random_below(8) == 0) {
        leave(group, m, k);
    }
}

static void run(const char *file_name, const char *group_name, struct model *m, int operations)
{
    hid_t file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, group_name, H5P_DEFAULT);
    assert_true(group >= 0);
    for (int i = 0; i < operations; i++) {
        one(group, m, i / (operations / 6) % 2 == 0);
        if (i % (operations / 12) == 0)
            check_model(group, m);
        if (i % (operations / 5) == 0)
            assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
        if (i % (operations / 4) == 0) {
            H5Gclose(group);
            assert_true(H5Fclose(file) >= 0);
            file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
            group = H5Gopen2(file, group_name, H5P_DEFAULT);
        }
    }
    check_model(group, m);
    H5Gclose(group);
    assert_true(H5Fclose(file) >= 0);
}

static void new_style(unsigned order, int max_compact, int min_dense, unsigned deflate)
{
    const char *file_name = "group_write_new.h5";
    struct model m = {.n = 0};
    hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    if (order)
        H5Pset_link_creation_order(gcpl, order);
    H5Pset_link_phase_change(gcpl, (unsigned)max_compact, (unsigned)min_dense);
    if (deflate)
        H5Pset_deflate(gcpl, deflate);
    H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    H5Pclose(gcpl);
    assert_true(H5Fclose(file) >= 0);
    run(file_name, "g", &m, 12000);
    unlink(file_name);
}

static void every_new_storage(void **unused)
{
    (void)unused;
    new_style(0, 8, 6, 0);
    new_style(H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, 8, 6, 0);
    new_style(H5P_CRT_ORDER_TRACKED, 0, 0, 0);
    new_style(0, 400, 300, 0);
    new_style(0, 8, 6, 6);
}

static void symbol_tables(void **unused)
{
    (void)unused;
    const char *file_name = "group_write_old.h5";
    struct model m = {.n = 0};
    corpus_copy("group_old_9links.h5", file_name);
    hid_t file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    while (H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT) >= 0)
        ;
    check_model(file, &m);
    assert_true(H5Fclose(file) >= 0);
    run(file_name, "/", &m, 12000);
    /* A link that a symbol table cannot hold makes it a new-style group. */
    H5G_info_t info;
    file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gget_info(file, &info);
    assert_int_equal(info.storage_type, H5G_STORAGE_TYPE_SYMBOL_TABLE);
    assert_true(H5Lcreate_external("f", "/p", file, "external", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Gget_info(file, &info);
    assert_true(info.storage_type != H5G_STORAGE_TYPE_SYMBOL_TABLE);
    assert_true(H5Ldelete(file, "external", H5P_DEFAULT) >= 0);
    check_model(file, &m);
    assert_true(H5Fclose(file) >= 0);
    run(file_name, "/", &m, 3000);
    unlink(file_name);
}

/* A tree deep enough that deleting it must not be done on the stack. */
static void deep_deletion(void **unused)
{
    (void)unused;
    const char *file_name = "group_write_deep.h5";
    hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "top", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 5000; i++) {
        hid_t next = H5Gcreate2(group, "next", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(next >= 0);
        H5Gclose(group);
        group = next;
    }
    H5Gclose(group);
    assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    assert_true(H5Ldelete(file, "top", H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t size;
    H5Fget_filesize(file, &size);
    assert_true(size < 100000);
    H5Fclose(file);
    unlink(file_name);
}

/* Two groups in a circle, with a link count that is one too low: deleting them ends, and takes both. */
static void circle_with_low_counts(void **unused)
{
    (void)unused;
    const char *file_name = "group_write_circle.h5";
    hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Gcreate2(a, "b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Lcreate_hard(file, "a", b, "back", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Odecr_refcount(a) >= 0);
    H5Gclose(b);
    H5Gclose(a);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "a", H5P_DEFAULT) >= 0);
    H5G_info_t info;
    assert_true(H5Gget_info(file, &info) >= 0);
    assert_int_equal(info.nlinks, 0);
    assert_true(H5Fclose(file) >= 0);
    unlink(file_name);
}

/* A few changes of every kind; the number of those that worked. */
static int script(hid_t file)
{
    int done = 0;
    char name[20];
    for (int i = 0; i < 10; i++) {
        sprintf(name, "soft%d", i);
        if (H5Lcreate_soft("/value", file, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
            return done;
        done++;
    }
    hid_t group = H5Gcreate2(file, "made", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return done;
    H5Gclose(group);
    done++;
    if (H5Lcreate_hard(file, "made", file, "made/again", H5P_DEFAULT, H5P_DEFAULT) < 0)
        return done;
    done++;
    if (H5Lmove(file, "soft3", file, "made/moved", H5P_DEFAULT, H5P_DEFAULT) < 0)
        return done;
    done++;
    if (H5Ldelete(file, "made/again", H5P_DEFAULT) < 0)
        return done;
    done++;
    if (H5Ldelete(file, "made", H5P_DEFAULT) < 0)
        return done;
    done++;
    for (int i = 4; i < 10; i++) {
        sprintf(name, "soft%d", i);
        if (H5Ldelete(file, name, H5P_DEFAULT) < 0)
            return done;
        done++;
    }
    return done;
}

static void template(const char *from)
{
    if (from) {
        corpus_copy(from, "group_write_fault.h5");
        return;
    }
    H5Fclose(H5Fcreate("group_write_fault.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static hsize_t count_links(hid_t file)
{
    H5G_info_t info;
    assert_true(H5Gget_info(file, &info) >= 0);
    return info.nlinks;
}

static void faults_from(const char *from, hsize_t initially)
{
    const int all = 21;
    int done = 0;
    for (unsigned long n = 1; done < all; n++) {
        template(from);
        hid_t file = H5Fopen("group_write_fault.h5", H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        done = script(file);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        struct ts_place place;
        assert_int_equal(ts_place_from_id(file, &place), 0);
        bool broken = place.loc.fh->file->broken;
        ts_place_deinit(&place);
        hsize_t links = broken ? initially : count_links(file);
        H5Fclose(file);
        ts_err_clear();
        file = H5Fopen("group_write_fault.h5", H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        assert_int_equal(count_links(file), links);
        check_sound(file);
        assert_true(H5Fclose(file) >= 0);
    }
    unlink("group_write_fault.h5");
}

static void memory_runs_out(void **unused)
{
    (void)unused;
    faults_from(NULL, 0);
    faults_from("group_old_9links.h5", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_new_storage), cmocka_unit_test(symbol_tables),
                                       cmocka_unit_test(deep_deletion), cmocka_unit_test(circle_with_low_counts),
                                       cmocka_unit_test(memory_runs_out)};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
