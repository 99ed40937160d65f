/* The log and stdio drivers: the files they make are those of sec2, and a log is made when one is asked for. What is in it is not
 * compared. */
#include <hdf5.h>
#include <stdio.h>
#include <sys/stat.h>

static long size_of(const char *name)
{
    struct stat s;
    return stat(name, &s) == 0 ? (long)s.st_size : -1;
}

static void write_numbers(hid_t file)
{
    hsize_t n = 100;
    int values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(d);
    H5Sclose(space);
}

static int last_number(hid_t file)
{
    int values[100] = {0};
    hid_t d = H5Dopen2(file, "d", H5P_DEFAULT);
    H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(d);
    return values[99];
}

static void print_log(const char *when)
{
    long size = size_of("driver.log");
    printf(" %s %s", when, size < 0 ? "no log" : size == 0 ? "empty" : "log");
}

static void use(hid_t fapl)
{
    remove("driver.log");
    hid_t file = H5Fcreate("driver_log.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    printf(" opens %d, log %d,", file >= 0, size_of("driver.log") >= 0);
    write_numbers(file);
    H5Fclose(file);
    print_log("closed:");
    file = H5Fopen("driver_log.h5", H5F_ACC_RDONLY, fapl);
    hid_t again = H5Fopen("driver_log.h5", H5F_ACC_RDONLY, fapl);
    printf(", reads %d %d", last_number(file), last_number(again));
    H5Fclose(again);
    H5Fclose(file);
    print_log("and");
    file = H5Fopen("driver_log.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    printf(", without it %d\n", last_number(file));
    H5Fclose(file);
}

int main(void)
{
    static const unsigned long long flags[] = {0, H5FD_LOG_LOC_IO, H5FD_LOG_NUM_IO, H5FD_LOG_TIME_IO, H5FD_LOG_TIME_CLOSE, H5FD_LOG_ALL};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < 6; i++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_log(fapl, "driver.log", flags[i], 65536);
        hid_t copy = H5Pcopy(fapl);
        printf("flags %#llx:", flags[i]);
        H5Pclose(fapl);
        use(copy);
        H5Pclose(copy);
    }
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_stdio(fapl);
    printf("stdio:");
    use(fapl);
    H5Pclose(fapl);
    return 0;
}
