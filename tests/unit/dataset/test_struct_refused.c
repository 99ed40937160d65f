/* Chunks that the application encoded wrong: refused, and nothing has changed. The same when memory or disk is full. */
#include "unit/dataset/direct_sets.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"

#define FILE_NAME "struct_refused.h5"

static const hsize_t inner[2] = {4, 5}, edge[2] = {8, 10};

/* A dataset with everything in it, and how it was before. */
struct scene {
    struct set set;
    hid_t file, dset;
    char *before;
    uint8_t *bytes;
    long size;
};

static uint8_t *file_bytes(long *size)
{
    FILE *f = fopen(FILE_NAME, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    uint8_t *bytes = malloc((size_t)*size);
    rewind(f);
    assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
    fclose(f);
    return bytes;
}

static void scene_open(struct scene *s, const struct set *set)
{
    s->set = *set;
    s->file = new_set_file(FILE_NAME);
    s->dset = make_set(s->file, "d", set);
    write_set(s->dset, set->kind, 0, 3, 100);
    s->before = dump_set(s->dset, set->kind);
    assert_int_equal(H5Fflush(s->file, H5F_SCOPE_LOCAL), 0);
    s->bytes = file_bytes(&s->size);
}

static void assert_unchanged(const struct scene *s)
{
    long size;
    char *now = dump_set(s->dset, s->set.kind);
    assert_string_equal(now, s->before);
    free(now);
    assert_int_equal(H5Fflush(s->file, H5F_SCOPE_LOCAL), 0);
    uint8_t *bytes = file_bytes(&size);
    assert_int_equal(size, s->size);
    assert_memory_equal(bytes, s->bytes, (size_t)size);
    free(bytes);
}

static void scene_close(struct scene *s)
{
    free(s->before);
    free(s->bytes);
    H5Dclose(s->dset);
    H5Fclose(s->file);
}

static void each_set(void (*fn)(const struct set *s))
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int dense = 0; dense < 2; dense++)
            for (int filters = 0; filters < FILTERS; filters++) {
                struct set s = {(enum kind)kind, dense, (enum index)(SINGLE + 1 + filters % 3), (enum filters)filters};
                if (set_exists(&s))
                    fn(&s);
            }
}

/* One byte more than there is. */
static void lengthen(struct direct *d, unsigned i)
{
    d->bytes[i] = realloc(d->bytes[i], d->sizes[i] + 1);
    ((uint8_t *)d->bytes[i])[d->sizes[i]] = 0;
    d->sizes[i]++;
}

static bool is_heap(const struct set *s, unsigned section)
{
    return s->kind != INT && section == set_sections(s) - 1;
}

/* Each is wrong in one way. */
static void wrong_sizes(const struct set *set)
{
    struct scene s;
    struct direct d;
    scene_open(&s, set);
    for (unsigned i = 0; i < set_sections(set); i++)
        for (int how = 0; how < 9; how++) {
            direct_read(s.dset, inner, &d);
            if (how % 2 == 1 && how < 6)
                d.info.section_orig_size = NULL;
            if (how < 2)
                d.sizes[i]--;
            else if (how < 4)
                lengthen(&d, i);
            else if (how < 6)
                d.before[i] = d.sizes[i] = 0;
            else if (how < 8)
                d.before[i]++;
            else
                d.before[i]--;
            if (how == 7)
                d.before[i]++;
            /* What follows a compressed stream is not looked at, and a heap may have bytes that nothing refers to. */
            bool may = (how >= 2 && how < 4 && set->filters != NONE && set->filters != SUMMED) || (how < 4 && is_heap(set, i));
            herr_t status = direct_write(s.dset, inner, &d);
            if (!may || status < 0) {
                assert_true(status < 0);
                assert_unchanged(&s);
                direct_free(&d);
                continue;
            }
            direct_free(&d);
            scene_close(&s);
            scene_open(&s, set);
        }
    scene_close(&s);
}

static void sizes(void **state)
{
    (void)state;
    each_set(wrong_sizes);
}

/* A whole chunk where the extent ends. */
static void over_the_edge(const struct set *set)
{
    struct scene s;
    struct direct d;
    scene_open(&s, set);
    direct_read(s.dset, inner, &d);
    herr_t status = direct_write(s.dset, edge, &d);
    if (set->dense) {
        assert_int_equal(status, 0);
    } else {
        assert_true(status < 0);
        assert_unchanged(&s);
    }
    direct_free(&d);
    scene_close(&s);
}

static void edges(void **state)
{
    (void)state;
    each_set(over_the_edge);
}

static bool has_sum(const struct set *s, unsigned section)
{
    return s->kind != INT || section == 0;
}

