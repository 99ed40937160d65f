/* The recording and the failing driver: what other tests rely on when they say that a crash does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "driver/driver.h"
#include "support/faulty.h"
#include "support/recorder.h"

static const struct ts_driver_config sec2 = {.kind = TS_DRIVER_SEC2};
static char name[64], other[80];

static int enter(void **unused)
{
    (void)unused;
    snprintf(name, sizeof name, "/tmp/tessera-wrapped-XXXXXX");
    int fd = mkstemp(name);
    snprintf(other, sizeof other, "%s.other", name);
    return fd < 0 ? -1 : close(fd);
}

static int leave(void **unused)
{
    (void)unused;
    unlink(other);
    return unlink(name);
}

static struct ts_driver *opened(const char *which)
{
    struct ts_driver *d;
    assert_int_equal(ts_driver_open(which, TS_OPEN_WRITE | TS_OPEN_CREATE, &sec2, &d), 0);
    return d;
}

static void expect_image(size_t n, size_t sectors, const void *bytes, size_t size)
{
    size_t got;
    const uint8_t *image = recorder_image(n, sectors, &got);
    assert_int_equal(got, size);
    if (size > 0)
        assert_memory_equal(image, bytes, size);
}

static void test_prefixes(void **unused)
{
    (void)unused;
    struct ts_driver *d = opened(name);
    assert_int_equal(ts_driver_write(d, 0, 3, "old"), 0);
    ts_driver_close(d);
    recorder_start(name);
    d = opened(name);
    struct ts_io_out v[3] = {{0, 1, "A"}, {5, 2, "BC"}, {1, 0, ""}};
    assert_int_equal(ts_driver_writev(d, v, 3), 0);
    recorder_mark(1);
    assert_int_equal(ts_driver_truncate(d, 2), 0);
    ts_driver_close(d);
    /* Another file is not recorded, another opening of this one is. */
    d = opened(other);
    assert_int_equal(ts_driver_write(d, 0, 1, "?"), 0);
    ts_driver_close(d);
    d = opened(name);
    assert_int_equal(ts_driver_write(d, 2, 1, "D"), 0);
    recorder_mark(2);
    ts_driver_close(d);
    assert_int_equal(recorder_count(), 6);
    expect_image(0, 0, "old", 3);
    expect_image(1, 0, "Ald", 3);
    expect_image(2, 0, "Ald\0\0BC", 7);
    expect_image(3, 0, "Ald\0\0BC", 7);
    expect_image(4, 0, "Al", 2);
    expect_image(6, 0, "AlD", 3);
    expect_image(2, 0, "Ald\0\0BC", 7);
    assert_int_equal(recorder_last_mark(2), 0);
    assert_int_equal(recorder_last_mark(3), 1);
    assert_int_equal(recorder_last_mark(5), 1);
    assert_int_equal(recorder_last_mark(6), 2);
    assert_int_equal(recorder_event(1)->what, RECORDED_WRITE);
    assert_int_equal(recorder_event(1)->addr, 5);
    assert_int_equal(recorder_event(3)->what, RECORDED_TRUNCATE);
    assert_null(recorder_event(6));
    recorder_stop();
    assert_int_equal(recorder_count(), 0);
}

static void test_torn_write(void **unused)
{
    (void)unused;
    static uint8_t ones[2000], expected[3000];
    memset(ones, 1, sizeof ones);
    recorder_start(NULL);
    struct ts_driver *d = opened(name);
    assert_int_equal(ts_driver_truncate(d, 100), 0);
    /* Its borders are those of the disk, not of the write: 500, 512, 1024, 1536, 2048, 2500. */
    assert_int_equal(ts_driver_write(d, 500, 2000, ones), 0);
    ts_driver_close(d);
    assert_int_equal(recorder_sectors(0), 0);
    assert_int_equal(recorder_sectors(1), 5);
    expect_image(1, 0, expected, 100);
    static const size_t ends[] = {512, 1024, 1536, 2048, 2500};
    for (size_t k = 1; k <= 5; k++) {
        memset(expected + 500, 1, ends[k - 1] - 500);
        expect_image(1, k, expected, ends[k - 1]);
    }
    expect_image(2, 0, expected, 2500);
    recorder_write_file(1, 2, other);
    recorder_stop();
    haddr_t eof;
    d = opened(other);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 1024);
    ts_driver_close(d);
}

