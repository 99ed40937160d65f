/* Reads the corpus through data transforms: what is accepted, and what becomes of the elements as every native type.
 *
 * Some things stock 1.10 dies of are left out: an integer divided by a zero among constants or elements, a symbol twice
 * with long double in memory, a compound in memory, a bad expression set over a good one. */
#include <math.h>

#include "read_util.h"

static unsigned long long state = 1;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % n;
}

static hid_t transfer(const char *expression)
{
    hid_t p = H5Pcreate(H5P_DATASET_XFER);
    if (H5Pset_data_transform(p, expression) < 0)
        printf("'%s' is refused\n", expression);
    return p;
}

static void show_text(const char *expression)
{
    char text[100] = "";
    hid_t p = H5Pcreate(H5P_DATASET_XFER);
    int set = H5Pset_data_transform(p, expression);
    int got = (int)H5Pget_data_transform(p, text, sizeof text);
    printf("'%s' %d %d '%s'\n", expression, set, got, text);
    H5Pclose(p);
}

static void syntax(void)
{
    static const char *const texts[] = {
        "", "   ", "x", " x ", "\tx\n", "x\v+\f1\r", "x x", "(x", "x)", "x+", "*x", "y", "x^2", "2x", "2 x", "()", "xx", "x1",
        "x12", "x_", "x2+1", "ab", "A", "x*y", "e", "E5", "e+1", "2*e+1", "1e", "1e+", "1e5", "1E5", "1.5E-3", "1.", "1..2",
        "1.2.3", ".5", ".", ".e2", "1e2.5", "1 . 5", "0x10", "1f", "inf", "nan", "++x", "+-x", "-+x", "- x", "-(5)", "-(x)",
        "+(x+1)", "-(3+4)", "-(-5)", "--5", "x--5", "x---5", "x*--5", "x*-(x)", "-((5))", "(-x)", "2*(-x)", "x,1", "x(2)",
        "(2)x", "(2)(x)", "x 2", "1 2", "sin(x)", "x%2", "x//2", "x**2", "((((((((((x))))))))))", "1e999", "-", "+", "(", ")",
        "-()", "x+()", "5/0.0", "3 + 4 x", "_x", "x.5", ".x", "1.x", "1ex", "5e3x", "x;", "-.5", "x)+3", "x)g", "x)1e5",
        "x)e5", "x)1e+", "x)1e", "x).e5", "x)_", "x) @", "x @", "(x]", "1 e5", "1e 5", "2e3*e", "2*+x", "99999999999999999999",
        "(x-32)*5/9", "x\n*\n2", "x-(x-(x-(x-1)))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        show_text(texts[i]);
}

#define NATIVES(X)                                                                                                     \
    X(SCHAR, signed char) X(UCHAR, unsigned char) X(SHORT, short) X(USHORT, unsigned short) X(INT, int)                \
    X(UINT, unsigned) X(LONG, long) X(ULONG, unsigned long) X(LLONG, long long) X(ULLONG, unsigned long long)          \
    X(FLOAT, float) X(DOUBLE, double) X(LDOUBLE, long double)

enum { BYTES = 1 << 16, MOST = BYTES / 16 };
static unsigned char buffer[BYTES];

/* Bits of a number that is not one are nobody's promise. */
static unsigned long hash_value(unsigned long h, const void *bytes, size_t size, int nan)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (nan ? 1 : p[i])) * 1099511628211ul;
    return h;
}

