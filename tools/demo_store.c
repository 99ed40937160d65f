/* The same run stored three ways, all with shuffle and deflate: sparse; dense, with 0 where nothing is kept; and as
 * lists of coordinates and values. */
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define LEVEL 1
#define LIST_CHUNK 65536
#define PIECE ((hsize_t)1 << 20) /* of lists, that is read at once */

static const char *const columns[] = {"/detector/frame", "/detector/row", "/detector/column", "/detector/value"};
enum { COLUMNS = 4 };

static hid_t column_type(unsigned c)
{
    return c == 0 ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT16;
}

hid_t select_box(hid_t dset, const struct box *box)
{
    hid_t space = H5Dget_space(dset);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, box->start, NULL, box->count, NULL);
    return space;
}

static hid_t creation_list(enum way way, const struct run *run)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[3] = {BATCH, (run->height + TILES - 1) / TILES, (run->width + TILES - 1) / TILES};
    hsize_t list_chunk = LIST_CHUNK;
    if (way == SPARSE) {
        H5Pset_sparse_chunk(dcpl, 3, chunk);
        H5Pset_selection_packing(dcpl);
    } else {
        H5Pset_chunk(dcpl, way == DENSE ? 3 : 1, way == DENSE ? chunk : &list_chunk);
    }
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, LEVEL);
    return dcpl;
}

