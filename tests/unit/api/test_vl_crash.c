/* Variable-length elements overwritten where they stand: a crash at any write leaves each of them old or new, never one
 * whose bytes in the heap are not there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "H5Dpublic.h"
#include "H5Epublic.h"
#include "H5Fpublic.h"
#include "H5Ppublic.h"
#include "H5Spublic.h"
#include "H5Tpublic.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

enum { N = 50, VERSIONS = 6, TEXT = 80 };

static char path[64], image[64], texts[VERSIONS][N][TEXT];
static hid_t string, space;

static void setup(void)
{
    hsize_t n = N;
    snprintf(path, sizeof path, "/tmp/tessera-crash-%d.h5", (int)getpid());
    snprintf(image, sizeof image, "/tmp/tessera-crash-%d-image.h5", (int)getpid());
    string = H5Tcopy(H5T_C_S1);
    H5Tset_size(string, H5T_VARIABLE);
    space = H5Screate_simple(1, &n, NULL);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int v = 0; v < VERSIONS; v++)
        for (int i = 0; i < N; i++)
            snprintf(texts[v][i], TEXT, "version %d of element %d%.*s", v, i, (i * 7 + v * 11) % 25,
                     "........................");
}

static hid_t create(int layout, hid_t file)
{
    hsize_t chunk = 8;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (layout >= 1)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (layout == 2)
        H5Pset_deflate(dcpl, 4);
    hid_t d = H5Dcreate2(file, "d", string, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    return d;
}

static void record(int layout)
{
    recorder_start(path);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = create(layout, file);
    for (int v = 0; v < VERSIONS; v++) {
        const char *values[N];
        for (int i = 0; i < N; i++)
            values[i] = texts[v][i];
        assert_true(H5Dwrite(d, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
        recorder_mark((unsigned long)v + 1);
    }
    H5Dclose(d);
    H5Fclose(file);
}

/* What a crash left: every element of the version that was flushed last, or of the next. */
static void check(unsigned long flushed)
{
    char *values[N];
    hid_t file = H5Fopen(image, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 || flushed == 0);
    if (file < 0)
        return;
    hid_t d = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_true(d >= 0 || flushed == 0);
    if (d >= 0 && flushed > 0) {
        assert_true(H5Dread(d, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        for (int i = 0; i < N; i++) {
            bool old = strcmp(values[i], texts[flushed - 1][i]) == 0;
            if (!old && (flushed == VERSIONS || strcmp(values[i], texts[flushed][i]) != 0))
                fail_msg("after flush %lu element %d is '%s'", flushed, i, values[i]);
        }
        H5Dvlen_reclaim(string, space, H5P_DEFAULT, values);
    }
    if (d >= 0)
        H5Dclose(d);
    H5Fclose(file);
}

static void crashes(void **test)
{
    (void)test;
    for (int layout = 0; layout < 3; layout++) {
        record(layout);
        size_t n = recorder_count();
        for (size_t i = 0; i <= n; i++) {
            size_t sectors = i < n ? recorder_sectors(i) : 1;
            for (size_t k = 0; k < (sectors ? sectors : 1); k++) {
                recorder_write_file(i, k, image);
                check(recorder_last_mark(i));
            }
        }
        print_message("layout %d: %zu writes\n", layout, n);
        assert_true(n > VERSIONS * 4);
        recorder_stop();
    }
    unlink(path);
    unlink(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crashes)};
    setup();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
