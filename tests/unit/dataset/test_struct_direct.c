/* Structured chunks read and written as they are stored, and asked for: what goes in comes out, whatever the dataset. */
#include "unit/dataset/direct_sets.h"

#include <unistd.h>

#include "unit/said.h"

#define FILE_NAME "struct_direct.h5"
#define OTHER_NAME "struct_direct_other.h5"

/* Calls fn with every kind of dataset there is. */
static void each_set(void (*fn)(const struct set *s))
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int dense = 0; dense < 2; dense++)
            for (int index = 0; index < INDEXES; index++)
                for (int filters = 0; filters < FILTERS; filters++) {
                    struct set s = {(enum kind)kind, dense, (enum index)index, (enum filters)filters};
                    if (set_exists(&s))
                        fn(&s);
                }
}

struct copy {
    hid_t from, to;
    const struct set *s;
    unsigned sections, n;
    bool no_sizes;
};

static int copy_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *data)
{
    struct copy *c = data;
    struct direct d;
    haddr_t addr_again;
    hsize_t size_again, sum = 0;
    direct_read(c->from, offset, &d);
    assert_int_equal(info->type, H5D_STRUCT_CHUNK);
    assert_int_equal(info->num_sections, c->sections);
    assert_int_equal(d.info.num_sections, c->sections);
    for (unsigned i = 0; i < c->sections; i++) {
        assert_int_equal(info->filter_mask[i], d.masks[i]);
        assert_int_equal(info->section_size[i], d.sizes[i]);
        assert_int_equal(info->section_orig_size[i], d.before[i]);
        sum += d.sizes[i] + hidden_sum(c->from, c->s, i, d.masks[i], d.sizes[i]);
    }
    assert_int_equal(sum, *size);
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(c->from, offset, NULL, &addr_again, &size_again), 0);
    assert_true(addr_again == *addr && size_again == *size);
    if (c->no_sizes)
        d.info.section_orig_size = NULL;
    assert_int_equal(direct_write(c->to, offset, &d), 0);
    direct_free(&d);
    c->n++;
    return 0;
}

/* From one file to another, chunk by chunk; then the copy is changed as its original is. */
static void copy_set(const struct set *s)
{
    hid_t file = new_set_file(FILE_NAME), other = new_set_file(OTHER_NAME);
    hid_t from = make_set(file, "d", s), to = make_set(other, "d", s);
    struct copy c = {.from = from, .to = to, .s = s, .sections = set_sections(s), .no_sizes = s->index % 2 == 0};
    hsize_t n;
    write_set(from, s->kind, 0, 3, 100);
    assert_int_equal(H5Dstruct_chunk_iter(from, H5P_DEFAULT, copy_chunk, &c), 0);
    assert_int_equal(H5Dget_num_chunks(to, H5S_ALL, &n), 0);
    assert_int_equal(n, c.n);
    assert_int_equal(c.n, s->index == SINGLE ? 1 : MOST_CHUNKS);
    assert_int_equal(H5Dget_storage_size(from), H5Dget_storage_size(to));
    assert_same_sets(from, to, s->kind);
    H5Dclose(to);
    H5Fclose(other);
    other = H5Fopen(OTHER_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    to = H5Dopen2(other, "d", H5P_DEFAULT);
    assert_same_sets(from, to, s->kind);
    write_set(from, s->kind, 1, 2, 500);
    write_set(to, s->kind, 1, 2, 500);
    if (!s->dense) {
        hid_t space = H5Dget_space(from);
        hsize_t start[2] = {2, 3}, count[2] = {3, 8};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        assert_int_equal(H5Derase(from, space, H5P_DEFAULT), 0);
        assert_int_equal(H5Derase(to, space, H5P_DEFAULT), 0);
        H5Sclose(space);
    }
    assert_same_sets(from, to, s->kind);
    /* What waits in the cache goes out with it. */
    c.n = 0;
    c.to = to;
    assert_int_equal(H5Dstruct_chunk_iter(from, H5P_DEFAULT, copy_chunk, &c), 0);
    assert_same_sets(from, to, s->kind);
    H5Dclose(from);
    H5Dclose(to);
    H5Fclose(file);
    H5Fclose(other);
}

static void copies(void **state)
{
    (void)state;
    each_set(copy_set);
}

/* A selection section from a dataspace. */
static uint8_t *make_selection(hid_t space, size_t *size)
{
    *size = 0;
    assert_int_equal(H5Sencode2(space, NULL, size, H5P_DEFAULT), 0);
    uint8_t *bytes = malloc(*size + 4);
    assert_int_equal(H5Sencode2(space, bytes, size, H5P_DEFAULT), 0);
    *size += 4;
    put_sum(bytes, *size);
    return bytes;
}

static void check_handmade(hid_t dset, const hsize_t *offset, hid_t space, const int *values, size_t n)
{
    struct direct d;
    int all[ELEMENTS];
    direct_init(&d);
    d.info.type = H5D_STRUCT_CHUNK;
    d.info.num_sections = 2;
    d.info.filter_mask = NULL;
    d.info.section_orig_size = NULL;
    d.bytes[0] = make_selection(space, &d.sizes[0]);
    d.bytes[1] = malloc(n * sizeof(int));
    d.sizes[1] = n * sizeof(int);
    memcpy(d.bytes[1], values, d.sizes[1]);
    assert_int_equal(direct_write(dset, offset, &d), 0);
    direct_free(&d);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    hsize_t at[2] = {offset[0] + 1, offset[1] + 2};
    assert_int_equal(all[at[0] * COLUMNS + at[1]], 77);
    hid_t defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(defined), n);
    assert_true(H5Sselect_intersect_block(defined, at, at) > 0);
    H5Sclose(defined);
}