/* What readers need to check the file, and where an erased box is told later. */
static bool describe_run(hid_t dset, const struct run *run)
{
    const uint64_t seed = run->seed, erased[6] = {0};
    hsize_t six = 6;
    hid_t one = H5Screate(H5S_SCALAR), list = H5Screate_simple(1, &six, NULL);
    hid_t a = H5Acreate2(dset, "seed", H5T_STD_U64LE, one, H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Acreate2(dset, "erased", H5T_STD_U64LE, list, H5P_DEFAULT, H5P_DEFAULT);
    bool good = H5Awrite(a, H5T_NATIVE_UINT64, &seed) >= 0 && H5Awrite(b, H5T_NATIVE_UINT64, erased) >= 0;
    H5Aclose(a);
    H5Aclose(b);
    H5Sclose(one);
    H5Sclose(list);
    return good;
}

static unsigned datasets_of(enum way way)
{
    return way == LISTS ? COLUMNS : way == SPARSE ? 2 : 1;
}

static bool create_datasets(struct store *s)
{
    const struct run *run = &s->run;
    hsize_t dims[3] = {0, run->height, run->width}, most[3] = {H5S_UNLIMITED, run->height, run->width};
    hid_t dcpl = creation_list(s->way, run), lcpl = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = H5Screate_simple(s->way == LISTS ? 1 : 3, dims, most);
    H5Pset_create_intermediate_group(lcpl, 1);
    bool good = true;
    if (s->way == LISTS) {
        for (unsigned c = 0; c < COLUMNS; c++)
            s->dsets[c] = H5Dcreate2(s->file, columns[c], column_type(c), space, lcpl, dcpl, H5P_DEFAULT);
    } else {
        s->dsets[0] = H5Dcreate2(s->file, DATASET, H5T_STD_U16LE, space, lcpl, dcpl, H5P_DEFAULT);
        good = describe_run(s->dsets[0], run);
        if (s->way == SPARSE)
            s->dsets[1] = H5Dcreate2(s->file, REGIONS, H5T_STD_U8LE, space, lcpl, dcpl, H5P_DEFAULT);
    }
    for (unsigned c = 0; c < datasets_of(s->way); c++)
        good = good && s->dsets[c] >= 0;
    H5Sclose(space);
    H5Pclose(lcpl);
    H5Pclose(dcpl);
    return good;
}

int store_create(struct store *s, enum way way, const char *path, const struct run *run)
{
    *s = (struct store){.way = way, .path = path, .run = *run, .file = -1, .dsets = {-1, -1, -1, -1}};
    if (way == DENSE) {
        s->whole = calloc(run->height * run->width, sizeof *s->whole);
        if (!s->whole)
            return tool_error("no memory for a frame");
    }
    double from = seconds_now();
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    s->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    if (s->file < 0 || !create_datasets(s) || (way == SPARSE && H5Fstart_swmr_write(s->file) < 0))
        return tool_error("cannot create %s", path);
    s->seconds += seconds_now() - from;
    return 0;
}

static bool put_sparse(struct store *s, const struct frame *frame)
{
    hsize_t n = frame->n, *points = NULL;
    hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(s->dsets[0]);
    if (frame->kept != KEPT_PEAKS) {
        H5Sselect_hyperslab(file, H5S_SELECT_SET, frame->box.start, NULL, frame->box.count, NULL);
    } else if ((points = malloc(3 * n * sizeof *points))) {
        for (size_t i = 0; i < n; i++) {
            points[3 * i] = frame->index;
            points[3 * i + 1] = frame->at[i] / s->run.width;
            points[3 * i + 2] = frame->at[i] % s->run.width;
        }
        H5Sselect_elements(file, H5S_SELECT_SET, n, points);
    }
    bool good = H5Dwrite(s->dsets[0], H5T_NATIVE_UINT16, memory, file, H5P_DEFAULT, frame->values) >= 0;
    free(points);
    H5Sclose(memory);
    H5Sclose(file);
    return good;
}

/* The frame is whole: what of it is of interest is said beside it. The values are there, so a 1 will do. */
static bool put_region(struct store *s, const struct frame *frame)
{
    const struct box *box = &frame->region;
    size_t n = box->count[1] * box->count[2];
    uint8_t *ones = malloc(n);
    if (!ones)
        return false;
    memset(ones, 1, n);
    hid_t memory = H5Screate_simple(3, box->count, NULL), file = select_box(s->dsets[1], box);
    bool good = H5Dwrite(s->dsets[1], H5T_NATIVE_UINT8, memory, file, H5P_DEFAULT, ones) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    free(ones);
    return good;
}

static bool put_dense(struct store *s, const struct frame *frame)
{
    const struct box box = {{frame->index, 0, 0}, {1, s->run.height, s->run.width}};
    for (size_t i = 0; i < frame->n; i++)
        s->whole[frame->at[i]] = frame->values[i];
    hid_t memory = H5Screate_simple(3, box.count, NULL), file = select_box(s->dsets[0], &box);
    bool good = H5Dwrite(s->dsets[0], H5T_NATIVE_UINT16, memory, file, H5P_DEFAULT, s->whole) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    for (size_t i = 0; i < frame->n; i++)
        s->whole[frame->at[i]] = 0;
    return good;
}

static bool append(hid_t dset, hid_t type, hsize_t at, hsize_t n, const void *values)
{
    hsize_t end = at + n;
    if (H5Dset_extent(dset, &end) < 0)
        return false;
    hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(dset);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, NULL, &n, NULL);
    bool good = H5Dwrite(dset, type, memory, file, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return good;
}

static bool put_lists(struct store *s, const struct frame *frame)
{
    size_t n = frame->n;
    uint32_t *index = malloc(n * sizeof *index);
    uint16_t *row = malloc(n * sizeof *row), *column = malloc(n * sizeof *column);
    const void *values[COLUMNS] = {index, row, column, frame->values};
    bool good = index && row && column;
    for (size_t i = 0; good && i < n; i++) {
        index[i] = (uint32_t)frame->index;
        row[i] = (uint16_t)(frame->at[i] / s->run.width);
        column[i] = (uint16_t)(frame->at[i] % s->run.width);
    }
    for (unsigned c = 0; good && c < COLUMNS; c++)
        good = append(s->dsets[c], column_type(c), s->listed, n, values[c]);
    s->listed += n;
    free(index);
    free(row);
    free(column);
    return good;
}

int store_put(struct store *s, const struct frame *frame)
{
    double from = seconds_now();
    hsize_t dims[3] = {frame->index + 1, s->run.height, s->run.width};
    bool good = s->way == LISTS || H5Dset_extent(s->dsets[0], dims) >= 0;
    if (s->way == SPARSE)
        good = good && H5Dset_extent(s->dsets[1], dims) >= 0 && (frame->kept != KEPT_ALL || put_region(s, frame));
    good = good && (s->way == SPARSE ? put_sparse : s->way == DENSE ? put_dense : put_lists)(s, frame);
    s->seconds += seconds_now() - from;
    s->pixels += frame->n;
    return good ? 0 : tool_error("cannot write frame %llu to %s", (unsigned long long)frame->index, s->path);
}

int store_flush(struct store *s)
{
    double from = seconds_now();
    bool good = true;
    for (unsigned c = datasets_of(s->way); c-- > 0;)
        good = good && H5Dflush(s->dsets[c]) >= 0;
    s->seconds += seconds_now() - from;
    return good ? 0 : tool_error("cannot write to %s", s->path);
}

int store_close(struct store *s)
{
    double from = seconds_now();
    bool good = true;
    for (unsigned c = 0; c < COLUMNS; c++)
        if (s->dsets[c] >= 0)
            good = H5Dclose(s->dsets[c]) >= 0 && good;
    if (s->file >= 0)
        good = H5Fclose(s->file) >= 0 && good;
    s->seconds += seconds_now() - from;
    free(s->whole);
    s->whole = NULL;
    s->file = -1;
    return good ? 0 : tool_error("cannot close %s", s->path);
}

/* Four lists side by side, a piece at a time. */
struct lists {
    hid_t dsets[COLUMNS];
    hsize_t n;
    void *piece[COLUMNS];
};

static bool lists_open(struct lists *l, hid_t file)
{
    bool good = true;
    for (unsigned c = 0; c < COLUMNS; c++) {
        l->dsets[c] = H5Dopen2(file, columns[c], H5P_DEFAULT);
        l->piece[c] = malloc(PIECE * H5Tget_size(column_type(c)));
        hid_t space = H5Dget_space(l->dsets[c]);
        good = good && l->piece[c] && H5Sget_simple_extent_dims(space, &l->n, NULL) == 1;
        H5Sclose(space);
    }
    return good;
}

static void lists_close(struct lists *l)
{
    for (unsigned c = 0; c < COLUMNS; c++) {
        H5Dclose(l->dsets[c]);
        free(l->piece[c]);
    }
}

static bool lists_read(struct lists *l, hsize_t at, hsize_t n)
{
    hid_t memory = H5Screate_simple(1, &n, NULL);
    bool good = true;
    for (unsigned c = 0; good && c < COLUMNS; c++) {
        hid_t space = H5Dget_space(l->dsets[c]);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &n, NULL);
        good = H5Dread(l->dsets[c], column_type(c), memory, space, H5P_DEFAULT, l->piece[c]) >= 0;
        H5Sclose(space);
    }
    H5Sclose(memory);
    return good;
}

