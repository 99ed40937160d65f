/* The mark in the superblock's end of file, by which no other library takes half a commit for a whole one. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "format/superblock.h"
#include "hdf5.h"
#include "support/recorder.h"

static const char *path = "file_mark.h5", *image = "file_mark_image.h5";

static void the_end_is_known_from_the_mark(void **state)
{
    (void)state;
    static const struct {
        unsigned width;
        haddr_t end, eof, marked;
    } cases[] = {
        {8, 5000, 6000, 5000 | (haddr_t)1 << 62},
        {8, 0, 6000, (haddr_t)1 << 62},
        {4, 5000, 6000, 5000 | (haddr_t)1 << 31},
        {4, 0x7ffffffe, 0x7fffffff, 0xfffffffe},
        {4, 0x7fffffff, 0x7fffffff, HADDR_UNDEF}, /* it would be the undefined address */
        {4, 0x80000001, 0x80000001, HADDR_UNDEF}, /* the bit is in use */
        {4, 5000, (haddr_t)1 << 32, HADDR_UNDEF}, /* a file as long as that */
        {2, 5000, 6000, 5000 | 1 << 15},
        {2, 5000, 40000, HADDR_UNDEF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_superblock sb = {.addr_size = cases[i].width, .end = cases[i].end};
        assert_int_equal(ts_superblock_mark(&sb, cases[i].eof), cases[i].marked);
        assert_false(ts_superblock_unmark(&sb, cases[i].eof));
        assert_int_equal(sb.end, cases[i].end);
        if (cases[i].marked == HADDR_UNDEF)
            continue;
        sb.end = cases[i].marked;
        assert_true(ts_superblock_unmark(&sb, cases[i].eof));
        assert_int_equal(sb.end, cases[i].end);
    }
    /* A file that was cut is not taken for marked. */
    struct ts_superblock cut = {.addr_size = 8, .end = 5000 | (haddr_t)1 << 62};
    assert_false(ts_superblock_unmark(&cut, 4999));
    cut.end = HADDR_UNDEF;
    assert_false(ts_superblock_unmark(&cut, 4999));
}

static hid_t create(size_t width)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_sizes(fcpl, width, width);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    H5Pclose(fcpl);
    assert_true(f >= 0);
    return f;
}

static void add_group(hid_t f, int i)
{
    char name[16];
    snprintf(name, sizeof name, "g%d", i);
    hid_t g = H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(g >= 0);
    H5Gclose(g);
}

/* The superblock of the file, and it with another end. */
static struct ts_superblock get_superblock(const char *name, long *size)
{
    uint8_t bytes[TS_SUPERBLOCK_MAX] = {0};
    struct ts_superblock sb;
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    assert_true(fread(bytes, 1, sizeof bytes, in) > 0);
    fseek(in, 0, SEEK_END);
    *size = ftell(in);
    fclose(in);
    assert_int_equal(ts_superblock_decode(bytes, sizeof bytes, &sb), 0);
    return sb;
}

static void put_end(const char *name, haddr_t end)
{
    long size;
    struct ts_superblock sb = get_superblock(name, &size);
    struct ts_wr w = {0};
    sb.end = end;
    assert_int_equal(ts_superblock_encode(&sb, &w), 0);
    FILE *out = fopen(name, "r+b");
    assert_int_equal(fwrite(w.data, 1, w.size, out), w.size);
    fclose(out);
    ts_wr_free(&w);
}

static int groups_in(const char *name, unsigned flags, hid_t fapl)
{
    H5G_info_t info;
    hid_t f;
    H5E_BEGIN_TRY
    {
        f = H5Fopen(name, flags, fapl);
    }
    H5E_END_TRY
    if (f < 0)
        return -1;
    assert_true(H5Gget_info(f, &info) >= 0);
    for (int i = 0; i < (int)info.nlinks; i++) {
        char group[16];
        snprintf(group, sizeof group, "g%d", i);
        assert_true(H5Lexists(f, group, H5P_DEFAULT) > 0);
    }
    assert_true(H5Fclose(f) >= 0);
    return (int)info.nlinks;
}

