/* Datasets with structured chunks of every kind, index and filter, and what is in them as text. */
#ifndef TESTS_UNIT_DATASET_DIRECT_SETS_H
#define TESTS_UNIT_DATASET_DIRECT_SETS_H

#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/checksum.h"
#include "hdf5.h"

enum kind { INT, TEXT, NESTED, RECORD, KINDS };
enum index { SINGLE, FIXED, EXTENSIBLE, BTREE, INDEXES };
enum filters { NONE, PACKED, SUMMED, COUNTING, FILTERS };

struct set {
    enum kind kind;
    bool dense;
    enum index index;
    enum filters filters;
};

enum { ROWS = 10, COLUMNS = 14, ELEMENTS = ROWS * COLUMNS, MOST_CHUNKS = 9 };
static const hsize_t set_dims[2] = {ROWS, COLUMNS}, set_chunk[2] = {4, 5};

struct record {
    int number;
    char *text;
    hvl_t shorts;
    H5R_ref_t reference;
};

static inline bool set_exists(const struct set *s)
{
    return !(s->dense && s->kind == INT) && !(s->filters == COUNTING && s->kind != INT);
}

static inline unsigned set_sections(const struct set *s)
{
    return s->kind != INT && !s->dense ? 3 : 2;
}

static inline hid_t text_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static inline hid_t record_type(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(struct record)), text = text_type(), shorts = H5Tvlen_create(H5T_NATIVE_SHORT);
    H5Tinsert(t, "number", HOFFSET(struct record, number), H5T_NATIVE_INT);
    H5Tinsert(t, "text", HOFFSET(struct record, text), text);
    H5Tinsert(t, "shorts", HOFFSET(struct record, shorts), shorts);
    H5Tinsert(t, "reference", HOFFSET(struct record, reference), H5T_STD_REF);
    H5Tclose(text);
    H5Tclose(shorts);
    return t;
}

static inline hid_t set_type(enum kind kind)
{
    if (kind == INT)
        return H5Tcopy(H5T_NATIVE_INT);
    if (kind == TEXT)
        return text_type();
    if (kind == RECORD)
        return record_type();
    hid_t inner = H5Tvlen_create(H5T_NATIVE_SHORT), t = H5Tvlen_create(inner);
    H5Tclose(inner);
    return t;
}

static inline hid_t set_dcpl(const struct set *s)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_struct_chunk(dcpl, 2, s->index == SINGLE ? set_dims : set_chunk, s->dense ? H5D_VL_CHUNK : H5D_SPARSE_CHUNK);
    if (s->filters == PACKED) {
        if (!s->dense)
            H5Pset_selection_packing(dcpl);
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 6);
    }
    if (s->filters == SUMMED)
        H5Pset_fletcher32(dcpl);
    if (s->filters == COUNTING)
        H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0);
    return dcpl;
}

static inline hid_t make_set(hid_t file, const char *name, const struct set *s)
{
    hsize_t max[2] = {s->index < EXTENSIBLE ? ROWS : H5S_UNLIMITED, s->index < BTREE ? COLUMNS : H5S_UNLIMITED};
    hid_t type = set_type(s->kind), space = H5Screate_simple(2, set_dims, max), dcpl = set_dcpl(s);
    hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset > 0);
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(dcpl);
    return dset;
}

static inline hid_t new_set_file(const char *name)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file > 0);
    hid_t group = H5Gcreate2(file, "there", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    return file;
}

static inline void make_shorts(hvl_t *v, size_t n, int from)
{
    short *p = malloc(n * sizeof *p + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (short)(from + (int)i);
    *v = (hvl_t){.len = n, .p = n ? p : NULL};
    if (n == 0)
        free(p);
}

static inline char *make_text(int value)
{
    char text[40];
    if (value % 7 == 0)
        return NULL;
    snprintf(text, sizeof text, "%.*s", value % 11, "value of it");
    return strdup(text);
}

/* The value of an element after `times` writes. */
static inline void make_value(hid_t dset, enum kind kind, int value, void *out)
{
    struct record *r = out;
    hvl_t *v = out;
    switch (kind) {
    case INT:
        *(int *)out = value;
        break;
    case TEXT:
        *(char **)out = make_text(value);
        break;
    case NESTED:
        *v = (hvl_t){.len = (size_t)(value % 4), .p = value % 4 ? calloc(4, sizeof(hvl_t)) : NULL};
        for (size_t i = 0; i < v->len; i++)
            make_shorts(&((hvl_t *)v->p)[i], (size_t)value / 3 % 5 + i, value);
        break;
    default:
        *r = (struct record){.number = value, .text = make_text(value)};
        make_shorts(&r->shorts, (size_t)value % 5, value);
        if (value % 3 != 0)
            assert_int_equal(H5Rcreate_object(dset, "/there", H5P_DEFAULT, &r->reference), 0);
    }
}

static inline size_t value_size(enum kind kind)
{
    static const size_t sizes[] = {sizeof(int), sizeof(char *), sizeof(hvl_t), sizeof(struct record)};
    return sizes[kind];
}

/* Writes the elements first, first + step, … */
static inline void write_set(hid_t dset, enum kind kind, size_t first, size_t step, int from)
{
    hsize_t at[2 * ELEMENTS], n = 0;
    size_t size = value_size(kind);
    uint8_t *values = calloc(ELEMENTS, size);
    for (size_t e = first; e < ELEMENTS; e += step, n++) {
        at[2 * n] = e / COLUMNS;
        at[2 * n + 1] = e % COLUMNS;
        make_value(dset, kind, from + (int)e, values + n * size);
    }
    hid_t type = set_type(kind), space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, n, at), 0);
    assert_int_equal(H5Dwrite(dset, type, mem, space, H5P_DEFAULT, values), 0);
    assert_int_equal(H5Dvlen_reclaim(type, mem, H5P_DEFAULT, values), 0);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(type);
    free(values);
}

