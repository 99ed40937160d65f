/* Whether the allocation time follows when the creation list of a dataset, read back from the file, gets another
 * layout. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static const char file_name[] = "twin_alloc_state.h5";

static void show(hid_t dset, const char *name)
{
    hsize_t chunk[1] = {5};
    for (int to = H5D_COMPACT; to <= H5D_CHUNKED; to++) {
        hid_t how = H5Dget_create_plist(dset);
        H5D_alloc_time_t before = 0, after = 0;
        H5Pget_alloc_time(how, &before);
        if (to == H5D_CHUNKED)
            H5Pset_chunk(how, 1, chunk);
        else
            H5Pset_layout(how, (H5D_layout_t)to);
        H5Pget_alloc_time(how, &after);
        printf("%s as layout %d: %d, was %d\n", name, to, (int)after, (int)before);
        H5Pclose(how);
    }
}

static hid_t list_for(int layout, int alloc, int fill)
{
    hsize_t chunk[1] = {5};
    int value = 7;
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(how, (H5D_layout_t)layout);
    if (layout == H5D_CHUNKED)
        H5Pset_chunk(how, 1, chunk);
    if (alloc != H5D_ALLOC_TIME_DEFAULT)
        H5Pset_alloc_time(how, (H5D_alloc_time_t)alloc);
    if (fill == 1)
        H5Pset_fill_time(how, H5D_FILL_TIME_ALLOC);
    else if (fill == 2)
        H5Pset_fill_value(how, H5T_NATIVE_INT, &value);
    return how;
}

int main(void)
{
    hsize_t dims[1] = {10};
    hid_t space = H5Screate_simple(1, dims, NULL);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int layout = H5D_COMPACT; layout <= H5D_CHUNKED; layout++)
        for (int alloc = H5D_ALLOC_TIME_DEFAULT; alloc <= H5D_ALLOC_TIME_INCR; alloc++)
            for (int fill = 0; fill < 3; fill++) {
                char name[64];
                snprintf(name, sizeof name, "layout %d, allocation %d, fill %d", layout, alloc, fill);
                hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
                hid_t how = list_for(layout, alloc, fill);
                hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT);
                H5Pclose(how);
                printf("%s: %s\n", name, dset < 0 ? "refused" : "made");
                H5Dclose(dset);
                H5Fclose(file);
                if (dset < 0)
                    continue;
                file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
                dset = H5Dopen2(file, "d", H5P_DEFAULT);
                show(dset, name);
                H5Dclose(dset);
                H5Fclose(file);
            }
    H5Sclose(space);
    unlink(file_name);
    return 0;
}
