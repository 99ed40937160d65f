/* Floats of few bits, which 2.0 and later have predefined: what they are, and what becomes of values that they can hold. */
#include <hdf5.h>

#include <stdio.h>
#include <string.h>

#include "later.h"

static void tell(const char *name, hid_t t)
{
    size_t sign, epos, esize, mpos, msize, size = 0;
    unsigned char code[64] = {0};
    HEAD(name);
    H5Tget_fields(t, &sign, &epos, &esize, &mpos, &msize);
    printf("  size %d, precision %d, order %d, fields %d %d %d %d %d, bias %d, norm %d, class %d\n", (int)H5Tget_size(t),
           (int)H5Tget_precision(t), (int)H5Tget_order(t), (int)sign, (int)epos, (int)esize, (int)mpos, (int)msize,
           (int)H5Tget_ebias(t), (int)H5Tget_norm(t), (int)H5Tget_class(t));
    H5Tencode(t, NULL, &size);
    H5Tencode(t, code, &size);
    printf("  %d bytes:", (int)size);
    for (size_t i = 0; i < 34; i++)
        printf(" %02x", code[i]);
    printf("\n");
}

static void convert(hid_t t)
{
    static const double values[] = {0, 1, -1, 1.5, 2, -3, 0.5};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double v = values[i];
        unsigned char bytes[sizeof v];
        H5Tconvert(H5T_NATIVE_DOUBLE, t, 1, &v, NULL, H5P_DEFAULT);
        memcpy(bytes, &v, sizeof v);
        H5Tconvert(t, H5T_NATIVE_DOUBLE, 1, &v, NULL, H5P_DEFAULT);
        printf("  %g: %02x", values[i], bytes[0]);
        if (H5Tget_size(t) > 1)
            printf("%02x", bytes[1]);
        printf(", %g\n", v);
    }
}

static void store(hid_t file, const char *name, hid_t t)
{
    float values[4] = {0, -1, 1.5F, 3}, back[4] = {9, 9, 9, 9};
    hsize_t n = 4;
    hid_t space = H5Screate_simple(1, &n, NULL), d = H5Dcreate2(file, name, t, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    SAY(H5Dwrite(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    SAY(H5Dread(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    hid_t stored = H5Dget_type(d);
    printf("  %g %g %g %g, equal %d, %d bytes\n", back[0], back[1], back[2], back[3], (int)H5Tequal(stored, t), (int)H5Dget_storage_size(d));
    H5Tclose(stored);
    H5Dclose(d);
    H5Sclose(space);
}

int main(void)
{
    begin();
    hid_t file = H5Fcreate("small_floats.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const struct {
        const char *name;
        hid_t id;
    } types[] = {{"bfloat16 be", H5T_FLOAT_BFLOAT16BE}, {"bfloat16 le", H5T_FLOAT_BFLOAT16LE}, {"f8 e4m3", H5T_FLOAT_F8E4M3},
                 {"f8 e5m2", H5T_FLOAT_F8E5M2},         {"f6 e2m3", H5T_FLOAT_F6E2M3},         {"f6 e3m2", H5T_FLOAT_F6E3M2},
                 {"f4 e2m1", H5T_FLOAT_F4E2M1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tell(types[i].name, types[i].id);
        convert(types[i].id);
        store(file, types[i].name, types[i].id);
    }
    return H5Fclose(file) < 0;
}
