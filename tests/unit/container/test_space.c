/* Free space that outlives the closing of a file, in plain files and in files in pages. */
#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "container/setup.h"
#include "format/object_header.h"
#include "hdf5.h"
#include "support/recorder.h"

static const char *path = "file_space.h5";

static hid_t create(H5F_fspace_strategy_t strategy, hbool_t persist)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_file_space_strategy(fcpl, strategy, persist, 1) >= 0);
    assert_true(H5Pset_file_space_page_size(fcpl, 1024) >= 0);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    assert_true(f >= 0);
    H5Pclose(fcpl);
    return f;
}

static void make_groups(hid_t f, int from, int to)
{
    for (int i = from; i < to; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        hid_t g = H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(g >= 0);
        H5Gclose(g);
    }
}

static void delete_groups(hid_t f, int from, int to, int step)
{
    for (int i = from; i < to; i += step) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        assert_true(H5Ldelete(f, name, H5P_DEFAULT) >= 0);
    }
}

static hssize_t free_bytes(unsigned flags)
{
    hid_t f = H5Fopen(path, flags, H5P_DEFAULT);
    assert_true(f >= 0);
    hssize_t bytes = H5Fget_freespace(f);
    H5F_sect_info_t sections[512];
    ssize_t n = H5Fget_free_sections(f, H5FD_MEM_DEFAULT, 512, sections);
    hssize_t sum = 0;
    for (ssize_t i = 0; i < n; i++)
        sum += (hssize_t)sections[i].size;
    assert_int_equal(sum, bytes);
    H5Fclose(f);
    return bytes;
}

static long file_size(void)
{
    FILE *in = fopen(path, "rb");
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    fclose(in);
    return size;
}

static void persistent_space_is_used_again(H5F_fspace_strategy_t strategy)
{
    hid_t f = create(strategy, true);
    make_groups(f, 0, 60);
    delete_groups(f, 0, 60, 2);
    H5Fclose(f);
    hssize_t there = free_bytes(H5F_ACC_RDONLY);
    assert_true(there > 1000);
    /* Opened for writing the same is known, and nothing has changed. */
    assert_int_equal(free_bytes(H5F_ACC_RDWR), there);
    assert_int_equal(free_bytes(H5F_ACC_RDONLY), there);
    long size = file_size();
    for (int round = 0; round < 10; round++) {
        f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        make_groups(f, 100, 110);
        H5Fclose(f);
        f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        delete_groups(f, 100, 110, 1);
        H5Fclose(f);
    }
    assert_true(file_size() <= size + 4096);
    assert_true(free_bytes(H5F_ACC_RDONLY) > 1000);
}

static void plain(void **state)
{
    (void)state;
    persistent_space_is_used_again(H5F_FSPACE_STRATEGY_FSM_AGGR);
}

static void pages(void **state)
{
    (void)state;
    persistent_space_is_used_again(H5F_FSPACE_STRATEGY_PAGE);
    assert_int_equal(file_size() % 1024, 0);
}

static void without_persistence_it_is_forgotten(void **state)
{
    (void)state;
    hid_t f = create(H5F_FSPACE_STRATEGY_FSM_AGGR, false);
    make_groups(f, 0, 60);
    delete_groups(f, 0, 59, 2);
    assert_true(H5Fget_freespace(f) > 1000);
    H5Fclose(f);
    assert_int_equal(free_bytes(H5F_ACC_RDONLY), 0);
}

/* After the first flush the stored managers are gone: a crash loses free space, never data. */
static void a_crash_leaves_no_stale_managers(void **state)
{
    (void)state;
    static const char *copy = "file_space_copy.h5";
    hid_t f = create(H5F_FSPACE_STRATEGY_FSM_AGGR, true);
    make_groups(f, 0, 40);
    delete_groups(f, 0, 40, 2);
    H5Fclose(f);
    recorder_start(path);
    f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    make_groups(f, 200, 210);
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    recorder_mark(1);
    H5Fclose(f);
    unsigned flushed = 0, closed = 0;
    for (size_t n = 0; n <= recorder_count(); n++) {
        recorder_write_file(n, 0, copy);
        hid_t c = H5Fopen(copy, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(c >= 0);
        bool has_new = H5Lexists(c, "g205", H5P_DEFAULT) > 0;
        hssize_t bytes = H5Fget_freespace(c);
        assert_true(bytes >= 0);
        if (recorder_last_mark(n))
            assert_true(has_new);
        flushed += has_new && bytes == 0;
        closed += has_new && bytes > 0;
        H5Fclose(c);
    }
    recorder_stop();
    assert_true(flushed > 0);
    assert_true(closed > 0);
    remove(copy);
}

static void more_than_the_high_bound_allows_fails(void **state)
{
    (void)state;
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, true, 1);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl) < 0);
    H5Pclose(fcpl);
    H5Pclose(fapl);
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* The place of the message in the superblock's extension, whose bytes it gives up to the checksum. */
static size_t find_space_message(uint8_t *header, size_t capacity, long *addr, size_t *size)
{
    uint8_t superblock[48];
    FILE *in = fopen(path, "rb");
    assert_int_equal(fread(superblock, 1, sizeof superblock, in), sizeof superblock);
    *addr = (long)number(superblock + 20, 8);
    fseek(in, *addr, SEEK_SET);
    assert_true(fread(header, 1, capacity, in) > 16);
    fclose(in);
    assert_memory_equal(header, "OHDR", 4);
    unsigned flags = header[5], length_bytes = 1u << (flags & 3);
    size_t at = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    *size = at + length_bytes + (size_t)number(header + at, length_bytes);
    at += length_bytes;
    while (at + 4 < *size && header[at] != TS_MSG_FILE_SPACE)
        at += 4 + (flags & 4 ? 2 : 0) + (size_t)number(header + at + 1, 2);
    assert_true(at + 4 < *size);
    return at;
}

