/* The table "Which call puts which filter where" of docs/structured-chunk-format.md, call by call: the filters are in the
 * sections that it names, they really run there, and the values come back. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

#define FILE_NAME "dataset_section_filters.h5"
#define DOCUMENT "docs/structured-chunk-format.md"
#define HEADING "## Which call puts which filter where"

enum { SIDE = 64, ELEMENTS = SIDE * SIDE, MOST = 3 };
enum { KEY_FILTER = 300, LOSSY_FILTER = 301, FLOAT_FILTER = 302, PICKY_FILTER = 303, LZF = 32000 };

/* The application's filters */

static unsigned runs;

static size_t add_key(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    uint8_t *bytes = *buf;
    (void)n_values, (void)values, (void)capacity;
    runs++;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(flags & H5Z_FLAG_REVERSE ? bytes[i] - 7 : bytes[i] + 7);
    return n;
}

/* Good enough for measurements, not for positions. */
static size_t round_down(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    uint8_t *bytes = *buf;
    (void)n_values, (void)values, (void)capacity;
    for (size_t i = 0; !(flags & H5Z_FLAG_REVERSE) && i < n; i++)
        bytes[i] &= 0xfe;
    return n;
}

static htri_t only_four_bytes(hid_t dcpl, hid_t type, hid_t space)
{
    hsize_t dims[2], chunk[2];
    bool sound = H5Pget_chunk(dcpl, 2, chunk) == 2 && H5Sget_simple_extent_dims(space, dims, NULL) == 2 && dims[1] == chunk[1];
    return sound ? H5Tget_size(type) == 4 : -1;
}

static herr_t set_four_bytes(hid_t dcpl, hid_t type, hid_t space)
{
    unsigned size = (unsigned)H5Tget_size(type), flags;
    (void)space;
    if (size != 4 || H5Pget_filter_by_id2(dcpl, PICKY_FILTER, &flags, NULL, NULL, 0, NULL, NULL) < 0)
        return -1;
    return H5Pmodify_filter(dcpl, PICKY_FILTER, flags, 1, &size);
}

static int register_filters(void **state)
{
    const H5Z_class2_t classes[] = {
        {H5Z_CLASS_T_VERS, KEY_FILTER, 1, 1, "key", NULL, NULL, add_key},
        {H5Z_CLASS_T_VERS, LOSSY_FILTER, 1, 1, "lossy", NULL, NULL, round_down},
        {H5Z_CLASS_T_VERS, FLOAT_FILTER, 1, 1, "four bytes", only_four_bytes, NULL, add_key},
        {H5Z_CLASS_T_VERS, PICKY_FILTER, 1, 1, "picky", NULL, set_four_bytes, add_key}};
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        assert_int_equal(H5Zregister(&classes[i]), 0);
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Datasets of the three types */

enum kind { SPARSE, SPARSE_VL, DENSE_VL, KINDS };

static hid_t element_type(enum kind kind)
{
    hid_t number = H5Tcopy(H5T_STD_I32LE);
    if (kind == SPARSE) {
        H5Tset_precision(number, 12);
        return number;
    }
    hid_t t = H5Tvlen_create(number);
    H5Tclose(number);
    return t;
}

static hid_t chunks_of(enum kind kind)
{
    const hsize_t side[2] = {SIDE, SIDE};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(H5Pset_struct_chunk(dcpl, 2, side, kind == DENSE_VL ? H5D_VL_CHUNK : H5D_SPARSE_CHUNK), 0);
    return dcpl;
}

static hid_t create(hid_t file, enum kind kind, hid_t dcpl)
{
    const hsize_t dims[2] = {SIDE, SIDE};
    hid_t space = H5Screate_simple(2, dims, NULL), type = element_type(kind);
    hid_t dset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Tclose(type);
    H5Sclose(space);
    return dset;
}

/* A third of the elements in no pattern, so that the selection is a list of points; all of dense data. */
static hsize_t choose(enum kind kind, hsize_t (*points)[2])
{
    hsize_t n = 0;
    unsigned random = 1;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        random = random * 1664525u + 1013904223u;
        if (kind == DENSE_VL || random >> 24 < 85) {
            points[n][0] = i / SIDE;
            points[n++][1] = i % SIDE;
        }
    }
    return n;
}

static int value_of(hsize_t i)
{
    return (int)(i % 5) * 16 + 2;
}

static hsize_t points[ELEMENTS][2];
static int numbers[ELEMENTS];
static hvl_t lists[ELEMENTS];

