/* What 2.0 added: sizes that are told, so that a buffer need not be trusted; id types without a hash; trees of mappings. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "later.h"

static hid_t chunked(hid_t file, const char *name, int deflate)
{
    hsize_t n = 40, chunk = 20;
    int values[40];
    for (int i = 0; i < 40; i++)
        values[i] = i;
    hid_t space = H5Screate_simple(1, &n, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    if (deflate)
        H5Pset_deflate(list, 6);
    hid_t d = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (deflate != 2)
        H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Pclose(list);
    H5Sclose(space);
    return d;
}

static void read_one(hid_t d, hsize_t at, size_t room)
{
    unsigned char buf[256];
    uint32_t filters = 77;
    size_t size = room;
    memset(buf, 0xee, sizeof buf);
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, &at, &filters, buf, &size));
    printf("  room %d: filters %u, size %d%s, bytes %02x %02x, behind %02x\n", (int)room, (unsigned)filters, (int)size, size > room ? " more" : "",
           buf[0], buf[4], buf[80]);
}

static void read_chunks(hid_t file)
{
    HEAD("chunks");
    hid_t d = chunked(file, "plain", 0);
    const size_t rooms[] = {0, 10, 79, 80, 200};
    for (int i = 0; i < 5; i++)
        read_one(d, 0, rooms[i]);
    read_one(d, 20, 80);
    read_one(d, 10, 80);
    read_one(d, 40, 80);
    hsize_t at = 0;
    uint32_t filters = 77;
    size_t size = 5;
    unsigned char buf[256];
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, &at, &filters, NULL, &size));
    printf("  size %d, filters %u\n", (int)size, (unsigned)filters);
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, &at, &filters, buf, NULL));
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, &at, NULL, buf, &size));
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, NULL, &filters, buf, &size));
    SAY(H5Dread_chunk2(file, H5P_DEFAULT, &at, &filters, buf, &size));
    SAY(H5Dread_chunk2(d, H5P_FILE_ACCESS, &at, &filters, buf, &size));
    SAY(H5Dread_chunk1(d, H5P_DEFAULT, &at, &filters, buf));
    printf("  %02x %02x\n", buf[0], buf[4]);
    H5Dclose(d);
    d = chunked(file, "nothing", 2);
    size = 80;
    SAY(H5Dread_chunk2(d, H5P_DEFAULT, &at, &filters, buf, &size));
    H5Dclose(d);
}

static void decode(void)
{
    unsigned char buf[1000];
    size_t size = 0;
    HEAD("datatypes");
    hid_t t = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(t, "first", 0, H5T_STD_I32LE);
    H5Tinsert(t, "second", 8, H5T_IEEE_F64BE);
    H5Tencode(t, NULL, &size);
    H5Tencode(t, buf, &size);
    hid_t again = H5Tdecode2(buf, size);
    printf("all of it: %d\n", H5Tequal(t, again) > 0);
    H5Tclose(again);
    again = H5Tdecode2(buf, sizeof buf);
    printf("more than it: %d\n", H5Tequal(t, again) > 0);
    H5Tclose(again);
    again = H5Tdecode1(buf);
    printf("without a size: %d\n", H5Tequal(t, again) > 0);
    H5Tclose(again);
    SAY(H5Tdecode2(buf, size / 2));
    SAY(H5Tdecode2(buf, 0));
    SAY(H5Tdecode2(buf, 1));
    SAY(H5Tdecode2(NULL, size));
    H5Tclose(t);
}

static herr_t freed(void *obj, void **request)
{
    printf("  freed %s\n", (const char *)obj);
    return 0;
}

static void id_types(void)
{
    HEAD("id types");
    H5I_type_t one = H5Iregister_type1(64, 0, freed), two = H5Iregister_type2(0, freed);
    printf("two types: %d\n", one > 0 && two > one);
    hid_t a = H5Iregister(one, "a"), b = H5Iregister(two, "b");
    SAY(H5Iget_type(a) == one);
    SAY(H5Iget_type(b) == two);
    SAY(H5Idec_ref(a));
    SAY(H5Idestroy_type(two));
    SAY(H5Iis_valid(b));
}

static void trees(void)
{
    bool use = 2;
    HEAD("trees of mappings");
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    SAY(H5Pget_virtual_spatial_tree(list, &use));
    printf("  %d\n", use);
    SAY(H5Pset_virtual_spatial_tree(list, false));
    SAY(H5Pget_virtual_spatial_tree(list, &use));
    printf("  %d\n", use);
    SAY(H5Pset_virtual_spatial_tree(list, true));
    SAY(H5Pget_virtual_spatial_tree(list, &use));
    printf("  %d\n", use);
    SAY(H5Pget_virtual_spatial_tree(list, NULL));
    SAY(H5Pset_virtual_spatial_tree(H5P_FILE_ACCESS, true));
    H5Pclose(list);
    list = H5Pcreate(H5P_DATASET_CREATE);
    SAY(H5Pget_virtual_spatial_tree(list, &use));
    SAY(H5Pset_virtual_spatial_tree(list, true));
    H5Pclose(list);
}

int main(void)
{
    begin();
    hid_t file = H5Fcreate("new.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    read_chunks(file);
    H5Fclose(file);
    decode();
    id_types();
    trees();
    return 0;
}
