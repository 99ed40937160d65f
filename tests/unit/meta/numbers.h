/* Numbers in a file that a SWMR writer changes, as the metadata cache of its reader has them. The writer is played by
 * writing into the file behind the library's back. */
#ifndef TESTS_UNIT_META_NUMBERS_H
#define TESTS_UNIT_META_NUMBERS_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "file/file.h"
#include "hdf5.h"
#include "meta/meta.h"
#include "plist/fapl.h"
#include "plist/plist.h"

enum { BLOCK = 16, BLOCKS = 8, FIRST = 4096 };

static char path[64];
static atomic_int freed, loads, made;

/* A number and its checksum. */
static inline void put(int i, uint64_t value, bool torn)
{
    uint8_t buf[BLOCK] = {0};
    struct ts_wr w = {0};
    ts_wr_u64(&w, value);
    memcpy(buf, w.data, 8);
    ts_wr_free(&w);
    uint32_t sum = ts_checksum(buf, 8) ^ (torn ? 1 : 0);
    memcpy(buf + 8, &sum, 4);
    int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, buf, BLOCK, FIRST + i * BLOCK), BLOCK);
    close(fd);
}

static int number_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[BLOCK];
    uint32_t sum;
    loads++;
    if (ts_file_read(f, addr, BLOCK, buf) < 0)
        return -1;
    memcpy(&sum, buf + 8, 4);
    if (sum != ts_checksum(buf, 8))
        return TS_ERR(CACHE, CANTLOAD, "wrong checksum");
    *bytes = BLOCK;
    *obj = ts_memdup(buf, 8);
    made++;
    return *obj ? 0 : -1;
}

static void number_free(void *obj)
{
    freed++;
    ts_free(obj);
}

static const struct ts_meta_class number_class = {
    .name = "number", .load = number_load, .free = number_free, .retry = TS_RETRY_BTREE2_LEAF};

static inline haddr_t at(int i)
{
    return FIRST + (haddr_t)i * BLOCK;
}

/* The number, pinned, or -1. */
static inline int64_t pin(struct ts_file *f, int i, const uint64_t **where)
{
    void *obj;
    if (ts_meta_pin(f, &number_class, at(i), NULL, &obj) < 0)
        return -1;
    if (where)
        *where = obj;
    return (int64_t)*(uint64_t *)obj;
}

static inline int64_t look(struct ts_file *f, int i)
{
    int64_t value = pin(f, i, NULL);
    if (value >= 0)
        ts_meta_unpin(f, at(i));
    return value;
}

static inline int make(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    snprintf(path, sizeof path, "meta_swmr_%d.h5", (int)getpid());
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    H5Pclose(fapl);
    for (int i = 0; i < BLOCKS; i++)
        put(i, 1, false);
    freed = loads = made = 0;
    return 0;
}

static inline int unmake(void **state)
{
    (void)state;
    return remove(path);
}

static inline struct ts_file *open_it(unsigned flags, unsigned attempts)
{
    struct ts_plist *fapl;
    struct ts_file *f;
    assert_int_equal(ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl), 0);
    assert_int_equal(ts_fapl_set_read_attempts(fapl, attempts), 0);
    assert_int_equal(ts_file_open(path, flags, fapl, &f), 0);
    ts_plist_unref(fapl);
    assert_int_equal(ts_meta_attach(f), 0);
    return f;
}

#endif
