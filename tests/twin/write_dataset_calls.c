/* H5Dwrite and its relatives: types, transforms, callbacks, single chunks, virtual and external storage, mistakes. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "twin_write_calls.h5"

static hid_t file;

static hid_t make(const char *name, hid_t type, hsize_t n, hid_t dcpl)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    return d;
}

static hid_t chunks(hsize_t n, int deflate)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &n);
    if (deflate)
        H5Pset_deflate(dcpl, 6);
    return dcpl;
}

static void show_doubles(const char *what, hid_t d, int n)
{
    double buf[64];
    memset(buf, 0, sizeof buf);
    printf("%s: read %d:", what, H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) < 0 ? -1 : 0);
    for (int i = 0; i < n; i++)
        printf(" %g", buf[i]);
    printf("\n");
}

static void types(void)
{
    hid_t stored[] = {H5T_STD_I8LE, H5T_STD_U8BE, H5T_STD_I16BE, H5T_STD_U32LE, H5T_STD_I64BE, H5T_IEEE_F32BE, H5T_IEEE_F64LE};
    double source[12] = {0, 1, -1, 127.6, 128, -129, 65535, -70000.5, 3e9, -1e15, 0.1, 255};
    int small[12];
    for (int i = 0; i < 12; i++)
        small[i] = i * 37 - 200;
    for (int layout = 0; layout < 3; layout++)
        for (size_t t = 0; t < sizeof stored / sizeof stored[0]; t++) {
            char name[30];
            hid_t dcpl = layout == 0 ? H5Pcreate(H5P_DATASET_CREATE) : chunks(5, layout == 2);
            snprintf(name, sizeof name, "type %d %d", layout, (int)t);
            hid_t d = make(name, stored[t], 12, dcpl);
            printf("write %d\n", H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, source));
            show_doubles(name, d, 12);
            printf("write %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small));
            show_doubles(name, d, 12);
            H5Dclose(d);
            H5Pclose(dcpl);
        }
}

static H5T_conv_ret_t on_overflow(H5T_conv_except_t what, hid_t src, hid_t dst, void *from, void *to, void *data)
{
    (void)from;
    printf("  exception %d, %d bytes to %d\n", (int)what, (int)H5Tget_size(src), (int)H5Tget_size(dst));
    if (what == H5T_CONV_EXCEPT_RANGE_HI && *(int *)data) {
        *(signed char *)to = 42;
        return H5T_CONV_HANDLED;
    }
    return what == H5T_CONV_EXCEPT_RANGE_LOW && *(int *)data == 2 ? H5T_CONV_ABORT : H5T_CONV_UNHANDLED;
}

static void callbacks(void)
{
    int source[6] = {1, 300, -5, -300, 127, 128};
    hid_t d = make("callback", H5T_STD_I8LE, 6, H5P_DEFAULT);
    for (int mode = 0; mode < 3; mode++) {
        hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_type_conv_cb(dxpl, on_overflow, &mode);
        printf("mode %d: %d\n", mode, H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, source));
        if (mode < 2)
            show_doubles("callback", d, 6);
        H5Pclose(dxpl);
    }
    H5Dclose(d);
}

static void transforms(void)
{
    static const char *const texts[] = {"x*2+1", "(x-32)*5/9", "2", "x"};
    int ints[40];
    double doubles[40];
    for (int i = 0; i < 40; i++)
        doubles[i] = ints[i] = i * 9 - 100;
    for (int k = 0; k < 4; k++)
        for (int layout = 0; layout < 2; layout++) {
            char name[40];
            hid_t dcpl = layout ? chunks(7, 1) : H5Pcreate(H5P_DATASET_CREATE), dxpl = H5Pcreate(H5P_DATASET_XFER);
            snprintf(name, sizeof name, "transform %d %d", layout, k);
            hid_t d = make(name, k % 2 ? H5T_IEEE_F32LE : H5T_STD_I32BE, 40, dcpl);
            H5Pset_data_transform(dxpl, texts[k]);
            printf("write %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, ints));
            show_doubles(name, d, 40);
            printf("write %d, unchanged %d\n", H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, dxpl, doubles),
                   doubles[0] == -100 && doubles[39] == 251 && ints[0] == -100);
            show_doubles(name, d, 40);
            H5Dclose(d);
            H5Pclose(dxpl);
            H5Pclose(dcpl);
        }
}

struct full {
    int a;
    double b;
    short c[3];
};

static void compounds(void)
{
    struct full in[5], out[5];
    struct {
        double b;
    } part[5];
    hsize_t three = 3;
    hid_t array = H5Tarray_create2(H5T_NATIVE_SHORT, 1, &three), t = H5Tcreate(H5T_COMPOUND, sizeof(struct full));
    H5Tinsert(t, "a", HOFFSET(struct full, a), H5T_NATIVE_INT);
    H5Tinsert(t, "b", HOFFSET(struct full, b), H5T_NATIVE_DOUBLE);
    H5Tinsert(t, "c", HOFFSET(struct full, c), array);
    hid_t sub = H5Tcreate(H5T_COMPOUND, sizeof(double));
    H5Tinsert(sub, "b", 0, H5T_NATIVE_DOUBLE);
    memset(in, 0, sizeof in);
    for (int i = 0; i < 5; i++) {
        in[i] = (struct full){.a = i, .b = i / 2.0, .c = {(short)i, (short)-i, 7}};
        part[i].b = 100 + i;
    }
    for (int layout = 0; layout < 3; layout++) {
        char name[30];
        hid_t dcpl = layout == 0 ? H5Pcreate(H5P_DATASET_CREATE) : chunks(2, layout == 2);
        snprintf(name, sizeof name, "compound %d", layout);
        hid_t packed = H5Tcopy(t);
        H5Tpack(packed);
        hid_t d = make(name, packed, 5, dcpl);
        printf("part before all %d\n", H5Dwrite(d, sub, H5S_ALL, H5S_ALL, H5P_DEFAULT, part));
        memset(out, 0, sizeof out);
        H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
        printf("  %d %g %d\n", out[3].a, out[3].b, out[3].c[1]);
        printf("all %d", H5Dwrite(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, in));
        printf(", part %d\n", H5Dwrite(d, sub, H5S_ALL, H5S_ALL, H5P_DEFAULT, part));
        H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
        for (int i = 0; i < 5; i++)
            printf("  %d %g %d %d %d\n", out[i].a, out[i].b, out[i].c[0], out[i].c[1], out[i].c[2]);
        H5Dclose(d);
        H5Tclose(packed);
        H5Pclose(dcpl);
    }
    H5Tclose(sub);
    H5Tclose(t);
    H5Tclose(array);
}

/* Sequences, of which some are written again and again. */
static void sequences(void)
{
    hid_t seq = H5Tvlen_create(H5T_NATIVE_INT), stored = H5Tvlen_create(H5T_STD_I16BE);
    int numbers[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    for (int layout = 0; layout < 4; layout++) {
        char name[30];
        hid_t dcpl = layout < 2 ? H5Pcreate(H5P_DATASET_CREATE) : chunks(4, layout == 3);
        if (layout == 1)
            H5Pset_layout(dcpl, H5D_COMPACT);
        snprintf(name, sizeof name, "sequence %d", layout);
        hid_t d = make(name, stored, 10, dcpl);
        for (int round = 0; round < 5; round++) {
            hvl_t in[10], out[10];
            for (size_t i = 0; i < 10; i++)
                in[i] = (hvl_t){.len = (i * 7 + (size_t)round * 3) % 20, .p = numbers + i + round};
            printf("%s: write %d", name, H5Dwrite(d, seq, H5S_ALL, H5S_ALL, H5P_DEFAULT, in));
            if (round == 2)
                H5Fflush(file, H5F_SCOPE_GLOBAL);
            printf(", read %d:", H5Dread(d, seq, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
            for (int i = 0; i < 10; i++)
                printf(" %d/%d", (int)out[i].len, out[i].len ? ((int *)out[i].p)[out[i].len - 1] : -1);
            printf("\n");
            hid_t space = H5Dget_space(d);
            H5Dvlen_reclaim(seq, space, H5P_DEFAULT, out);
            H5Sclose(space);
        }
        H5Dclose(d);
        H5Pclose(dcpl);
    }
    H5Tclose(seq);
    H5Tclose(stored);
}

static void references(void)
{
    hobj_ref_t in[2], out[2];
    hid_t d = make("references", H5T_STD_REF_OBJ, 2, H5P_DEFAULT);
    printf("create %d", H5Rcreate(&in[0], file, "compound 0", H5R_OBJECT, -1));
    printf(" %d", H5Rcreate(&in[1], file, "/", H5R_OBJECT, -1));
    printf(", write %d", H5Dwrite(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, in));
    printf(", read %d\n", H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    for (int i = 0; i < 2; i++) {
        char name[30] = "";
        hid_t o = H5Rdereference2(d, H5P_DEFAULT, H5R_OBJECT, &out[i]);
        H5Iget_name(o, name, sizeof name);
        printf("  %s\n", name);
        H5Oclose(o);
    }
    H5Dclose(d);
}

static void show_chunks(hid_t d)
{
    hsize_t n = 0;
    hid_t all = H5Dget_space(d);
    printf("  chunks %d", H5Dget_num_chunks(d, all, &n));
    printf(" %d\n", (int)n);
    for (hsize_t i = 0; i < n; i++) {
        hsize_t offset[1], size;
        unsigned mask;
        haddr_t addr;
        H5Dget_chunk_info(d, all, i, offset, &mask, &addr, &size);
        printf("  at %d: mask %u, %d bytes\n", (int)offset[0], mask, mask ? (int)size : -1);
    }
    H5Sclose(all);
}

static void single_chunks(int deflate)
{
    hid_t dcpl = chunks(8, deflate);
    hid_t d = make(deflate ? "chunks filtered" : "chunks", H5T_STD_I32LE, 20, dcpl);
    int buf[8], back[8];
    hsize_t at[1] = {8}, beside[1] = {3}, behind[1] = {24};
    uint32_t mask = 99;
    for (int i = 0; i < 8; i++)
        buf[i] = i + 1;
    printf("write chunk %d", H5Dwrite_chunk(d, H5P_DEFAULT, deflate ? 1 : 0, at, sizeof buf, buf));
    printf(", beside %d", H5Dwrite_chunk(d, H5P_DEFAULT, 0, beside, sizeof buf, buf));
    printf(", behind %d", H5Dwrite_chunk(d, H5P_DEFAULT, 0, behind, sizeof buf, buf));
    printf(", no bytes %d", H5Dwrite_chunk(d, H5P_DEFAULT, 0, at, 0, buf));
    printf(", no buffer %d\n", H5Dwrite_chunk(d, H5P_DEFAULT, 0, at, sizeof buf, NULL));
    show_chunks(d);
    show_doubles("after a chunk", d, 20);
    printf("read chunk %d", H5Dread_chunk(d, H5P_DEFAULT, at, &mask, back));
    printf(" mask %u, same %d\n", mask, memcmp(buf, back, sizeof buf) == 0);
    /* What waits in a cache is replaced by a chunk, and seen by reading one. */
    hsize_t n = 1, place = 9;
    int value = 77;
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &place, NULL, &n, NULL);
    H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value);
    show_doubles("after an element", d, 20);
    /* With a filter that was skipped libhdf5 cannot read it any more. */
    if (!deflate)
        printf("write chunk %d\n", H5Dwrite_chunk(d, H5P_DEFAULT, 0, at, sizeof buf, buf));
    show_doubles("after a chunk", d, 20);
    place = 17;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &place, NULL, &n, NULL);
    H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value);
    show_chunks(d);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(d);
    H5Pclose(dcpl);
}