/* As software that did not know the message leaves it; its bytes may be noise. */
static void mark_as_unknown(bool noise)
{
    uint8_t header[1024];
    long addr;
    size_t size, at = find_space_message(header, sizeof header, &addr, &size);
    assert_int_equal(header[at + 3], TS_MSG_FLAG_DONT_SHARE | TS_MSG_FLAG_MARK_IF_UNKNOWN);
    header[at + 3] |= TS_MSG_FLAG_WAS_UNKNOWN;
    if (noise)
        memset(header + at + 4, 0xff, (size_t)number(header + at + 1, 2));
    uint32_t sum = ts_checksum(header, size);
    for (unsigned i = 0; i < 4; i++)
        header[size + i] = (uint8_t)(sum >> 8 * i);
    FILE *out = fopen(path, "r+b");
    fseek(out, addr, SEEK_SET);
    assert_int_equal(fwrite(header, 1, size + 4, out), size + 4);
    fclose(out);
}

static void assert_default_space(unsigned flags)
{
    H5F_fspace_strategy_t strategy;
    hbool_t persist;
    hsize_t threshold, page;
    hid_t f = H5Fopen(path, flags, H5P_DEFAULT), fcpl = H5Fget_create_plist(f);
    assert_true(H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold) >= 0);
    assert_true(H5Pget_file_space_page_size(fcpl, &page) >= 0);
    assert_int_equal(strategy, H5F_FSPACE_STRATEGY_FSM_AGGR);
    assert_int_equal(persist, 0);
    assert_int_equal(threshold, 1);
    assert_int_equal(page, 4096);
    assert_int_equal(H5Lexists(f, "g1", H5P_DEFAULT), 1);
    if (flags & H5F_ACC_RDWR)
        make_groups(f, 60, 80);
    H5Pclose(fcpl);
    assert_int_equal(H5Fclose(f), 0);
}

/* What stock makes of such files. */
static void what_others_marked_is_not_believed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        hid_t f = create(i & 1 ? H5F_FSPACE_STRATEGY_PAGE : H5F_FSPACE_STRATEGY_FSM_AGGR, true);
        make_groups(f, 0, 60);
        delete_groups(f, 0, 60, 2);
        H5Fclose(f);
        mark_as_unknown(i & 2);
        assert_default_space(H5F_ACC_RDONLY);
        assert_default_space(H5F_ACC_RDWR);
        assert_default_space(H5F_ACC_RDONLY);
    }
}

static uint8_t *file_bytes(size_t *size)
{
    *size = (size_t)file_size();
    uint8_t *bytes = malloc(*size);
    FILE *in = fopen(path, "rb");
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

/* How many free space managers the file has. Each one's list fills the room that it has. */
static unsigned count_managers(void)
{
    enum { LIST_USED = 62, LIST_ALLOCATED = 70, HEADER = 82 };
    unsigned n = 0;
    size_t size;
    uint8_t *bytes = file_bytes(&size);
    for (size_t at = 0; at + HEADER <= size; at++)
        if (memcmp(bytes + at, "FSHD", 4) == 0 && number(bytes + at + HEADER - 4, 4) == ts_checksum(bytes + at, HEADER - 4)) {
            assert_int_equal(number(bytes + at + LIST_USED, 8), number(bytes + at + LIST_ALLOCATED, 8));
            n++;
        }
    free(bytes);
    return n;
}

/* Without these two libhdf5 2.x, as it is built with assertions, ends the program that opens the file. */
static void the_end_is_told_and_lists_fill_their_room(void **state)
{
    (void)state;
    enum { END_IN_MESSAGE = 21 };
    for (int deleted = 0; deleted <= 60; deleted += 4) {
        hid_t f = create(deleted & 4 ? H5F_FSPACE_STRATEGY_PAGE : H5F_FSPACE_STRATEGY_FSM_AGGR, true);
        make_groups(f, 0, 60);
        delete_groups(f, 0, deleted, 2);
        H5Fclose(f);
        uint8_t header[1024];
        long addr;
        size_t size, at = find_space_message(header, sizeof header, &addr, &size);
        size_t fields = at + 4 + (header[5] & 4 ? 2 : 0);
        assert_int_equal(number(header + fields + END_IN_MESSAGE, 8), file_size());
        assert_true(count_managers() > 0 || deleted == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(pages),
        cmocka_unit_test(without_persistence_it_is_forgotten),
        cmocka_unit_test(a_crash_leaves_no_stale_managers),
        cmocka_unit_test(more_than_the_high_bound_allows_fails),
        cmocka_unit_test(what_others_marked_is_not_believed),
        cmocka_unit_test(the_end_is_told_and_lists_fill_their_room),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
