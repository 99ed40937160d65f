/* The native order of links: of names in the default format, whatever a group is made of; in newer ones that of the storage. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "native_order.h5"

static herr_t print_name(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group, (void)info, (void)data;
    printf(" %s", name);
    return 0;
}

static void show(hid_t file, const char *what)
{
    hsize_t at = 0;
    H5G_info_t info;
    printf("%s:", what);
    H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, &at, print_name, NULL);
    printf("\n by number:");
    H5Gget_info(file, &info);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[8] = "fails";
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, name, sizeof name, H5P_DEFAULT);
        printf(" %s", name);
    }
    printf("\n");
}

static void run(H5F_libver_t low, unsigned order, size_t n)
{
    static const char letters[] = "qzbtacmkxw";
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    H5Pset_link_creation_order(fcpl, order);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, fcpl, fapl);
    printf("low %d order %u, %zu links\n", (int)low, order, n);
    for (size_t i = 0; i < n; i++)
        H5Gclose(H5Gcreate2(file, (char[]){letters[i], 0}, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    show(file, "made");
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, fapl);
    show(file, "opened again");
    H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_NATIVE, 1, H5P_DEFAULT);
    show(file, "without its second link");
    H5Fclose(file);
    H5Pclose(fcpl);
    H5Pclose(fapl);
}

int main(void)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110};
    for (int i = 0; i < 2; i++)
        for (size_t n = 5; n <= 10; n += 5) {
            run(lows[i], 0, n);
            run(lows[i], H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, n);
        }
    unlink(FILE_NAME);
    return 0;
}