/* What an application makes with H5Sencode2 alone: points in its own order, and blocks. */
static void handmade(void **state)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s), space = H5Screate_simple(2, set_chunk, NULL);
    hsize_t offset[2] = {4, 10}, points[] = {3, 3, 0, 0, 1, 2}, start[2] = {1, 1}, count[2] = {2, 3};
    int of_points[] = {5, 6, 77}, of_block[] = {1, 77, 3, 4, 5, 6};
    (void)state;
    H5Sselect_elements(space, H5S_SELECT_SET, 3, points);
    check_handmade(dset, offset, space, of_points, 3);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    check_handmade(dset, offset, space, of_block, 6);
    /* A selection of nothing: there is no such chunk any more. */
    struct direct d;
    hsize_t n;
    direct_init(&d);
    d.info.type = H5D_STRUCT_CHUNK;
    d.info.num_sections = 2;
    d.info.section_orig_size = NULL;
    H5Sselect_none(space);
    d.bytes[0] = make_selection(space, &d.sizes[0]);
    assert_int_equal(direct_write(dset, offset, &d), 0);
    direct_free(&d);
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &n), 0);
    assert_int_equal(n, 0);
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

/* Sections of no bytes: the chunk goes, whether it is on file, waits in memory or is not there. */
static void erase_set(const struct set *s)
{
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", s), none = make_set(file, "none", s);
    hsize_t offset[2] = {0, 0}, n, before;
    struct direct d;
    direct_init(&d);
    d.info.type = H5D_STRUCT_CHUNK;
    d.info.num_sections = (uint8_t)set_sections(s);
    assert_int_equal(direct_write(dset, offset, &d), 0);
    assert_int_equal(H5Dget_storage_size(dset), 0);
    for (int flushed = 0; flushed < 2; flushed++) {
        write_set(dset, s->kind, 0, 3, 100);
        if (flushed)
            H5Dflush(dset);
        assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &before), 0);
        H5E_BEGIN_TRY
        {
            assert_int_equal(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, NULL), 0);
            assert_true(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, NULL, NULL) < 0);
        }
        H5E_END_TRY
        assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &n), 0);
        assert_int_equal(n, before - 1);
    }
    if (s->index == SINGLE)
        assert_same_sets(dset, none, s->kind);
    H5Dclose(dset);
    H5Dclose(none);
    H5Fclose(file);
}