/* As a commit leaves it that was just about to write the superblock for the last time. */
static void a_marked_file_without_journal_opens(void **state)
{
    (void)state;
    static const size_t widths[] = {8, 4, 2};
    for (int i = 0; i < 3; i++) {
        long size;
        hid_t f = create(widths[i]);
        add_group(f, 0);
        assert_true(H5Fclose(f) >= 0);
        struct ts_superblock sb = get_superblock(path, &size);
        assert_int_equal(size, sb.end);
        put_end(path, ts_superblock_mark(&sb, (haddr_t)size));
        assert_int_equal(groups_in(path, H5F_ACC_RDONLY, H5P_DEFAULT), 1);
        assert_int_not_equal(get_superblock(path, &size).end, sb.end);
        assert_int_equal(groups_in(path, H5F_ACC_RDWR, H5P_DEFAULT), 1);
        assert_int_equal(get_superblock(path, &size).end, sb.end);
        /* Where a long file's end may look like a mark, there must be no doubt. */
        put_end(path, ts_superblock_mark(&sb, (haddr_t)size));
        assert_int_equal(truncate(path, size + 10), 0);
        assert_int_equal(groups_in(path, H5F_ACC_RDONLY, H5P_DEFAULT), widths[i] == 8 ? 1 : -1);
        /* Cut short it is damaged with all of them. */
        assert_int_equal(truncate(path, size - 10), 0);
        assert_int_equal(groups_in(path, H5F_ACC_RDONLY, H5P_DEFAULT), -1);
        remove(path);
    }
}

static void record_flushes(size_t width)
{
    recorder_start(path);
    hid_t f = create(width);
    for (int i = 0; i < 12; i++) {
        add_group(f, i);
        assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
        recorder_mark((unsigned long)i + 1);
    }
    assert_true(H5Fclose(f) >= 0);
}

/* Drivers that keep no journal of their own finish what others began. */
static void memory_shows_whole_commits_of_a_marked_file(void **state)
{
    (void)state;
    unsigned marked = 0;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    record_flushes(8);
    for (size_t n = 0; n <= recorder_count(); n++) {
        long size;
        unsigned long last = recorder_last_mark(n);
        if (last == 0)
            continue;
        recorder_write_file(n, 0, image);
        if (get_superblock(image, &size).end < (haddr_t)1 << 62)
            continue;
        marked++;
        for (unsigned flags = H5F_ACC_RDONLY; flags <= H5F_ACC_RDWR; flags++)
            assert_int_equal(groups_in(image, flags, fapl), last < 12 ? last + 1 : last);
    }
    assert_true(marked > 12);
    recorder_stop();
    H5Pclose(fapl);
    remove(path);
    remove(image);
}

/* With addresses of 2 bytes the bit is soon in use: then the journal counts by itself. */
static void without_room_for_the_mark_the_journal_counts(void **state)
{
    (void)state;
    unsigned journals = 0;
    recorder_start(path);
    hid_t f = create(2);
    hsize_t many = 35000;
    hid_t space = H5Screate_simple(1, &many, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    hid_t d = H5Dcreate2(f, "g0", H5T_STD_I8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    for (int i = 1; i < 6; i++) {
        add_group(f, i);
        assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
        recorder_mark((unsigned long)i + 1);
    }
    assert_true(H5Fclose(f) >= 0);
    for (size_t n = 0; n <= recorder_count(); n++) {
        size_t size;
        int last = (int)recorder_last_mark(n);
        const uint8_t *bytes = last ? recorder_image(n, 0, &size) : NULL;
        if (!bytes)
            continue;
        bool counts = memcmp(bytes + size - 64, "TSJRNL\r\n\2\0\1", 11) == 0;
        journals += counts;
        recorder_write_file(n, 0, image);
        int got = groups_in(image, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(got == last || got == last + 1);
        assert_true(!counts || got > last || last == 6);
    }
    assert_true(journals > 5);
    recorder_stop();
    remove(path);
    remove(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_known_from_the_mark),
        cmocka_unit_test(a_marked_file_without_journal_opens),
        cmocka_unit_test(memory_shows_whole_commits_of_a_marked_file),
        cmocka_unit_test(without_room_for_the_mark_the_journal_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
