/* Queries for structured chunks: orders, selections, stopping and going on, and addresses that pread can use. */
#include "unit/dataset/direct_sets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path = "dataset_struct_query.h5";

struct seen {
    unsigned n, stop_after; /* 0: never */
    hsize_t offset[2 * MOST_CHUNKS][2], size[2 * MOST_CHUNKS];
    haddr_t addr[2 * MOST_CHUNKS];
    unsigned sections;
    size_t stored[2 * MOST_CHUNKS][H5_SECTION_NUM];
};

static int see(const H5D_chunk_info_t *info, void *data)
{
    struct seen *s = data;
    memcpy(s->offset[s->n], info->offset, sizeof s->offset[0]);
    assert_int_equal(info->filter_mask, 0);
    s->size[s->n] = info->size;
    s->addr[s->n++] = info->addr;
    return s->n == s->stop_after ? H5_ITER_STOP : H5_ITER_CONT;
}

static int see_sections(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *data)
{
    struct seen *s = data;
    memcpy(s->offset[s->n], offset, sizeof s->offset[0]);
    memcpy(s->stored[s->n], info->section_size, info->num_sections * sizeof s->stored[0][0]);
    s->sections = info->num_sections;
    s->size[s->n] = *size;
    s->addr[s->n++] = *addr;
    return s->n == s->stop_after ? H5_ITER_STOP : H5_ITER_CONT;
}

static bool in_order(const struct seen *s, unsigned i, H5D_chunk_order_t order)
{
    if (order == H5_CHUNK_ITER_ORDER_ADDR)
        return s->addr[i - 1] < s->addr[i];
    if (order == H5_CHUNK_ITER_ORDER_COORD)
        return s->offset[i - 1][0] < s->offset[i][0] ||
               (s->offset[i - 1][0] == s->offset[i][0] && s->offset[i - 1][1] < s->offset[i][1]);
    return true;
}

/* Each as H5Dget_struct_chunk_info_by_coord knows it, and none twice. */
static void check_seen(hid_t dset, const struct seen *s, H5D_chunk_order_t order)
{
    for (unsigned i = 0; i < s->n; i++) {
        haddr_t addr;
        hsize_t size;
        assert_true(H5Dget_struct_chunk_info_by_coord(dset, s->offset[i], NULL, &addr, &size) >= 0);
        assert_true(addr == s->addr[i] && size == s->size[i] && size > 0);
        assert_true(i == 0 || in_order(s, i, order));
        for (unsigned k = 0; k < i; k++)
            assert_true(s->addr[k] != s->addr[i]);
    }
}

static void check_sections(const struct seen *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        hsize_t total = 0;
        for (unsigned k = 0; k < s->sections; k++)
            total += s->stored[i][k];
        /* Checksums of sections that no filter has changed are in the file only. */
        hsize_t sums = s->size[i] - total;
        assert_true(sums % 4 == 0 && sums <= 4 * s->sections);
    }
}

static void check_order(hid_t dset, hid_t selection, H5D_chunk_order_t order)
{
    hsize_t n, idx = 0;
    struct seen all = {0}, parts = {0}, sections = {0};
    assert_true(H5Dget_num_chunks(dset, selection, &n) >= 0);
    assert_int_equal(H5Dchunk_iterate(dset, selection, order, NULL, see, &all), 0);
    assert_int_equal(all.n, n);
    check_seen(dset, &all, order);
    /* Two, then one more, then the rest. */
    for (unsigned stop = 2; idx < n && parts.n < n; stop++) {
        parts.stop_after = stop < 4 ? stop : 0;
        int answer = H5Dchunk_iterate(dset, selection, order, &idx, see, &parts);
        assert_int_equal(answer, parts.n == parts.stop_after ? H5_ITER_STOP : H5_ITER_CONT);
        assert_int_equal(idx, parts.n);
    }
    assert_int_equal(parts.n, n);
    assert_memory_equal(parts.addr, all.addr, n * sizeof all.addr[0]);
    idx = n > 0;
    assert_int_equal(H5Dstruct_chunk_iterate(dset, selection, order, &idx, see_sections, &sections), 0);
    assert_int_equal(sections.n, n - (n > 0));
    assert_memory_equal(sections.addr, all.addr + 1, sections.n * sizeof all.addr[0]);
    check_sections(&sections);
}

