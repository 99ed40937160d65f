/* A journal is found when it is whole, and when it is this file's. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "driver/driver.h"
#include "file/journal.h"

enum { END = 1000, BLOCKS = 5 };

struct image {
    uint8_t bytes[8192];
    size_t size;
};

static uint8_t content[BLOCKS][100];

static void build(struct image *im, haddr_t start, haddr_t before, haddr_t after)
{
    struct ts_io_out blocks[BLOCKS], out[BLOCKS + 2];
    struct ts_wr scratch = {0};
    memset(im, 0, sizeof *im);
    for (int i = 0; i < BLOCKS; i++) {
        memset(content[i], 'a' + i, sizeof content[i]);
        blocks[i] = (struct ts_io_out){.addr = (haddr_t)(10 + 150 * i), .size = (size_t)(20 * i + 7), .buf = content[i]};
    }
    struct ts_journal j = {.start = start, .end_before = before, .end_after = after, .flags = TS_JOURNAL_UNMARKED, .n = BLOCKS, .blocks = blocks};
    assert_int_equal(ts_journal_vectors(&j, &scratch, out), 0);
    for (int i = 0; i < BLOCKS + 2; i++) {
        memcpy(im->bytes + out[i].addr, out[i].buf, out[i].size);
        /* Each begins where the last ended. */
        if (i > 0)
            assert_int_equal(out[i].addr, im->size);
        im->size = (size_t)out[i].addr + out[i].size;
    }
    ts_wr_free(&scratch);
}

static int find_in(const struct image *im, haddr_t end, bool marked, struct ts_journal *j)
{
    struct ts_driver_config config = {.kind = TS_DRIVER_CORE, .core = {.increment = 100, .image = im->bytes, .image_size = im->size}};
    struct ts_driver *d;
    assert_int_equal(ts_driver_open("image", 0, &config, &d), 0);
    int found = ts_journal_find(d, end, marked, j);
    ts_driver_close(d);
    return found;
}

static int find(const struct image *im, haddr_t end, struct ts_journal *j)
{
    return find_in(im, end, false, j);
}

static int found(const struct image *im, haddr_t end)
{
    struct ts_journal j;
    int status = find(im, end, &j);
    if (status == 1)
        ts_journal_deinit(&j);
    return status;
}

static void a_whole_journal_is_read_back(void **state)
{
    (void)state;
    struct image im;
    struct ts_journal j;
    build(&im, END, END - 100, END);
    assert_int_equal(find(&im, END, &j), 1);
    assert_int_equal(j.n, BLOCKS);
    assert_int_equal(j.start, END);
    assert_int_equal(j.end_after, END);
    assert_int_equal(j.end_before, END - 100);
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(j.blocks[i].addr, 10 + 150 * i);
        assert_int_equal(j.blocks[i].size, 20 * i + 7);
        assert_memory_equal(j.blocks[i].buf, content[i], j.blocks[i].size);
    }
    ts_journal_deinit(&j);
    assert_int_equal(found(&im, END - 100), 1);
}

static void any_byte_that_changed_makes_it_none(void **state)
{
    (void)state;
    struct image im;
    build(&im, END, END, END);
    for (size_t at = END; at < im.size; at++) {
        im.bytes[at] ^= 0x40;
        assert_int_equal(found(&im, END), 0);
        im.bytes[at] ^= 0x40;
    }
    size_t whole = im.size;
    for (im.size = END; im.size < whole; im.size++)
        assert_int_equal(found(&im, END), 0);
    im.size = whole + 1;
    assert_int_equal(found(&im, END), 0);
}

/* What lies before the superblock's end is the file's data, whatever it looks like. */
static void data_is_never_a_journal(void **state)
{
    (void)state;
    struct image im;
    build(&im, END, END, END);
    assert_int_equal(found(&im, im.size), 0);
    assert_int_equal(found(&im, END + 1), 0);
    assert_int_equal(found(&im, END - 1), 0);
    build(&im, END, END + 1, END);
    assert_int_equal(found(&im, END), 0);
    build(&im, END, END, END + 1);
    assert_int_equal(found(&im, END), 0);
}