/* A buffer of text that grows. */
struct text {
    char *s;
    size_t n;
};

static inline void put(struct text *t, const char *format, ...)
{
    va_list args;
    char line[200];
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    t->s = realloc(t->s, t->n + (size_t)n + 1);
    memcpy(t->s + t->n, line, (size_t)n + 1);
    t->n += (size_t)n;
}

static inline void put_shorts(struct text *t, const hvl_t *v)
{
    for (size_t i = 0; i < v->len; i++)
        put(t, " %d", ((short *)v->p)[i]);
    put(t, ";");
}

static inline void put_value(struct text *t, enum kind kind, void *value)
{
    struct record *r = value;
    const hvl_t *v = value;
    char name[20] = "-";
    if (kind == INT) {
        put(t, "%d", *(int *)value);
    } else if (kind == TEXT) {
        put(t, "%s", *(char **)value ? *(char **)value : "(null)");
    } else if (kind == NESTED) {
        for (size_t i = 0; i < v->len; i++)
            put_shorts(t, &((hvl_t *)v->p)[i]);
    } else {
        if (H5Rget_type(&r->reference) == H5R_OBJECT2)
            H5Rget_obj_name(&r->reference, H5P_DEFAULT, name, sizeof name);
        put(t, "%d %s %s", r->number, r->text ? r->text : "(null)", name);
        put_shorts(t, &r->shorts);
    }
    put(t, "\n");
}

/* Which elements are defined, and all values; freed by the caller. */
static inline char *dump_set(hid_t dset, enum kind kind)
{
    struct text t = {0};
    hsize_t dims[2];
    hid_t space = H5Dget_space(dset), defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT), type = set_type(kind);
    assert_true(defined > 0);
    H5Sget_simple_extent_dims(space, dims, NULL);
    size_t n = (size_t)(dims[0] * dims[1]), size = value_size(kind);
    uint8_t *values = calloc(n, size);
    assert_int_equal(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    for (size_t e = 0; e < n; e++) {
        hsize_t at[2] = {e / dims[1], e % dims[1]};
        put(&t, "%d ", H5Sselect_intersect_block(defined, at, at) > 0);
        H5E_BEGIN_TRY
        {
            put_value(&t, kind, values + e * size);
        }
        H5E_END_TRY
    }
    assert_int_equal(H5Dvlen_reclaim(type, space, H5P_DEFAULT, values), 0);
    H5Sclose(space);
    H5Sclose(defined);
    H5Tclose(type);
    free(values);
    return t.s;
}

static inline void assert_same_sets(hid_t a, hid_t b, enum kind kind)
{
    char *one = dump_set(a, kind), *other = dump_set(b, kind);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

/* A chunk outside of the library. */
struct direct {
    H5D_struct_chunk_info_t info;
    uint16_t masks[3];
    size_t sizes[3], before[3];
    void *bytes[3];
};

static inline void direct_init(struct direct *d)
{
    *d = (struct direct){.info = {.num_sections = 3}};
    d->info.filter_mask = d->masks;
    d->info.section_size = d->sizes;
    d->info.section_orig_size = d->before;
}

static inline void direct_read(hid_t dset, const hsize_t *offset, struct direct *d)
{
    direct_init(d);
    assert_int_equal(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &d->info, NULL), 0);
    assert_int_equal(d->info.type, H5D_STRUCT_CHUNK);
    for (unsigned i = 0; i < d->info.num_sections; i++)
        d->bytes[i] = d->sizes[i] ? malloc(d->sizes[i]) : NULL;
    assert_int_equal(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &d->info, d->bytes), 0);
}

static inline herr_t direct_write(hid_t dset, const hsize_t *offset, struct direct *d)
{
    herr_t status;
    H5E_BEGIN_TRY
    {
        status = H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d->info, d->bytes);
    }
    H5E_END_TRY
    return status;
}

static inline void direct_free(struct direct *d)
{
    for (unsigned i = 0; i < 3; i++)
        free(d->bytes[i]);
}

/* Bytes of the checksum that the library keeps to itself: no filter has changed the section. */
static inline size_t hidden_sum(hid_t dset, const struct set *s, unsigned section, unsigned mask, size_t size)
{
    int n;
    hid_t dcpl = H5Dget_create_plist(dset);
    assert_int_equal(H5Pget_nfilters2(dcpl, section, &n), 0);
    H5Pclose(dcpl);
    bool changed = n > 0 && mask != (1u << n) - 1, summed = s->kind != INT || section == 0;
    return summed && !changed && size > 0 ? 4 : 0;
}

static inline void put_sum(uint8_t *section, size_t size)
{
    uint32_t sum = ts_checksum(section, size - 4);
    for (int i = 0; i < 4; i++)
        section[size - 4 + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

#endif