static void erasing(void **state)
{
    (void)state;
    each_set(erase_set);
}

/* Bytes that no filter has seen, in a dataset with filters: the mask says so. */
static void mask_set(const struct set *s)
{
    struct set plain = *s;
    if (s->filters != PACKED)
        return;
    plain.filters = NONE;
    hid_t file = new_set_file(FILE_NAME), from = make_set(file, "from", &plain), to = make_set(file, "to", s);
    hid_t dcpl = H5Dget_create_plist(to);
    hsize_t offset[2] = {0, 0};
    struct direct d, back;
    write_set(from, s->kind, 0, 3, 100);
    direct_read(from, offset, &d);
    for (unsigned i = 0; i < d.info.num_sections; i++) {
        int n;
        assert_int_equal(H5Pget_nfilters2(dcpl, i, &n), 0);
        assert_true(n > 0);
        d.masks[i] = d.sizes[i] ? (uint16_t)((1 << n) - 1) : 0;
        /* One more than there are. */
        d.masks[i] = (uint16_t)(d.masks[i] | 1 << n);
        assert_true(direct_write(to, offset, &d) < 0);
        d.masks[i] = (uint16_t)(d.masks[i] & ~(1 << n));
    }
    assert_int_equal(direct_write(to, offset, &d), 0);
    direct_read(to, offset, &back);
    for (unsigned i = 0; i < d.info.num_sections; i++) {
        assert_int_equal(back.masks[i], d.masks[i]);
        assert_int_equal(back.sizes[i], d.sizes[i]);
        assert_int_equal(back.before[i], d.before[i]);
        assert_memory_equal(back.bytes[i], d.bytes[i], d.sizes[i]);
    }
    direct_free(&back);
    direct_free(&d);
    /* The other chunks, too. */
    struct copy c = {.from = from, .to = from, .s = &plain, .sections = set_sections(s)};
    assert_int_equal(H5Dstruct_chunk_iter(from, H5P_DEFAULT, copy_chunk, &c), 0);
    if (s->index == SINGLE)
        assert_same_sets(from, to, s->kind);
    H5Pclose(dcpl);
    H5Dclose(from);
    H5Dclose(to);
    H5Fclose(file);
}

static void masks(void **state)
{
    (void)state;
    each_set(mask_set);
}

/* One element of two bytes: a compressor makes more of each section, and is left out of it. */
static void what_grows_is_not_filtered(void **state)
{
    (void)state;
    const hsize_t dims = 100, chunk = 10, at = 47, one = 1, offset = 40;
    uint16_t value = 4711, got = 0, masks[2];
    size_t sizes[2], before[2];
    H5D_struct_chunk_info_t info = {
        .num_sections = 2, .filter_mask = masks, .section_size = sizes, .section_orig_size = before};
    hid_t file = new_set_file(FILE_NAME), dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &dims, NULL);
    hid_t mem = H5Screate_simple(1, &one, NULL);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 1, &chunk), 0);
    assert_int_equal(H5Pset_deflate(dcpl, 6), 0);
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_U16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at), 0);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, &value), 0);
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, &offset, &info, NULL, NULL), 0);
    assert_int_equal(masks[1], 1);
    assert_int_equal(sizes[1], 2);
    assert_int_equal(before[1], 2);
    assert_true(sizes[0] <= before[0]);
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_UINT16, mem, space, H5P_DEFAULT, &got), 0);
    assert_int_equal(got, value);
    H5Dclose(dset), H5Sclose(space), H5Sclose(mem), H5Pclose(dcpl), H5Fclose(file);
    unlink(FILE_NAME);
}