/* Other elements come into a chunk that was accepted, and it goes to the file and back. */
static void use_chunk(struct scene *s)
{
    write_set(s->dset, s->set.kind, 59, 1, 700);
    free(dump_set(s->dset, s->set.kind));
    H5Dclose(s->dset);
    H5Fclose(s->file);
    s->file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    s->dset = H5Dopen2(s->file, "d", H5P_DEFAULT);
    free(dump_set(s->dset, s->set.kind));
    scene_close(s);
    scene_open(s, &s->set);
}

/* What was accepted can be read; what was refused has left no trace. Then all is as before. */
static void try_one(struct scene *s, struct direct *d, struct direct *good, unsigned *accepted)
{
    if (direct_write(s->dset, inner, d) >= 0) {
        free(dump_set(s->dset, s->set.kind));
        if (++*accepted % 16 == 0)
            use_chunk(s);
        assert_int_equal(direct_write(s->dset, inner, good), 0);
    }
    char *now = dump_set(s->dset, s->set.kind);
    assert_string_equal(now, s->before);
    free(now);
}

/* Behind its bytes, as the library stores it. */
static void append_sum(struct direct *d, unsigned i)
{
    d->bytes[i] = realloc(d->bytes[i], d->sizes[i] + 4);
    d->sizes[i] += 4;
    d->before[i] = d->sizes[i];
    put_sum(d->bytes[i], d->sizes[i]);
}

/* Every byte of the sections is another, or of longer ones one in five: without a checksum, with one that fits, and with one
 * that does not, which is seen but in a heap, where it is bytes like others. */
static void flip_bytes(const struct set *set)
{
    struct scene s;
    struct direct d, good;
    unsigned accepted = 0, tried = 0;
    if (set->filters != NONE)
        return;
    scene_open(&s, set);
    direct_read(s.dset, inner, &good);
    for (unsigned i = 0; i < set_sections(set); i++)
        for (size_t at = 0; at < good.sizes[i]; at += good.sizes[i] > 100 ? 5 : 1)
            for (int sum = 0; sum <= 2 * has_sum(set, i); sum++) {
                direct_read(s.dset, inner, &d);
                if (sum == 2)
                    append_sum(&d, i);
                ((uint8_t *)d.bytes[i])[at] ^= at % 3 == 0 ? 0x01 : at % 3 == 1 ? 0xff : 0x80;
                if (sum == 1)
                    append_sum(&d, i);
                unsigned before = accepted;
                try_one(&s, &d, &good, &accepted);
                if (sum == 2 && !is_heap(set, i))
                    assert_int_equal(accepted, before);
                direct_free(&d);
                tried++;
            }
    assert_true(accepted > 0 && accepted < tried);
    direct_free(&good);
    scene_close(&s);
}

static void bytes(void **state)
{
    (void)state;
    each_set(flip_bytes);
}

static void put_field(uint8_t *field, uint64_t offset, uint64_t size)
{
    for (int i = 0; i < 8; i++) {
        field[i] = (uint8_t)(offset >> 8 * i);
        field[8 + i] = (uint8_t)(size >> 8 * i);
    }
}

static void try_field(struct scene *s, uint64_t offset, uint64_t size, bool good)
{
    struct direct d;
    unsigned fixed = s->set.dense ? 0 : 1;
    direct_read(s->dset, inner, &d);
    put_field(d.bytes[fixed], offset, size);
    herr_t status = direct_write(s->dset, inner, &d);
    assert_int_equal(status < 0, !good);
    if (!good)
        assert_unchanged(s);
    direct_free(&d);
}

/* Elements that refer to nowhere, to half of something, to what another refers to. */
static void references(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        struct set set = {.kind = TEXT, .dense = dense, .index = FIXED};
        struct scene s;
        struct direct d;
        scene_open(&s, &set);
        direct_read(s.dset, inner, &d);
        size_t heap = d.sizes[dense ? 1 : 2];
        direct_free(&d);
        try_field(&s, heap, 1, false);
        try_field(&s, 0, 1, false);
        try_field(&s, 3, 2, false);
        try_field(&s, 4, heap, false);
        try_field(&s, UINT64_MAX, 2, false);
        try_field(&s, UINT64_MAX - 3, 20, false);
        try_field(&s, 4, UINT64_MAX, false);
        try_field(&s, 4, heap - 4, false);
        try_field(&s, 0, 0, true);
        scene_close(&s);
    }
}

