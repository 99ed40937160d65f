/* H5FD: requests for selections. Elements that are selected in a file's space, which begins at an address and has
 * elements of one size, go to or come from those that are selected in memory, each in its order. */
#include "H5FDpublic.h"
#include "api/drivers.h"
#include "space/byte_pieces.h"

/* An element size of 0 or a buffer NULL behind the first says: as before, from here on. */
struct request {
    H5FD_t *file;
    H5FD_mem_t type;
    hid_t dxpl;
    uint32_t count;
    hid_t *mem, *where;
    haddr_t *offsets;
    size_t *sizes;
    const void *const *bufs;
};

static int collect(struct ts_api_scope *scope, const struct request *r, struct ts_byte_pieces *p)
{
    struct ts_byte_pair pair = {0};
    bool same_size = false, same_buf = false;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct ts_space *mem = ts_api_pin_argument(scope, r->mem[i], H5I_DATASPACE);
        const struct ts_space *file = mem ? ts_api_pin_argument(scope, r->where[i], H5I_DATASPACE) : NULL;
        if (!file)
            return -1;
        same_size = same_size || r->sizes[i] == 0;
        same_buf = same_buf || !r->bufs[i];
        pair.offset = r->offsets[i];
        pair.size = same_size ? pair.size : r->sizes[i];
        pair.buf = same_buf ? pair.buf : r->bufs[i];
        if (ts_byte_pieces_add(p, &pair, file, mem) < 0)
            return -1;
    }
    return 0;
}

static int check_request(struct ts_api_scope *scope, const struct request *r)
{
    if (!r->file || !r->file->cls)
        return TS_ERR(ARGS, BADVALUE, "file pointer cannot be NULL");
    if (r->count > 0) {
        const char *absent = !r->mem       ? "memory spaces"
                             : !r->where   ? "file spaces"
                             : !r->offsets ? "offsets"
                             : !r->sizes   ? "element_sizes"
                             : !r->bufs    ? "bufs"
                                           : NULL;
        if (absent)
            return TS_ERR(ARGS, BADVALUE, "%s parameter can't be NULL if count is positive", absent);
        if (r->sizes[0] == 0)
            return TS_ERR(ARGS, BADVALUE, "element_sizes[0] can't be 0");
        if (!r->bufs[0])
            return TS_ERR(ARGS, BADVALUE, "bufs[0] can't be NULL");
    }
    if (!ts_api_plist(scope, r->dxpl, TS_PLIST_DATASET_XFER))
        return TS_ERR(ARGS, BADTYPE, "not a data transfer property list");
    return 0;
}

/* How the driver is asked. */
enum how { BY_SELECTION, BY_VECTOR, BY_PART };

/* Of the kinds, H5FD_MEM_NOLIST says that all that follow are the same. */
static int read_pieces(const struct request *r, const H5FD_class_t *calls, enum how how, const struct ts_byte_pieces *p)
{
    H5FD_mem_t types[2] = {r->type, H5FD_MEM_NOLIST};
    if (how != BY_PART && calls->read_vector && p->n > 0)
        return calls->read_vector(r->file, r->dxpl, (uint32_t)p->n, types, p->addrs, p->sizes, p->bufs);
    for (size_t i = 0; i < p->n; i++)
        if (calls->read(r->file, r->type, r->dxpl, p->addrs[i], p->sizes[i], p->bufs[i]) < 0)
            return TS_ERR(VFL, READERROR, "piece %zu of %zu cannot be read", i, p->n);
    return 0;
}

static int write_pieces(const struct request *r, const H5FD_class_t *calls, enum how how,
                        const struct ts_byte_pieces *p)
{
    H5FD_mem_t types[2] = {r->type, H5FD_MEM_NOLIST};
    if (how != BY_PART && calls->write_vector && p->n > 0)
        return calls->write_vector(r->file, r->dxpl, (uint32_t)p->n, types, p->addrs, p->sizes, (const void **)p->bufs);
    for (size_t i = 0; i < p->n; i++)
        if (calls->write(r->file, r->type, r->dxpl, p->addrs[i], p->sizes[i], p->bufs[i]) < 0)
            return TS_ERR(VFL, WRITEERROR, "piece %zu of %zu cannot be written", i, p->n);
    return 0;
}

