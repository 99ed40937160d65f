/* A driver of the application with everything that 1.14 lets it have: what is registered, what is called, with what. */
#include <hdf5.h>

#include <H5FDdevelop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

struct memory {
    H5FD_t pub;
    haddr_t eoa, eof;
    unsigned char bytes[4096];
};

static int quiet; /* what opening a file calls is the library's own affair */

static H5FD_t *open_it(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    struct memory *m = calloc(1, sizeof *m);
    for (size_t i = 0; i < sizeof m->bytes; i++)
        m->bytes[i] = (unsigned char)i;
    m->eof = sizeof m->bytes;
    return &m->pub;
}

static herr_t close_it(H5FD_t *f)
{
    free(f);
    return 0;
}

static haddr_t get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    return ((const struct memory *)f)->eoa;
}

static herr_t set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    ((struct memory *)f)->eoa = addr;
    return 0;
}

static haddr_t get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    return ((const struct memory *)f)->eof;
}

static herr_t read_it(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    if (!quiet)
        printf("    read kind %d at %d, %d bytes\n", (int)type, (int)addr, (int)size);
    memcpy(buf, ((struct memory *)f)->bytes + addr, size);
    return 0;
}

static herr_t write_it(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    if (!quiet)
        printf("    write kind %d at %d, %d bytes: first %d\n", (int)type, (int)addr, (int)size, *(const unsigned char *)buf);
    memcpy(((struct memory *)f)->bytes + addr, buf, size);
    return 0;
}

static void show_vector(const char *what, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[])
{
    int type = 0, size = 0, same_type = 0, same_size = 0;
    printf("    %s of %u:", what, (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        same_type = same_type || types[i] == H5FD_MEM_NOLIST;
        same_size = same_size || sizes[i] == 0;
        type = same_type ? type : (int)types[i];
        size = same_size ? size : (int)sizes[i];
        printf(" kind %d at %d+%d%s", type, (int)addrs[i], size, i + 1 < count ? "," : "\n");
    }
    if (count == 0)
        printf(" nothing\n");
}

static herr_t read_vector(H5FD_t *f, hid_t dxpl, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[], void *bufs[])
{
    size_t size = 0;
    show_vector("read vector", count, types, addrs, sizes);
    for (uint32_t i = 0, same = 0; i < count; i++) {
        same = same || sizes[i] == 0;
        size = same ? size : sizes[i];
        memcpy(bufs[i], ((struct memory *)f)->bytes + addrs[i], size);
    }
    return 0;
}

static herr_t write_vector(H5FD_t *f, hid_t dxpl, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[],
                           const void *bufs[])
{
    show_vector("write vector", count, types, addrs, sizes);
    return 0;
}

static herr_t read_selection(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, size_t count, hid_t mem[], hid_t file[], haddr_t offsets[],
                             size_t sizes[], void *bufs[])
{
    printf("    read selection of kind %d, %d:", (int)type, (int)count);
    for (size_t i = 0; i < count; i++)
        printf(" %d of %d elements at %d, size %d,", (int)H5Sget_select_npoints(file[i]), (int)H5Sget_simple_extent_npoints(file[i]),
               (int)offsets[i], (int)sizes[i]);
    printf("\n");
    return 0;
}

static herr_t write_selection(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, size_t count, hid_t mem[], hid_t file[], haddr_t offsets[],
                              size_t sizes[], const void *bufs[])
{
    printf("    write selection of kind %d, %d\n", (int)type, (int)count);
    return 0;
}

static herr_t del(const char *name, hid_t fapl)
{
    printf("    delete %s\n", name);
    return strcmp(name, "never") == 0 ? -1 : 0;
}

static herr_t ctl(H5FD_t *f, uint64_t op, uint64_t flags, const void *input, void **output)
{
    printf("    ctl %d, flags %d, input %s, output %s\n", (int)op, (int)flags, input ? (const char *)input : "none", output ? "yes" : "no");
    if (output)
        *output = (void *)"answer";
    return op == 600 ? -1 : 0;
}

static const H5FD_class_t plain = {.version = H5FD_CLASS_VERSION, .value = 510, .name = "later", .maxaddr = 1 << 20,
    .fc_degree = H5F_CLOSE_WEAK, .open = open_it, .close = close_it, .get_eoa = get_eoa, .set_eoa = set_eoa, .get_eof = get_eof,
    .read = read_it, .write = write_it, .fl_map = H5FD_FLMAP_SINGLE};

static H5FD_t *opened(const H5FD_class_t *cls, hid_t *id)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    *id = H5FDregister(cls);
    SAY(H5Pset_driver(fapl, *id, NULL));
    H5FD_t *f = H5FDopen("later", H5F_ACC_RDWR, fapl, HADDR_UNDEF);
    printf("open %d\n", f != NULL);
    SAY(H5FDset_eoa(f, H5FD_MEM_SUPER, 2048));
    H5Pclose(fapl);
    return f;
}

