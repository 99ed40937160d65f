#include "container/page_buffer.h"

#include "base/abi.h"
#include "base/error.h"
#include "base/lock.h"
#include "container/setup.h"
#include "plist/fapl.h"

int ts_page_buffer_check(struct ts_plist *fapl, const struct ts_file_space *space, size_t *size)
{
    if (ts_fapl_page_buf(fapl, size) < 0)
        return -1;
    if (*size == 0)
        return 0;
    if (space->strategy != H5F_FSPACE_STRATEGY_PAGE)
        return TS_ERR(FILE, CANTINIT, "Enabling Page Buffering requires PAGE file space strategy");
    if (*size < space->page_size)
        return TS_ERR(FILE, CANTINIT, "Page Buffer size must be >= to the page size");
    if (space->page_size > 0)
        *size -= *size % (size_t)space->page_size;
    return 0;
}

/* Without a page buffer nothing has a share in it. */
static int ask_for_none(struct ts_plist *fapl)
{
    static const size_t none = 0;
    static const unsigned no_share = 0;
    if (ts_fapl_set_page_buf(fapl, none) < 0 || ts_fapl_set_page_buf_meta(fapl, no_share) < 0)
        return -1;
    return ts_fapl_set_page_buf_raw(fapl, no_share);
}

/* What the file can have instead of what the list asks for. */
static int fit(struct ts_plist *fapl, const struct ts_file_space *space)
{
    size_t size;
    unsigned meta, raw;
    if (ts_fapl_page_buf(fapl, &size) < 0 || ts_fapl_page_buf_meta(fapl, &meta) < 0 ||
        ts_fapl_page_buf_raw(fapl, &raw) < 0)
        return -1;
    if (size == 0 || space->strategy != H5F_FSPACE_STRATEGY_PAGE)
        return size || meta || raw ? ask_for_none(fapl) : 0;
    if (size >= space->page_size)
        return 0;
    size = (size_t)space->page_size;
    return ts_fapl_set_page_buf(fapl, size);
}

int ts_page_buffer_agree(struct ts_file *f)
{
    size_t asked, size;
    ts_mutex_lock(&f->agreed.lock);
    const struct ts_file_space *space = &ts_container_extension(f)->space;
    int status = TS_ABI_PAGE_BUFFER_FITS ? fit(f->fapl, space) : 0;
    if (status == 0)
        status = ts_fapl_page_buf(f->fapl, &asked);
    if (status == 0)
        status = ts_page_buffer_check(f->fapl, space, &size);
    if (status == 0 && size != asked)
        status = ts_fapl_set_page_buf(f->fapl, size);
    ts_mutex_unlock(&f->agreed.lock);
    return status;
}

bool ts_page_buffer_wanted(const struct ts_file *f)
{
    size_t size = 0;
    return ts_fapl_page_buf(f->fapl, &size) == 0 && size > 0;
}