#define SHOW(name, T)                                                                                                  \
    static void show_##name(hsize_t n)                                                                                 \
    {                                                                                                                  \
        unsigned long h = 7;                                                                                           \
        size_t size = sizeof(T) == 16 ? 10 : sizeof(T);                                                                \
        const T *v = (const T *)buffer;                                                                                \
        for (hsize_t i = 0; i < n; i++)                                                                                \
            h = hash_value(h, &v[i], size, v[i] != v[i]);                                                              \
        printf("    %-7s %lx:", #name, h);                                                                             \
        for (hsize_t i = 0; i < n && i < 4; i++)                                                                       \
            printf(" %.17Lg", v[i] != v[i] ? 0.0L : (long double)v[i]);                                                \
        printf("\n");                                                                                                  \
    }
NATIVES(SHOW)

static void read_all(hid_t ds, const char *expression, hsize_t n, int symbols)
{
    hid_t p = transfer(expression);
    printf("  '%s'\n", expression);
#define READ(name, T)                                                                                                  \
    if (symbols < 2 || strcmp(#name, "LDOUBLE") != 0) {                                                                \
        memset(buffer, 3, n * 16);                                                                                     \
        if (H5Dread(ds, H5T_NATIVE_##name, H5S_ALL, H5S_ALL, p, buffer) < 0)                                           \
            printf("    %s fails\n", #name);                                                                           \
        show_##name(n);                                                                                                \
    }
    NATIVES(READ)
    H5Pclose(p);
}

static void number_text(char *out)
{
    static const char *const numbers[] = {"1", "2", "3", "7", "10", "100", "300", "65537", "2147483647", "2147483648",
                                          "9007199254740993", "99999999999999999999", "0.1", "2.5", ".5", "1e3", "1e-3",
                                          "1e10", "1e19", "1e30", "1e300", "3.0", "1e-300"};
    strcpy(out, numbers[below(sizeof numbers / sizeof *numbers)]);
}

/* Divides only by numbers. Returns how many symbols it has. */
static int random_expression(char *out, int depth)
{
    char left[2000], right[2000];
    unsigned kind = below(10);
    if (depth == 0 || kind == 0) {
        const char *sign = below(4) ? "" : below(2) ? "-" : "+";
        int is_symbol = below(2) == 0;
        number_text(right);
        sprintf(out, "%s%s", sign, is_symbol ? "x" : right);
        return is_symbol;
    }
    int n = random_expression(left, depth - 1);
    if (kind <= 2) {
        number_text(right);
        sprintf(out, "(%s)/%s", left, right);
        return n;
    }
    n += random_expression(right, depth - 1);
    sprintf(out, kind < 6 ? "(%s)%c(%s)" : "%s%c(%s)", left, "+-*"[below(3)], right);
    return n;
}

/* White space between any two words, and parentheses that do not match. Stock takes some texts in which an operand
 * is missing, and dies of others; those are not tried. */
static void random_syntax(void)
{
    for (int i = 0; i < 1500; i++) {
        char text[4000], odd[4100];
        random_expression(text, 1 + (int)below(3));
        size_t at = below((unsigned)strlen(text) + 1);
        while (at > 0 && text[at] && !strchr("(x)", text[at]))
            at--;
        const char *extra = below(3) ? " " : at == 0 ? "(" : at == strlen(text) ? ")" : "\n\t";
        sprintf(odd, "%.*s%s%s", (int)at, text, extra, text + at);
        hid_t p = H5Pcreate(H5P_DATASET_XFER);
        printf("%d '%s'\n", H5Pset_data_transform(p, odd), odd);
        H5Pclose(p);
    }
}

static void read_fixed(hid_t ds, hsize_t n)
{
    static const char *const one[] = {"x", "+x", "-x", "2*x", "x*2.5", "x/2", "2/x", "x*0.1", "x+0.5", "x*1000", "5", "2.5",
                                      "-2", "1/2", "1/2*x", "x*1/2", "(x-32)*5/9", "x/0", "1e400*x", "-300.7", "1e19",
                                      "99999999999", "-x/2", "x-1-1", "x+2147483648", "x*99999999999999999999", "2*-x",
                                      "3.0/0*x", "x)+3", ".", "7/-2", "9223372036854775807+1", "1e300"};
    static const char *const more[] = {"x*x", "x+x", "x-x", "x*x*x", "(x+1)*(x-1)", "-x*-x", "x-(x-(x-(x-1)))", "a*b+c",
                                       "x/2*x/3"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        read_all(ds, one[i], n, 1);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        read_all(ds, more[i], n, 2);
}

static int is_virtual(hid_t ds)
{
    hid_t p = H5Dget_create_plist(ds);
    int r = H5Pget_layout(p) == H5D_VIRTUAL;
    H5Pclose(p);
    return r;
}

/* Points in any order, also twice, into every second element. Stock corrupts its memory when it does that
 * to a virtual dataset. */
static void read_points(hid_t ds, hid_t space, const char *expression)
{
    hsize_t dims[32], coords[20 * 32], step = 2, start = 0, count = 20, room = 40;
    int rank = H5Sget_simple_extent_dims(space, dims, NULL), v[40];
    hid_t file = H5Scopy(space), mem = H5Screate_simple(1, &room, NULL), p = transfer(expression);
    for (int i = 0; i < 40; i++)
        v[i] = -99;
    for (int i = 0; i < 20; i++)
        for (int d = 0; d < rank; d++)
            coords[i * rank + d] = below((unsigned)dims[d]);
    if (rank > 0 && !is_virtual(ds)) {
        H5Sselect_elements(file, H5S_SELECT_SET, 20, coords);
        H5Sselect_hyperslab(mem, H5S_SELECT_SET, &start, &step, &count, NULL);
        printf("  points %d:", H5Dread(ds, H5T_NATIVE_INT, mem, file, p, v));
        for (int i = 0; i < 40; i++)
            printf(" %d", v[i]);
        printf("\n");
    }
    H5Pclose(p);
    H5Sclose(mem);
    H5Sclose(file);
}

/* Only C's own numbers, unless nothing is to be done or nothing is stored. */
static void read_other_types(hid_t ds, hid_t space, hsize_t n)
{
    static const char *const texts[] = {"x", "Y", "(x)", " x", "x1", "x+1", "5", "x*x"};
    hid_t types[] = {H5T_STD_I32BE, H5T_IEEE_F64BE, H5Tcopy(H5T_NATIVE_INT), H5Tcopy(H5T_NATIVE_INT),
                     H5Tcopy(H5T_NATIVE_INT), H5T_NATIVE_B32, H5T_C_S1, H5Tenum_create(H5T_NATIVE_INT)};
    H5Tset_precision(types[3], 20);
    H5Tset_pad(types[4], H5T_PAD_ONE, H5T_PAD_ONE);
    hid_t none = H5Scopy(space);
    H5Sselect_none(none);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t k = i == 4 ? 2 : 0; k < sizeof texts / sizeof *texts; k++) {
            hid_t p = transfer(texts[k]);
            memset(buffer, 3, n * 16);
            int r = H5Dread(ds, types[i], H5S_ALL, H5S_ALL, p, buffer);
            printf("  other %zu '%s' %d %lx", i, texts[k], r, hash_value(1, buffer, n * 8, 0));
            printf(" none %d\n", i < 5 && !is_virtual(ds) ? H5Dread(ds, types[i], none, none, p, buffer) : 0);
            H5Pclose(p);
        }
    H5Sclose(none);
    H5Tclose(types[2]), H5Tclose(types[3]), H5Tclose(types[4]), H5Tclose(types[7]);
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *data)
{
    (void)data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    char expression[4000];
    hid_t ds = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(ds), type = H5Dget_type(ds);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    H5T_class_t cls = H5Tget_class(type);
    if ((cls == H5T_INTEGER || cls == H5T_FLOAT) && n > 0 && n <= MOST) {
        printf(" %s: %lld\n", name, (long long)n);
        for (int i = 0; i < 2; i++) {
            int symbols = random_expression(expression, 1 + (int)below(4));
            read_all(ds, expression, (hsize_t)n, symbols);
        }
        read_points(ds, space, expression);
        read_points(ds, space, "x*10+1");
        read_other_types(ds, space, (hsize_t)n);
        if (below(20) == 0)
            read_fixed(ds, (hsize_t)n);
    } else if (cls == H5T_STRING && n > 0 && !H5Tis_variable_str(type) && n * H5Tget_size(type) <= BYTES) {
        hid_t p = transfer("x+1"), same = transfer("x");
        printf(" %s: string %d", name, H5Dread(ds, type, H5S_ALL, H5S_ALL, p, buffer));
        printf(" %d\n", H5Dread(ds, type, H5S_ALL, H5S_ALL, same, buffer));
        H5Pclose(p);
        H5Pclose(same);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(ds);
    return 0;
}

static void each(const char *name, hid_t file)
{
    (void)name;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, NULL);
}

int main(void)
{
    static const char *const files[] = {"layout_*.h5", "index_*sparse*.h5", "index_edge*.h5", "filter_deflate*.h5",
                                        "type_int_*.h5", "type_float_f[36][24]*.h5", "type_float_range_f[48].h5",
                                        "type_string*.h5", "virtual_*.h5", NULL};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    syntax();
    random_syntax();
    return for_files(files, each);
}