static void registering(void)
{
    H5FD_class_t cls = plain;
    HEAD("registering");
    cls.version = 0;
    SAY(H5FDregister(&cls) >= 0);
    cls.version = 2;
    SAY(H5FDregister(&cls) >= 0);
    cls.version = H5FD_CLASS_VERSION;
    cls.value = -5;
    SAY(H5FDregister(&cls) >= 0);
    cls.value = H5_VFD_MAX + 1;
    SAY(H5FDregister(&cls) >= 0);
    cls.value = 511;
    cls.name = "another";
    SAY(H5FDis_driver_registered_by_value(-1));
    SAY(H5FDis_driver_registered_by_value(70000));
    SAY(H5FDis_driver_registered_by_name(""));
    SAY(H5FDis_driver_registered_by_value(511));
    SAY(H5FDis_driver_registered_by_name("another"));
    hid_t id = H5FDregister(&cls);
    SAY(id > 0);
    SAY(H5FDis_driver_registered_by_value(511));
    SAY(H5FDis_driver_registered_by_name("another"));
    hid_t again = H5FDregister(&cls);
    SAY(again == id);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    SAY(H5Pset_driver_by_name(fapl, "another", NULL));
    SAY(H5Pget_driver(fapl) == id);
    SAY(H5Pset_driver_by_value(fapl, 511, NULL));
    SAY(H5Pget_driver(fapl) == id);
    SAY(H5Pset_driver_by_name(fapl, "nobody", NULL));
    SAY(H5Pset_driver_by_value(fapl, 500, NULL));
    SAY(H5Pclose(fapl));
    SAY(H5FDunregister(id));
}

static void vectors(H5FD_t *f)
{
    unsigned char a[16], b[16], c[16];
    H5FD_mem_t types[3] = {H5FD_MEM_DRAW, H5FD_MEM_OHDR, H5FD_MEM_NOLIST};
    haddr_t addrs[3] = {10, 100, 200};
    size_t sizes[3] = {4, 8, 0};
    void *bufs[3] = {a, b, c};
    SAY(H5FDread_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, bufs));
    SAY(H5FDwrite_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, (const void **)bufs));
    SAY(H5FDread_vector(f, H5P_DEFAULT, 0, types, addrs, sizes, bufs));
    SAY(H5FDread_vector(f, H5P_DEFAULT, 0, NULL, NULL, NULL, NULL));
    SAY(H5FDread_vector(f, H5P_DEFAULT, 1, NULL, addrs, sizes, bufs));
    addrs[1] = 2045;
    SAY(H5FDread_vector(f, H5P_DEFAULT, 3, types, addrs, sizes, bufs));
    SAY(H5FDread_vector(NULL, H5P_DEFAULT, 3, types, addrs, sizes, bufs));
    SAY(H5FDread_vector(f, H5P_FILE_ACCESS, 1, types, addrs, sizes, bufs));
}

typedef herr_t reader(H5FD_t *, H5FD_mem_t, hid_t, uint32_t, hid_t *, hid_t *, haddr_t *, size_t *, void **);
typedef herr_t writer(H5FD_t *, H5FD_mem_t, hid_t, uint32_t, hid_t *, hid_t *, haddr_t *, size_t *, const void **);

