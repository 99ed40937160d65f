/* Several datasets at once, selections that move, iterators, a selection in the transfer list, chunks one by one. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

static void show_ints(const int *v, int n)
{
    for (int i = 0; i < n; i++)
        printf(" %d", v[i]);
    printf("\n");
}

static hid_t new_dataset(hid_t file, const char *name, hid_t type, hsize_t chunk)
{
    hsize_t n = 12, forever = H5S_UNLIMITED;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, chunk ? &forever : NULL);
    if (chunk)
        H5Pset_chunk(list, 1, &chunk);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    return d;
}

static void several(hid_t file)
{
    hid_t d[3] = {new_dataset(file, "a", H5T_STD_I32LE, 0), new_dataset(file, "b", H5T_STD_I16BE, 5), new_dataset(file, "c", H5T_IEEE_F64LE, 3)};
    hid_t types[3] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT}, all[3] = {H5S_ALL, H5S_ALL, H5S_ALL}, some[3];
    int in[3][12], out[3][12];
    const void *from[3] = {in[0], in[1], in[2]};
    void *to[3] = {out[0], out[1], out[2]};
    hsize_t n = 12, start = 2, stride = 3, count = 3;
    HEAD("several datasets");
    for (int i = 0; i < 36; i++)
        in[i / 12][i % 12] = i;
    SAY(H5Dwrite_multi(3, d, types, all, all, H5P_DEFAULT, from));
    for (int i = 0; i < 3; i++) {
        some[i] = H5Screate_simple(1, &n, NULL);
        H5Sselect_hyperslab(some[i], H5S_SELECT_SET, &start, &stride, &count, NULL);
    }
    memset(out, 0, sizeof out);
    SAY(H5Dread_multi(3, d, types, some, some, H5P_DEFAULT, to));
    for (int i = 0; i < 3; i++)
        show_ints(out[i], 12);
    SAY(H5Dread_multi(0, d, types, all, all, H5P_DEFAULT, to));
    SAY(H5Dread_multi(3, NULL, types, all, all, H5P_DEFAULT, to) < 0);
    SAY(H5Dread_multi(3, d, types, all, all, H5P_DEFAULT, NULL) < 0);
    hid_t keep = d[1];
    d[1] = file;
    SAY(H5Dread_multi(3, d, types, all, all, H5P_DEFAULT, to) < 0);
    d[1] = keep;
    for (int i = 0; i < 3; i++)
        H5Sclose(some[i]), H5Dclose(d[i]);
}

static void in_the_list(hid_t file)
{
    hid_t d = H5Dopen2(file, "a", H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_XFER);
    hsize_t start = 1, stride = 4, count = 3, block = 2, four = 4;
    int out[12] = {0};
    HEAD("a selection in the list");
    SAY(H5Pset_dataset_io_hyperslab_selection(list, 1, H5S_SELECT_SET, &start, &stride, &count, &block));
    hid_t mem = H5Screate_simple(1, (hsize_t[]){6}, NULL);
    SAY(H5Dread(d, H5T_NATIVE_INT, mem, H5S_PLIST, list, out));
    show_ints(out, 6);
    SAY(H5Dread(d, H5T_NATIVE_INT, H5S_BLOCK, H5S_PLIST, list, out));
    show_ints(out, 6);
    SAY(H5Pset_dataset_io_hyperslab_selection(list, 1, H5S_SELECT_OR, &four, NULL, &stride, NULL));
    memset(out, 0, sizeof out);
    SAY(H5Dread(d, H5T_NATIVE_INT, H5S_BLOCK, H5S_PLIST, list, out));
    show_ints(out, 12);
    SAY(H5Pset_dataset_io_hyperslab_selection(list, 0, H5S_SELECT_SET, &start, NULL, &count, NULL));
    SAY(H5Pset_dataset_io_hyperslab_selection(list, 1, H5S_SELECT_SET, NULL, NULL, &count, NULL));
    SAY(H5Pset_dataset_io_hyperslab_selection(list, 1, H5S_SELECT_SET, &start, NULL, NULL, NULL));
    H5Sclose(mem);
    H5Pclose(list);
    H5Dclose(d);
}

static void iterators(void)
{
    hsize_t dims[2] = {4, 5}, start[2] = {0, 1}, count[2] = {3, 2}, off[8];
    size_t len[8], n, bytes;
    HEAD("iterators");
    hid_t s = H5Screate_simple(2, dims, NULL);
    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, count, NULL);
    hid_t it = H5Ssel_iter_create(s, 4, 0);
    SAY(it > 0);
    for (int round = 0; round < 4; round++) {
        SAY(H5Ssel_iter_get_seq_list(it, 2, 20, &n, &bytes, off, len));
        printf("  %d sequences:", (int)n); /* libhdf5 counts elements where it says bytes */
        for (size_t i = 0; i < n; i++)
            printf(" %d+%d", (int)off[i], (int)len[i]);
        printf("\n");
    }
    SAY(H5Ssel_iter_reset(it, s));
    SAY(H5Ssel_iter_get_seq_list(it, 8, 1000, &n, &bytes, off, len));
    printf("  %d sequences\n", (int)n);
    SAY(H5Ssel_iter_close(it));
    SAY(H5Ssel_iter_close(it));
    SAY(H5Ssel_iter_create(s, 0, 0));
    SAY(H5Ssel_iter_create(s, 4, 0x100));
    SAY(H5Ssel_iter_create(H5P_FILE_CREATE, 4, 0));
    H5Sclose(s);
}

