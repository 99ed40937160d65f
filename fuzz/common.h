/* A file in memory for fuzzing what lies above meta/. The input's first byte picks the sizes of offsets and lengths,
 * the next four are the address of the structure, the rest is the file. seeds.py makes inputs from real files. */
#ifndef FUZZ_COMMON_H
#define FUZZ_COMMON_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "driver/driver.h"
#include "file/file.h"
#include "meta/meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_file {
    struct ts_driver driver;
    struct ts_file file;
    const uint8_t *bytes;
    size_t size;
    haddr_t start;  /* of the structure */
    bool checksums; /* make every block that is read end in its right checksum: no fuzzer guesses one */
};

static int fuzz_eof(struct ts_driver *d, haddr_t *eof)
{
    *eof = ((struct fuzz_file *)d)->size;
    return 0;
}

static int fuzz_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct fuzz_file *f = (struct fuzz_file *)d;
    for (size_t i = 0; i < n; i++) {
        /* The library must have checked. */
        if (v[i].addr > f->size || v[i].size > f->size - v[i].addr)
            abort();
        memcpy(v[i].buf, f->bytes + v[i].addr, v[i].size);
        if (f->checksums && v[i].size >= 16) {
            uint8_t *end = (uint8_t *)v[i].buf + v[i].size - 4;
            uint32_t sum = ts_checksum(v[i].buf, v[i].size - 4);
            for (unsigned k = 0; k < 4; k++)
                end[k] = (uint8_t)(sum >> 8 * k);
        }
    }
    return 0;
}

static const struct ts_driver_class fuzz_driver_class = {.name = "fuzz", .eof = fuzz_eof, .readv = fuzz_readv};

#define FUZZ_HEAD 5

/* size is at least FUZZ_HEAD. */
static inline struct ts_file *fuzz_open(struct fuzz_file *f, const uint8_t *data, size_t size, bool checksums)
{
    static const unsigned widths[] = {8, 4, 2, 8};
    ts_api_init(); /* for the default lists */
    *f = (struct fuzz_file){
        .driver = {&fuzz_driver_class}, .bytes = data + FUZZ_HEAD, .size = size - FUZZ_HEAD, .checksums = checksums};
    for (unsigned i = 0; i < 4; i++)
        f->start |= (haddr_t)data[1 + i] << 8 * i;
    ts_mutex_init(&f->file.agreed.lock, TS_RANK_FILE_SETUP);
    f->file.driver = &f->driver;
    f->file.fapl = ts_plist_default(TS_PLIST_FILE_ACCESS);
    f->file.name = (char *)(uintptr_t) "fuzz";
    f->file.sb.addr_size = widths[data[0] & 3];
    f->file.sb.len_size = widths[data[0] >> 2 & 3];
    f->file.sb.chunk_k = 32;
    f->file.end = f->size;
    if (ts_meta_attach(&f->file) < 0)
        abort();
    return &f->file;
}

static inline void fuzz_close(struct fuzz_file *f)
{
    ts_clients_drop(&f->file);
    ts_err_clear();
}

#endif