/* Numbers that make no sense, under checksums that are right. */
static void broken_numbers_are_refused(void **state)
{
    (void)state;
    struct image im;
    static const size_t fields[] = {16, 24, 32, 40, 48};
    static const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_MAX / 24, (uint64_t)1 << 63};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            build(&im, END, END, END);
            uint8_t *trailer = im.bytes + im.size - 64;
            for (int b = 0; b < 8; b++)
                trailer[fields[i] + (size_t)b] = (uint8_t)(values[k] >> 8 * b);
            uint32_t sum = ts_checksum(trailer, 60);
            for (int b = 0; b < 4; b++)
                trailer[60 + b] = (uint8_t)(sum >> 8 * b);
            /* The end of file that is not in the superblock may be lower. */
            bool fine = (fields[i] == 32 || fields[i] == 40) && values[k] <= END;
            assert_int_equal(found(&im, END), fine);
        }
}

static void set_trailer(struct image *im, size_t at, const uint8_t *bytes, size_t n)
{
    uint8_t *trailer = im->bytes + im->size - 64;
    memcpy(trailer + at, bytes, n);
    uint32_t sum = ts_checksum(trailer, 60);
    for (int b = 0; b < 4; b++)
        trailer[60 + b] = (uint8_t)(sum >> 8 * b);
}

/* As found when the superblock is not marked, and when it is: 1 for the one, 2 for the other. */
static int counts(const struct image *im, uint32_t *sequence)
{
    int counted = 0;
    for (int marked = 0; marked < 2; marked++) {
        struct ts_journal j;
        if (find_in(im, END, marked, &j) != 1)
            continue;
        counted |= 1 << marked;
        *sequence = j.sequence;
        ts_journal_deinit(&j);
    }
    return counted;
}

static void only_a_marked_superblock_makes_it_count(void **state)
{
    (void)state;
    struct image im;
    uint32_t sequence = 0;
    build(&im, END, END, END);
    set_trailer(&im, 8, (const uint8_t[]){2, 0, 0, 0, 4, 3, 2, 1}, 8);
    assert_int_equal(counts(&im, &sequence), 2);
    assert_int_equal(sequence, 0x01020304);
    set_trailer(&im, 8, (const uint8_t[]){2, 0, 1, 0}, 4);
    assert_int_equal(counts(&im, &sequence), 3);
    /* What a flag means that is not known, nobody knows. */
    set_trailer(&im, 8, (const uint8_t[]){2, 0, 3, 0}, 4);
    assert_int_equal(counts(&im, &sequence), 0);
    set_trailer(&im, 8, (const uint8_t[]){3, 0, 1, 0}, 4);
    assert_int_equal(counts(&im, &sequence), 0);
    set_trailer(&im, 8, (const uint8_t[]){0, 0, 1, 0}, 4);
    assert_int_equal(counts(&im, &sequence), 0);
}

static void those_of_version_1_need_no_mark(void **state)
{
    (void)state;
    struct image im;
    uint32_t sequence;
    build(&im, END, END, END);
    set_trailer(&im, 8, (const uint8_t[]){1, 0, 0, 0, 0, 0, 0, 0}, 8);
    assert_int_equal(counts(&im, &sequence), 3);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    struct image im;
    struct ts_journal j;
    build(&im, END, END, END);
    for (unsigned long n = 1;; n++) {
        struct ts_driver_config config = {.kind = TS_DRIVER_CORE, .core = {.increment = 100, .image = im.bytes, .image_size = im.size}};
        struct ts_driver *d;
        assert_int_equal(ts_driver_open("image", 0, &config, &d), 0);
        ts_alloc_fail_at(n, TS_FAULT_FROM);
        int status = ts_journal_find(d, END, false, &j);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_driver_close(d);
        if (status == 1) {
            ts_journal_deinit(&j);
            assert_true(n > 2);
            break;
        }
        assert_int_equal(status, -1);
        ts_err_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_journal_is_read_back), cmocka_unit_test(any_byte_that_changed_makes_it_none),
        cmocka_unit_test(data_is_never_a_journal),      cmocka_unit_test(broken_numbers_are_refused),
        cmocka_unit_test(without_memory_it_says_so),    cmocka_unit_test(only_a_marked_superblock_makes_it_count),
        cmocka_unit_test(those_of_version_1_need_no_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
