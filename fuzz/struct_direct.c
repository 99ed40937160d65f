/* Structured chunks that the application encoded, on any bytes. What is accepted can be read, in several ways that
 * agree, and changed; what is refused has left no trace.
 *
 * Input: dataset 1 | how 1 | size of section 0, 1, 2, 2 each | sections. How: bit 0, the second chunk, most of which
 * lies outside of the extent; bit 1, sections get their checksums and go through the filters; bit 2, the sizes before
 * filters are told; bits 4 and 5, the filter mask. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "dataset/dataset.h"
#include "filter/filter.h"
#include "hdf5.h"
#include "id/id.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum kind { INT, TEXT, NESTED, RECORD };
enum { ELEMENTS = 30, CHUNK = 20, HEAD = 8 };

static const struct shape {
    enum kind kind;
    unsigned flags;
    bool filters;
} shapes[] = {
    {INT, H5D_SPARSE_CHUNK, false}, {INT, H5D_SPARSE_CHUNK, true},     {TEXT, H5D_SPARSE_CHUNK, false},
    {TEXT, H5D_SPARSE_CHUNK, true}, {NESTED, H5D_SPARSE_CHUNK, false}, {TEXT, H5D_VL_CHUNK, false},
    {NESTED, H5D_VL_CHUNK, true},   {RECORD, H5D_SPARSE_CHUNK, false}, {RECORD, H5D_VL_CHUNK, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct record {
    int number;
    char *text;
    H5R_ref_t reference;
};

/* Of each shape a file in memory. */
static struct image {
    void *bytes;
    size_t size;
} images[SHAPES];

static void check(bool good)
{
    if (!good)
        abort();
}

static hid_t good(hid_t id)
{
    check(id >= 0);
    return id;
}