/* What was written before and waits in memory goes under; what comes afterwards is on top. */
static void with_the_cache(void **state)
{
    struct set s = {.kind = TEXT, .index = BTREE, .filters = PACKED};
    hid_t file = new_set_file(FILE_NAME), from = make_set(file, "from", &s), dset = make_set(file, "d", &s);
    hid_t same = make_set(file, "same", &s), space = H5Dget_space(from);
    hsize_t start[2] = {0, 0};
    struct direct d;
    (void)state;
    write_set(from, TEXT, 0, 1, 300);
    direct_read(from, start, &d);
    write_set(dset, TEXT, 0, 1, 900);
    assert_int_equal(direct_write(dset, start, &d), 0);
    write_set(same, TEXT, 0, 1, 900);
    hsize_t n = set_chunk[0] * set_chunk[1];
    char *texts[20];
    hid_t mem = H5Screate_simple(1, &n, NULL), type = text_type();
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, set_chunk, NULL);
    assert_int_equal(H5Dread(from, type, mem, space, H5P_DEFAULT, texts), 0);
    assert_int_equal(H5Dwrite(same, type, mem, space, H5P_DEFAULT, texts), 0);
    H5Dvlen_reclaim(type, mem, H5P_DEFAULT, texts);
    assert_same_sets(dset, same, TEXT);
    write_set(dset, TEXT, 1, 4, 50);
    write_set(same, TEXT, 1, 4, 50);
    assert_same_sets(dset, same, TEXT);
    direct_free(&d);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(from);
    H5Dclose(dset);
    H5Dclose(same);
    H5Fclose(file);
}

static void bad_arguments(void **state)
{
    struct set s = {.kind = INT, .index = EXTENSIBLE};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s);
    hsize_t offset[2] = {0, 0}, off[2] = {1, 0}, outside[2] = {ROWS + 2, 0}, far[2] = {8, 10};
    struct direct d;
    (void)state;
    FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, NULL, NULL), "no such chunk");
    write_set(dset, INT, 0, 3, 1);
    direct_read(dset, offset, &d);
    FAILS(H5Dread_struct_chunk(file, H5P_DEFAULT, offset, NULL, NULL), "");
    FAILS(H5Dread_struct_chunk(dset, H5P_FILE_ACCESS_DEFAULT, offset, NULL, NULL), "");
    FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, NULL, NULL, NULL), "offset");
    FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, off, NULL, NULL), "boundary");
    FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, outside, NULL, NULL), "dimensions");
    d.info.num_sections = 1;
    FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, NULL), "room for 1");
    FAILS(H5Dget_struct_chunk_info(dset, H5S_ALL, 0, NULL, &d.info, NULL, NULL), "room for 1");
    FAILS(H5Dget_struct_chunk_info_by_coord(dset, offset, &d.info, NULL, NULL), "room for 1");
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, d.bytes), "1 sections");
    d.info.num_sections = 3;
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, d.bytes), "3 sections");
    d.info.num_sections = 2;
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, NULL, &d.info, d.bytes), "offset");
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, off, &d.info, d.bytes), "boundary");
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, outside, &d.info, d.bytes), "dimensions");
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, NULL, d.bytes), "chunk_info");
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, NULL), "no bytes");
    d.info.section_size = NULL;
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, d.bytes), "section_size");
    d.info.section_size = d.sizes;
    d.info.type = H5D_CHUNKED;
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, d.bytes), "type 2");
    d.info.type = H5D_STRUCT_CHUNK;
    FAILS(H5Dstruct_chunk_iter(dset, H5P_DEFAULT, NULL, NULL), "callback");
    FAILS(H5Dget_struct_chunk_info_by_coord(dset, NULL, NULL, NULL, NULL), "offset");
    assert_int_equal(H5Dread_struct_chunk(dset, H5P_DEFAULT, far, NULL, NULL), 0);
    direct_free(&d);
    H5Dclose(dset);
    H5Fclose(file);

    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    direct_read(dset, offset, &d);
    FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &d.info, d.bytes), "write intent");
    direct_free(&d);
    H5Dclose(dset);
    H5Fclose(file);
}

static int count_and_stop(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *data)
{
    int *n = data;
    (void)offset, (void)info, (void)addr, (void)size;
    ++*n;
    return *n == 3 ? 7 : *n == 13 ? -1 : 0;
}