static void virtual(void)
{
    int buf[30];
    hsize_t n = 30, ten = 10, start = 0;
    hid_t a = make("source a", H5T_STD_I32LE, 10, H5P_DEFAULT), dcpl = chunks(4, 1);
    hid_t b = make("source b", H5T_STD_I16BE, 10, dcpl);
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, &n, NULL), source = H5Screate_simple(1, &ten, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &ten, NULL);
    H5Pset_virtual(dcpl, space, ".", "source a", source);
    start = 10;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &ten, NULL);
    H5Pset_virtual(dcpl, space, ".", "source b", source);
    H5Sselect_all(space);
    hid_t d = H5Dcreate2(file, "virtual", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    for (int i = 0; i < 30; i++)
        buf[i] = i * i;
    printf("virtual: all %d", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    hsize_t twelve = 12;
    start = 4;
    hid_t mem = H5Screate_simple(1, &twelve, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &twelve, NULL);
    printf(", mapped %d\n", H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf));
    show_doubles("virtual", d, 30);
    show_doubles("source a", a, 10);
    show_doubles("source b", b, 10);
    H5Sclose(mem);
    H5Sclose(space);
    H5Sclose(source);
    H5Dclose(a);
    H5Dclose(b);
    H5Dclose(d);
    H5Pclose(dcpl);
}

