/* The superblock on file, and its mark while the file is open for writing. */
#include "file/internal.h"

bool ts_file_is_new(const struct ts_superblock *stored)
{
    return stored->addr_size == 0;
}

int ts_file_put_encoded(struct ts_file *f, const struct ts_wr *superblock)
{
    struct ts_io_out v = {.addr = f->sb.base, .size = superblock->size, .buf = superblock->data};
    return ts_file_put(f, &v, 1);
}

int ts_file_put_superblock(struct ts_file *f, const struct ts_superblock *sb)
{
    struct ts_wr w = {0};
    int status = ts_superblock_encode(sb, &w);
    if (status == 0)
        status = ts_file_put_encoded(f, &w);
    ts_wr_free(&w);
    return status;
}

uint32_t ts_file_open_flags(const struct ts_file *f, uint32_t flags)
{
    flags &= ~(uint32_t)TS_FLAGS_OPEN;
    if (f->swmr != TS_SWMR_WRITER)
        return flags | TS_FLAG_WRITING;
    return flags | TS_FLAG_WRITING | TS_FLAG_SWMR_WRITING | (f->others.life ? TS_FLAG_LIFE : 0);
}

/* The superblock is in one sector, so this write is whole or is not there. */
static int mark(struct ts_file *f)
{
    if (f->commits.marked)
        return 0;
    struct ts_superblock sb = f->commits.stored;
    sb.flags = ts_file_open_flags(f, sb.flags);
    if (!ts_file_is_new(&f->commits.stored) && sb.version >= 3 && sb.flags != f->commits.stored.flags) {
        if (ts_file_put_superblock(f, &sb) < 0)
            return -1;
        f->commits.stored = sb;
    }
    f->commits.marked = true;
    return 0;
}

int ts_file_mark(struct ts_file *f)
{
    if (f->commits.marked)
        return 0;
    ts_mutex_lock(&f->commits.mark_lock);
    int status = mark(f);
    ts_mutex_unlock(&f->commits.mark_lock);
    return status;
}
