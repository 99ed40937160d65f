/* When storage is made and filled: layout x allocation time x fill time x fill value, before and after a write. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "twin_dataset_fill.h5"

enum layout { COMPACT, CONTIGUOUS, CHUNKED, CHUNKED_FIXED, CHUNKED_2D, ONE_CHUNK, EXTERNAL, LAYOUTS };

static const char *const layout_names[] = {"compact", "contiguous", "chunked", "chunked fixed", "chunked 2d", "one chunk",
                                           "external"};

static const hsize_t dims[2] = {10, 6};

static hid_t space_for(enum layout layout)
{
    hsize_t unlimited[2] = {H5S_UNLIMITED, 6}, both[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    return H5Screate_simple(2, dims, layout == CHUNKED ? unlimited : layout == CHUNKED_2D ? both : NULL);
}

static hid_t list_for(enum layout layout)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {4, 4};
    if (layout == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (layout == ONE_CHUNK)
        H5Pset_chunk(dcpl, 2, dims);
    else if (layout >= CHUNKED && layout <= CHUNKED_2D)
        H5Pset_chunk(dcpl, 2, chunk);
    if (layout == EXTERNAL)
        H5Pset_external(dcpl, "twin_dataset_fill.raw", 16, H5F_UNLIMITED);
    return dcpl;
}

static void show_state(hid_t dset, const char *when, int show_data)
{
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    int data[60];
    herr_t got = H5Dget_space_status(dset, &status);
    printf("  %s: status %d %d, size %llu, %s", when, got, (int)status, (unsigned long long)H5Dget_storage_size(dset),
           H5Dget_offset(dset) == HADDR_UNDEF ? "no offset" : "offset");
    for (int i = 0; i < 60; i++)
        data[i] = -99;
    got = H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    printf(", read %d:", got < 0 ? -1 : 0);
    for (int i = 0; show_data && i < 60; i++)
        printf(" %d", data[i]);
    puts("");
}

static void write_some(hid_t dset)
{
    hsize_t start[2] = {2, 3}, count[2] = {3, 2};
    int value[6] = {100, 101, 102, 103, 104, 105};
    hid_t file = H5Dget_space(dset), mem;
    hsize_t n = 6;
    mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    printf("  write %d\n", H5Dwrite(dset, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, value));
    H5Sclose(mem);
    H5Sclose(file);
}

static void show_list(hid_t dset)
{
    hid_t dcpl = H5Dget_create_plist(dset);
    H5D_alloc_time_t at;
    H5D_fill_time_t ft;
    H5D_fill_value_t defined;
    int value = -5;
    H5Pget_alloc_time(dcpl, &at);
    H5Pget_fill_time(dcpl, &ft);
    H5Pfill_value_defined(dcpl, &defined);
    herr_t got = H5Pget_fill_value(dcpl, H5T_NATIVE_INT, &value);
    printf("  list: layout %d, alloc %d, fill time %d, defined %d, value %d %d\n", H5Pget_layout(dcpl), at, ft, defined,
           got < 0 ? -1 : 0, value);
    H5Pclose(dcpl);
}

static void run(hid_t file, enum layout layout, int alloc, int fill_time, int fill)
{
    short value = 7;
    int again = 0;
    hid_t dcpl = list_for(layout), space = space_for(layout);
    if (layout == EXTERNAL)
        remove("twin_dataset_fill.raw");
    herr_t set = H5Pset_alloc_time(dcpl, (H5D_alloc_time_t)alloc);
    H5Pset_fill_time(dcpl, (H5D_fill_time_t)fill_time);
    if (fill > 0)
        H5Pset_fill_value(dcpl, H5T_NATIVE_SHORT, fill == 1 ? &value : NULL);
    printf("%s, alloc %d, fill time %d, fill %d (%d)\n", layout_names[layout], alloc, fill_time, fill, set);
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (dset < 0) {
        puts("  not created");
    } else {
        /* What was never filled is whatever the disk held. */
        int known = fill_time != H5D_FILL_TIME_NEVER && fill != 2 &&
                    (layout == COMPACT || fill == 1 || fill_time == H5D_FILL_TIME_ALLOC);
        show_list(dset);
        show_state(dset, "new", known);
        write_some(dset);
        /* libhdf5 does not see a single chunk that waits in its cache. */
        H5Dflush(dset);
        show_state(dset, "written", known);
        H5Dclose(dset);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        show_state(dset, "opened again", known);
        H5Dclose(dset);
        again = H5Ldelete(file, "d", H5P_DEFAULT);
        printf("  delete %d\n", again);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
}

int main(void)
{
    static const H5F_libver_t bounds[] = {H5F_LIBVER_V18, H5F_LIBVER_V110};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int b = 0; b < 2; b++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, bounds[b], H5F_LIBVER_V110);
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        printf("bound %d\n", b);
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int alloc = H5D_ALLOC_TIME_DEFAULT; alloc <= H5D_ALLOC_TIME_INCR; alloc++)
                for (int time = H5D_FILL_TIME_ALLOC; time <= H5D_FILL_TIME_IFSET; time++)
                    for (int fill = 0; fill < 3; fill++)
                        run(file, (enum layout)layout, alloc, time, fill);
        printf("close %d\n", H5Fclose(file));
        H5Pclose(fapl);
    }
    remove(FILE_NAME);
    remove("twin_dataset_fill.raw");
    return 0;
}
