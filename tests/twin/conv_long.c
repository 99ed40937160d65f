/* Integers and bit fields of many bytes, from and to short ones, floats to long integers; and in a dataset. libhdf5 takes
 * long ones as a source, and up to 64 bytes as a destination. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

static uint64_t seed = 777;

static unsigned below(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

static void show(const unsigned char *p, size_t n)
{
    unsigned h = 5381;
    for (size_t i = 0; i < n; i++) {
        h = h * 33 + p[i];
        if (i < 64)
            printf("%02x", p[i]);
    }
    printf(" %08x", h);
}

static H5T_conv_ret_t on_except(H5T_conv_except_t kind, hid_t s, hid_t d, void *from, void *to, void *data)
{
    (void)s, (void)d, (void)from, (void)to, (void)data;
    printf("(%d) ", (int)kind);
    return H5T_CONV_UNHANDLED;
}

static hid_t random_type(int bits, const size_t *sizes, unsigned n)
{
    size_t size = sizes[below(n)];
    hid_t t = H5Tcopy(bits ? H5T_STD_B32LE : below(2) ? H5T_STD_I32LE : H5T_STD_U32BE);
    H5Tset_size(t, size);
    size_t precision = below(3) ? 8 * size : 1 + below((unsigned)(8 * size));
    if (precision > 40 && below(4) == 0)
        precision = 32;
    H5Tset_precision(t, precision);
    H5Tset_offset(t, below(2) ? 0 : below((unsigned)(8 * size - precision + 1)));
    H5Tset_pad(t, (H5T_pad_t)below(2), (H5T_pad_t)below(2));
    H5Tset_order(t, (H5T_order_t)below(2));
    return t;
}

/* Bytes at both ends, and between them many, few or none that are set. */
static void random_bytes(unsigned char *p, size_t n)
{
    unsigned style = below(4);
    for (size_t i = 0; i < n; i++) {
        unsigned char any = (unsigned char)below(256);
        int end = i < 4 || i + 2 >= n;
        p[i] = style == 0 || (style > 1 && end) ? any : style == 2 ? 0 : 0xff;
    }
}

static void random_pairs(hid_t dxpl)
{
    static const size_t from[] = {1, 3, 4, 8, 12, 16, 17, 20, 32, 33, 64, 100, 257, 1000};
    static const size_t to[] = {1, 3, 4, 8, 12, 16, 17, 20, 32, 33, 64};
    static unsigned char buf[2 * 1000];
    for (unsigned i = 0; i < 3000; i++) {
        int bits = below(4) == 0;
        hid_t s = random_type(bits, from, sizeof from / sizeof *from), d = random_type(bits, to, sizeof to / sizeof *to);
        size_t n = 2 * H5Tget_size(s);
        random_bytes(buf, n / 2);
        random_bytes(buf + n / 2, n / 2);
        printf("%u: %zu %zu to %zu %zu, ", i, H5Tget_size(s), H5Tget_precision(s), H5Tget_size(d), H5Tget_precision(d));
        int r = H5Tconvert(s, d, 2, buf, NULL, below(2) ? dxpl : H5P_DEFAULT);
        printf("%d ", r);
        show(buf, r < 0 ? 0 : 2 * H5Tget_size(d));
        printf("\n");
        H5Tclose(s);
        H5Tclose(d);
    }
}

static void floats(hid_t dxpl)
{
    static const size_t to[] = {17, 20, 32, 33, 64};
    static const double values[] = {0, 1, -1, 2.5, -2.5, 123456789.25, -1e10, 1e30, -1e30, 1e100, -1e100, 1e-5};
    for (unsigned i = 0; i < 400; i++) {
        unsigned char buf[64];
        hid_t d = random_type(0, to, sizeof to / sizeof *to);
        double value = values[below(sizeof values / sizeof *values)];
        memset(buf, 0, sizeof buf);
        memcpy(buf, &value, sizeof value);
        printf("%g to %zu %zu, ", value, H5Tget_size(d), H5Tget_precision(d));
        int r = H5Tconvert(H5T_NATIVE_DOUBLE, d, 1, buf, NULL, below(2) ? dxpl : H5P_DEFAULT);
        printf("%d ", r);
        show(buf, r < 0 ? 0 : H5Tget_size(d));
        printf("\n");
        H5Tclose(d);
    }
}

static void in_a_dataset(void)
{
    const hsize_t n = 3;
    static unsigned char raw[3 * 1000];
    int values[3] = {0};
    hid_t t = H5Tcopy(H5T_STD_I32LE), space = H5Screate_simple(1, &n, NULL);
    hid_t file = H5Fcreate("conv_long.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Tset_size(t, 1000);
    H5Tset_precision(t, 32);
    hid_t set = H5Dcreate2(file, "d", t, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (unsigned i = 0; i < 3; i++)
        memcpy(raw + i * 1000, &(int){(int)i * 1000000 - 1}, sizeof(int));
    printf("write: %d", (int)H5Dwrite(set, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw));
    printf(", read: %d", (int)H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    printf(" %d %d %d\n", values[0], values[1], values[2]);
    H5Dclose(set);
    H5Fclose(file);
    H5Sclose(space);
    H5Tclose(t);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_type_conv_cb(dxpl, on_except, NULL);
    random_pairs(dxpl);
    floats(dxpl);
    in_a_dataset();
    H5Pclose(dxpl);
    return 0;
}
