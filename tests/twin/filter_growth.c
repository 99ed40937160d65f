/* A filter of the application whose result takes more room than what it got, in a buffer of which it does not say how large it is, as
 * many do: it is stored all the same. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTER = 301, MORE = 100, N = 40 };

static int tells;

/* MORE bytes in front. */
static size_t grow(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    (void)n_values, (void)values;
    size_t made = flags & H5Z_FLAG_REVERSE ? n - MORE : n + MORE;
    char *out = calloc(1, made);
    if (flags & H5Z_FLAG_REVERSE)
        memcpy(out, (char *)*buf + MORE, made);
    else
        memcpy(out + MORE, *buf, n);
    free(*buf);
    *buf = out;
    if (tells)
        *capacity = made;
    return made;
}

static const H5Z_class2_t filter_class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "grows", NULL, NULL, grow};

static void try_filter(hid_t file, const char *name, unsigned flags)
{
    int data[N], back[N] = {0}, wrong = 0;
    hsize_t n = N, chunk = 8, first = 0, size = 0;
    unsigned mask = 77;
    haddr_t at;
    for (int i = 0; i < N; i++)
        data[i] = 3 * i;
    hid_t space = H5Screate_simple(1, &n, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_filter(how, FILTER, flags, 0, NULL);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT);
    int written = H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    int closed = H5Dclose(dset);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    dset = H5Dopen2(file, name, H5P_DEFAULT);
    int read = H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
    for (int i = 0; i < N; i++)
        wrong += back[i] != data[i];
    int told = H5Dget_chunk_info_by_coord(dset, &first, &mask, &at, &size);
    printf("%s, tells %d: written %d, closed %d, read %d, %d wrong; chunk %d: mask %u, %d bytes\n", name, tells, written, closed, read,
           wrong, told, mask, (int)size);
    H5Dclose(dset), H5Pclose(how), H5Sclose(space);
}

int main(void)
{
    H5Zregister(&filter_class);
    hid_t file = H5Fcreate("filter_growth.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (tells = 0; tells < 2; tells++) {
        try_filter(file, tells ? "optional, told" : "optional", H5Z_FLAG_OPTIONAL);
        try_filter(file, tells ? "needed, told" : "needed", H5Z_FLAG_MANDATORY);
    }
    return H5Fclose(file) < 0;
}