/* By number, by place, within a selection; chunks that are not there. */
static void query_set(const struct set *s)
{
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", s), space = H5Dget_space(dset);
    hsize_t n, offset[2] = {99, 99}, size = 1, by_place, start[2] = {0, 0}, count[2] = {1, 11};
    haddr_t addr = 1, there;
    struct direct d;
    direct_init(&d);
    assert_int_equal(H5Dget_struct_chunk_info(dset, H5S_ALL, 0, offset, &d.info, &addr, &size), 0);
    assert_true(addr == HADDR_UNDEF && size == 0 && offset[0] == 99 && d.info.num_sections == 3);
    addr = size = 1;
    assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, start, &d.info, &addr, &size), 0);
    assert_true(addr == HADDR_UNDEF && size == 0 && d.info.num_sections == 3);
    write_set(dset, s->kind, 0, 3, 100);
    assert_int_equal(H5Dget_num_chunks(dset, H5S_ALL, &n), 0);
    assert_int_equal(n, s->index == SINGLE ? 1 : MOST_CHUNKS);
    for (hsize_t i = 0; i < n; i++) {
        direct_init(&d);
        assert_int_equal(H5Dget_struct_chunk_info(dset, H5S_ALL, i, offset, &d.info, &addr, &size), 0);
        assert_int_equal(d.info.num_sections, set_sections(s));
        assert_true(size > 0 && addr != HADDR_UNDEF);
        assert_int_equal(H5Dget_struct_chunk_info_by_coord(dset, offset, NULL, &there, &by_place), 0);
        assert_true(there == addr && by_place == size);
        assert_int_equal(H5Dget_chunk_storage_size(dset, offset, &by_place), 0);
        assert_int_equal(by_place, size);
    }
    assert_int_equal(H5Dget_struct_chunk_info(dset, H5S_ALL, 0, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(H5Dget_struct_chunk_info(dset, H5S_ALL, n, NULL, NULL, &addr, &size), 0);
    assert_true(addr == HADDR_UNDEF && size == 0);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_int_equal(H5Dget_num_chunks(dset, space, &n), 0);
    assert_int_equal(n, s->index == SINGLE ? 1 : 3);
    assert_int_equal(H5Dget_struct_chunk_info(dset, space, n - 1, offset, NULL, &addr, &size), 0);
    assert_true(size > 0 && offset[0] == 0);
    assert_int_equal(H5Dget_struct_chunk_info(dset, space, n, NULL, NULL, &addr, &size), 0);
    assert_true(size == 0);
    int visited = 0;
    assert_int_equal(H5Dstruct_chunk_iter(dset, H5P_DEFAULT, count_and_stop, &visited), s->index == SINGLE ? 0 : 7);
    assert_int_equal(visited, s->index == SINGLE ? 1 : 3);
    visited = 10;
    if (s->index != SINGLE)
        FAILS(H5Dstruct_chunk_iter(dset, H5P_DEFAULT, count_and_stop, &visited), "failed");
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

static void queries(void **state)
{
    (void)state;
    each_set(query_set);
}

static int never(const hsize_t *offset, unsigned mask, haddr_t addr, hsize_t size, void *data)
{
    (void)offset, (void)mask, (void)addr, (void)size, (void)data;
    return -1;
}

/* Functions for other chunks say which is the right one. */
static void wrong_functions(void **state)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), sparse = make_set(file, "d", &s), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, set_dims, NULL);
    hsize_t offset[2] = {0, 0}, size;
    uint32_t mask;
    int values[20] = {0}, visited = 0;
    (void)state;
    write_set(sparse, INT, 0, 1, 1);
    FAILS(H5Dread_chunk(sparse, H5P_DEFAULT, offset, &mask, values), "H5Dread_struct_chunk");
    FAILS(H5Dwrite_chunk(sparse, H5P_DEFAULT, 0, offset, sizeof values, values), "H5Dwrite_struct_chunk");
    FAILS(H5Dget_chunk_info(sparse, H5S_ALL, 0, NULL, NULL, NULL, &size), "H5Dget_struct_chunk_info");
    FAILS(H5Dget_chunk_info_by_coord(sparse, offset, NULL, NULL, &size), "H5Dget_struct_chunk_info_by_coord");
    FAILS(H5Dchunk_iter(sparse, H5P_DEFAULT, never, NULL), "H5Dstruct_chunk_iter");
    H5Pset_chunk(dcpl, 2, set_chunk);
    hid_t dense = H5Dcreate2(file, "dense", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    FAILS(H5Dread_struct_chunk(dense, H5P_DEFAULT, offset, NULL, NULL), "H5Dread_chunk");
    FAILS(H5Dwrite_struct_chunk(dense, H5P_DEFAULT, offset, NULL, NULL), "H5Dwrite_chunk");
    FAILS(H5Dget_struct_chunk_info(dense, H5S_ALL, 0, NULL, NULL, NULL, &size), "H5Dget_chunk_info");
    FAILS(H5Dget_struct_chunk_info_by_coord(dense, offset, NULL, NULL, &size), "H5Dget_chunk_info_by_coord");
    FAILS(H5Dstruct_chunk_iter(dense, H5P_DEFAULT, count_and_stop, &visited), "H5Dchunk_iter");
    H5Dclose(dense);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Dclose(sparse);
    H5Fclose(file);
}

