/* Threads that write chunks as they are stored while others write, erase, read and ask: each chunk is always one of the
 * versions that were written, whole. */
#include "unit/dataset/direct_sets.h"

#include <pthread.h>
#include <unistd.h>

#define FILE_NAME "struct_direct_threads.h5"

enum { WRITERS = 2, READERS = 2, STEPS = 150, CHUNK_ELEMENTS = 20, VERSIONS = 2 };

static hid_t dset;
static struct direct versions[VERSIONS];

struct worker {
    unsigned number;
    const char *wrong; /* why it failed */
};

static const hsize_t offsets[WRITERS][2] = {{0, 0}, {4, 5}};

/* Each its own chunk; in between the library writes it. */
static void *write_chunks(void *arg)
{
    struct worker *w = arg;
    hsize_t count[2] = {4, 5}, n = CHUNK_ELEMENTS;
    int values[CHUNK_ELEMENTS];
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, offsets[w->number], NULL, count, NULL);
    for (int i = 0; i < STEPS && !w->wrong; i++) {
        for (int k = 0; k < CHUNK_ELEMENTS; k++)
            values[k] = 1000 * (i % VERSIONS + 1) + k;
        if (i % 5 == 3 && H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) < 0)
            w->wrong = "H5Dwrite";
        if (i % 5 != 3 && direct_write(dset, offsets[w->number], &versions[i % VERSIONS]) < 0)
            w->wrong = "H5Dwrite_struct_chunk";
    }
    H5Sclose(mem);
    H5Sclose(space);
    return NULL;
}

static bool is_version(const int *values)
{
    for (int k = 0; k < CHUNK_ELEMENTS; k++)
        if (values[k] != values[0] + k || values[0] % 1000 != 0 || values[0] > 1000 * VERSIONS)
            return false;
    return true;
}

static int count_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *data)
{
    (void)offset, (void)addr;
    ++*(int *)data;
    /* A checksum of 4 bytes is not shown. */
    return info->num_sections == 2 && info->section_size[0] + 4 + info->section_size[1] == *size ? 0 : -1;
}

static void *read_chunks(void *arg)
{
    struct worker *w = arg;
    hsize_t count[2] = {4, 5}, n = CHUNK_ELEMENTS;
    int values[CHUNK_ELEMENTS];
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    for (int i = 0; i < STEPS && !w->wrong; i++) {
        const hsize_t *offset = offsets[i % WRITERS];
        void *bufs[2] = {NULL, values};
        int chunks = 0;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL);
        if (H5Dread(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) < 0 || !is_version(values))
            w->wrong = "H5Dread";
        if (H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, NULL, bufs) < 0 || !is_version(values))
            w->wrong = "H5Dread_struct_chunk";
        if (H5Dstruct_chunk_iter(dset, H5P_DEFAULT, count_chunk, &chunks) < 0 || chunks != WRITERS)
            w->wrong = "H5Dstruct_chunk_iter";
    }
    H5Sclose(mem);
    H5Sclose(space);
    return NULL;
}

static void side_by_side(void **state)
{
    struct set s = {.kind = INT, .index = FIXED};
    hid_t file = new_set_file(FILE_NAME);
    struct worker workers[WRITERS + READERS];
    pthread_t threads[WRITERS + READERS];
    hsize_t count[2] = {4, 5}, n = CHUNK_ELEMENTS;
    (void)state;
    dset = make_set(file, "d", &s);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    for (int v = 0; v < VERSIONS; v++) {
        int values[CHUNK_ELEMENTS];
        for (int k = 0; k < CHUNK_ELEMENTS; k++)
            values[k] = 1000 * (v + 1) + k;
        for (int i = 0; i < WRITERS; i++) {
            H5Sselect_hyperslab(space, H5S_SELECT_SET, offsets[i], NULL, count, NULL);
            assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values), 0);
        }
        direct_read(dset, offsets[0], &versions[v]);
    }
    for (unsigned i = 0; i < WRITERS + READERS; i++) {
        workers[i] = (struct worker){.number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? write_chunks : read_chunks, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS + READERS; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i].wrong)
            fail_msg("thread %u: %s", i, workers[i].wrong);
    }
    for (int v = 0; v < VERSIONS; v++)
        direct_free(&versions[v]);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(side_by_side)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