/* All lists are read and looked through: nothing in the file says where a box is. */
static bool box_from_lists(hid_t file, const struct box *box, uint16_t *out)
{
    struct lists l = {.n = 0};
    bool good = lists_open(&l, file);
    const uint32_t *frame = l.piece[0];
    const uint16_t *row = l.piece[1], *column = l.piece[2], *value = l.piece[3];
    memset(out, 0, box->count[0] * box->count[1] * box->count[2] * sizeof *out);
    for (hsize_t at = 0; good && at < l.n; at += PIECE) {
        hsize_t n = l.n - at < PIECE ? l.n - at : PIECE;
        good = lists_read(&l, at, n);
        for (hsize_t i = 0; good && i < n; i++)
            if (in_box(box, frame[i], row[i], column[i]))
                out[((frame[i] - box->start[0]) * box->count[1] + (row[i] - box->start[1])) * box->count[2] +
                    (column[i] - box->start[2])] = value[i];
    }
    lists_close(&l);
    return good;
}

static bool box_from_dataset(hid_t file, const struct box *box, uint16_t *out)
{
    hid_t dset = H5Dopen2(file, DATASET, H5P_DEFAULT);
    hid_t memory = H5Screate_simple(3, box->count, NULL), space = select_box(dset, box);
    bool good = H5Dread(dset, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    H5Dclose(dset);
    return good;
}

int store_read_box(enum way way, const char *path, const struct box *box, uint16_t *out)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool good = file >= 0 && (way == LISTS ? box_from_lists : box_from_dataset)(file, box, out);
    int status = good ? 0 : tool_error("cannot read from %s", path);
    H5Fclose(file);
    return status;
}
