/* Writing the fields of structures. A value that its field cannot hold is an error, never cut: a file with half an
 * address in it is lost. Errors are sticky as everywhere in struct ts_wr; what an encoder has written before one is of
 * no use. */
#ifndef TS_FORMAT_PUT_H
#define TS_FORMAT_PUT_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"
#include "base/cursor.h"

void ts_put_uint(struct ts_wr *w, uint64_t v, unsigned width);
/* HADDR_UNDEF has all bits set; an address that would read as that does not fit. */
void ts_put_addr(struct ts_wr *w, haddr_t addr, unsigned width);
/* Zeros until what was written since `from` is `size` bytes; more than that is an error. */
void ts_put_fill(struct ts_wr *w, size_t from, size_t size);
/* Zeros until what was written since `from` is a multiple of 8 bytes. */
void ts_put_align(struct ts_wr *w, size_t from);
/* At most width bytes of a text, and zeros when it has fewer. */
void ts_put_text(struct ts_wr *w, const char *text, size_t width);

/* What an encoder returns. */
static inline int ts_put_end(const struct ts_wr *w)
{
    return w->bad ? -1 : 0;
}

#endif
