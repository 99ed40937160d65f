/* Which elements are defined, asked by several threads at once and looked up by workers. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <unistd.h>

#include "base/error.h"
#include "unit/chunk/toy.h"

enum { ROWS = 96, COLUMNS = 2000, ALL = ROWS * COLUMNS, THREADS = 3 };

static struct toy_file file;
static struct toy toy;
static bool defined[ALL];
static pthread_t caller;
static atomic_uint aside;

static struct ts_space *whole(void)
{
    const hsize_t dims[2] = {ROWS, COLUMNS};
    struct ts_space *s;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    return s;
}

/* Slow enough that workers get their share. */
static void watch(struct toy *t, enum toy_call call)
{
    (void)t;
    if (call != TOY_DEFINED)
        return;
    if (!pthread_equal(pthread_self(), caller))
        atomic_fetch_add(&aside, 1);
    usleep(300);
}

static void define_half(void)
{
    static hsize_t coords[2 * ALL];
    static uint8_t values[2 * ALL];
    struct ts_space *s = whole();
    size_t n = 0;
    for (size_t i = 0; i < ALL; i++) {
        defined[i] = (i * 2654435761u >> 7) % 5 < 2;
        if (!defined[i])
            continue;
        coords[2 * n] = i / COLUMNS;
        coords[2 * n++ + 1] = i % COLUMNS;
    }
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, n, coords), 0);
    struct toy_part p = {.toy = &toy, .file = s, .buf = values};
    assert_int_equal(toy_transfer(&p, 1, true), 0);
    assert_int_equal(toy_flush(&toy, true), 0);
    ts_space_unref(s);
}

static bool is_right(const struct ts_space *out)
{
    struct ts_runs runs;
    struct ts_run run;
    size_t at = 0;
    bool good = ts_runs_init(&runs, out) == 0;
    while (good && ts_runs_next(&runs, &run, 1, HSIZE_UNDEF) > 0) {
        for (; at < run.offset; at++)
            good = good && !defined[at];
        for (; at < run.offset + run.length; at++)
            good = good && defined[at];
    }
    for (; at < ALL; at++)
        good = good && !defined[at];
    ts_runs_deinit(&runs);
    return good;
}

static void *ask(void *space)
{
    struct ts_space *out;
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        good = toy_get_defined(&toy, space, &out) == 0 && is_right(out);
        ts_space_unref(out);
    }
    return good ? NULL : space;
}

static int open_toy(void **state)
{
    (void)state;
    struct toy_options o = {.kind = TOY_SPARSE, .rank = 2, .dims = {ROWS, COLUMNS}, .chunk = {16, 300},
                            .element_size = 2};
    toy_file_open_on_disk(&file);
    toy_open(&toy, &file, &o);
    toy_settings(&file, (size_t)1 << 20, 2);
    define_half();
    caller = pthread_self();
    atomic_store(&aside, 0);
    return 0;
}

static int close_toy(void **state)
{
    (void)state;
    toy.hook = NULL;
    toy_close(&toy);
    toy_file_close(&file);
    return 0;
}

static void workers_look(void **state)
{
    (void)state;
    struct ts_space *s = whole(), *out;
    toy.hook = watch;
    assert_int_equal(toy_get_defined(&toy, s, &out), 0);
    assert_true(is_right(out));
    assert_true(atomic_load(&aside) > 0);
    ts_space_unref(out);
    ts_space_unref(s);
}

/* What a worker could not do is tried again by the caller, or the call fails; the next one is right. */
static void calls_fail_in_workers(void **state)
{
    (void)state;
    struct ts_space *s = whole(), *out;
    unsigned good = 0;
    for (int i = 0; i < 30; i++) {
        assert_int_equal(toy_flush(&toy, true), 0);
        toy_fail_every((unsigned long)(5 + 20 * i));
        int status = toy_get_defined(&toy, s, &out);
        toy_fail_every(0);
        ts_err_clear();
        if (status < 0)
            continue;
        good++;
        assert_true(is_right(out));
        ts_space_unref(out);
    }
    assert_true(good > 0 && good < 30);
    assert_null(ask(s));
    ts_space_unref(s);
}

static void several_ask_at_once(void **state)
{
    (void)state;
    struct ts_space *s = whole();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, s), 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    ts_space_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workers_look, open_toy, close_toy),
        cmocka_unit_test_setup_teardown(calls_fail_in_workers, open_toy, close_toy),
        cmocka_unit_test_setup_teardown(several_ask_at_once, open_toy, close_toy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