static void external(void)
{
    int buf[30];
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(dcpl, NAME ".1", 8, 40);
    H5Pset_external(dcpl, NAME ".2", 0, 80);
    hid_t d = make("external", H5T_STD_I32BE, 30, dcpl);
    for (int i = 0; i < 30; i++)
        buf[i] = i * 11;
    printf("external: write %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    show_doubles("external", d, 30);
    H5Dclose(d);
    H5Pclose(dcpl);
    for (int i = 1; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, NAME ".%d", i);
        FILE *f = fopen(name, "rb");
        fseek(f, 0, SEEK_END);
        printf("  file %d has %ld bytes\n", i, ftell(f));
        fclose(f);
        remove(name);
    }
}

static void mistakes(void)
{
    int buf[10] = {0};
    hsize_t n = 10, five = 5, start = 8;
    hid_t d = make("mistakes", H5T_STD_I32LE, 10, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate_simple(1, &n, NULL), mem = H5Screate_simple(1, &five, NULL), null = H5Screate(H5S_NULL);
    printf("mistakes: no buffer %d", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, NULL));
    printf(", other number %d", H5Dwrite(d, H5T_NATIVE_INT, mem, H5S_ALL, H5P_DEFAULT, buf));
    printf(", no conversion %d", H5Dwrite(d, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &five, NULL);
    printf(", outside %d", H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf));
    H5Sselect_none(space);
    H5Sselect_none(mem);
    printf(", nothing %d", H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, NULL));
    printf(", a type for a dataset %d", H5Dwrite(text, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    hid_t e = H5Dcreate2(file, "null", H5T_STD_I32LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf(", null %d\n", H5Dwrite(e, H5T_NATIVE_INT, null, null, H5P_DEFAULT, buf));
    H5Dclose(e);
    H5Dclose(d);
    H5Sclose(null);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(text);
    H5Fclose(file);
    file = H5Fopen(NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    d = H5Dopen2(file, "mistakes", H5P_DEFAULT);
    printf("read only: %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    H5Dclose(d);
    H5Fclose(file);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int bounds = 0; bounds < 2; bounds++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, bounds ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
        file = H5Fcreate(NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        types();
        callbacks();
        transforms();
        compounds();
        sequences();
        references();
        single_chunks(0);
        single_chunks(1);
        virtual();
        external();
        mistakes();
        H5Pclose(fapl);
    }
    remove(NAME);
    return 0;
}
