/* Sparse matrices as sparse datasets of HDF5, and back. One header: copy it into your program and include it.
 *
 *     h5sparse_csr_t a = {.rows = 3, .cols = 4, .count = 5, .start = start, .col = col, .values = values};
 *     h5sparse_write_csr(file, "a", H5T_NATIVE_DOUBLE, H5P_DEFAULT, &a);
 *
 *     h5sparse_csc_t b;
 *     h5sparse_read_csc(file, "a", H5T_NATIVE_DOUBLE, &b);
 *     ...
 *     h5sparse_free_csc(&b);
 *
 * In the file there is no COO, CSR or CSC: the entries of the matrix are the defined elements of a dataset of rows x
 * columns. So what was written in one form is read in any other, or with H5Dget_defined and H5Dread, as a whole or by
 * boxes.
 *
 * - Entries may be written in any order. Of two for one element the later counts; they are not added up.
 * - An entry with the value 0 is an entry, and comes back.
 * - Entries are read row by row (COO, CSR) or column by column (CSC), ascending in each, without duplicates.
 * - Values are of the type mem_type, which must have a fixed size; so they are stored. Reading converts to another.
 * - Rows x columns x bytes of a value must be less than 2^63, whatever the number of entries.
 * - What a failed call pushed on the error stack is still there when it has returned -1. Then a failed write has made
 *   nothing, and a failed read has set the matrix to zeros. */
#ifndef H5SPARSE_CSR_H
#define H5SPARSE_CSR_H

#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Entry i is values[i] at (row[i], col[i]). */
typedef struct h5sparse_coo_t {
    hsize_t rows, cols;
    size_t count;
    hsize_t *row, *col;
    void *values;
} h5sparse_coo_t;

/* Row r has the entries start[r] to start[r + 1] - 1; entry i is values[i] in column col[i]. SciPy calls these arrays
 * indptr, indices and data. */
typedef struct h5sparse_csr_t {
    hsize_t rows, cols;
    size_t count;
    hsize_t *start, *col;
    void *values;
} h5sparse_csr_t;

/* Column c has the entries start[c] to start[c + 1] - 1; entry i is values[i] in row row[i]. */
typedef struct h5sparse_csc_t {
    hsize_t rows, cols;
    size_t count;
    hsize_t *start, *row;
    void *values;
} h5sparse_csc_t;

/* Makes the dataset `name`. dcpl: H5P_DEFAULT chooses chunks of some 16,000 entries, packs selections and compresses;
 * or a list of one's own, with H5Pset_sparse_chunk of two dimensions. Both dimensions of the dataset can grow. */
static inline herr_t h5sparse_write_coo(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_coo_t *m);
static inline herr_t h5sparse_write_csr(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_csr_t *m);
static inline herr_t h5sparse_write_csc(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_csc_t *m);

/* All that is defined in a dataset of two dimensions; of a dense one every element. *m is filled in, and then the
 * caller's: */
static inline herr_t h5sparse_read_coo(hid_t loc, const char *name, hid_t mem_type, h5sparse_coo_t *m);
static inline herr_t h5sparse_read_csr(hid_t loc, const char *name, hid_t mem_type, h5sparse_csr_t *m);
static inline herr_t h5sparse_read_csc(hid_t loc, const char *name, hid_t mem_type, h5sparse_csc_t *m);

static inline void h5sparse_free_coo(h5sparse_coo_t *m);
static inline void h5sparse_free_csr(h5sparse_csr_t *m);
static inline void h5sparse_free_csc(h5sparse_csc_t *m);

/* The rest is how it is done. */

#define H5SPARSE_ERROR(minor, ...)                                                                                     \
    (H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_DATASET, minor, __VA_ARGS__), -1)

static inline void *h5sparse_array_(hsize_t count, size_t size)
{
    void *array = count < SIZE_MAX / size ? malloc((size_t)(count ? count : 1) * size) : NULL;
    if (!array)
        (void)H5SPARSE_ERROR(H5E_NOSPACE, "no memory for %llu entries of %zu bytes", (unsigned long long)count, size);
    return array;
}