static void some_selections(H5FD_t *f, reader *r, writer *w)
{
    hsize_t dims[2] = {4, 6}, start[2] = {1, 1}, stride[2] = {2, 3}, count[2] = {2, 2}, block[2] = {1, 2}, eight = 8, one = 1, three = 3;
    hid_t file[2] = {H5Screate_simple(2, dims, NULL), H5Screate_simple(1, &eight, NULL)}, mem[2] = {H5Screate_simple(1, &eight, NULL), H5Screate_simple(1, &eight, NULL)};
    unsigned char a[64] = {0}, b[64] = {0};
    for (int i = 0; i < 64; i++)
        a[i] = (unsigned char)(i + 1), b[i] = (unsigned char)(i + 101);
    void *bufs[2] = {a, b};
    haddr_t offsets[2] = {100, 300};
    size_t sizes[2] = {2, 4};
    SAY(H5Sselect_hyperslab(file[0], H5S_SELECT_SET, start, stride, count, block));
    SAY(H5Sselect_hyperslab(file[1], H5S_SELECT_SET, &one, NULL, &three, NULL));
    SAY(H5Sselect_hyperslab(mem[1], H5S_SELECT_SET, &three, NULL, &three, NULL));
    SAY(w(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, mem, file, offsets, sizes, (const void **)bufs));
    SAY(H5Sselect_all(mem[0]));
    memset(a, 0, sizeof a);
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, mem, file, offsets, sizes, bufs));
    for (int i = 0; i < 18; i++)
        printf(" %d", a[i]);
    printf("\n");
    sizes[1] = 0;
    bufs[1] = NULL;
    offsets[1] = 400;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, mem, file, offsets, sizes, bufs));
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 0, NULL, NULL, NULL, NULL, NULL));
    sizes[0] = 0;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, mem, file, offsets, sizes, bufs));
    sizes[0] = 2, bufs[0] = NULL;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, mem, file, offsets, sizes, bufs));
    bufs[0] = a;
    offsets[0] = 2040;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 1, mem, file, offsets, sizes, bufs));
    offsets[0] = 100;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 1, mem, NULL, offsets, sizes, bufs));
    hid_t none = H5P_DEFAULT;
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 1, &none, file, offsets, sizes, bufs));
    SAY(r(f, H5FD_MEM_DRAW, H5P_DEFAULT, 1, mem, &none, offsets, sizes, bufs));
    for (int i = 0; i < 2; i++)
        H5Sclose(file[i]), H5Sclose(mem[i]);
}

static void everything(const char *what, const H5FD_class_t *cls)
{
    hid_t id;
    HEAD(what);
    H5FD_t *f = opened(cls, &id);
    printf("vectors\n");
    vectors(f);
    printf("selections\n");
    some_selections(f, H5FDread_selection, H5FDwrite_selection);
    printf("vectors of selections\n");
    some_selections(f, H5FDread_vector_from_selection, H5FDwrite_vector_from_selection);
    printf("parts of selections\n");
    some_selections(f, H5FDread_from_selection, H5FDwrite_from_selection);
    void *out = NULL;
    SAY(H5FDctl(f, 520, 0, "input", &out));
    printf("%s\n", out ? (char *)out : "nothing");
    SAY(H5FDctl(f, 520, H5FD_CTL_FAIL_IF_UNKNOWN_FLAG, NULL, NULL));
    SAY(H5FDctl(f, 600, 0, NULL, NULL));
    SAY(H5FDctl(NULL, 520, 0, NULL, NULL));
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    SAY(H5Pset_driver(fapl, id, NULL));
    SAY(H5FDdelete("some", fapl));
    SAY(H5FDdelete("never", fapl));
    SAY(H5FDdelete("", fapl));
    SAY(H5FDdelete(NULL, fapl));
    SAY(H5FDdelete("some", H5P_DATASET_XFER));
    quiet = 1;
    SAY(H5Fdelete("some", fapl));
    quiet = 0;
    H5Pclose(fapl);
    SAY(H5FDclose(f));
    SAY(H5FDunregister(id));
}

int main(void)
{
    H5FD_class_t full = plain, some = plain;
    begin();
    registering();
    everything("a driver with what it must have", &plain);
    some.read_vector = read_vector;
    some.write_vector = write_vector;
    everything("a driver with vectors", &some);
    full = some;
    full.read_selection = read_selection;
    full.write_selection = write_selection;
    full.del = del;
    full.ctl = ctl;
    everything("a driver with all", &full);
    return 0;
}
