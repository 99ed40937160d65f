/* Selections: every kind, operator and error. */
#include "space_util.h"

static const char *const op_names[] = {"noop", "set", "or", "and", "xor", "notb", "nota", "append", "prepend", "invalid"};

static hid_t base(int kind)
{
    hsize_t d[2] = {6, 6}, start[2] = {1, 1}, count[2] = {2, 2}, stride[2] = {3, 3}, block[2] = {2, 1};
    hsize_t points[6] = {3, 3, 1, 2, 5, 0};
    hid_t s = H5Screate_simple(2, d, NULL);
    if (kind == 0)
        H5Sselect_none(s);
    if (kind == 1)
        H5Sselect_elements(s, H5S_SELECT_SET, 3, points);
    if (kind == 2)
        H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block);
    return s;
}

static void operators(void)
{
    hsize_t start[2] = {0, 2}, count[2] = {1, 1}, block[2] = {3, 3}, zero[2] = {0, 1}, points[4] = {0, 0, 5, 5};
    for (int kind = 0; kind < 4; kind++)
        for (int op = -1; op <= 8; op++) {
            char title[64];
            snprintf(title, sizeof title, "kind %d %s", kind, op_names[op + 1]);
            hid_t s = base(kind);
            int ret = H5Sselect_hyperslab(s, (H5S_seloper_t)op, start, NULL, count, block);
            printf("%s hyperslab %d\n", title, ret);
            show(title, s);
            H5Sclose(s);
            s = base(kind);
            printf("%s zero count %d\n", title, (int)H5Sselect_hyperslab(s, (H5S_seloper_t)op, start, NULL, zero, block));
            show(title, s);
            H5Sclose(s);
            s = base(kind);
            printf("%s zero block %d\n", title, (int)H5Sselect_hyperslab(s, (H5S_seloper_t)op, start, NULL, count, zero));
            show(title, s);
            H5Sclose(s);
            s = base(kind);
            printf("%s elements %d\n", title, (int)H5Sselect_elements(s, (H5S_seloper_t)op, 2, points));
            show(title, s);
            H5Sclose(s);
            s = base(kind);
            hid_t c = H5Scombine_hyperslab(s, (H5S_seloper_t)op, start, NULL, count, block);
            printf("%s combine_hyperslab %d\n", title, (int)(c >= 0));
            show(title, s);
            if (c >= 0) {
                show("  combined", c);
                H5Sclose(c);
            }
            H5Sclose(s);
        }
}

static void pairs(void)
{
    for (int k1 = 0; k1 < 4; k1++)
        for (int k2 = 0; k2 < 4; k2++)
            for (int op = -1; op <= 8; op++) {
                char title[64];
                snprintf(title, sizeof title, "%d %s %d", k1, op_names[op + 1], k2);
                hid_t a = base(k1), b = base(k2);
                if (k2 == 2) {
                    hsize_t start[2] = {0, 2}, count[2] = {1, 1}, block[2] = {3, 3};
                    H5Sselect_hyperslab(b, H5S_SELECT_OR, start, NULL, count, block);
                }
                hid_t m = H5Scopy(a);
                printf("%s modify %d\n", title, (int)H5Smodify_select(m, (H5S_seloper_t)op, b));
                show(title, m);
                /* 1.10.8 crashes when the combination is empty */
                hid_t c = H5Sget_select_npoints(m) ? H5Scombine_select(a, (H5S_seloper_t)op, b) : -1;
                printf("%s combine %d\n", title, (int)(c >= 0));
                if (c >= 0) {
                    show(title, c);
                    H5Sclose(c);
                }
                show(" unchanged", a);
                H5Sclose(m);
                if (op == 0) {
                    hid_t d = base(k1);
                    printf("select_copy %d\n", (int)H5Sselect_copy(d, b));
                    show(title, d);
                    H5Sclose(d);
                }
                H5Sclose(a);
                H5Sclose(b);
            }
}

