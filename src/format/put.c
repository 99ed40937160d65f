#include "format/put.h"

#include <string.h>

#include "base/error.h"

static void refuse(struct ts_wr *w, uint64_t v, unsigned width)
{
    if (!w->bad)
        (void)TS_ERR(IO, CANTENCODE, "%llu does not fit in a field of %u bytes", (unsigned long long)v, width);
    w->bad = true;
}

void ts_put_uint(struct ts_wr *w, uint64_t v, unsigned width)
{
    if (width < 8 && v >> 8 * width)
        refuse(w, v, width);
    else
        ts_wr_uint(w, v, width);
}

void ts_put_addr(struct ts_wr *w, haddr_t addr, unsigned width)
{
    if (addr != HADDR_UNDEF && width < 8 && addr >= (UINT64_C(1) << 8 * width) - 1)
        refuse(w, addr, width);
    else
        ts_wr_uint(w, addr, width);
}

void ts_put_fill(struct ts_wr *w, size_t from, size_t size)
{
    if (w->bad)
        return;
    if (w->size - from > size) {
        (void)TS_ERR(IO, CANTENCODE, "%zu bytes in a block of %zu", w->size - from, size);
        w->bad = true;
        return;
    }
    ts_wr_zeros(w, size - (w->size - from));
}

void ts_put_align(struct ts_wr *w, size_t from)
{
    if (!w->bad)
        ts_wr_zeros(w, (8 - (w->size - from) % 8) % 8);
}

void ts_put_text(struct ts_wr *w, const char *text, size_t width)
{
    size_t len = strnlen(text, width);
    ts_wr_bytes(w, text, len);
    ts_wr_zeros(w, width - len);
}
