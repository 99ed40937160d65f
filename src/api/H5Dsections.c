/* H5D: sections of structured chunks from and to plain lists. They need neither a file nor a dataspace. */
#include <string.h>

#include "H5Dpublic.h"

#include "api/api.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/run_set_direct.h"
#include "space/section_lists.h"

static int check_chunk(int rank, const hsize_t *dims)
{
    if (rank < 1 || rank > H5S_MAX_RANK || !dims)
        return TS_ERR(ARGS, BADVALUE, "a chunk of rank %d%s", rank, dims ? "" : " without dimensions");
    for (int d = 0; d < rank; d++)
        if (dims[d] == 0)
            return TS_ERR(ARGS, BADVALUE, "dimension %d of the chunk is 0", d);
    return 0;
}

static int check_list(int rank, const hsize_t *dims, size_t num, const void *list, const size_t *size)
{
    if (check_chunk(rank, dims) < 0)
        return -1;
    if (num > 0 && !list)
        return TS_ERR(ARGS, BADVALUE, "a list of %zu entries that is nowhere", num);
    return size ? 0 : TS_ERR(ARGS, BADVALUE, "size cannot be NULL");
}

/* Takes what was written, and frees it. */
static int give_section(int status, struct ts_wr *w, void *buf, size_t *size)
{
    if (status == 0 && buf && *size < w->size)
        status = TS_ERR(ARGS, BADSIZE, "a selection section of %zu bytes in a buffer of %zu", w->size, *size);
    if (status == 0 && buf && w->size > 0)
        memcpy(buf, w->data, w->size);
    if (status == 0)
        *size = w->size;
    ts_wr_free(w);
    return status;
}

herr_t H5Dstruct_chunk_encode_points(int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *coords, void *buf,
                                     size_t *size)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_wr w = {0};
    if (check_list(rank, chunk_dims, num, coords, size) < 0)
        return TS_API_FAIL(-1);
    struct ts_section_points points = {.rank = (unsigned)rank, .dims = chunk_dims, .n = num, .coords = coords};
    return TS_API_RET(give_section(num > 0 ? ts_section_encode_points(&points, &w) : 0, &w, buf, size));
}

herr_t H5Dstruct_chunk_encode_runs(int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *runs, void *buf,
                                   size_t *size)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_wr w = {0};
    struct ts_run *list = NULL;
    size_t capacity = 0;
    if (check_list(rank, chunk_dims, num, runs, size) < 0 || TS_GROW(list, capacity, num) < 0)
        return TS_API_FAIL(-1);
    for (size_t i = 0; i < num; i++)
        list[i] = (struct ts_run){runs[2 * i], runs[2 * i + 1]};
    int status = ts_section_encode_runs((unsigned)rank, chunk_dims, num, list, &w);
    ts_free(list);
    return TS_API_RET(give_section(status, &w, buf, size));
}

herr_t H5Dstruct_chunk_encode_boxes(int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *corners, void *buf,
                                    size_t *size)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_wr w = {0};
    if (check_list(rank, chunk_dims, num, corners, size) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(
        give_section(ts_section_encode_boxes((unsigned)rank, chunk_dims, num, corners, &w), &w, buf, size));
}

static int check_section(int rank, const hsize_t *dims, const void *buf, size_t size, const size_t *num)
{
    if (check_chunk(rank, dims) < 0)
        return -1;
    if (size > 0 && !buf)
        return TS_ERR(ARGS, BADVALUE, "a selection section of %zu bytes that is nowhere", size);
    return num ? 0 : TS_ERR(ARGS, BADVALUE, "num cannot be NULL");
}

herr_t H5Dstruct_chunk_decode_points(int rank, const hsize_t *chunk_dims, const void *buf, size_t size, size_t *num,
                                     hsize_t *coords)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    if (check_section(rank, chunk_dims, buf, size, num) < 0)
        return TS_API_FAIL(-1);
    struct ts_selection_section section = {.bytes = buf, .size = size, .rank = (unsigned)rank, .dims = chunk_dims};
    return TS_API_RET(ts_section_to_points(&section, num, coords));
}

herr_t H5Dstruct_chunk_decode_runs(int rank, const hsize_t *chunk_dims, const void *buf, size_t size, size_t *num,
                                   hsize_t *runs)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    if (check_section(rank, chunk_dims, buf, size, num) < 0)
        return TS_API_FAIL(-1);
    struct ts_selection_section section = {.bytes = buf, .size = size, .rank = (unsigned)rank, .dims = chunk_dims};
    return TS_API_RET(ts_section_to_runs(&section, num, runs));
}
