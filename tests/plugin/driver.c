/* A plugin for tests: a file driver that keeps one file in memory, "plugged", 509. */
#include <H5FDpublic.h>

#include <H5PLextern.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 65536

/* For the program that looks for it. */
static unsigned char bytes[ROOM];
static haddr_t eof;

struct memory {
    H5FD_t pub;
    haddr_t eoa;
};

static H5FD_t *open_it(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name, (void)fapl, (void)maxaddr;
    if (flags & H5F_ACC_TRUNC)
        eof = 0;
    return calloc(1, sizeof(struct memory));
}

static herr_t close_it(H5FD_t *f)
{
    free(f);
    return 0;
}

static haddr_t get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct memory *)f)->eoa;
}

static herr_t set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct memory *)f)->eoa = addr;
    return addr > ROOM ? -1 : 0;
}

static haddr_t get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    (void)f, (void)type;
    return eof;
}

static herr_t read_it(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    (void)f, (void)type, (void)dxpl;
    memcpy(buf, bytes + addr, size);
    return 0;
}

static herr_t write_it(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    (void)f, (void)type, (void)dxpl;
    memcpy(bytes + addr, buf, size);
    eof = addr + size > eof ? addr + size : eof;
    return 0;
}

static const H5FD_class_t driver = {.version = H5FD_CLASS_VERSION,
                                    .value = 509,
                                    .name = "plugged",
                                    .maxaddr = ROOM,
                                    .fc_degree = H5F_CLOSE_WEAK,
                                    .open = open_it,
                                    .close = close_it,
                                    .get_eoa = get_eoa,
                                    .set_eoa = set_eoa,
                                    .get_eof = get_eof,
                                    .read = read_it,
                                    .write = write_it,
                                    .fl_map = H5FD_FLMAP_SINGLE};

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_VFD;
}

const void *H5PLget_plugin_info(void)
{
    return &driver;
}
