/* Small pieces of raw data that wait for each other (file/gather.h): whoever reads sees them, every commit writes them. */
#include "unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/gather.h"
#include "unit/file/file_util.h"

enum { AREA = 256 << 10, TURNS = 20000, LARGE = 70 << 10 };

static haddr_t allocate(struct ts_file *f, uint64_t size)
{
    haddr_t addr;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_change_end(f, ts_file_alloc(f, H5FD_MEM_DRAW, size, &addr)), 0);
    return addr;
}

static void neighbours_wait_together(void **state)
{
    (void)state;
    const char *path = scratch("gather");
    struct ts_file *f = create(path, NULL);
    char one[64], two[64], seen[128];
    memset(one, 1, sizeof one);
    memset(two, 2, sizeof two);
    haddr_t at = allocate(f, 4096);
    assert_int_equal(ts_file_write(f, at, 64, one), 0);
    assert_int_equal(ts_file_write(f, at + 64, 64, two), 0);
    assert_int_equal(f->gathered.bytes, 128);
    assert_true(ts_gather_has(f, at + 127, 1));
    assert_false(ts_gather_has(f, at + 128, 64));
    assert_false(ts_file_blank(f, at, 4096));
    assert_int_equal(ts_file_read(f, at, 128, seen), 0);
    assert_memory_equal(seen, one, 64);
    assert_memory_equal(seen + 64, two, 64);
    /* One elsewhere makes them go; a flush makes all go, and what they lie in is nobody's to gather any more. */
    assert_int_equal(ts_file_write(f, at + 1024, 64, two), 0);
    assert_int_equal(f->gathered.bytes, 64);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(f->gathered.bytes, 0);
    assert_int_equal(ts_file_write(f, at + 64, 64, one), 0);
    assert_int_equal(f->gathered.bytes, 0);
    ts_file_unref(f);
    f = reopen(path, H5F_ACC_RDONLY);
    assert_int_equal(ts_file_read(f, at, 128, seen), 0);
    assert_memory_equal(seen, one, 64);
    assert_memory_equal(seen + 64, one, 64);
    assert_int_equal(ts_file_read(f, at + 1024, 64, seen), 0);
    assert_memory_equal(seen, two, 64);
    ts_file_unref(f);
    remove(path);
}

/* One step: a write of some size, mostly where the last one ended; a read; rarely a commit. */
static void step(struct ts_file *f, haddr_t at, uint8_t *model, unsigned *seed, size_t *next)
{
    static uint8_t buf[LARGE];
    unsigned what = rng(seed) % 16;
    size_t size = 1 + rng(seed) % (what == 0 ? LARGE : what < 3 ? 6000 : 200);
    size_t from = what % 4 ? *next : rng(seed) % AREA;
    if (from + size > AREA)
        from = AREA - size;
    if (what == 15 && rng(seed) % 16 == 0) {
        assert_int_equal(ts_file_flush(f), 0);
    } else if (what < 12) {
        for (size_t i = 0; i < size; i++)
            model[from + i] = buf[i] = (uint8_t)rng(seed);
        assert_int_equal(ts_file_write(f, at + from, size, buf), 0);
        *next = from + size;
    } else {
        struct ts_io_vec v[2] = {{at + from, size, buf}, {at, 100, buf + size}};
        size_t n = size + 100 <= LARGE ? 2 : 1;
        assert_int_equal(ts_file_readv(f, v, n), 0);
        assert_memory_equal(buf, model + from, size);
        if (n == 2)
            assert_memory_equal(buf + size, model, 100);
    }
}

static void reads_see_what_was_written_last(void **state)
{
    (void)state;
    const char *path = scratch("gather");
    struct ts_file *f = create(path, NULL);
    uint8_t *model = calloc(1, AREA), *seen = calloc(1, AREA);
    haddr_t at = allocate(f, AREA);
    unsigned seed = 7;
    size_t next = 0;
    for (int i = 0; i < TURNS; i++) {
        step(f, at, model, &seed, &next);
        /* From a commit on the old area is nobody's to gather: another one is. */
        if (f->bytes.fresh_from > at) {
            assert_int_equal(ts_file_read(f, at, AREA, seen), 0);
            assert_memory_equal(seen, model, AREA);
            at = allocate(f, AREA);
            memset(model, 0, AREA);
        }
    }
    ts_file_unref(f);
    f = reopen(path, H5F_ACC_RDONLY);
    assert_int_equal(ts_file_read(f, at, AREA, seen), 0);
    assert_memory_equal(seen, model, AREA);
    ts_file_unref(f);
    free(model);
    free(seen);
    remove(path);
}

static void space_that_is_used_again_keeps_what_came_last(void **state)
{
    (void)state;
    const char *path = scratch("gather");
    struct ts_file *f = create(path, NULL);
    char small[64], large[8192], seen[8192];
    memset(small, 1, sizeof small);
    memset(large, 2, sizeof large);
    haddr_t at = allocate(f, sizeof large);
    assert_int_equal(ts_file_write(f, at + 100, sizeof small, small), 0);
    assert_int_equal(ts_change_begin(f), 0);
    ts_file_free(f, H5FD_MEM_DRAW, at, sizeof large);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(allocate(f, sizeof large), at);
    assert_int_equal(ts_file_write(f, at, sizeof large, large), 0);
    assert_int_equal(ts_file_flush(f), 0);
    assert_int_equal(ts_file_read(f, at, sizeof seen, seen), 0);
    assert_memory_equal(seen, large, sizeof large);
    ts_file_unref(f);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_wait_together),
        cmocka_unit_test(reads_see_what_was_written_last),
        cmocka_unit_test(space_that_is_used_again_keeps_what_came_last),
    };
    if (H5open() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