static void errors(void)
{
    hsize_t start[2] = {0, 0}, stride[2] = {2, 2}, count[2] = {2, 2}, block[2] = {1, 1}, zero[2] = {0, 0};
    hsize_t far[2] = {5, 5}, over[4] = {6, 0, 0, 0}, big[2] = {1ULL << 63, 1}, d1[1] = {6};
    hid_t s = base(2), sc = H5Screate(H5S_SCALAR), nl = H5Screate(H5S_NULL), one = H5Screate_simple(1, d1, NULL);
    printf("NULL start %d count %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, NULL, NULL, count, NULL),
           (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, NULL, NULL));
    printf("stride 0 %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, zero, count, NULL));
    block[0] = 3;
    printf("overlap %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block));
    count[0] = 1;
    printf("no overlap with one %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block));
    show("one", s);
    printf("scalar %d null %d bad %d\n", (int)H5Sselect_hyperslab(sc, H5S_SELECT_SET, start, stride, count, NULL),
           (int)H5Sselect_hyperslab(nl, H5S_SELECT_SET, start, stride, count, NULL),
           (int)H5Sselect_hyperslab(-1, H5S_SELECT_SET, start, stride, count, NULL));
    printf("out of extent %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, far, stride, stride, NULL));
    show("out of extent", s);
    printf("huge %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, block, big));
    printf("elements out %d\n", (int)H5Sselect_elements(s, H5S_SELECT_SET, 2, over));
    show_points(s, 2);
    printf("elements 0 %d NULL %d scalar %d null %d\n", (int)H5Sselect_elements(s, H5S_SELECT_SET, 0, over),
           (int)H5Sselect_elements(s, H5S_SELECT_SET, 2, NULL), (int)H5Sselect_elements(sc, H5S_SELECT_SET, 1, over),
           (int)H5Sselect_elements(nl, H5S_SELECT_SET, 1, over));
    printf("none of scalar %d", (int)H5Sselect_none(sc));
    show(" scalar none", sc);
    printf("all of null %d", (int)H5Sselect_all(nl));
    show(" null all", nl);
    printf("copy rank 1 to 2 %d\n", (int)H5Sselect_copy(s, one));
    show("after", s);
    printf("combine ranks %d modify %d\n", (int)(H5Scombine_select(s, H5S_SELECT_OR, one) >= 0),
           (int)H5Smodify_select(s, H5S_SELECT_OR, one));
    printf("nblocks of all %lld elem_npoints of all %lld\n", (long long)H5Sget_select_hyper_nblocks(one),
           (long long)H5Sget_select_elem_npoints(one));
    hsize_t buf[64];
    s = base(2);
    printf("blocklist beyond %d", (int)H5Sget_select_hyper_blocklist(s, 2, 100, buf));
    printf(" %d NULL %d\n", (int)H5Sget_select_hyper_blocklist(s, 100, 1, buf),
           (int)H5Sget_select_hyper_blocklist(s, 0, 1, NULL));
    s = base(1);
    printf("pointlist NULL %d\n", (int)H5Sget_select_elem_pointlist(s, 0, 1, NULL));
    printf("types %d %d %d\n", (int)H5Sget_select_type(-1), (int)H5Sselect_valid(-1), (int)H5Sis_regular_hyperslab(-1));
}

static void show_place(const char *title, hid_t s)
{
    hsize_t a[2] = {0}, b[2] = {0};
    int ret = H5Sget_select_bounds(s, a, b);
    printf("%s bounds %d", title, ret);
    if (ret >= 0) {
        show_nums("", a, 2);
        show_nums("-", b, 2);
    }
    printf("\n");
    show_hex(s);
}

static void offsets(void)
{
    static const hssize_t offs[][2] = {{0, 0}, {1, 0}, {-1, -1}, {-2, 0}, {0, 9}, {1, 1}};
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < 6; i++) {
            char title[64];
            hid_t s = base(kind);
            snprintf(title, sizeof title, "kind %d offset %d,%d", kind, (int)offs[i][0], (int)offs[i][1]);
            printf("%s %d\n", title, (int)H5Soffset_simple(s, offs[i]));
            show_place(title, s);
            if (kind != 1)
                printf("valid %d\n", (int)H5Sselect_valid(s));
            hid_t c = H5Scopy(s);
            show_place(" copied", c);
            H5Sclose(c);
            c = base(3);
            H5Sselect_copy(c, s);
            show_place(" selection copied", c);
            H5Sclose(c);
            c = base(kind);
            printf("%s adjust %d\n", title, (int)H5Sselect_adjust(c, offs[i]));
            show_place(" adjusted", c);
            H5Sclose(c);
            hsize_t start[2] = {2, 2}, one[2] = {1, 1};
            printf("set %d\n", (int)H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, one, NULL));
            show_place(" hyperslab after offset", s);
            H5Sclose(s);
        }
}

static void large(void)
{
    hsize_t d[2] = {1ULL << 40, 1ULL << 20}, start[2] = {3, 5}, stride[2] = {1000, 3}, count[2] = {1ULL << 30, 1ULL << 18},
            block[2] = {2, 1};
    hid_t s = H5Screate_simple(2, d, NULL);
    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block);
    hsize_t a[2], b[2];
    printf("large %lld nblocks %lld valid %d bounds %d", (long long)H5Sget_select_npoints(s),
           (long long)H5Sget_select_hyper_nblocks(s), (int)H5Sselect_valid(s), (int)H5Sget_select_bounds(s, a, b));
    show_nums("", a, 2);
    show_nums("-", b, 2);
    printf("\n");
    hsize_t list[12];
    printf("blocks %d", (int)H5Sget_select_hyper_blocklist(s, 262143, 3, list));
    show_nums("", list, 12);
    printf("\n");
    count[0] = count[1] = 2;
    start[0] = 1ULL << 33;
    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, block);
    show("beyond 32 bits", s);
}

int main(void)
{
    quiet();
    operators();
    pairs();
    errors();
    offsets();
    large();
    return 0;
}