static void transfer(hid_t dset, enum kind kind, bool write)
{
    hsize_t n = choose(kind, points);
    hid_t mem = H5Screate_simple(1, &n, NULL), file = H5Dget_space(dset);
    hid_t type = kind == SPARSE ? H5Tcopy(H5T_NATIVE_INT) : H5Tvlen_create(H5T_NATIVE_INT);
    void *buf = kind == SPARSE ? (void *)numbers : (void *)lists;
    for (hsize_t i = 0; i < n; i++) {
        numbers[i] = write ? value_of(i) : -1;
        lists[i] = (hvl_t){write, write ? &numbers[i] : NULL};
    }
    assert_int_equal(H5Sselect_elements(file, H5S_SELECT_SET, (size_t)n, points[0]), 0);
    assert_int_equal(write ? H5Dwrite(dset, type, mem, file, H5P_DEFAULT, buf) : H5Dread(dset, type, mem, file, H5P_DEFAULT, buf),
                     0);
    for (hsize_t i = 0; !write && i < n; i++) {
        assert_int_equal(kind == SPARSE ? 1 : lists[i].len, 1);
        assert_int_equal(kind == SPARSE ? numbers[i] : *(int *)lists[i].p, value_of(i));
    }
    if (!write && kind != SPARSE)
        H5Dvlen_reclaim(type, mem, H5P_DEFAULT, lists);
    H5Tclose(type);
    H5Sclose(mem);
    H5Sclose(file);
}

/* The calls */

enum flags { MANDATORY, OPTIONAL };

struct call {
    const char *name; /* in the table */
    H5Z_filter_t filter;
    enum flags flags;
    int section;
    herr_t (*make)(hid_t dcpl, const struct call *c);
};

static const unsigned level[1] = {6}, scale[2] = {H5Z_SO_INT, 0};

static herr_t predefined(hid_t dcpl, const struct call *c)
{
    switch (c->filter) {
    case H5Z_FILTER_DEFLATE:
        return H5Pset_deflate(dcpl, level[0]);
    case H5Z_FILTER_SHUFFLE:
        return H5Pset_shuffle(dcpl);
    case H5Z_FILTER_SZIP:
        return H5Pset_szip(dcpl, H5_SZIP_NN_OPTION_MASK, 8);
    case H5Z_FILTER_NBIT:
        return H5Pset_nbit(dcpl);
    case H5Z_FILTER_SCALEOFFSET:
        return H5Pset_scaleoffset(dcpl, H5Z_SO_INT, (int)scale[1]);
    case H5Z_FILTER_FLETCHER32:
        return H5Pset_fletcher32(dcpl);
    default:
        return H5Pset_selection_packing(dcpl);
    }
}

static herr_t general(hid_t dcpl, const struct call *c)
{
    return H5Pset_filter(dcpl, c->filter, (unsigned)c->flags, c->filter == H5Z_FILTER_DEFLATE, level);
}

static herr_t by_number(hid_t dcpl, const struct call *c)
{
    bool deflate = c->filter == H5Z_FILTER_DEFLATE;
    return H5Pset_filter2(dcpl, (uint64_t)c->section, c->filter, c->flags, deflate ? sizeof level : 0, level);
}

static herr_t by_kind(hid_t dcpl, const struct call *c)
{
    bool deflate = c->filter == H5Z_FILTER_DEFLATE;
    return H5Pset_section_filter(dcpl, (H5_section_type_t)c->section, c->filter, (unsigned)c->flags, deflate, level);
}

static const struct call calls[] = {
    {"`H5Pset_deflate`", H5Z_FILTER_DEFLATE, OPTIONAL, 0, predefined},
    {"`H5Pset_shuffle`", H5Z_FILTER_SHUFFLE, OPTIONAL, 0, predefined},
    {"`H5Pset_szip`", H5Z_FILTER_SZIP, OPTIONAL, 0, predefined},
    {"`H5Pset_nbit`", H5Z_FILTER_NBIT, OPTIONAL, 0, predefined},
    {"`H5Pset_scaleoffset`", H5Z_FILTER_SCALEOFFSET, OPTIONAL, 0, predefined},
    {"`H5Pset_fletcher32`", H5Z_FILTER_FLETCHER32, MANDATORY, 0, predefined},
    {"`H5Pset_selection_packing`", H5Z_FILTER_SELECTION_PACKING, OPTIONAL, 0, predefined},
    {"`H5Pset_filter` with a compressor", LZF, OPTIONAL, 0, general},
    {"`H5Pset_filter` with a compressor", H5Z_FILTER_DEFLATE, MANDATORY, 0, general},
    {"`H5Pset_filter` with a filter of the application", KEY_FILTER, OPTIONAL, 0, general},
    {"`H5Pset_filter` with a filter of the application", KEY_FILTER, MANDATORY, 0, general},
    {"`H5Pset_filter2`, section 0", H5Z_FILTER_DEFLATE, MANDATORY, 0, by_number},
    {"`H5Pset_filter2`, section 1", H5Z_FILTER_DEFLATE, MANDATORY, 1, by_number},
    {"`H5Pset_filter2`, section 1", KEY_FILTER, MANDATORY, 1, by_number},
    {"`H5Pset_filter2`, section 2", H5Z_FILTER_DEFLATE, MANDATORY, 2, by_number},
    {"`H5Pset_section_filter`, `H5_SECTION_SELECTION`", H5Z_FILTER_DEFLATE, MANDATORY, H5_SECTION_SELECTION, by_kind},
    {"`H5Pset_section_filter`, `H5_SECTION_FIXED`", H5Z_FILTER_SHUFFLE, MANDATORY, H5_SECTION_FIXED, by_kind},
    {"`H5Pset_section_filter`, `H5_SECTION_FIXED`", KEY_FILTER, MANDATORY, H5_SECTION_FIXED, by_kind},
    {"`H5Pset_section_filter`, `H5_SECTION_VL`", H5Z_FILTER_DEFLATE, MANDATORY, H5_SECTION_VL, by_kind},
};

