/* Prints everything the API tells about a dataspace. */
#ifndef SPACE_UTIL_H
#define SPACE_UTIL_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if H5_VERSION_GE(1, 12, 0)
#define ENCODE(id, buf, n) H5Sencode1(id, buf, n)
#else
#define ENCODE(id, buf, n) H5Sencode(id, buf, n)
#endif

static inline void quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static inline void show_nums(const char *name, const hsize_t *v, size_t n)
{
    printf(" %s(", name);
    for (size_t i = 0; i < n; i++)
        printf("%s%lld", i ? "," : "", (long long)v[i]);
    printf(")");
}

static inline void show_extent(const char *title, hid_t s)
{
    hsize_t d[32] = {0}, m[32] = {0};
    int rank = H5Sget_simple_extent_ndims(s);
    int r2 = H5Sget_simple_extent_dims(s, d, m);
    printf("%s: class %d rank %d %d simple %d npoints %lld", title, (int)H5Sget_simple_extent_type(s), rank, r2,
           (int)H5Sis_simple(s), (long long)H5Sget_simple_extent_npoints(s));
    if (rank > 0) {
        show_nums("dims", d, (size_t)rank);
        show_nums("max", m, (size_t)rank);
    }
    printf("\n");
}

static inline void show_hex(hid_t s)
{
    size_t n = 0;
    int ret = ENCODE(s, NULL, &n);
    printf("  encode %d size %zu", ret, ret < 0 ? (size_t)0 : n);
    if (ret >= 0) {
        unsigned char *buf = calloc(1, n + 1);
        ret = ENCODE(s, buf, &n);
        printf(" %d ", ret);
        for (size_t i = 0; i < n; i++)
            printf("%02x", buf[i]);
        hid_t back = H5Sdecode(buf);
        printf(" decode %d type %d npoints %lld", back >= 0, (int)H5Sget_select_type(back),
               (long long)H5Sget_select_npoints(back));
        if (back >= 0)
            H5Sclose(back);
        free(buf);
    }
    printf("\n");
}

static inline void show_blocks(hid_t s, int rank)
{
    hssize_t n = H5Sget_select_hyper_nblocks(s);
    printf("  blocks %lld", (long long)n);
    if (n > 0 && n < 5000) {
        hsize_t *b = calloc((size_t)n * 2 * (size_t)rank, sizeof *b);
        printf(" %d", (int)H5Sget_select_hyper_blocklist(s, 0, (hsize_t)n, b));
        for (hssize_t i = 0; i < n; i++) {
            show_nums("", b + i * 2 * rank, (size_t)rank);
            show_nums("-", b + (i * 2 + 1) * rank, (size_t)rank);
        }
        if (n > 2) {
            memset(b, 0, (size_t)n * 2 * (size_t)rank * sizeof *b);
            printf(" part %d", (int)H5Sget_select_hyper_blocklist(s, 1, (hsize_t)n - 2, b));
            show_nums("", b, (size_t)(n - 2) * 2 * (size_t)rank);
        }
        free(b);
    }
    printf("\n");
}

static inline void show_points(hid_t s, int rank)
{
    hssize_t n = H5Sget_select_elem_npoints(s);
    printf("  points %lld", (long long)n);
    if (n > 0 && n < 5000) {
        hsize_t *b = calloc((size_t)n * (size_t)rank, sizeof *b);
        printf(" %d", (int)H5Sget_select_elem_pointlist(s, 0, (hsize_t)n, b));
        show_nums("", b, (size_t)n * (size_t)rank);
        if (n > 2) {
            memset(b, 0, (size_t)n * (size_t)rank * sizeof *b);
            printf(" part %d", (int)H5Sget_select_elem_pointlist(s, 1, (hsize_t)n - 2, b));
            show_nums("", b, (size_t)(n - 2) * (size_t)rank);
        }
        free(b);
    }
    printf("\n");
}

static inline void show(const char *title, hid_t s)
{
    hsize_t a[32] = {0}, b[32] = {0}, c[32] = {0}, d[32] = {0};
    int rank = H5Sget_simple_extent_ndims(s);
    size_t r = rank > 0 ? (size_t)rank : 0;
    H5S_sel_type type = H5Sget_select_type(s);
    printf("%s: type %d npoints %lld valid %d", title, (int)type, (long long)H5Sget_select_npoints(s),
           (int)H5Sselect_valid(s));
    int ret = H5Sget_select_bounds(s, a, b);
    printf(" bounds %d", ret);
    if (ret >= 0) {
        show_nums("", a, r);
        show_nums("-", b, r);
    }
    ret = H5Sis_regular_hyperslab(s);
    printf(" regular %d", ret);
    ret = H5Sget_regular_hyperslab(s, a, b, c, d);
    if (ret >= 0) {
        show_nums("start", a, r);
        show_nums("stride", b, r);
        show_nums("count", c, r);
        show_nums("block", d, r);
    }
    printf("\n");
    if (type == H5S_SEL_HYPERSLABS)
        show_blocks(s, rank);
    if (type == H5S_SEL_POINTS)
        show_points(s, rank);
    show_hex(s);
}

#endif
