/* The class of a file driver as programs of 1.10 have it: no version, no number, and fewer functions. */
#ifndef TS_DRIVER_CLASS110_H
#define TS_DRIVER_CLASS110_H

#include "H5FDpublic.h"

/* Its members, in their order; each has the type it has today. */
/* clang-format off */
#define TS_CLASS110(X)                                                                                                 \
    X(name) X(maxaddr) X(fc_degree) X(terminate) X(sb_size) X(sb_encode) X(sb_decode) X(fapl_size) X(fapl_get)         \
    X(fapl_copy) X(fapl_free) X(dxpl_size) X(dxpl_copy) X(dxpl_free) X(open) X(close) X(cmp) X(query) X(get_type_map)  \
    X(alloc) X(free) X(get_eoa) X(set_eoa) X(get_eof) X(get_handle) X(read) X(write) X(flush) X(truncate) X(lock)      \
    X(unlock) X(fl_map)
/* clang-format on */

#define TS_CLASS110_MEMBER(member) __typeof__(((H5FD_class_t *)0)->member) member;

struct ts_class110 {
    TS_CLASS110(TS_CLASS110_MEMBER)
};

void ts_class110_widen(const struct ts_class110 *in, H5FD_class_t *out);
void ts_class110_narrow(const H5FD_class_t *in, struct ts_class110 *out);

#endif