static void selections(void)
{
    hsize_t dims[2] = {6, 6}, start[2] = {1, 1}, count[2] = {3, 3}, other[2] = {2, 2}, low[2], high[2];
    hssize_t by[2] = {1, 2};
    HEAD("selections");
    hid_t a = H5Screate_simple(2, dims, NULL), b = H5Scopy(a);
    H5Sselect_hyperslab(a, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(b, H5S_SELECT_SET, other, NULL, count, NULL);
    const H5S_seloper_t ops[] = {H5S_SELECT_OR, H5S_SELECT_AND, H5S_SELECT_XOR, H5S_SELECT_NOTB, H5S_SELECT_NOTA};
    for (int i = 0; i < 5; i++) {
        hid_t c = H5Scombine_select(a, ops[i], b);
        printf("  combined %d\n", (int)H5Sget_select_npoints(c));
        H5Sclose(c);
        c = H5Scopy(a);
        SAY(H5Smodify_select(c, ops[i], b));
        SAY(H5Sget_select_npoints(c));
        H5Sclose(c);
        c = H5Scombine_hyperslab(a, ops[i], other, NULL, count, NULL);
        printf("  with a hyperslab %d\n", (int)H5Sget_select_npoints(c));
        H5Sclose(c);
    }
    SAY(H5Sselect_shape_same(a, b));
    SAY(H5Sselect_intersect_block(a, other, other));
    SAY(H5Sselect_intersect_block(a, dims, dims));
    SAY(H5Sselect_adjust(a, by));
    SAY(H5Sselect_adjust(b, by));
    SAY(H5Sget_select_bounds(b, low, high));
    printf("  %d %d to %d %d\n", (int)low[0], (int)low[1], (int)high[0], (int)high[1]);
    hid_t c = H5Screate_simple(2, dims, NULL);
    SAY(H5Sselect_copy(c, b));
    SAY(H5Sselect_shape_same(c, b));
    hid_t whole = H5Screate_simple(1, (hsize_t[]){36}, NULL);
    H5Sselect_all(c);
    hid_t p = H5Sselect_project_intersection(c, whole, b);
    SAY(H5Sget_select_npoints(p));
    SAY(H5Sget_select_bounds(p, low, high));
    printf("  %d to %d\n", (int)low[0], (int)high[0]);
    H5Sclose(p);
    SAY(H5Scombine_select(a, H5S_SELECT_SET, b));
    SAY(H5Scombine_select(a, H5S_SELECT_OR, H5P_FILE_CREATE));
    SAY(H5Sselect_adjust(b, NULL));
    SAY(H5Sselect_copy(H5P_FILE_CREATE, b));
    H5Sclose(a), H5Sclose(b), H5Sclose(c), H5Sclose(whole);
}

static int on_chunk(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *data)
{
    printf("  chunk at %d, mask %u, %d bytes, address %d\n", (int)offset[0], mask, (int)size, addr != HADDR_UNDEF);
    return data && offset[0] == 3;
}

static void chunks(hid_t file)
{
    hid_t d = H5Dopen2(file, "c", H5P_DEFAULT), a = H5Dopen2(file, "a", H5P_DEFAULT);
    HEAD("chunks");
    SAY(H5Dchunk_iter(d, H5P_DEFAULT, on_chunk, NULL));
    /* What is returned then is documented to be the function's 1, and is 0 in libhdf5. */
    SAY(H5Dchunk_iter(d, H5P_DEFAULT, on_chunk, (void *)"stop") >= 0);
    SAY(H5Dchunk_iter(a, H5P_DEFAULT, on_chunk, NULL) < 0);
    SAY(H5Dchunk_iter(d, H5P_DEFAULT, NULL, NULL));
    H5Dclose(d), H5Dclose(a);
}

int main(void)
{
    begin();
    hid_t file = H5Fcreate("transfers.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    several(file);
    in_the_list(file);
    iterators();
    selections();
    chunks(file);
    H5Fclose(file);
    return 0;
}