/* The whole recording gives the file as it is. */
static void test_random_recording(void **unused)
{
    (void)unused;
    static uint8_t bytes[20000];
    uint32_t state = 3;
    haddr_t eof;
    recorder_start(name);
    struct ts_driver *d = opened(name);
    for (int i = 0; i < 500; i++) {
        state = state * 1664525u + 1013904223u;
        haddr_t at = state >> 8 & 8191;
        memset(bytes, i, 900);
        assert_int_equal(i % 9 == 8 ? ts_driver_truncate(d, at) : ts_driver_write(d, at, state >> 21 & 511, bytes), 0);
    }
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(ts_driver_read(d, 0, (size_t)eof, bytes), 0);
    ts_driver_close(d);
    for (size_t n = 0; n < recorder_count(); n += 7) {
        size_t size;
        recorder_image(n, 0, &size);
    }
    expect_image(recorder_count(), 0, bytes, (size_t)eof);
    recorder_stop();
}

static void test_faults(void **unused)
{
    (void)unused;
    char text[8] = "";
    haddr_t eof;
    faulty_start(name);
    struct ts_driver *d = opened(name);
    faulty_fail_at(2, FAULTY_WRITE, FAULTY_EIO, true);
    assert_int_equal(ts_driver_write(d, 0, 4, "abcd"), 0);
    assert_int_equal(ts_driver_read(d, 0, 4, text), 0);
    assert_true(ts_driver_write(d, 0, 4, "efgh") < 0);
    assert_int_equal(ts_driver_write(d, 3, 1, "!"), 0);
    assert_int_equal(ts_driver_read(d, 0, 4, text), 0);
    assert_string_equal(text, "abc!");
    /* Half of what two vectors have: the first whole, and of the second what ends with a sector. */
    assert_int_equal(faulty_fail_at(1, FAULTY_WRITE | FAULTY_TRUNCATE, FAULTY_SHORT, false), 3);
    struct ts_io_out v[2] = {{0, 2, "12"}, {2, 4, "3456"}};
    assert_true(ts_driver_writev(d, v, 2) < 0);
    assert_true(ts_driver_truncate(d, 0) < 0);
    assert_int_equal(ts_driver_flush(d), 0);
    assert_int_equal(ts_driver_read(d, 0, 4, text), 0);
    assert_string_equal(text, "12c!");
    assert_int_equal(faulty_fail_at(1, FAULTY_ALL, FAULTY_ENOSPC, false), 2);
    assert_true(ts_driver_read(d, 0, 1, text) < 0);
    assert_true(ts_driver_flush(d) < 0);
    assert_non_null(strstr(ts_err_current()->rec[ts_err_mark() - 1].text, "No space"));
    assert_int_equal(faulty_fail_at(0, 0, FAULTY_EIO, false), 2);
    assert_int_equal(ts_driver_truncate(d, 1), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 1);
    ts_err_clear();
    ts_driver_close(d);
    faulty_stop();
}

/* Faults around the recorder: what the failing driver does not let through is not recorded. */
static void test_both(void **unused)
{
    (void)unused;
    char two[2 * RECORDER_SECTOR];
    memset(two, 'x', sizeof two);
    recorder_start(name);
    faulty_start(NULL);
    struct ts_driver *d = opened(name);
    assert_int_equal(ts_driver_write(d, 0, 2, "ab"), 0);
    faulty_fail_at(1, FAULTY_WRITE, FAULTY_SHORT, true);
    assert_true(ts_driver_write(d, 0, sizeof two, two) < 0);
    ts_err_clear();
    ts_driver_close(d);
    assert_int_equal(recorder_count(), 2);
    expect_image(2, 0, two, RECORDER_SECTOR);
    faulty_stop();
    recorder_stop();
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)
    const struct CMUnitTest tests[] = {T(test_prefixes), T(test_torn_write), T(test_random_recording), T(test_faults),
                                       T(test_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
