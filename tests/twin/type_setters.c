/* Every setter with many values on many kinds of datatype: what it returns and what the type is afterwards. */
#include "type_print.h"
#include "type_set.h"

static void show(const char *what, size_t a, size_t b, herr_t r, hid_t t)
{
    size_t f[5] = {0};
    H5T_pad_t lsb = 9, msb = 9;
    H5Tget_fields(t, &f[0], &f[1], &f[2], &f[3], &f[4]);
    H5Tget_pad(t, &lsb, &msb);
    printf("%s %zu %zu: %d size %zu order %d prec %zu off %d sign %d pad %d %d fields %zu %zu %zu %zu %zu ebias %zu "
           "norm %d "
           "inpad %d cset %d strpad %d vstr %d\n",
           what, a, b, r, H5Tget_size(t), H5Tget_order(t), H5Tget_precision(t), H5Tget_offset(t), H5Tget_sign(t), lsb,
           msb, f[0], f[1], f[2], f[3], f[4], H5Tget_ebias(t), H5Tget_norm(t), H5Tget_inpad(t), H5Tget_cset(t),
           H5Tget_strpad(t), H5Tis_variable_str(t));
}

static int is_plain_string(hid_t t)
{
    H5T_pad_t low = H5T_PAD_ZERO, high = H5T_PAD_ZERO;
    H5Tget_pad(t, &low, &high);
    return H5Tget_order(t) == H5T_ORDER_NONE && low == H5T_PAD_ZERO && high == H5T_PAD_ZERO;
}

/* 2.2.0 dies when it encodes a float that was given the order of the VAX, or a string that was given an order or paddings. */
static int is_deadly(hid_t t)
{
    if (STOCK_VERSION < 20200)
        return 0;
    if (H5Tget_class(t) == H5T_STRING)
        return !is_plain_string(t);
    return H5Tget_order(t) == H5T_ORDER_VAX && H5Tequal(t, H5T_VAX_F32) <= 0 && H5Tequal(t, H5T_VAX_F64) <= 0;
}

#define EACH(call)                                                                                                     \
    do {                                                                                                               \
        hid_t t = H5Tcopy(from);                                                                                       \
        herr_t r = call;                                                                                               \
        show(#call, v, w, r, t);                                                                                       \
        if (twice && !is_deadly(t))                                                                                    \
            print_encoding(t);                                                                                         \
        H5Tclose(t);                                                                                                   \
    } while (0)

/* 2.x has one size for an array or a sequence. */
static int is_resizable(hid_t from)
{
    return STOCK_VERSION < 20000 || (H5Tget_class(from) != H5T_ARRAY && H5Tget_class(from) != H5T_VLEN);
}

static void each_setter(hid_t from, int twice)
{
    const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 100, 70000, H5T_VARIABLE};
    const size_t bits[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 63, 64, 65, 100, 128};
    size_t w = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && is_resizable(from); i++) {
        size_t v = sizes[i];
        if (v == H5T_VARIABLE && H5Tis_variable_str(from) > 0)
            continue;
        EACH(H5Tset_size(t, v));
    }
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        size_t v = bits[i];
        EACH(H5Tset_precision(t, v));
        EACH(H5Tset_offset(t, v));
        EACH(H5Tset_ebias(t, v));
    }
    for (size_t v = 0; v < 7; v++) {
        EACH(H5Tset_order(t, (H5T_order_t)v - 1));
        EACH(H5Tset_sign(t, (H5T_sign_t)v - 1));
        EACH(H5Tset_norm(t, (H5T_norm_t)v - 1));
        EACH(H5Tset_inpad(t, (H5T_pad_t)v - 1));
        EACH(H5Tset_cset(t, (H5T_cset_t)v - 1));
        EACH(H5Tset_strpad(t, (H5T_str_t)v - 1));
        for (w = 0; w < 5; w++)
            EACH(H5Tset_pad(t, (H5T_pad_t)v - 1, (H5T_pad_t)w - 1));
    }
    w = 0;
    size_t v = 0;
    EACH(H5Tset_tag(t, "tag"));
    EACH(H5Tset_tag(t, NULL));
    EACH(H5Tpack(t));
    EACH(H5Tset_fields(t, 15, 10, 5, 0, 10));
    EACH(H5Tset_fields(t, 31, 23, 8, 0, 23));
    EACH(H5Tset_fields(t, 31, 23, 8, 0, 24));
    EACH(H5Tset_fields(t, 20, 23, 8, 0, 20));
    EACH(H5Tset_fields(t, 25, 23, 8, 0, 20));
    EACH(H5Tset_fields(t, 32, 23, 8, 0, 23));
    EACH(H5Tset_fields(t, 31, 28, 8, 0, 20));
    twice = 0;
    EACH(H5Tset_fields(t, 31, 23, 0, 0, 20));
    EACH(H5Tset_fields(t, 31, 23, 8, 0, 0));
    EACH(H5Tset_fields(t, 0, 1, 8, 9, 10));
    EACH(H5Tset_fields(t, 63, 52, 11, 0, 52));
}

/* A second setter on the result of a first. */
static void pairs_of_setters(hid_t from)
{
    const size_t bits[] = {1, 4, 8, 13, 16, 24, 40};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        for (size_t j = 0; j < sizeof bits / sizeof *bits; j++) {
            size_t v = bits[i], w = bits[j];
            int twice = 0;
            EACH(H5Tset_precision(t, v) + 10 * H5Tset_offset(t, w));
            EACH(H5Tset_offset(t, v) + 10 * H5Tset_precision(t, w));
            if (!is_resizable(from))
                continue;
            EACH(H5Tset_precision(t, v) + 10 * H5Tset_size(t, w));
            EACH(H5Tset_offset(t, v) + 10 * H5Tset_size(t, w));
            EACH(H5Tset_size(t, v) + 10 * H5Tset_precision(t, w));
            EACH(H5Tset_size(t, v) + 10 * H5Tset_offset(t, w));
            EACH(H5Tset_size(t, v) + 10 * H5Tset_size(t, w));
        }
}

/* Stock libhdf5 takes the innermost type of an array or vlen for a number without looking, and dies when it is not; and
 * it changes an enum inside of another type under its values. */
static int safe(hid_t from)
{
    if (H5Tget_class(from) != H5T_ENUM && H5Tdetect_class(from, H5T_ENUM) > 0)
        return 0;
    hid_t t = H5Tcopy(from);
    int derived = 0;
    for (hid_t super; (super = H5Tget_super(t)) >= 0; t = super, derived = 1)
        H5Tclose(t);
    H5T_class_t cls = H5Tget_class(t);
    H5Tclose(t);
    if (derived && STOCK_VERSION >= 20200 && (cls == H5T_STRING || cls == H5T_REFERENCE))
        return 0;
    return !derived || (cls != H5T_COMPOUND && cls != H5T_OPAQUE);
}

int main(void)
{
    static struct type_set s;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_types(&s);
    for (size_t i = 0; i < s.n; i += i < 38 ? 1 : 5) {
        printf("%s\n", s.t[i].name);
        if (!safe(s.t[i].id))
            continue;
        each_setter(s.t[i].id, i % 7 == 0 && i < 160);
        if (i < 200)
            pairs_of_setters(s.t[i].id);
    }
    close_types(&s);
    return 0;
}
