/* References to regions whose selections only newer libraries can read: the high bound decides. */
#include <stdio.h>

#include <hdf5.h>

static void create(const char *what, hid_t file, const char *name, hid_t space)
{
    hdset_reg_ref_t ref;
    int made = H5Rcreate(&ref, file, name, H5R_DATASET_REGION, space);
    printf("  %s: %d", what, made);
    if (made >= 0) {
        hid_t region = H5Rget_region(file, H5R_DATASET_REGION, &ref);
        printf(", %lld elements", (long long)H5Sget_select_npoints(region));
        H5Sclose(region);
    }
    printf("\n");
}

static void regions(hid_t file)
{
    const hsize_t n = 10, endless = H5S_UNLIMITED, chunk = 5, zero = 0, one = 1, two = 2, far = UINT64_C(0x170000000);
    const hsize_t huge = UINT64_C(0x180000000);
    hid_t space = H5Screate_simple(1, &n, &endless), large = H5Screate_simple(1, &huge, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Dclose(H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "large", H5T_NATIVE_CHAR, large, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, &two, &endless, &one);
    create("unlimited", file, "d", space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &chunk, NULL);
    create("limited", file, "d", space);
    H5Sselect_hyperslab(large, H5S_SELECT_SET, &far, NULL, &two, NULL);
    create("far away", file, "large", large);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &two);
    create("a point", file, "d", space);
    H5Sclose(space);
    H5Sclose(large);
    H5Pclose(dcpl);
}

int main(void)
{
    static const H5F_libver_t bounds[][2] = {{H5F_LIBVER_EARLIEST, H5F_LIBVER_V18}, {H5F_LIBVER_V18, H5F_LIBVER_V18},
                                             {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110}, {H5F_LIBVER_V18, H5F_LIBVER_V110},
                                             {H5F_LIBVER_V110, H5F_LIBVER_V110}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, bounds[i][0], bounds[i][1]);
        printf("bounds %d to %d\n", (int)bounds[i][0], (int)bounds[i][1]);
        hid_t file = H5Fcreate("region_bounds.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        regions(file);
        printf("  closed: %d\n", (int)H5Fclose(file));
        H5Pclose(fapl);
    }
    return 0;
}
