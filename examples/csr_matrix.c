/* A matrix in CSR form becomes a sparse dataset, and comes back as CSR and as CSC; and a box of it as a plain array.
 * csr.h does the first; there is no need of it for the last.
 *
 *     cc csr_matrix.c $(pkg-config --cflags --libs tessera) -o csr_matrix && ./csr_matrix
 *
 * Prints:
 *     CSR, 3 x 4, 5 entries
 *       start     0   2   2   5
 *       col       0   2   1   2   3
 *       values    1   2   3   4   5
 *     CSC
 *       start     0   1   2   4   5
 *       row       0   2   0   2   2
 *       values    1   3   2   4   5
 *     the last two columns, as integers
 *       2 0
 *       0 0
 *       4 5
 */
#include "check.h"
#include "csr.h"

static void print_indices(const char *name, const hsize_t *numbers, size_t count)
{
    printf("  %-7s", name);
    for (size_t i = 0; i < count; i++)
        printf(" %3llu", (unsigned long long)numbers[i]);
    printf("\n");
}

static void print_values(const double *values, size_t count)
{
    printf("  %-7s", "values");
    for (size_t i = 0; i < count; i++)
        printf(" %3g", values[i]);
    printf("\n");
}

int main(void)
{
    /* 1 . 2 .
     * . . . .
     * . 3 4 5 */
    hsize_t start[] = {0, 2, 2, 5}, col[] = {0, 2, 1, 2, 3};
    double values[] = {1, 2, 3, 4, 5};
    h5sparse_csr_t a = {.rows = 3, .cols = 4, .count = 5, .start = start, .col = col, .values = values}, b;
    h5sparse_csc_t c;

    hid_t file = CHECK(H5Fcreate("csr_matrix.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK(h5sparse_write_csr(file, "matrix", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &a));

    CHECK(h5sparse_read_csr(file, "matrix", H5T_NATIVE_DOUBLE, &b));
    printf("CSR, %llu x %llu, %zu entries\n", (unsigned long long)b.rows, (unsigned long long)b.cols, b.count);
    print_indices("start", b.start, b.rows + 1);
    print_indices("col", b.col, b.count);
    print_values(b.values, b.count);
    h5sparse_free_csr(&b);

    CHECK(h5sparse_read_csc(file, "matrix", H5T_NATIVE_DOUBLE, &c));
    printf("CSC\n");
    print_indices("start", c.start, c.cols + 1);
    print_indices("row", c.row, c.count);
    print_values(c.values, c.count);
    h5sparse_free_csc(&c);

    int box[3][2];
    hsize_t from[2] = {0, 2}, count[2] = {3, 2};
    hid_t dset = CHECK(H5Dopen2(file, "matrix", H5P_DEFAULT)), space = CHECK(H5Dget_space(dset));
    hid_t mem = CHECK(H5Screate_simple(2, count, NULL));
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL));
    CHECK(H5Dread(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, box));
    printf("the last two columns, as integers\n");
    for (int r = 0; r < 3; r++)
        printf("  %d %d\n", box[r][0], box[r][1]);

    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    return H5Fclose(file) < 0;
}