struct native_copy {
    hid_t from, to;
    const struct set *s; /* NULL: it is not structured */
    size_t sections;
    unsigned n;
};

static int copy_native(const hsize_t *offset, void *data)
{
    struct native_copy *c = data;
    H5D_native_section_info_t info[3], again[3];
    H5D_native_section_type_t types[3];
    void *bufs[3] = {0};
    haddr_t addr;
    hsize_t size, sum = 0, storage;
    assert_int_equal(H5Dnative_read_chunk(c->from, H5P_DEFAULT, offset, c->sections, info, NULL), 0);
    assert_int_equal(H5Dnative_get_chunk_info(c->from, offset, again, &addr, &size), 0);
    assert_int_equal(H5Dnative_get_section_types(c->from, types), 0);
    for (size_t i = 0; i < c->sections; i++) {
        assert_int_equal(info[i].type, types[i]);
        assert_true(again[i].type == types[i] && again[i].size == info[i].size);
        assert_int_equal(again[i].filter_mask, info[i].filter_mask);
        bufs[i] = malloc(info[i].size + 1);
        sum += info[i].size + (c->s ? hidden_sum(c->from, c->s, (unsigned)i, info[i].filter_mask, info[i].size) : 0);
    }
    assert_int_equal(sum, size);
    assert_int_equal(H5Dnative_get_chunk_storage_size(c->from, offset, &storage), 0);
    assert_int_equal(storage, size);
    assert_int_equal(H5Dnative_read_chunk(c->from, H5P_DEFAULT, offset, c->sections, NULL, bufs), 0);
    assert_int_equal(H5Dnative_write_chunk(c->to, H5P_DEFAULT, offset, c->sections, info, (const void *const *)bufs), 0);
    for (size_t i = 0; i < c->sections; i++)
        free(bufs[i]);
    return ++c->n == 1000 ? -1 : c->n == 500 ? 5 : 0;
}

static void native_copy(hid_t from, hid_t to, const struct set *s)
{
    struct native_copy c = {.from = from, .to = to, .s = s};
    hsize_t n;
    assert_int_equal(H5Dnative_get_section_count(from, &c.sections), 0);
    assert_int_equal(c.sections, s ? set_sections(s) : 1);
    assert_int_equal(H5Dnative_chunk_iter(from, H5P_DEFAULT, copy_native, &c), 0);
    assert_int_equal(H5Dnative_get_num_chunks(to, H5S_ALL, &n), 0);
    assert_int_equal(n, c.n);
    assert_same_sets(from, to, s ? s->kind : INT);
    c.n = 499;
    assert_int_equal(H5Dnative_chunk_iter(from, H5P_DEFAULT, copy_native, &c), 5);
    c.n = 999;
    FAILS(H5Dnative_chunk_iter(from, H5P_DEFAULT, copy_native, &c), "failed");
}

