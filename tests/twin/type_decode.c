/* Encodings that no current library writes, or only for newer files: old array members, versions 2 and 3 of everything.
 */
#include "type_print.h"

#define I32 "10 08 0000 04000000 0000 2000"
#define I16BE "10 09 0000 02000000 0000 1000"
#define F32 "11 20 1f00 04000000 0000 2000 17 08 00 17 7f000000"
#define V3_I8 "30 08 0000 01000000 0000 0800"
#define NO_DIMS "00 000000 00000000 00000000 00000000 00000000 00000000 00000000 "

static const struct {
    const char *name, *hex;
} cases[] = {
    {"version 3 integer", V3_I8},
    {"version 2 integer", "20 08 0000 04000000 0000 2000"},
    {"compound 1",
     "16 020000 08000000 6100000000000000 00000000 " NO_DIMS I32 " 6200000000000000 04000000 " NO_DIMS F32},
    {"compound 1, name of 7 and 8 letters", "16 020000 08000000 61626364656667 00 00000000 " NO_DIMS I32
                                            " 6162636465666768 0000000000000000 04000000 " NO_DIMS F32},
    {"compound 1, array member",
     "16 020000 20000000 6100000000000000 00000000 02 000000 00000000 00000000 02000000 03000000 00000000 00000000 " I32
     " 6200000000000000 18000000 " NO_DIMS I16BE},
    {"compound 1, four dimensions", "16 010000 30000000 6100000000000000 00000000 04 000000 00000000 00000000 02000000 "
                                    "03000000 04000000 01000000 " I16BE},
    {"compound 1 in compound 1 with an array", "16 010000 40000000 6f00000000000000 08000000 " NO_DIMS
                                               "16 010000 0c000000 6100000000000000 00000000 01 000000 00000000 "
                                               "00000000 03000000 00000000 00000000 00000000 " I32},
    {"compound 2", "26 020000 08000000 6100000000000000 00000000 " I32 " 6200000000000000 04000000 " F32},
    {"compound 3, 1 byte offsets", "36 020000 08000000 6100 00 " I32 " 6200 04 " F32},
    {"compound 3, 2 byte offsets", "36 020000 00010000 6100 0000 " I32 " 6c6f6e67206e616d6500 fc00 " F32},
    {"compound 3, 3 byte offsets", "36 010000 00000100 6100 fcff00 " I32},
    {"compound 3 unsorted", "36 020000 08000000 7a00 04 " I32 " 6100 00 " F32},
    {"array 2", "2a 000000 18000000 02 000000 02000000 03000000 00000000 01000000 " I32},
    {"array 3", "3a 000000 18000000 02 02000000 03000000 " I32},
    {"array 3 of array 2", "3a 000000 18000000 01 02000000 2a 000000 0c000000 01 000000 03000000 00000000 " I32},
    {"enum 1", "18 020000 02000000 " I16BE " 6f6e650000000000 74776f0000000000 0001 0002"},
    {"enum 3", "38 020000 02000000 " I16BE " 6f6e6500 74776f00 0001 0002"},
    {"enum 3 in compound 3", "36 010000 02000000 6500 00 38 020000 02000000 " I16BE " 6f6e6500 74776f00 0001 0002"},
    {"vlen 1", "19 000000 10000000 " I32},
    {"vlen 3", "39 000000 10000000 " V3_I8},
    {"vlen string on disk", "19 010000 10000000 10 00 0000 01000000 0000 0800"},
    {"vlen string, utf-8, space padded", "19 210100 10000000 10 00 0000 01000000 0000 0800"},
    {"compound with vlen string in the middle",
     "26 030000 18000000 6100000000000000 00000000 " I32
     " 7300000000000000 04000000 19 010000 10000000 10 00 0000 01000000 0000 0800 6200000000000000 14000000 " I32},
    {"array of vlen in a compound with gaps",
     "26 020000 40000000 7600000000000000 02000000 2a 000000 20000000 01 000000 02000000 00000000 19 000000 "
     "10000000 " I32 " 6200000000000000 24000000 " I32},
    {"vlen of compound with vlen",
     "29 000000 10000000 26 010000 14000000 7600000000000000 02000000 19 000000 10000000 " I32},
    {"opaque", "15 080000 05000000 61207461 67000000"},
    {"opaque without tag", "15 000000 05000000"},
    {"object reference", "17 000000 08000000"},
    {"region reference", "17 010000 0c000000"},
    {"float, most significant bit set", "11 10 1f00 04000000 0000 2000 17 08 00 17 7f000000"},
    {"float, not normalized, padded with ones", "11 0e 1f00 04000000 0000 2000 17 08 00 17 7f000000"},
    {"float of vax order", "31 61 1f00 04000000 0000 2000 17 08 00 17 81000000"},
    {"bitfield", "14 07 0000 04000000 0300 1100"},
    {"time", "12 01 0000 04000000 1000"},
};

static size_t bytes_of(const char *hex, unsigned char *out)
{
    size_t n = 0;
    unsigned v;
    for (; *hex; hex += *hex == ' ' ? 1 : 2)
        if (*hex != ' ' && sscanf(hex, "%2x", &v) == 1)
            out[n++] = (unsigned char)v;
    return n;
}

int main(void)
{
    unsigned char buf[1024];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(buf, 0, sizeof buf);
        buf[0] = 3;
        bytes_of(cases[i].hex, buf + 2);
        hid_t t = H5Tdecode(buf);
        printf("%s: %d\n", cases[i].name, t >= 0);
        if (t < 0)
            continue;
        print_type(t, 1);
        hid_t native = H5Tget_native_type(t, H5T_DIR_ASCEND);
        printf(" native %d\n", native >= 0);
        if (native >= 0) {
            print_type(native, 1);
            H5Tclose(native);
        }
        H5Tclose(t);
    }
    for (unsigned first = 0; first < 6; first++) {
        memset(buf, 0, sizeof buf);
        bytes_of("10 08 0000 04000000 0000 2000", buf + 2);
        buf[0] = (unsigned char)first;
        hid_t t = H5Tdecode(buf);
        buf[0] = 3;
        buf[1] = (unsigned char)first;
        printf("header %u: %d %d\n", first, t >= 0, H5Tdecode(buf) >= 0);
    }
    return 0;
}