/* The table: cells are the names of sections with commas between them, "none", or "refused". */

static FILE *open_document(void)
{
    char path[1024] = __FILE__;
    char *here = strstr(path, "tests/unit/dataset/");
    assert_non_null(here);
    strcpy(here, DOCUMENT);
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s does not open", path);
    return in;
}

/* The cell of a row in one of the columns, 0 being the call; NULL when the table has no such row. */
static const char *find_cell(const char *row, int column)
{
    static char line[512];
    FILE *in = open_document();
    bool inside = false;
    char *cell = NULL;
    while (!cell && fgets(line, sizeof line, in)) {
        if (strncmp(line, "## ", 3) == 0)
            inside = strncmp(line, HEADING, strlen(HEADING)) == 0;
        size_t n = strlen(row);
        if (!inside || strncmp(line, "| ", 2) != 0 || strncmp(line + 2, row, n) != 0 || strncmp(line + 2 + n, " |", 2) != 0)
            continue;
        cell = line + 2;
        for (int i = 0; i < column; i++)
            cell = strstr(cell, " | ") + 3;
        *strstr(cell, " |") = 0;
    }
    fclose(in);
    return cell;
}

static const char *const section_names[H5_SECTION_NUM] = {"selection", "fixed", "heap"};

static bool names_section(const char *cell, H5_section_type_t kind)
{
    return strstr(cell, section_names[kind]) != NULL;
}

/* What shuffle is told: coordinates of a point, an element, a reference, an element of a sequence. */
static unsigned shuffled_size(enum kind kind, H5_section_type_t section)
{
    return section == H5_SECTION_FIXED && kind != SPARSE ? 16 : 4;
}

static void check_parameters(hid_t dcpl, enum kind kind, H5_section_type_t section)
{
    unsigned value = 0;
    size_t n = 1;
    assert_int_equal(H5Pget_section_filter_by_id(dcpl, section, H5Z_FILTER_SHUFFLE, NULL, &n, &value, 0, NULL, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(value, shuffled_size(kind, section));
}

static void check_sections(hid_t dset, const struct call *c, enum kind kind, const char *cell)
{
    H5_section_type_t kinds[H5_SECTION_NUM];
    uint16_t mask[MOST];
    size_t stored[MOST], plain[MOST];
    unsigned n;
    const hsize_t origin[2] = {0, 0};
    H5D_struct_chunk_info_t info = {
        .num_sections = MOST, .filter_mask = mask, .section_size = stored, .section_orig_size = plain};
    hid_t dcpl = H5Dget_create_plist(dset);
    assert_int_equal(H5Pget_struct_sections_info(dset, &n, kinds), 0);
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, origin, &info, NULL, NULL), 0);
    assert_int_equal(info.num_sections, n);
    for (unsigned i = 0; i < n; i++) {
        bool there = names_section(cell, kinds[i]);
        int count;
        assert_int_equal(H5Pget_nfilters2(dcpl, i, &count), 0);
        assert_int_equal(H5Pget_n_section_filters(dcpl, kinds[i]), count);
        if (count != there)
            fail_msg("%s: %d filters in section %u (%s), the table says %s", c->name, count, i, section_names[kinds[i]], cell);
        if (!there)
            continue;
        assert_int_equal(H5Pget_filter3(dcpl, i, 0, NULL, NULL, NULL, 0, NULL, NULL), c->filter);
        assert_int_equal(H5Pget_section_filter(dcpl, kinds[i], 0, NULL, NULL, NULL, 0, NULL, NULL), c->filter);
        if (mask[i] != 0)
            fail_msg("%s: filter %d was skipped in section %u (%s)", c->name, (int)c->filter, i, section_names[kinds[i]]);
        bool compresses = c->filter == H5Z_FILTER_DEFLATE || c->filter == LZF || c->filter == H5Z_FILTER_SZIP;
        assert_true(compresses ? stored[i] < plain[i] : stored[i] > 0);
        if (c->filter == H5Z_FILTER_SHUFFLE)
            check_parameters(dcpl, kind, kinds[i]);
    }
    H5Pclose(dcpl);
}