/* Closes ids that are not negative. Each call of the library empties the error stack, so this one puts it aside. */
static inline herr_t h5sparse_leave_(herr_t result, const hid_t *ids, int count)
{
    hid_t errors = result < 0 ? H5Eget_current_stack() : -1;
    for (int i = 0; i < count; i++)
        if (ids[i] >= 0 && H5Idec_ref(ids[i]) < 0 && result >= 0) {
            result = -1;
            errors = H5Eget_current_stack();
        }
    if (errors >= 0)
        H5Eset_current_stack(errors);
    return result;
}

/* Chunks as square as the matrix lets them be, of about 16,384 entries if these are spread evenly. */
static inline hid_t h5sparse_dcpl_(const hsize_t *dims, size_t count)
{
    double area = (double)dims[0] * (double)dims[1] / (count ? (double)count : 1.0) * 16384;
    hsize_t chunk[2] = {1, 1};
    for (int i = 0; chunk[0] * chunk[1] < 1 << 30 && (double)(chunk[0] * chunk[1]) < area; i = !i) {
        int longer = chunk[i] < dims[i] ? i : !i;
        if (chunk[longer] >= dims[longer])
            break;
        chunk[longer] *= 2;
    }
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (dcpl >= 0 && (H5Pset_sparse_chunk(dcpl, 2, chunk) < 0 || H5Pset_selection_packing(dcpl) < 0 ||
                      H5Pset_shuffle(dcpl) < 0 || H5Pset_deflate(dcpl, 1) < 0))
        return h5sparse_leave_(-1, &dcpl, 1);
    return dcpl;
}

static inline int h5sparse_is_sparse_(hid_t dset)
{
    unsigned sections = 0;
    H5_section_type_t types[H5_SECTION_NUM] = {H5_SECTION_UNKNOWN};
    if (H5Pget_struct_sections_info(dset, &sections, types) < 0)
        return -1;
    if (sections == 0 || types[0] != H5_SECTION_SELECTION)
        return H5SPARSE_ERROR(H5E_BADVALUE, "the creation list is for dense chunks: H5Pset_sparse_chunk");
    return 1;
}

/* What is the same in all forms. */
typedef struct h5sparse_job_ {
    hid_t loc, mem_type, dcpl;
    const char *name;
    hsize_t dims[2];
    size_t count;
    const void *values;
} h5sparse_job_;

/* points: row and column of each entry. The dataset gets its name when all is written. */
static inline herr_t h5sparse_put_(const h5sparse_job_ *job, const hsize_t *points)
{
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, room = job->count;
    enum { SPACE, MEM, DCPL, DSET, IDS };
    hid_t id[IDS] = {-1, -1, -1, -1}, dcpl = job->dcpl;
    int bad = (id[SPACE] = H5Screate_simple(2, job->dims, most)) < 0 ||
              (id[MEM] = H5Screate_simple(1, &room, NULL)) < 0 ||
              (dcpl == H5P_DEFAULT && (dcpl = id[DCPL] = h5sparse_dcpl_(job->dims, job->count)) < 0) ||
              (id[DSET] = H5Dcreate_anon(job->loc, job->mem_type, id[SPACE], dcpl, H5P_DEFAULT)) < 0 ||
              h5sparse_is_sparse_(id[DSET]) < 0 ||
              (job->count && (H5Sselect_elements(id[SPACE], H5S_SELECT_SET, job->count, points) < 0 ||
                              H5Dwrite(id[DSET], job->mem_type, id[MEM], id[SPACE], H5P_DEFAULT, job->values) < 0)) ||
              H5Olink(id[DSET], job->loc, job->name, H5P_DEFAULT, H5P_DEFAULT) < 0;
    return h5sparse_leave_(bad ? -1 : 0, id, IDS);
}

static inline herr_t h5sparse_write_coo(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_coo_t *m)
{
    h5sparse_job_ job = {loc, mem_type, dcpl, name, {m->rows, m->cols}, m->count, m->values};
    hsize_t *points = (hsize_t *)h5sparse_array_(m->count, 2 * sizeof *points);
    if (!points)
        return -1;
    for (size_t i = 0; i < m->count; i++) {
        points[2 * i] = m->row[i];
        points[2 * i + 1] = m->col[i];
    }
    herr_t result = h5sparse_put_(&job, points);
    free(points);
    return result;
}

