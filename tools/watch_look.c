#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

/* A frame of more elements is shown by its first values: all of them would be read. */
#define MOST_ELEMENTS ((hsize_t)1 << 25)

double watch_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int say_what_to_do(void)
{
    fputs("A dataset is followed while its writer has the file open in SWMR mode: the writer comes first, and calls\n"
          "H5Fstart_swmr_write, or opens the file with H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE (h5py: file.swmr_mode = "
          "True).\n",
          stderr);
    return 1;
}

/* What plain readers may open nobody writes, and a reader that stayed would keep writers out. */
static int open_followed(struct watch *w)
{
    hid_t plain = H5Fopen(w->name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (plain >= 0) {
        H5Fclose(plain);
        fprintf(stderr, "tessera: %s: no SWMR writer has it open\n", w->name);
        return say_what_to_do();
    }
    w->file = H5Fopen(w->name, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    if (w->file < 0) {
        tool_cannot_open(w->name, "follow");
        return H5Fis_accessible(w->name, H5P_DEFAULT) == 0 ? 1 : say_what_to_do();
    }
    w->fd = open(w->name, O_RDONLY | O_CLOEXEC);
    if (w->fd < 0) {
        fprintf(stderr, "tessera: %s: %s\n", w->name, strerror(errno));
        return 1;
    }
    return 0;
}

static int learn(struct watch *w)
{
    hsize_t chunk[H5S_MAX_RANK];
    unsigned flags = 0;
    hid_t space = H5Dget_space(w->dset), type = H5Dget_type(w->dset), dcpl = H5Dget_create_plist(w->dset);
    w->rank = H5Sget_simple_extent_dims(space, w->dims, NULL);
    w->type = printable_type(type);
    H5T_class_t cls = H5Tget_class(w->type);
    w->numbers = cls == H5T_INTEGER || cls == H5T_FLOAT;
    w->structured = H5Pget_layout(dcpl) == H5D_STRUCT_CHUNK;
    if (w->structured && H5Pget_struct_chunk(dcpl, H5S_MAX_RANK, chunk, &flags) >= 0)
        w->sparse = flags & H5D_SPARSE_CHUNK;
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    if (w->rank < 0 || w->type < 0)
        return tool_error("%s cannot be read", w->path);
    return w->rank > 0 ? 0 : tool_error("%s has no dimension along which it could grow", w->path);
}

static void add_place(unsigned long long *places, haddr_t address, hsize_t size)
{
    *places = (*places ^ address) * 0x100000001b3ull;
    *places = (*places ^ size) * 0x100000001b3ull;
}

static int add_dense(const H5D_chunk_info_t *info, void *places)
{
    add_place(places, info->addr, info->size);
    return H5_ITER_CONT;
}

static int add_structured(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *address, hsize_t *size,
                          void *places)
{
    (void)offset;
    (void)info;
    add_place(places, *address, *size);
    return H5_ITER_CONT;
}

/* New values in old rows are noticed by this: chunks that are coded, or sparse, get a new place with them. */
static unsigned long long all_places(const struct watch *w)
{
    unsigned long long places = 0;
    herr_t status = w->structured
                        ? H5Dstruct_chunk_iter(w->dset, H5P_DEFAULT, add_structured, &places)
                        : H5Dchunk_iterate(w->dset, H5S_ALL, H5_CHUNK_ITER_ORDER_COORD, NULL, add_dense, &places);
    if (status < 0)
        H5Eclear2(H5E_DEFAULT); /* not chunked */
    return places;
}

int watch_open(struct watch *w, const char *argument)
{
    *w = (struct watch){.fd = -1, .file = -1, .dset = -1, .type = -1};
    w->name = tool_split(argument, &w->path);
    if (!w->name || open_followed(w) != 0)
        return 1;
    w->dset = H5Oopen(w->file, w->path, H5P_DEFAULT);
    if (w->dset < 0)
        return tool_no_object(argument, w->file, w->path);
    if (H5Iget_type(w->dset) != H5I_DATASET) {
        fprintf(stderr, "tessera: %s is no dataset: FILE/DATASET\n", argument);
        return 1;
    }
    int status = learn(w);
    w->places = status == 0 ? all_places(w) : 0;
    return status;
}

void watch_close(struct watch *w)
{
    if (w->type >= 0)
        H5Tclose(w->type);
    if (w->dset >= 0)
        H5Oclose(w->dset);
    if (w->file >= 0)
        H5Fclose(w->file);
    if (w->fd >= 0)
        close(w->fd);
    free(w->name);
}

/* The part [from, to) along the dimension, whole in the others. */
static hid_t select_part(const struct watch *w, int dimension, hsize_t from, hsize_t to)
{
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    memcpy(count, w->dims, sizeof count);
    start[dimension] = from;
    count[dimension] = to - from;
    hid_t space = H5Dget_space(w->dset);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    return space;
}

static int count_defined(const struct watch *w, struct change *change)
{
    hid_t part = change->grown ? select_part(w, change->dimension, change->from, w->dims[change->dimension]) : H5S_ALL;
    hid_t defined = H5Dget_defined(w->dset, part, H5P_DEFAULT);
    if (part != H5S_ALL)
        H5Sclose(part);
    if (defined < 0)
        return tool_error("%s: cannot tell which elements are defined", w->path);
    change->counted = true;
    change->defined = (hsize_t)H5Sget_select_npoints(defined);
    H5Sclose(defined);
    return 0;
}

static double age_of(const struct watch *w)
{
    struct stat st;
    if (fstat(w->fd, &st) < 0)
        return 0;
    return watch_time() - ((double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec);
}

static void compare_extents(struct watch *w, const hsize_t *dims, struct change *out)
{
    for (int d = w->rank - 1; d >= 0; d--)
        if (dims[d] != w->dims[d]) {
            out->some = true;
            out->dimension = d;
            out->from = w->dims[d];
            out->grown = dims[d] > w->dims[d];
        }
    memcpy(w->dims, dims, (size_t)w->rank * sizeof *dims);
}

int watch_look(struct watch *w, double recent, struct change *out)
{
    hsize_t dims[H5S_MAX_RANK];
    *out = (struct change){.age = age_of(w)};
    if (H5Drefresh(w->dset) < 0)
        return tool_error("%s: cannot refresh", w->path);
    hid_t space = H5Dget_space(w->dset);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    if (rank != w->rank)
        return tool_error("%s: cannot tell its extent", w->path);
    compare_extents(w, dims, out);
    if (out->some || out->age < recent) {
        unsigned long long places = all_places(w);
        out->some |= places != w->places;
        w->places = places;
    }
    return out->some && w->sparse ? count_defined(w, out) : 0;
}

static int select_row(const struct watch *w, int dimension, struct row *row, hid_t *out)
{
    hid_t space = select_part(w, dimension, row->index, row->index + 1);
    *out = space;
    if (w->sparse) {
        *out = H5Dget_defined(w->dset, space, H5P_DEFAULT);
        H5Sclose(space);
        if (*out < 0)
            return tool_error("%s: cannot tell which elements are defined", w->path);
        row->defined = (hsize_t)H5Sget_select_npoints(*out);
    }
    hsize_t n = (hsize_t)H5Sget_select_npoints(*out);
    row->statistics = w->numbers && w->rank > 2 && n > 0 && n <= MOST_ELEMENTS;
    row->n = (size_t)n;
    if (w->sparse || row->statistics)
        return 0;
    /* Of a dense one only what is shown. */
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    for (int d = 0; d < w->rank; d++)
        count[d] = n > 0;
    start[dimension] = row->index;
    int last = w->rank - 1;
    if (n > 0 && dimension != last)
        count[last] = w->dims[last] < FIRST_VALUES ? w->dims[last] : FIRST_VALUES;
    H5Sselect_hyperslab(*out, H5S_SELECT_SET, start, NULL, count, NULL);
    row->n = (size_t)H5Sget_select_npoints(*out);
    return 0;
}

/* What is no number is left out. */
static void sum_up(struct row *row)
{
    const double *values = row->values;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        if (isnan(values[i]))
            continue;
        row->min = n == 0 || values[i] < row->min ? values[i] : row->min;
        row->max = n == 0 || values[i] > row->max ? values[i] : row->max;
        sum += values[i];
        n++;
    }
    row->mean = n ? sum / (double)n : NAN;
    if (n == 0)
        row->min = row->max = NAN;
}

static int read_row(const struct watch *w, struct row *row, hid_t space)
{
    hsize_t n = row->n;
    if (n == 0 || n > MOST_ELEMENTS) {
        row->n = 0;
        return 0;
    }
    hid_t type = row->statistics ? H5T_NATIVE_DOUBLE : w->type;
    row->values = calloc(row->n, H5Tget_size(type));
    if (!row->values)
        return tool_error("no memory for %zu elements", row->n);
    row->space = H5Screate_simple(1, &n, NULL);
    if (H5Dread(w->dset, type, row->space, space, H5P_DEFAULT, row->values) < 0)
        return tool_error("%s: cannot read row %llu", w->path, (unsigned long long)row->index);
    if (row->statistics)
        sum_up(row);
    return 0;
}

int watch_row(const struct watch *w, int dimension, hsize_t index, struct row *out)
{
    hid_t space = -1;
    *out = (struct row){.index = index, .space = -1};
    int status = select_row(w, dimension, out, &space);
    if (status == 0)
        status = read_row(w, out, space);
    if (space >= 0)
        H5Sclose(space);
    return status;
}

void watch_row_free(const struct watch *w, struct row *row)
{
    if (row->values && !row->statistics)
        H5Dvlen_reclaim(w->type, row->space, H5P_DEFAULT, row->values);
    if (row->space >= 0)
        H5Sclose(row->space);
    free(row->values);
}