static hid_t text_type(void)
{
    hid_t t = good(H5Tcopy(H5T_C_S1));
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static hid_t type_of(enum kind kind)
{
    hid_t t, part;
    if (kind == INT)
        return good(H5Tcopy(H5T_NATIVE_INT));
    if (kind == TEXT)
        return text_type();
    if (kind == NESTED) {
        part = good(H5Tvlen_create(H5T_NATIVE_SHORT));
        t = good(H5Tvlen_create(part));
    } else {
        part = text_type();
        t = good(H5Tcreate(H5T_COMPOUND, sizeof(struct record)));
        H5Tinsert(t, "number", HOFFSET(struct record, number), H5T_NATIVE_INT);
        H5Tinsert(t, "text", HOFFSET(struct record, text), part);
        H5Tinsert(t, "reference", HOFFSET(struct record, reference), H5T_STD_REF);
    }
    H5Tclose(part);
    return t;
}

static size_t size_of(enum kind kind)
{
    static const size_t sizes[] = {sizeof(int), sizeof(char *), sizeof(hvl_t), sizeof(struct record)};
    return sizes[kind];
}

/* Text of value k; the caller gives its own memory to the library for the call only. */
static void put_value(hid_t file, enum kind kind, int k, void *out)
{
    static short numbers[] = {1, 2, 3, 4};
    static hvl_t inner[3];
    static char texts[][8] = {"", "one", "another"};
    struct record *r = out;
    for (size_t i = 0; i < 3; i++)
        inner[i] = (hvl_t){.len = i + 1, .p = numbers};
    if (kind == INT)
        *(int *)out = k * 1000 + 1;
    else if (kind == TEXT)
        *(char **)out = k % 4 == 3 ? NULL : texts[k % 4];
    else if (kind == NESTED)
        *(hvl_t *)out = (hvl_t){.len = (size_t)k % 4, .p = inner};
    else {
        *r = (struct record){.number = k, .text = texts[k % 3]};
        if (k % 2)
            check(H5Rcreate_object(file, "/", H5P_DEFAULT, &r->reference) >= 0);
    }
}

/* Every third element, or the one at `only`. */
static void write_values(hid_t file, hid_t dset, enum kind kind, hsize_t only)
{
    hsize_t at[ELEMENTS], n = 0;
    uint8_t values[ELEMENTS * sizeof(struct record)] = {0};
    for (hsize_t i = only < ELEMENTS ? only : 0; i < ELEMENTS && (n == 0 || only >= ELEMENTS); i += 3) {
        put_value(file, kind, (int)i, values + n * size_of(kind));
        at[n++] = i;
    }
    hid_t type = type_of(kind), space = good(H5Dget_space(dset)), mem = good(H5Screate_simple(1, &n, NULL));
    check(H5Sselect_elements(space, H5S_SELECT_SET, n, at) >= 0);
    check(H5Dwrite(dset, type, mem, space, H5P_DEFAULT, values) >= 0);
    for (hsize_t i = 0; kind == RECORD && i < n; i++)
        H5Rdestroy(&((struct record *)values)[i].reference);
    H5Sclose(space);
    H5Sclose(mem);
    H5Tclose(type);
}

static hid_t in_memory(void)
{
    hid_t fapl = good(H5Pcreate(H5P_FILE_ACCESS));
    check(H5Pset_fapl_core(fapl, 4096, 0) >= 0);
    return fapl;
}

static void make_image(const struct shape *s, struct image *out)
{
    hsize_t n = ELEMENTS, chunk = CHUNK;
    hid_t fapl = in_memory(), dcpl = good(H5Pcreate(H5P_DATASET_CREATE)), space = good(H5Screate_simple(1, &n, NULL));
    hid_t file = good(H5Fcreate("direct", H5F_ACC_TRUNC, H5P_DEFAULT, fapl)), type = type_of(s->kind);
    H5Pset_struct_chunk(dcpl, 1, &chunk, s->flags);
    if (s->filters) {
        if (s->flags & H5D_SPARSE_CHUNK)
            H5Pset_selection_packing(dcpl);
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 1);
    }
    hid_t dset = good(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    write_values(file, dset, s->kind, ELEMENTS);
    H5Dclose(dset);
    check(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    out->size = (size_t)H5Fget_file_image(file, NULL, 0);
    out->bytes = malloc(out->size);
    check(H5Fget_file_image(file, out->bytes, out->size) == (ssize_t)out->size);
    H5Fclose(file);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
    H5Pclose(fapl);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < SHAPES; i++)
        make_image(&shapes[i], &images[i]);
    return 0;
}

struct input {
    const struct shape *shape;
    const struct ts_dataset_core *core;
    bool contents, told;
    unsigned n;
    H5D_struct_chunk_info_t info;
    uint16_t masks[TS_SECTIONS_MAX];
    size_t sizes[TS_SECTIONS_MAX], before[TS_SECTIONS_MAX];
    void *bytes[TS_SECTIONS_MAX];
};

/* A section as it would be stored. */
static void encode_section(struct input *in, unsigned i)
{
    const struct ts_pipeline *p = &in->core->sections.section[i];
    uint32_t mask = 0;
    if (in->sizes[i] == 0)
        return;
    if (ts_struct_is_metadata(in->core->layout.chunk.struct_type, i)) {
        uint32_t sum = ts_checksum(in->bytes[i], in->sizes[i]);
        in->bytes[i] = ts_realloc(in->bytes[i], in->sizes[i] + 4);
        for (size_t k = 0; k < 4; k++)
            ((uint8_t *)in->bytes[i])[in->sizes[i] + k] = (uint8_t)(sum >> 8 * k);
        in->sizes[i] += 4;
    }
    in->before[i] = in->sizes[i];
    if (p->n > 0)
        check(ts_pipeline_encode(p, &in->bytes[i], &in->sizes[i], &mask, NULL) == 0);
    in->masks[i] = (uint16_t)mask;
    ts_err_clear();
}

static void take_sections(struct input *in, const uint8_t *data, size_t size)
{
    const uint8_t *from = data + HEAD, *end = data + size;
    for (unsigned i = 0; i < in->n; i++) {
        size_t n = data[2 + 2 * i] | (size_t)data[3 + 2 * i] << 8;
        n = n < (size_t)(end - from) ? n : (size_t)(end - from);
        in->bytes[i] = ts_memdup(from, n);
        in->sizes[i] = in->before[i] = n;
        in->masks[i] = n ? data[1] >> 4 & 3 : 0;
        from += n;
        if (in->contents)
            encode_section(in, i);
    }
    in->info = (H5D_struct_chunk_info_t){.type = H5D_STRUCT_CHUNK,
                                         .num_sections = (uint8_t)in->n,
                                         .filter_mask = in->masks,
                                         .section_size = in->sizes,
                                         .section_orig_size = in->told ? in->before : NULL};
}

/* What elements hold, as a number. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    return sum;
}

static uint64_t sum_of(enum kind kind, void *value)
{
    uint64_t sum = 7;
    struct record *r = value;
    const hvl_t *v = value;
    char name[64] = "";
    if (kind == INT)
        return mix(sum, value, sizeof(int));
    if (kind == TEXT)
        return *(char **)value ? mix(sum, *(char **)value, strlen(*(char **)value)) : 1;
    if (kind == NESTED) {
        for (size_t i = 0; i < v->len; i++) {
            const hvl_t *w = &((hvl_t *)v->p)[i];
            sum = mix(mix(sum, &w->len, sizeof w->len), w->p, w->len * sizeof(short));
        }
        return sum;
    }
    if (H5Rget_type(&r->reference) == H5R_OBJECT2)
        H5Rget_obj_name(&r->reference, H5P_DEFAULT, name, sizeof name);
    sum = mix(sum, &r->number, sizeof r->number);
    return mix(r->text ? mix(sum, r->text, strlen(r->text)) : sum, name, strlen(name));
}

/* Which elements are defined, and what all hold. */
struct content {
    bool defined[ELEMENTS];
    uint64_t sums[ELEMENTS];
};

static void read_some(hid_t dset, enum kind kind, hid_t space, hsize_t n, uint64_t *sums)
{
    uint8_t values[ELEMENTS * sizeof(struct record)] = {0};
    hid_t type = type_of(kind), mem = good(H5Screate_simple(1, &n, NULL));
    check(H5Dread(dset, type, mem, space, H5P_DEFAULT, values) >= 0);
    for (size_t i = 0; i < n; i++)
        sums[i] = sum_of(kind, values + i * size_of(kind));
    H5Treclaim(type, mem, H5P_DEFAULT, values);
    H5Tclose(type);
    H5Sclose(mem);
}

static void look(hid_t dset, enum kind kind, struct content *out)
{
    uint64_t sums[ELEMENTS];
    hid_t defined = good(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    hsize_t n = (hsize_t)H5Sget_select_npoints(defined), k = 0;
    check(n <= ELEMENTS);
    memset(out, 0, sizeof *out);
    read_some(dset, kind, H5S_ALL, ELEMENTS, out->sums);
    if (n > 0)
        read_some(dset, kind, defined, n, sums);
    for (hsize_t i = 0; i < ELEMENTS; i++) {
        out->defined[i] = n > 0 && H5Sselect_intersect_block(defined, &i, &i) > 0;
        check(!out->defined[i] || sums[k++] == out->sums[i]);
    }
    check(k == n);
    H5Sclose(defined);
}

/* A section that has been filtered may be filtered again, for its checksum. */
static bool may_differ(const struct input *in, unsigned i)
{
    size_t n = in->core->sections.section[i].n;
    return ts_struct_is_metadata(in->core->layout.chunk.struct_type, i) && n > 0 && in->masks[i] != (1u << n) - 1;
}

/* The chunk on file is what was written, byte for byte, but for checksums that the library does not show. */
static void check_stored(hid_t dset, hsize_t offset, const struct input *in)
{
    uint16_t masks[TS_SECTIONS_MAX];
    size_t sizes[TS_SECTIONS_MAX];
    void *bytes[TS_SECTIONS_MAX];
    H5D_struct_chunk_info_t info = {.num_sections = (uint8_t)in->n, .filter_mask = masks, .section_size = sizes};
    if (H5Dread_struct_chunk(dset, H5P_DEFAULT, &offset, &info, NULL) < 0)
        return;
    for (unsigned i = 0; i < in->n; i++) {
        check(may_differ(in, i) ||
              ((sizes[i] == in->sizes[i] || sizes[i] + 4 == in->sizes[i]) && masks[i] == in->masks[i]));
        bytes[i] = malloc(sizes[i] + 1);
    }
    check(H5Dread_struct_chunk(dset, H5P_DEFAULT, &offset, NULL, bytes) >= 0);
    for (unsigned i = 0; i < in->n; i++) {
        check(sizes[i] == 0 || may_differ(in, i) || memcmp(bytes[i], in->bytes[i], sizes[i]) == 0);
        free(bytes[i]);
    }
}

/* One element more, and the chunk is encoded by the library. */
static void change(hid_t file, hid_t dset, enum kind kind, hsize_t offset)
{
    struct content before, after;
    look(dset, kind, &before);
    write_values(file, dset, kind, offset + 3);
    check(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    look(dset, kind, &after);
    for (hsize_t i = 0; i < ELEMENTS; i++)
        if (i == offset + 3)
            check(after.defined[i]);
        else
            check(after.defined[i] == before.defined[i] && after.sums[i] == before.sums[i]);
}

static void check_image(hid_t file, const struct image *image)
{
    check(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    check(H5Fget_file_image(file, NULL, 0) == (ssize_t)image->size);
    void *now = malloc(image->size);
    check(H5Fget_file_image(file, now, image->size) == (ssize_t)image->size);
    check(memcmp(now, image->bytes, image->size) == 0);
    free(now);
}

static void run(hid_t file, hid_t dset, struct input *in, hsize_t offset)
{
    struct content before, after;
    look(dset, in->shape->kind, &before);
    herr_t status = H5Dwrite_struct_chunk(dset, H5P_DEFAULT, &offset, &in->info, in->bytes);
    look(dset, in->shape->kind, &after);
    if (status < 0) {
        check(memcmp(&before, &after, sizeof before) == 0);
        check_image(file, &images[in->shape - shapes]);
        return;
    }
    for (hsize_t i = 0; i < ELEMENTS; i++)
        if (i / CHUNK != offset / CHUNK)
            check(before.defined[i] == after.defined[i] && before.sums[i] == after.sums[i]);
    check_stored(dset, offset, in);
    change(file, dset, in->shape->kind, offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct input in = {.shape = &shapes[data[0] % SHAPES], .contents = data[1] & 2, .told = data[1] & 4};
    const struct image *image = &images[in.shape - shapes];
    hid_t fapl = in_memory();
    check(H5Pset_file_image(fapl, image->bytes, image->size) >= 0);
    hid_t file = good(H5Fopen("direct", H5F_ACC_RDWR, fapl)), dset = good(H5Dopen2(file, "d", H5P_DEFAULT));
    struct ts_dataset *d = ts_id_pin(dset, H5I_DATASET);
    in.core = d->core;
    in.n = ts_struct_sections(d->core->layout.chunk.struct_type);
    take_sections(&in, data, size);
    run(file, dset, &in, data[1] & 1 ? CHUNK : 0);
    for (unsigned i = 0; i < in.n; i++)
        ts_free(in.bytes[i]);
    ts_id_unpin(H5I_DATASET, d);
    H5Dclose(dset);
    H5Fclose(file);
    H5Pclose(fapl);
    return 0;
}
