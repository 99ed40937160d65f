/* Built with stock libhdf5: looks at files, and changes them, for a test of the other library. Each line of its input is
 * `d HOW FILE`, to be told what the file holds, or `c HOW FILE`, to add something to it first. The answer is a byte, 'y' or
 * 'n' when the file does not open, 'x' when it could not be changed; after 'y' the dump follows. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>

#include "dump.h"
#include "workload.h"

static bool add_attribute(hid_t object, hid_t space)
{
    int value = 42;
    hid_t a = H5Acreate2(object, "of stock", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    return a >= 0 && H5Awrite(a, H5T_NATIVE_INT, &value) >= 0 && H5Aclose(a) >= 0;
}

static bool add_dataset(hid_t file)
{
    hsize_t n = 1000;
    int values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = i;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(file, "data of stock", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return d >= 0 && H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 && H5Dclose(d) >= 0 &&
           H5Sclose(space) >= 0;
}

static bool change(const char *path, hid_t fapl)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl), scalar = H5Screate(H5S_SCALAR);
    if (file < 0)
        return false;
    hid_t group = H5Gcreate2(file, "group of stock", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && add_attribute(group, scalar) && add_attribute(file, scalar) && add_dataset(file);
    H5Gclose(group);
    H5Sclose(scalar);
    return H5Fclose(file) >= 0 && good;
}

static void answer(char what, const char *path, hid_t fapl)
{
    struct dump d;
    if (what == 'c' && !change(path, fapl)) {
        putchar('x');
        return;
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    if (file < 0) {
        putchar('n');
        return;
    }
    dump_file(&d, file);
    H5Fclose(file);
    putchar('y');
    dump_send(&d, stdout);
    dump_free(&d);
}

int main(void)
{
    char line[512], path[400], what;
    unsigned how;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%c %u %399s", &what, &how, path) == 3) {
        hid_t fapl = work_access(how);
        answer(what, path, fapl);
        H5Pclose(fapl);
        fflush(stdout);
    }
    return 0;
}