static void check_call(const struct call *c, enum kind kind)
{
    const char *cell = find_cell(c->name, (int)kind + 1);
    hid_t dcpl = chunks_of(kind);
    if (!cell)
        fail_msg("%s is not in the table of %s", c->name, DOCUMENT);
    if (strcmp(cell, "refused") == 0) {
        assert_true(c->make(dcpl, c) < 0);
        H5Pclose(dcpl);
        return;
    }
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(c->make(dcpl, c), 0);
    hid_t dset = create(file, kind, dcpl);
    assert_true(dset > 0);
    runs = 0;
    transfer(dset, kind, true);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    check_sections(dset, c, kind, cell);
    if (c->filter == KEY_FILTER)
        assert_true(runs > 0);
    assert_int_equal(H5Dclose(dset), 0);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    check_sections(dset, c, kind, cell);
    transfer(dset, kind, false);
    H5Dclose(dset);
    H5Fclose(file);
    H5Pclose(dcpl);
}

static void every_call_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (enum kind kind = 0; kind < KINDS; kind++)
            check_call(&calls[i], kind);
}

static void the_table_has_no_other_calls(void **state)
{
    (void)state;
    char line[512];
    unsigned rows = 0, known = 0;
    bool inside = false;
    FILE *in = open_document();
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, "## ", 3) == 0)
            inside = strncmp(line, HEADING, strlen(HEADING)) == 0;
        rows += inside && strncmp(line, "| `H5P", 6) == 0;
    }
    fclose(in);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        known += i == 0 || strcmp(calls[i].name, calls[i - 1].name) != 0;
    assert_int_equal(rows, known);
}

/* Filters that are not for every section */

static unsigned mask_of(hid_t dset, unsigned section)
{
    uint16_t mask[MOST] = {0};
    const hsize_t origin[2] = {0, 0};
    H5D_struct_chunk_info_t info = {.num_sections = MOST, .filter_mask = mask};
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, origin, &info, NULL, NULL), 0);
    return mask[section];
}

/* Set for all sections it is skipped where a lost bit would lose the dataset; asked for just there it fails. */
static void filters_that_lose_bits(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = chunks_of(SPARSE);
    assert_int_equal(H5Pset_filter(dcpl, LOSSY_FILTER, H5Z_FLAG_OPTIONAL, 0, NULL), 0);
    hid_t dset = create(file, SPARSE, dcpl);
    transfer(dset, SPARSE, true);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    assert_int_equal(mask_of(dset, 0), 1);
    assert_int_equal(mask_of(dset, 1), 0);
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    transfer(dset, SPARSE, false); /* the values are even */
    H5Dclose(dset);
    H5Fclose(file);
    H5Pclose(dcpl);

    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    dcpl = chunks_of(SPARSE);
    assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_SELECTION, LOSSY_FILTER, 0, 0, NULL), 0);
    dset = create(file, SPARSE, dcpl);
    transfer(dset, SPARSE, true);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) < 0);
    assert_int_equal(H5Derase(dset, H5S_ALL, H5P_DEFAULT), 0);
    H5Dclose(dset);
    H5Fclose(file);
    H5Pclose(dcpl);
}