/* The selection of a chunk of other dimensions, of too many elements, of all. */
static void selections(void **state)
{
    struct set set = {.kind = INT, .index = FIXED};
    struct scene s;
    hsize_t dims[][2] = {{4, 6}, {5, 5}, {1, 20}, {4, 5}, {4, 5}};
    (void)state;
    scene_open(&s, &set);
    for (size_t i = 0; i < 5; i++) {
        struct direct d;
        hid_t space = H5Screate_simple(2, dims[i], NULL);
        hsize_t start[2] = {0, 0}, n = i < 4 ? (hsize_t)H5Sget_select_npoints(space) - (i == 3) : 20;
        direct_init(&d);
        d.info.type = H5D_STRUCT_CHUNK;
        d.info.num_sections = 2;
        d.info.section_orig_size = NULL;
        assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims[i], NULL), 0);
        assert_int_equal(H5Sencode2(space, NULL, &d.sizes[0], H5P_DEFAULT), 0);
        d.bytes[0] = malloc(d.sizes[0] + 4);
        assert_int_equal(H5Sencode2(space, d.bytes[0], &d.sizes[0], H5P_DEFAULT), 0);
        d.sizes[0] += 4;
        put_sum(d.bytes[0], d.sizes[0]);
        d.sizes[1] = (size_t)n * sizeof(int);
        d.bytes[1] = calloc(1, d.sizes[1]);
        herr_t status = direct_write(s.dset, inner, &d);
        assert_int_equal(status < 0, i < 4);
        if (i < 4)
            assert_unchanged(&s);
        direct_free(&d);
        H5Sclose(space);
    }
    scene_close(&s);
}

/* More bytes than the index can say: 20 elements of 4 bytes leave 2 bytes for the size. */
static void too_large(void **state)
{
    struct set set = {.kind = INT, .index = FIXED};
    struct scene s;
    struct direct d;
    (void)state;
    scene_open(&s, &set);
    direct_read(s.dset, inner, &d);
    d.bytes[1] = realloc(d.bytes[1], 70000);
    memset(d.bytes[1], 0, 70000);
    d.sizes[1] = d.before[1] = 70000;
    assert_true(direct_write(s.dset, inner, &d) < 0);
    d.sizes[0] = SIZE_MAX - 100;
    assert_true(direct_write(s.dset, inner, &d) < 0);
    assert_unchanged(&s);
    direct_free(&d);
    scene_close(&s);
}

/* Every allocation fails once. */
static void faults(const struct set *set)
{
    struct scene s;
    struct direct d, changed;
    if ((set->filters != NONE && set->filters != PACKED) || set->kind == TEXT || set->kind == NESTED)
        return;
    scene_open(&s, set);
    direct_read(s.dset, inner, &d);
    write_set(s.dset, set->kind, 0, 1, 800);
    direct_read(s.dset, inner, &changed);
    changed.info.section_orig_size = NULL;
    for (unsigned long n = 1;; n++) {
        char *before = dump_set(s.dset, set->kind);
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        herr_t status = direct_write(s.dset, inner, n % 2 ? &d : &changed);
        bool enough = ts_alloc_fail_at(0, TS_FAULT_ONCE) < n;
        char *after = dump_set(s.dset, set->kind);
        if (status < 0)
            assert_string_equal(after, before);
        free(before);
        free(after);
        if (enough) {
            assert_int_equal(status, 0);
            break;
        }
    }
    for (unsigned long n = 1;; n++) {
        struct direct back;
        direct_init(&back);
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        herr_t status;
        H5E_BEGIN_TRY
        {
            status = H5Dread_struct_chunk(s.dset, H5P_DEFAULT, inner, &back.info, NULL);
        }
        H5E_END_TRY
        if (ts_alloc_fail_at(0, TS_FAULT_ONCE) < n) {
            assert_int_equal(status, 0);
            break;
        }
    }
    direct_free(&d);
    direct_free(&changed);
    scene_close(&s);
}

static void memory(void **state)
{
    (void)state;
    each_set(faults);
}

static void limit(rlim_t size)
{
    struct rlimit l;
    getrlimit(RLIMIT_FSIZE, &l);
    l.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* No room for the chunk: what was there before stays, also what waited in memory. */
static void disk(void **state)
{
    struct set set = {.kind = INT, .index = BTREE};
    struct scene s;
    struct direct d;
    hsize_t end; /* of the space in use; the file may be longer */
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    scene_open(&s, &set);
    assert_int_equal(H5Fget_eoa(s.file, &end), 0);
    direct_read(s.dset, inner, &d);
    for (int waiting = 0; waiting < 2; waiting++) {
        if (waiting)
            write_set(s.dset, INT, 0, 2, 4000);
        char *before = dump_set(s.dset, INT);
        limit((rlim_t)end - 8);
        assert_true(direct_write(s.dset, inner, &d) < 0);
        limit(RLIM_INFINITY);
        char *after = dump_set(s.dset, INT);
        assert_string_equal(after, before);
        free(before);
        free(after);
    }
    assert_int_equal(direct_write(s.dset, inner, &d), 0);
    assert_int_equal(H5Fflush(s.file, H5F_SCOPE_LOCAL), 0);
    direct_free(&d);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),      cmocka_unit_test(edges),     cmocka_unit_test(bytes),  cmocka_unit_test(references),
        cmocka_unit_test(selections), cmocka_unit_test(too_large), cmocka_unit_test(memory), cmocka_unit_test(disk),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
