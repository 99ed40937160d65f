/* files FOLDER: makes what the reading benchmark reads, with stock libhdf5. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

static float *frame(hsize_t n)
{
    float *data = malloc(n * sizeof *data);
    for (hsize_t i = 0; i < n; i++)
        data[i] = (float)(i % 1000) * 0.25f + (float)(i * 2654435761u % 16);
    return data;
}

static void dataset(hid_t file, const char *name, const hsize_t dims[2], const hsize_t *chunk, int deflate)
{
    hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(dcpl, 2, chunk);
    if (deflate) {
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, (unsigned)deflate);
    }
    float *data = frame(dims[0] * dims[1]);
    hid_t dset = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void groups(hid_t file, int n)
{
    hid_t space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t attr = H5Acreate2(group, "number", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attr, H5T_NATIVE_INT, &i);
        H5Aclose(attr);
        H5Gclose(group);
    }
    H5Sclose(space);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 2)
        return 2;
    const hsize_t large[2] = {8192, 8192}, chunk[2] = {256, 1024}, square[2] = {256, 256}, small[2] = {4, 4};
    const hsize_t many[2] = {1000, 1000};
    snprintf(path, sizeof path, "%s/data.h5", argv[1]);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    dataset(file, "contiguous", large, NULL, 0);
    dataset(file, "chunked", large, square, 0);
    dataset(file, "deflate", large, chunk, 4);
    dataset(file, "tiny chunks", many, small, 0);
    H5Fclose(file);
    snprintf(path, sizeof path, "%s/groups.h5", argv[1]);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    groups(file, 20000);
    H5Fclose(file);
    H5Pclose(fapl);
    return 0;
}