static void every_index_order_and_selection(void **state)
{
    (void)state;
    for (int kind = INT; kind <= TEXT; kind++)
        for (int index = SINGLE; index < INDEXES; index++)
            for (int filters = NONE; filters <= PACKED; filters++) {
                struct set s = {.kind = (enum kind)kind, .index = (enum index)index, .filters = (enum filters)filters};
                hid_t file = new_set_file(path), d = make_set(file, "d", &s), space = H5Dget_space(d);
                /* The first chunk grows and moves behind the others: the order in the file is not that of coordinates. */
                write_set(d, s.kind, 0, 5, 7);
                H5Dflush(d);
                write_set(d, s.kind, 1, ELEMENTS, 3);
                H5Dflush(d);
                H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){0, 6}, NULL, (hsize_t[]){ROWS, 8}, NULL);
                for (int order = H5_CHUNK_ITER_ORDER_NATIVE; order <= H5_CHUNK_ITER_ORDER_ADDR; order++) {
                    check_order(d, H5S_ALL, (H5D_chunk_order_t)order);
                    check_order(d, space, (H5D_chunk_order_t)order);
                }
                H5Sclose(space);
                H5Dclose(d);
                H5Fclose(file);
            }
}

/* The bytes of a chunk, as pread finds them, are those of its sections. */
static void check_pread(hid_t dset, const struct seen *s)
{
    haddr_t base;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && H5Dget_chunk_base(dset, &base) >= 0);
    assert_int_equal(base, 512);
    for (unsigned i = 0; i < s->n; i++) {
        char *bytes = malloc(s->size[i]), *want = malloc(s->size[i]), *at = want;
        void *sections[H5_SECTION_NUM] = {NULL};
        for (unsigned k = 0; k < s->sections; at += s->stored[i][k++])
            sections[k] = at;
        assert_true(H5Dread_struct_chunk(dset, H5P_DEFAULT, s->offset[i], NULL, sections) >= 0);
        assert_int_equal(pread(fd, bytes, s->size[i], (off_t)(base + s->addr[i])), s->size[i]);
        /* Behind the selection is its checksum, which reading leaves out. */
        size_t selection = s->stored[i][0], values = s->stored[i][1];
        assert_int_equal(selection + 4 + values, s->size[i]);
        assert_memory_equal(bytes, sections[0], selection);
        assert_memory_equal(bytes + selection + 4, sections[1], values);
        free(bytes);
        free(want);
    }
    close(fd);
}

static void addresses_behind_a_user_block(void **state)
{
    (void)state;
    struct seen seen = {0};
    haddr_t base;
    struct set s = {.kind = INT, .index = FIXED};
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), file;
    H5Pset_userblock(fcpl, 512);
    file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    hid_t d = make_set(file, "d", &s);
    write_set(d, INT, 0, ROWS, 11);
    H5Fflush(file, H5F_SCOPE_LOCAL);
    assert_int_equal(H5Dstruct_chunk_iterate(d, H5S_ALL, H5_CHUNK_ITER_ORDER_COORD, NULL, see_sections, &seen), 0);
    assert_true(seen.n > 1);
    check_pread(d, &seen);
    H5E_BEGIN_TRY {
        assert_true(H5Dget_chunk_base(d, NULL) < 0);
        assert_true(H5Dget_chunk_base(file, &base) < 0);
        assert_true(H5Dstruct_chunk_iterate(d, H5S_ALL, (H5D_chunk_order_t)3, NULL, see_sections, &seen) < 0);
        assert_true(H5Dstruct_chunk_iterate(d, H5S_ALL, H5_CHUNK_ITER_ORDER_ADDR, NULL, NULL, NULL) < 0);
    }
    H5E_END_TRY
    H5Dclose(d);
    H5Pclose(fcpl);
    H5Fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_order_and_selection),
        cmocka_unit_test(addresses_behind_a_user_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
