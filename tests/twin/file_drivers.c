/* One file, opened twice in one process by two drivers: who is refused, and that the first goes on. */
#include <hdf5.h>
#include <stdio.h>

static const char *path = "file_drivers.h5";

static hid_t access_of(int driver)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (driver == 1)
        H5Pset_fapl_core(fapl, 4096, 1);
    return fapl;
}

static hid_t open_with(int driver, unsigned flags)
{
    hid_t fapl = access_of(driver), file;
    H5E_BEGIN_TRY
    {
        file = H5Fopen(path, flags, fapl);
    }
    H5E_END_TRY;
    H5Pclose(fapl);
    return file;
}

static void make_file(void)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
}

static void try_both(int first_driver, unsigned first_flags, int second_driver, unsigned second_flags)
{
    make_file();
    hid_t first = open_with(first_driver, first_flags), second = open_with(second_driver, second_flags);
    printf("driver %d flags %u, then driver %d flags %u: %s, %s\n", first_driver, first_flags, second_driver, second_flags,
           first < 0 ? "refused" : "open", second < 0 ? "refused" : "open");
    if (second >= 0) {
        printf("  the second has it: %d\n", (int)H5Lexists(second, "a", H5P_DEFAULT));
        H5Fclose(second);
    }
    if (first_flags == H5F_ACC_RDWR)
        H5Gclose(H5Gcreate2(first, "b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(first);
    hid_t again = open_with(0, H5F_ACC_RDONLY);
    printf("  afterwards: %d %d\n", (int)H5Lexists(again, "a", H5P_DEFAULT), (int)H5Lexists(again, "b", H5P_DEFAULT));
    H5Fclose(again);
}

int main(void)
{
    const unsigned flags[] = {H5F_ACC_RDONLY, H5F_ACC_RDWR};
    for (int i = 0; i < 16; i++)
        try_both(i & 1, flags[i >> 1 & 1], i >> 2 & 1, flags[i >> 3 & 1]);
    remove(path);
    return 0;
}
