/* Filters on datasets without chunks: refused, or left out where there is nothing to filter. */
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static const char file_name[] = "twin_filters_without_chunks.h5";

enum { TYPES = 6, PIPELINES = 4 };
static const char *const type_names[TYPES] = {"int", "string", "sequence", "compound", "array", "reference"};
static hid_t types[TYPES];

static void make_types(void)
{
    hsize_t two[1] = {2};
    types[0] = H5Tcopy(H5T_NATIVE_INT);
    types[1] = H5Tcopy(H5T_C_S1);
    H5Tset_size(types[1], H5T_VARIABLE);
    types[2] = H5Tvlen_create(H5T_NATIVE_INT);
    types[3] = H5Tcreate(H5T_COMPOUND, sizeof(char *));
    H5Tinsert(types[3], "text", 0, types[1]);
    types[4] = H5Tarray_create2(types[2], 1, two);
    types[5] = H5Tcopy(H5T_STD_REF_OBJ);
}

static hid_t list_with(int pipeline, int layout)
{
    unsigned level = 4;
    hsize_t chunk[1] = {5};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (pipeline == 0)
        H5Pset_deflate(how, level);
    else if (pipeline == 1)
        H5Pset_fletcher32(how);
    else if (pipeline == 2) {
        H5Pset_shuffle(how);
        H5Pset_deflate(how, level);
    } else
        H5Pset_filter(how, H5Z_FILTER_DEFLATE, H5Z_FLAG_MANDATORY, 1, &level);
    H5Pset_layout(how, (H5D_layout_t)layout);
    if (layout == H5D_CHUNKED)
        H5Pset_chunk(how, 1, chunk);
    return how;
}

static void try_all(hid_t file, int reopened, const char *name, int type, int layout, int pipeline, hid_t space)
{
    hid_t dset;
    if (!reopened) {
        hid_t how = list_with(pipeline, layout);
        dset = H5Dcreate2(file, name, types[type], space, H5P_DEFAULT, how, H5P_DEFAULT);
        printf("%s: %s\n", name, dset < 0 ? "refused" : "made");
        H5Pclose(how);
    } else if ((dset = H5Dopen2(file, name, H5P_DEFAULT)) >= 0) {
        hid_t how = H5Dget_create_plist(dset);
        printf("%s: layout %d, %d filters\n", name, (int)H5Pget_layout(how), H5Pget_nfilters(how));
        H5Pclose(how);
    }
    H5Dclose(dset);
}

int main(void)
{
    hsize_t dims[1] = {10};
    hid_t spaces[3] = {H5Screate_simple(1, dims, NULL), H5Screate(H5S_SCALAR), H5Screate(H5S_NULL)};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_types();
    for (int reopened = 0; reopened < 2; reopened++) {
        hid_t file = reopened ? H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT)
                              : H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        for (int type = 0; type < TYPES; type++)
            for (int layout = H5D_COMPACT; layout <= H5D_CHUNKED; layout++)
                for (int pipeline = 0; pipeline < PIPELINES; pipeline++)
                    for (int space = 0; space < 3; space++) {
                        char name[64];
                        snprintf(name, sizeof name, "%s, layout %d, pipeline %d, space %d", type_names[type], layout,
                                 pipeline, space);
                        try_all(file, reopened, name, type, layout, pipeline, spaces[space]);
                    }
        H5Fclose(file);
    }
    unlink(file_name);
    return 0;
}
