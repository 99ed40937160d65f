/* Hyperslabs without an end, and those that the library finds regular again. */
#include "space_util.h"

#define U H5S_UNLIMITED

static void show_u(const char *title, hid_t s)
{
    hsize_t a[2] = {0}, b[2] = {0}, c[2] = {0}, d[2] = {0};
    int r = H5Sget_regular_hyperslab(s, a, b, c, d);
    printf("%s: type %d npoints %lld valid %d nblocks %lld regular %d %d", title, (int)H5Sget_select_type(s),
           (long long)H5Sget_select_npoints(s), (int)H5Sselect_valid(s), (long long)H5Sget_select_hyper_nblocks(s),
           (int)H5Sis_regular_hyperslab(s), r);
    if (r >= 0) {
        show_nums("start", a, 2);
        show_nums("stride", b, 2);
        show_nums("count", c, 2);
        show_nums("block", d, 2);
    }
    r = H5Sget_select_bounds(s, a, b);
    printf(" bounds %d", r);
    if (r >= 0) {
        show_nums("", a, 2);
        show_nums("-", b, 2);
    }
    printf("\n");
    show_hex(s);
}

static hid_t fresh(void)
{
    hsize_t d[2] = {10, 10}, m[2] = {U, U};
    return H5Screate_simple(2, d, m);
}

static const hsize_t cases[][8] = {
    {0, 0, 1, 1, U, 1, 1, 1}, {1, 2, 3, 1, U, 2, 2, 1}, {1, 2, 3, 1, 1, 2, U, 1},  {1, 2, 3, 1, 2, 2, U, 1},
    {1, 2, 3, 1, U, 2, U, 1}, {1, 2, 3, 1, U, U, 1, 1}, {1, 2, 3, 3, 2, U, 1, 3},  {1, 2, 3, 3, 2, U, 1, 2},
    {1, 2, 3, 3, U, 0, 1, 2}, {1, 2, 2, 3, U, 1, 3, 2}, {1, 2, 3, 3, U, 2, 3, 3},  {1, 2, U, 3, 1, 2, 3, 3},
    {1, 2, 3, 1, 0, 2, U, 1},
};

static void setting(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hsize_t *c = cases[i];
        for (int op = 0; op <= 5; op++)
            for (int before = 0; before < 4; before++) {
                if (op == 3 && before == 0)
                    continue; /* 1.10.8 leaves something else selected when this fails */
                hid_t s = fresh();
                hsize_t start[2] = {2, 1}, stride[2] = {4, 4}, count[2] = {2, 2}, block[2] = {2, 3};
                if (before == 1)
                    H5Sselect_none(s);
                if (before == 2)
                    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block);
                char title[80];
                snprintf(title, sizeof title, "case %zu op %d before %d", i, op, before);
                if (before == 3)
                    H5Sselect_hyperslab(s, H5S_SELECT_SET, cases[1], cases[1] + 2, cases[1] + 4, cases[1] + 6);
                printf("%s: %d\n", title, (int)H5Sselect_hyperslab(s, (H5S_seloper_t)op, c, c + 2, c + 4, c + 6));
                show_u(title, s);
                H5Sclose(s);
            }
    }
}

static void changing(void)
{
    hsize_t start[2] = {2, 1}, stride[2] = {4, 4}, count[2] = {2, 2}, block[2] = {2, 3};
    hssize_t off[2] = {1, 1};
    for (int op = 0; op <= 5; op++)
        for (size_t i = 1; i < 4; i += 1) {
            hid_t s = fresh(), t = fresh();
            const hsize_t *c = cases[i];
            char title[80];
            snprintf(title, sizeof title, "unlimited %zu op %d", i, op);
            H5Sselect_hyperslab(s, H5S_SELECT_SET, c, c + 2, c + 4, c + 6);
            H5Sselect_hyperslab(t, H5S_SELECT_SET, c, c + 2, c + 4, c + 6);
            printf("%s %d\n", title, (int)H5Sselect_hyperslab(s, (H5S_seloper_t)op, start, stride, count, block));
            show_u(title, s);
            hid_t k = H5Scopy(t);
            show_u("copy", k);
            printf("adjust %d offset %d\n", (int)H5Sselect_adjust(k, off), (int)H5Soffset_simple(k, off));
            hsize_t a[2] = {0, 0}, b[2] = {4, 4};
            printf("intersect %d", (int)H5Sselect_intersect_block(t, a, b));
            a[0] = a[1] = b[0] = b[1] = 1000000;
            printf(" %d\n", (int)H5Sselect_intersect_block(t, a, b));
            H5Sclose(k);
            H5Sclose(s);
            H5Sclose(t);
        }
}

int main(void)
{
    quiet();
    setting();
    changing();
    return 0;
}