static int read_selected(struct ts_api_scope *scope, const struct request *r, enum how how)
{
    const H5FD_class_t *calls = ts_driver_api_calls(r->file);
    struct ts_byte_pieces p = {0};
    if (how == BY_SELECTION && calls->read_selection && r->count > 0)
        return calls->read_selection(r->file, r->type, r->dxpl, r->count, r->mem, r->where, r->offsets, r->sizes,
                                     (void **)(uintptr_t)r->bufs);
    int status = collect(scope, r, &p);
    if (status == 0)
        status = read_pieces(r, calls, how, &p);
    ts_byte_pieces_deinit(&p);
    return status;
}

static int write_selected(struct ts_api_scope *scope, const struct request *r, enum how how)
{
    const H5FD_class_t *calls = ts_driver_api_calls(r->file);
    struct ts_byte_pieces p = {0};
    if (how == BY_SELECTION && calls->write_selection && r->count > 0)
        return calls->write_selection(r->file, r->type, r->dxpl, r->count, r->mem, r->where, r->offsets, r->sizes,
                                      (const void **)(uintptr_t)r->bufs);
    int status = collect(scope, r, &p);
    if (status == 0)
        status = write_pieces(r, calls, how, &p);
    ts_byte_pieces_deinit(&p);
    return status;
}

#define REQUEST(mem, where, bufs)                                                                                      \
    {                                                                                                                  \
        file, type, dxpl_id, count, mem, where, offsets, element_sizes, (const void *const *)(bufs)                    \
    }

/* The whole of each function. */
#define READ(how, mem, where)                                                                                          \
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");                                                      \
    const struct request r = REQUEST(mem, where, bufs);                                                                \
    if (check_request(&ts_scope_, &r) < 0)                                                                             \
        return TS_API_FAIL(-1);                                                                                        \
    if (read_selected(&ts_scope_, &r, how) < 0)                                                                        \
        return TS_API_ERR(-1, VFL, READERROR, "file selection read request failed");                                   \
    return 0

#define WRITE(how, mem, where)                                                                                         \
    TS_API_ENTER(VFL, CANTOPERATE, "file driver request failed");                                                      \
    const struct request r = REQUEST(mem, where, bufs);                                                                \
    if (check_request(&ts_scope_, &r) < 0)                                                                             \
        return TS_API_FAIL(-1);                                                                                        \
    if (write_selected(&ts_scope_, &r, how) < 0)                                                                       \
        return TS_API_ERR(-1, VFL, WRITEERROR, "file selection write request failed");                                 \
    return 0

herr_t H5FDread_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_spaces[],
                          hid_t file_spaces[], haddr_t offsets[], size_t element_sizes[], void *bufs[])
{
    READ(BY_SELECTION, mem_spaces, file_spaces);
}

herr_t H5FDwrite_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_spaces[],
                           hid_t file_spaces[], haddr_t offsets[], size_t element_sizes[], const void *bufs[])
{
    WRITE(BY_SELECTION, mem_spaces, file_spaces);
}

herr_t H5FDread_vector_from_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_spaces[],
                                      hid_t file_spaces[], haddr_t offsets[], size_t element_sizes[], void *bufs[])
{
    READ(BY_VECTOR, mem_spaces, file_spaces);
}

herr_t H5FDwrite_vector_from_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_spaces[],
                                       hid_t file_spaces[], haddr_t offsets[], size_t element_sizes[],
                                       const void *bufs[])
{
    WRITE(BY_VECTOR, mem_spaces, file_spaces);
}

herr_t H5FDread_from_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_space_ids[],
                               hid_t file_space_ids[], haddr_t offsets[], size_t element_sizes[], void *bufs[])
{
    READ(BY_PART, mem_space_ids, file_space_ids);
}

herr_t H5FDwrite_from_selection(H5FD_t *file, H5FD_mem_t type, hid_t dxpl_id, uint32_t count, hid_t mem_space_ids[],
                                hid_t file_space_ids[], haddr_t offsets[], size_t element_sizes[], const void *bufs[])
{
    WRITE(BY_PART, mem_space_ids, file_space_ids);
}
