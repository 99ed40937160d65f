/* Datasets of all kinds, with values that say when they were written, and a filter that fails when a test says so. */
#ifndef TESTS_UNIT_DATASET_FAILING_SETS_H
#define TESTS_UNIT_DATASET_FAILING_SETS_H

#include "unit/cmocka_all.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

#define FILTER 300
#define N 60
#define CHUNK 10
#define FILL (-5)

/* What the filter does when a chunk is to be written. */
static struct {
    atomic_bool always;
    int every;  /* fails at each so-many-th call; 0: never */
    int marker; /* fails for a chunk that begins with this element; 0: none */
    atomic_int calls;
    void (*callback)(void); /* called first, once */
} filter;

static inline size_t run_filter(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    (void)n_values, (void)values, (void)capacity;
    if (filter.callback) {
        void (*callback)(void) = filter.callback;
        filter.callback = NULL;
        callback();
    }
    if (flags & H5Z_FLAG_REVERSE)
        return n;
    int call = ++filter.calls;
    bool marked = filter.marker != 0 && *(const int *)*buf == filter.marker;
    return filter.always || marked || (filter.every > 0 && call % filter.every == 0) ? 0 : n;
}

static const H5Z_class2_t filter_class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "fails", NULL, NULL, run_filter};

enum { PLAIN, CONTIGUOUS, COMPACT, TEXT, SPARSE, DEFLATED, GOOD, FAILING = GOOD, FAILING_SPARSE, KINDS };
static const char *const names[] = {"plain", "contiguous", "compact", "text", "sparse", "deflated", "failing", "failing sparse"};

static inline hid_t element_type(int kind)
{
    hid_t t = H5Tcopy(kind == TEXT ? H5T_C_S1 : H5T_NATIVE_INT);
    if (kind == TEXT)
        H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static inline hid_t create(hid_t file, const char *name, int kind)
{
    hsize_t n = N, max = H5S_UNLIMITED, chunk = CHUNK;
    int fill = FILL;
    bool chunked = kind != CONTIGUOUS && kind != COMPACT && kind != TEXT;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), type = element_type(kind);
    hid_t space = H5Screate_simple(1, &n, chunked ? &max : NULL);
    if (kind == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (kind != TEXT)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (kind == SPARSE || kind == FAILING_SPARSE)
        assert_true(H5Pset_struct_chunk(dcpl, 1, &chunk, H5D_SPARSE_CHUNK) >= 0);
    else if (chunked)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (kind == DEFLATED)
        H5Pset_deflate(dcpl, 1);
    if (kind == FAILING)
        assert_true(H5Pset_filter(dcpl, FILTER, H5Z_FLAG_MANDATORY, 0, NULL) >= 0);
    if (kind == FAILING_SPARSE)
        assert_true(H5Pset_filter2(dcpl, H5Z_FLAG_SPARSE_FIXED_DATA, FILTER, H5Z_FLAG_MANDATORY, 0, NULL) >= 0);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
    return d;
}

static inline int value_of(int kind, int version, int i)
{
    return 1 + i + 1000 * kind + 100000 * version;
}

static inline herr_t write_values(hid_t d, int kind, int version)
{
    int numbers[N];
    char storage[N][16];
    const char *texts[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = value_of(kind, version, i);
        snprintf(storage[i], sizeof storage[i], "%d", numbers[i]);
        texts[i] = storage[i];
    }
    hid_t type = element_type(kind);
    herr_t status = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, kind == TEXT ? (void *)texts : numbers);
    H5Tclose(type);
    return status;
}

/* What an element is: a version, or 0 for the fill value. */
static inline void read_versions(hid_t d, int kind, int *versions)
{
    int numbers[N];
    char *texts[N];
    hid_t type = element_type(kind);
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, kind == TEXT ? (void *)texts : numbers) >= 0);
    for (int i = 0; i < N; i++) {
        if (kind == TEXT) {
            numbers[i] = texts[i] ? atoi(texts[i]) : FILL;
            free(texts[i]);
        }
        versions[i] = numbers[i] == FILL ? 0 : numbers[i] / 100000;
        if (versions[i] > 0)
            assert_int_equal(numbers[i], value_of(kind, versions[i], i));
    }
    H5Tclose(type);
}

static inline void check(hid_t file, const char *name, int kind, int version)
{
    int versions[N];
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(d >= 0);
    read_versions(d, kind, versions);
    for (int i = 0; i < N; i++)
        assert_int_equal(versions[i], version);
    assert_true(H5Dclose(d) >= 0);
}

static inline herr_t flush(hid_t file)
{
    return H5Fflush(file, H5F_SCOPE_GLOBAL);
}

static inline herr_t find_name(unsigned n, const H5E_error2_t *e, void *name)
{
    (void)n;
    return e->desc && strstr(e->desc, name) != NULL;
}

/* The last error names the dataset. */
static inline void assert_told(const char *name)
{
    assert_int_equal(H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_name, (void *)(uintptr_t)name), 1);
}

#endif