static void native_set(const struct set *s)
{
    hid_t file = new_set_file(FILE_NAME), from = make_set(file, "from", s), to = make_set(file, "to", s);
    write_set(from, s->kind, 0, 3, 100);
    native_copy(from, to, s);
    H5Dclose(from);
    H5Dclose(to);
    H5Fclose(file);
}

static void native_dense(bool filtered)
{
    hid_t file = new_set_file(FILE_NAME), space = H5Screate_simple(2, set_dims, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, set_chunk);
    if (filtered)
        H5Pset_deflate(dcpl, 1);
    hid_t from = H5Dcreate2(file, "from", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    hid_t to = H5Dcreate2(file, "to", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    write_set(from, INT, 0, 3, 100);
    native_copy(from, to, NULL);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(from);
    H5Dclose(to);
    H5Fclose(file);
}

static void native_arguments(void)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME), dset = make_set(file, "d", &s), space = H5Screate_simple(2, set_dims, NULL);
    hid_t flat = H5Dcreate2(file, "flat", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t offset[2] = {0, 0}, size;
    haddr_t addr;
    size_t n;
    H5D_native_section_info_t info[3] = {{.size = 99}};
    H5D_native_section_type_t types[3];
    const void *bufs[3] = {0};
    assert_int_equal(H5Dnative_get_section_count(flat, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(H5Dnative_get_section_types(flat, types), 0);
    assert_int_equal(types[0], H5D_NATIVE_SECTION_FIXED);
    FAILS(H5Dnative_get_section_count(dset, NULL), "nowhere");
    FAILS(H5Dnative_get_section_types(dset, NULL), "nowhere");
    FAILS(H5Dnative_get_chunk_info(flat, offset, NULL, &addr, &size), "not a chunked dataset");
    FAILS(H5Dnative_chunk_iter(flat, H5P_DEFAULT, copy_native, NULL), "not a chunked dataset");
    FAILS(H5Dnative_chunk_iter(dset, H5P_DEFAULT, NULL, NULL), "callback");
    FAILS(H5Dnative_get_chunk_info(dset, NULL, NULL, &addr, &size), "offset");
    assert_int_equal(H5Dnative_get_chunk_info(dset, offset, info, &addr, &size), 0);
    assert_true(addr == HADDR_UNDEF && size == 0 && info[0].size == 99);
    FAILS(H5Dnative_read_chunk(dset, H5P_DEFAULT, offset, 2, info, NULL), "no such chunk");
    FAILS(H5Dnative_read_chunk(dset, H5P_DEFAULT, offset, 1, info, NULL), "1 sections");
    FAILS(H5Dnative_read_chunk(dset, H5P_DEFAULT, NULL, 2, info, NULL), "offset");
    FAILS(H5Dnative_write_chunk(dset, H5P_DEFAULT, offset, 3, info, bufs), "3 sections");
    FAILS(H5Dnative_write_chunk(dset, H5P_DEFAULT, offset, 2, NULL, bufs), "section_info");
    FAILS(H5Dnative_write_chunk(dset, H5P_DEFAULT, offset, 2, info, NULL), "buf");
    FAILS(H5Dnative_write_chunk(dset, H5P_DEFAULT, offset, 2, info, bufs), "of type");
    H5Sclose(space);
    H5Dclose(flat);
    H5Dclose(dset);
    H5Fclose(file);
}

static void natives(void **state)
{
    (void)state;
    each_set(native_set);
    native_dense(false);
    native_dense(true);
    native_arguments();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),         cmocka_unit_test(handmade),      cmocka_unit_test(erasing),
        cmocka_unit_test(masks),
        cmocka_unit_test(what_grows_is_not_filtered),          cmocka_unit_test(with_the_cache), cmocka_unit_test(bad_arguments),
        cmocka_unit_test(queries),        cmocka_unit_test(wrong_functions), cmocka_unit_test(natives),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    unlink(OTHER_NAME);
    return failed;
}
