/* Strings of variable length that live in their chunk: they are compressed with it, read with it, and freed with it.
 * Elsewhere in HDF5 they are in a heap of the file that no filter sees.
 *
 *     cc vlen_strings.c $(pkg-config --cflags --libs tessera) -o vlen_strings && ./vlen_strings
 *
 * Prints:
 *     1000 of 1000 lines are the same; the last is
 *     2026-05-04T12:16:39 detector 5: frame written
 *     45230 characters take 5722 bytes
 */
#include "check.h"
#include <hdf5.h>
#include <string.h>

enum { N = 1000 };

int main(void)
{
    static char text[N][80];
    static const char *lines[N];
    static char *read[N];
    size_t characters = 0;
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "2026-05-04T12:%02d:%02d detector %d: %s", i / 60, i % 60, i % 7,
                 i % 100 ? "frame written" : "shutter opened, waiting for the beam");
        lines[i] = text[i];
        characters += strlen(text[i]);
    }

    hsize_t dims[1] = {N}, chunk[1] = {250};
    hid_t file = CHECK(H5Fcreate("vlen_strings.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t space = CHECK(H5Screate_simple(1, dims, NULL)), type = CHECK(H5Tcopy(H5T_C_S1));
    CHECK(H5Tset_size(type, H5T_VARIABLE));

    /* Dense: every element has a value. With H5D_SPARSE_CHUNK | H5D_VL_CHUNK only those that are written. */
    hid_t dcpl = CHECK(H5Pcreate(H5P_DATASET_CREATE));
    CHECK(H5Pset_struct_chunk(dcpl, 1, chunk, H5D_VL_CHUNK));
    CHECK(H5Pset_deflate(dcpl, 6));
    hid_t dset = CHECK(H5Dcreate2(file, "log", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, lines));
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL));

    CHECK(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read));
    int same = 0;
    for (int i = 0; i < N; i++)
        same += strcmp(read[i], lines[i]) == 0;
    printf("%d of %d lines are the same; the last is\n%s\n", same, N, read[N - 1]);
    CHECK(H5Dvlen_reclaim(type, space, H5P_DEFAULT, read)); /* what H5Dread allocated */

    printf("%zu characters take %llu bytes\n", characters, (unsigned long long)H5Dget_storage_size(dset));

    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    return H5Fclose(file) < 0;
}
