/* A file in memory: read whole at opening, or given as an image. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "driver/classes.h"

struct core {
    struct ts_driver base;
    uint8_t *bytes;
    size_t size;
};

static void core_close(struct ts_driver *d)
{
    struct core *c = (struct core *)d;
    ts_free(c->bytes);
    ts_free(c);
}

static int core_eof(struct ts_driver *d, haddr_t *eof)
{
    *eof = ((struct core *)d)->size;
    return 0;
}

static int core_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct core *c = (struct core *)d;
    for (size_t i = 0; i < n; i++) {
        if (v[i].addr > c->size || v[i].size > c->size - v[i].addr)
            return TS_ERR(IO, READERROR, "reading %zu bytes at %#llx, behind the end %#zx of the file in memory", v[i].size,
                          (unsigned long long)v[i].addr, c->size);
        memcpy(v[i].buf, c->bytes + v[i].addr, v[i].size);
    }
    return 0;
}

static int core_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    (void)d;
    *id = (struct ts_driver_identity){.unique = true};
    return 0;
}

static int core_handle(struct ts_driver *d, void **handle)
{
    *handle = &((struct core *)d)->bytes;
    return 0;
}

static const struct ts_driver_class core_class = {.name = "core",
                                                  .close = core_close,
                                                  .eof = core_eof,
                                                  .readv = core_readv,
                                                  .identity = core_identity,
                                                  .handle = core_handle};

static int load_file(struct core *c, const char *name, unsigned flags)
{
    struct ts_driver *file;
    haddr_t size;
    if (ts_sec2_open(name, flags, &file) < 0)
        return -1;
    int status = ts_driver_eof(file, &size);
    if (status == 0) {
        c->size = (size_t)size;
        c->bytes = ts_malloc_aligned(c->size);
        status = c->bytes ? ts_driver_read(file, 0, c->size, c->bytes) : -1;
    }
    ts_driver_close(file);
    return status;
}

static int load_image(struct core *c, const void *image, size_t size)
{
    c->bytes = ts_malloc_aligned(size);
    if (!c->bytes)
        return -1;
    memcpy(c->bytes, image, size);
    c->size = size;
    return 0;
}

int ts_core_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct core *c = ts_calloc(1, sizeof *c);
    if (!c)
        return -1;
    c->base.cls = &core_class;
    int status = config->core.image ? load_image(c, config->core.image, config->core.image_size) : load_file(c, name, flags);
    if (status < 0) {
        core_close(&c->base);
        return -1;
    }
    *out = &c->base;
    return 0;
}