/* Of CSR (along 0) and CSC (along 1): the lines that `start` makes are rows or columns, `across` is the other
 * coordinate. */
static inline herr_t h5sparse_put_lines_(const h5sparse_job_ *job, int along, const hsize_t *start,
                                         const hsize_t *across)
{
    hsize_t lines = job->dims[along];
    if (start[0] != 0 || start[lines] != job->count)
        return H5SPARSE_ERROR(H5E_BADRANGE, "start must go from 0 to %zu, not from %llu to %llu", job->count,
                              (unsigned long long)start[0], (unsigned long long)start[lines]);
    for (hsize_t line = 0; line < lines; line++)
        if (start[line + 1] < start[line])
            return H5SPARSE_ERROR(H5E_BADRANGE, "start[%llu] is less than the one before",
                                  (unsigned long long)line + 1);
    hsize_t *points = (hsize_t *)h5sparse_array_(job->count, 2 * sizeof *points);
    if (!points)
        return -1;
    for (hsize_t line = 0; line < lines; line++)
        for (hsize_t i = start[line]; i < start[line + 1]; i++) {
            points[2 * i + along] = line;
            points[2 * i + !along] = across[i];
        }
    herr_t result = h5sparse_put_(job, points);
    free(points);
    return result;
}

static inline herr_t h5sparse_write_csr(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_csr_t *m)
{
    h5sparse_job_ job = {loc, mem_type, dcpl, name, {m->rows, m->cols}, m->count, m->values};
    return h5sparse_put_lines_(&job, 0, m->start, m->col);
}

static inline herr_t h5sparse_write_csc(hid_t loc, const char *name, hid_t mem_type, hid_t dcpl,
                                        const h5sparse_csc_t *m)
{
    h5sparse_job_ job = {loc, mem_type, dcpl, name, {m->rows, m->cols}, m->count, m->values};
    return h5sparse_put_lines_(&job, 1, m->start, m->row);
}

/* Rows and columns of what is selected, row by row, from runs of elements. */
static inline herr_t h5sparse_positions_(hid_t space, h5sparse_coo_t *m)
{
    enum { RUNS = 1024 };
    hsize_t first[RUNS];
    size_t length[RUNS], have = 0, runs, elements;
    hid_t iter = H5Ssel_iter_create(space, 1, 0);
    herr_t result = iter < 0 ? -1 : 0;
    while (result == 0 && have < m->count) {
        result = H5Ssel_iter_get_seq_list(iter, RUNS, m->count - have, &runs, &elements, first, length);
        for (size_t r = 0; result == 0 && r < runs; r++)
            for (size_t i = 0; i < length[r]; i++, have++) {
                m->row[have] = (first[r] + i) / m->cols;
                m->col[have] = (first[r] + i) % m->cols;
            }
    }
    return h5sparse_leave_(result, &iter, 1);
}

static inline herr_t h5sparse_get_(hid_t dset, hid_t mem_type, h5sparse_coo_t *m, hid_t *space, hid_t *mem)
{
    hsize_t dims[2], room;
    hssize_t count;
    size_t size = H5Tget_size(mem_type);
    if (size == 0 || (*space = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT)) < 0)
        return -1;
    if (H5Sget_simple_extent_ndims(*space) != 2)
        return H5SPARSE_ERROR(H5E_BADVALUE, "not a dataset of two dimensions");
    if (H5Sget_simple_extent_dims(*space, dims, NULL) < 0 || (count = H5Sget_select_npoints(*space)) < 0)
        return -1;
    m->rows = dims[0];
    m->cols = dims[1];
    m->count = (size_t)count;
    room = m->count;
    if (!(m->row = (hsize_t *)h5sparse_array_(m->count, sizeof *m->row)) ||
        !(m->col = (hsize_t *)h5sparse_array_(m->count, sizeof *m->col)) ||
        !(m->values = h5sparse_array_(m->count, size)) || (*mem = H5Screate_simple(1, &room, NULL)) < 0)
        return -1;
    return m->count && (h5sparse_positions_(*space, m) < 0 ||
                        H5Dread(dset, mem_type, *mem, *space, H5P_DEFAULT, m->values) < 0)
               ? -1
               : 0;
}

