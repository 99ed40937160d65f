/* growing FILE: makes the file, and starts SWMR writing when told to by a line "swmr". Lines "rows N", "frames N" and
 * "sparse N" append to that dataset and flush; "define" writes one more element of /sparse, in row 0; "close" closes
 * the file. Each is answered by a line "done". Row i of /rows holds 10 i, 10 i + 1, ...; frame i of /frames i and i + 2
 * by turns; row i of /sparse has elements i % 5 + 1 defined, column k being 100 i + k. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, WIDTH = 4, HEIGHT = 5 };

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "growing: %s failed\n", what);
        exit(1);
    }
}

static hid_t file, rows, frames, sparse;
static hsize_t n_rows, n_frames, n_sparse;

static hid_t create(const char *name, hid_t type, int rank, const hsize_t *dims, int is_sparse)
{
    hsize_t max[3] = {H5S_UNLIMITED, dims[1], dims[2]}, chunk[3] = {4, dims[1], dims[2]};
    hid_t space = H5Screate_simple(rank, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    must((is_sparse ? H5Pset_sparse_chunk(dcpl, rank, chunk) : H5Pset_chunk(dcpl, rank, chunk)) >= 0, "chunks");
    hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(dset >= 0, "H5Dcreate2");
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static void make(const char *name)
{
    static const hsize_t lines[3] = {0, COLUMNS, 1}, images[3] = {0, HEIGHT, WIDTH};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file >= 0, "H5Fcreate");
    H5Pclose(fapl);
    rows = create("rows", H5T_IEEE_F64LE, 2, lines, 0);
    frames = create("frames", H5T_STD_U16LE, 3, images, 0);
    sparse = create("sparse", H5T_STD_I32LE, 2, lines, 1);
}

static void write_box(hid_t dset, hid_t type, int rank, const hsize_t *start, const hsize_t *count, const void *data)
{
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(rank, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    must(H5Dwrite(dset, type, mem, space, H5P_DEFAULT, data) >= 0, "H5Dwrite");
    H5Sclose(mem);
    H5Sclose(space);
}

static void append_row(void)
{
    double values[COLUMNS];
    hsize_t start[2] = {n_rows++, 0}, count[2] = {1, COLUMNS}, now[2] = {n_rows, COLUMNS};
    for (int k = 0; k < COLUMNS; k++)
        values[k] = 10 * (double)start[0] + k;
    must(H5Dset_extent(rows, now) >= 0, "H5Dset_extent");
    write_box(rows, H5T_NATIVE_DOUBLE, 2, start, count, values);
}

static void append_frame(void)
{
    int values[HEIGHT * WIDTH];
    hsize_t start[3] = {n_frames++, 0, 0}, count[3] = {1, HEIGHT, WIDTH}, now[3] = {n_frames, HEIGHT, WIDTH};
    for (int k = 0; k < HEIGHT * WIDTH; k++)
        values[k] = (int)start[0] + 2 * (k % 2);
    must(H5Dset_extent(frames, now) >= 0, "H5Dset_extent");
    write_box(frames, H5T_NATIVE_INT, 3, start, count, values);
}

static void define(hsize_t row, hsize_t column, hsize_t n)
{
    int values[COLUMNS];
    hsize_t start[2] = {row, column}, count[2] = {1, n};
    for (hsize_t k = 0; k < n; k++)
        values[k] = (int)(100 * row + column + k);
    write_box(sparse, H5T_NATIVE_INT, 2, start, count, values);
}

static void append_sparse(void)
{
    hsize_t now[2] = {++n_sparse, COLUMNS};
    must(H5Dset_extent(sparse, now) >= 0, "H5Dset_extent");
    define(n_sparse - 1, 0, (n_sparse - 1) % 5 + 1);
}

static void obey(const char *word, int n)
{
    static const struct {
        const char *word;
        hid_t *dset;
        void (*append)(void);
    } kinds[] = {{"rows", &rows, append_row}, {"frames", &frames, append_frame}, {"sparse", &sparse, append_sparse}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(word, kinds[i].word) == 0) {
            while (n-- > 0)
                kinds[i].append();
            must(H5Dflush(*kinds[i].dset) >= 0, "H5Dflush");
            return;
        }
    if (strcmp(word, "swmr") == 0) {
        must(H5Fstart_swmr_write(file) >= 0, "H5Fstart_swmr_write");
    } else if (strcmp(word, "define") == 0) {
        define(0, 7, 1);
        must(H5Dflush(sparse) >= 0, "H5Dflush");
    } else if (strcmp(word, "close") == 0) {
        H5Dclose(rows);
        H5Dclose(frames);
        H5Dclose(sparse);
        must(H5Fclose(file) >= 0, "H5Fclose");
    } else {
        must(0, word);
    }
}

int main(int argc, char **argv)
{
    char word[16];
    must(argc == 2, "usage");
    make(argv[1]);
    for (int n = 0; scanf("%15s", word) == 1; n = 0) {
        if (strcmp(word, "rows") == 0 || strcmp(word, "frames") == 0 || strcmp(word, "sparse") == 0)
            must(scanf("%d", &n) == 1, "a number");
        obey(word, n);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