/* Such a filter serves the values and stays out of the rest, mandatory or not. */
static void filters_that_refuse_bytes(void **state)
{
    (void)state;
    static const H5Z_filter_t ids[] = {FLOAT_FILTER, PICKY_FILTER};
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (unsigned i = 0; i < 4; i++) {
        H5Z_filter_t id = ids[i / 2];
        hid_t dcpl = chunks_of(SPARSE);
        assert_int_equal(H5Pset_filter(dcpl, id, i % 2, 0, NULL), 0);
        hid_t dset = create(file, SPARSE, dcpl), got = H5Dget_create_plist(dset);
        assert_int_equal(H5Pget_n_section_filters(got, H5_SECTION_SELECTION), 0);
        assert_int_equal(H5Pget_n_section_filters(got, H5_SECTION_FIXED), 1);
        unsigned value = 0;
        size_t n = 1;
        assert_int_equal(H5Pget_section_filter(got, H5_SECTION_FIXED, 0, NULL, &n, &value, 0, NULL, NULL), id);
        assert_int_equal(value, id == PICKY_FILTER ? 4 : 0);
        transfer(dset, SPARSE, true);
        transfer(dset, SPARSE, false);
        H5Pclose(got);
        H5Dclose(dset);
        H5Ldelete(file, "d", H5P_DEFAULT);
        /* What was wanted just there cannot be. */
        assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_SELECTION, id, 0, 0, NULL), 0);
        assert_true(create(file, SPARSE, dcpl) < 0);
        H5Pclose(dcpl);
    }
    H5Fclose(file);
}

/* Two built-in filters would spoil what they do not understand. */
static void filters_of_numbers(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (unsigned flags = 0; flags < 2; flags++) {
        hid_t dcpl = chunks_of(SPARSE);
        assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_SCALEOFFSET, flags, 2, scale), 0);
        assert_true(create(file, SPARSE, dcpl) < 0);
        H5Pclose(dcpl);
        dcpl = chunks_of(SPARSE_VL);
        assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, H5Z_FILTER_NBIT, flags, 0, NULL), 0);
        assert_true(create(file, SPARSE_VL, dcpl) < 0);
        H5Pclose(dcpl);
    }
    H5Fclose(file);
}

enum { EDGE_CHUNK = 1000, EDGE_SIZE = 2500 };

static bool is_filtered(hid_t dset, hsize_t at)
{
    size_t stored[2], plain[2];
    H5D_struct_chunk_info_t info = {.num_sections = 2, .section_size = stored, .section_orig_size = plain};
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, &at, &info, NULL, NULL), 0);
    assert_int_equal(stored[1] < plain[1], stored[0] < plain[0]);
    return stored[1] < plain[1];
}

/* Every other element. */
static void edge_values(hid_t dset, bool write)
{
    static int data[EDGE_SIZE / 2];
    const hsize_t start = 0, stride = 2, count = EDGE_SIZE / 2;
    hid_t file = H5Dget_space(dset), mem = H5Screate_simple(1, &count, NULL);
    for (int i = 0; i < EDGE_SIZE / 2; i++)
        data[i] = write ? i / 100 : -1;
    H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, &stride, &count, NULL);
    herr_t status = write ? H5Dwrite(dset, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, data)
                          : H5Dread(dset, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, data);
    assert_int_equal(status, 0);
    for (int i = 0; i < EDGE_SIZE / 2; i++)
        assert_int_equal(data[i], i / 100);
    H5Sclose(file);
    H5Sclose(mem);
}

static void chunks_at_the_edge(void **state)
{
    (void)state;
    const hsize_t n = EDGE_SIZE, max = H5S_UNLIMITED, chunk = EDGE_CHUNK, grown = 3 * EDGE_CHUNK;
    for (unsigned opts = 0; opts < 4; opts += 2) {
        bool whole_only = opts == H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
        unsigned got = 99;
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
        hid_t space = H5Screate_simple(1, &n, &max);
        H5Pset_chunk(dcpl, 1, &chunk);
        H5Pset_chunk_opts(dcpl, opts);
        H5Pset_density(dcpl, H5D_DENSITY_SPARSE);
        H5Pset_deflate(dcpl, 6);
        hid_t dset = H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        edge_values(dset, true);
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        H5Pclose(dcpl);
        dcpl = H5Dget_create_plist(dset);
        assert_int_equal(H5Pget_chunk_opts(dcpl, &got), 0);
        assert_int_equal(got, opts);
        edge_values(dset, false);
        assert_true(is_filtered(dset, 0));
        assert_int_equal(is_filtered(dset, 2 * EDGE_CHUNK), !whole_only);
        assert_int_equal(H5Dset_extent(dset, &grown), 0);
        assert_int_equal(H5Dflush(dset), 0);
        assert_true(is_filtered(dset, 2 * EDGE_CHUNK));
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        edge_values(dset, false);
        H5Dclose(dset);
        H5Fclose(file);
        H5Sclose(space);
        H5Pclose(dcpl);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_the_table),   cmocka_unit_test(the_table_has_no_other_calls),
        cmocka_unit_test(filters_that_lose_bits),    cmocka_unit_test(filters_that_refuse_bytes),
        cmocka_unit_test(filters_of_numbers),        cmocka_unit_test(chunks_at_the_edge),
    };
    return cmocka_run_group_tests(tests, register_filters, NULL);
}