static inline herr_t h5sparse_read_coo(hid_t loc, const char *name, hid_t mem_type, h5sparse_coo_t *m)
{
    hid_t ids[3] = {-1, -1, -1};
    memset(m, 0, sizeof *m);
    herr_t result = (ids[2] = H5Dopen2(loc, name, H5P_DEFAULT)) < 0 ? -1 : 0;
    if (result == 0)
        result = h5sparse_get_(ids[2], mem_type, m, &ids[0], &ids[1]);
    result = h5sparse_leave_(result, ids, 3);
    if (result < 0)
        h5sparse_free_coo(m);
    return result;
}

/* start[i]: how many of the entries are in lines before line i. */
static inline hsize_t *h5sparse_starts_(hsize_t lines, const hsize_t *line, size_t count)
{
    hsize_t *start = lines < SIZE_MAX ? (hsize_t *)h5sparse_array_(lines + 1, sizeof *start) : NULL;
    if (!start)
        return NULL;
    memset(start, 0, (size_t)(lines + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[line[i] + 1]++;
    for (hsize_t i = 0; i < lines; i++)
        start[i + 1] += start[i];
    return start;
}

static inline herr_t h5sparse_read_csr(hid_t loc, const char *name, hid_t mem_type, h5sparse_csr_t *m)
{
    h5sparse_coo_t coo;
    memset(m, 0, sizeof *m);
    if (h5sparse_read_coo(loc, name, mem_type, &coo) < 0)
        return -1;
    hsize_t *start = h5sparse_starts_(coo.rows, coo.row, coo.count);
    if (!start) {
        h5sparse_free_coo(&coo);
        return -1;
    }
    free(coo.row);
    m->rows = coo.rows;
    m->cols = coo.cols;
    m->count = coo.count;
    m->start = start;
    m->col = coo.col;
    m->values = coo.values;
    return 0;
}

static inline herr_t h5sparse_read_csc(hid_t loc, const char *name, hid_t mem_type, h5sparse_csc_t *m)
{
    h5sparse_coo_t coo;
    size_t size = H5Tget_size(mem_type);
    memset(m, 0, sizeof *m);
    if (size == 0 || h5sparse_read_coo(loc, name, mem_type, &coo) < 0)
        return -1;
    m->rows = coo.rows;
    m->cols = coo.cols;
    m->count = coo.count;
    if (!(m->start = h5sparse_starts_(coo.cols, coo.col, coo.count)) ||
        !(m->row = (hsize_t *)h5sparse_array_(coo.count, sizeof *m->row)) ||
        !(m->values = h5sparse_array_(coo.count, size))) {
        h5sparse_free_coo(&coo);
        h5sparse_free_csc(m);
        return -1;
    }
    for (size_t i = 0; i < coo.count; i++) {
        hsize_t to = m->start[coo.col[i]]++;
        m->row[to] = coo.row[i];
        memcpy((char *)m->values + to * size, (const char *)coo.values + i * size, size);
    }
    /* Each start has moved to its end, which is the start of the next. */
    memmove(m->start + 1, m->start, (size_t)coo.cols * sizeof *m->start);
    m->start[0] = 0;
    h5sparse_free_coo(&coo);
    return 0;
}

static inline void h5sparse_free_coo(h5sparse_coo_t *m)
{
    free(m->row);
    free(m->col);
    free(m->values);
    memset(m, 0, sizeof *m);
}

static inline void h5sparse_free_csr(h5sparse_csr_t *m)
{
    free(m->start);
    free(m->col);
    free(m->values);
    memset(m, 0, sizeof *m);
}

static inline void h5sparse_free_csc(h5sparse_csc_t *m)
{
    free(m->start);
    free(m->row);
    free(m->values);
    memset(m, 0, sizeof *m);
}

#undef H5SPARSE_ERROR
#endif
