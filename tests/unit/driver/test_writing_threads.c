/* Threads that write their own parts of a file that grows under them, and read back what they wrote. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/driver.h"

#define THREADS 4
#define ROUNDS 300
#define BLOCK 700

static struct ts_driver *shared;

/* Returns NULL when all was well. */
static void *work(void *arg)
{
    uintptr_t me = (uintptr_t)arg;
    uint8_t bytes[BLOCK], back[BLOCK];
    for (size_t round = 0; round < ROUNDS; round++) {
        haddr_t addr = (round * THREADS + me) * BLOCK;
        memset(bytes, (int)(me * 50 + round % 50), sizeof bytes);
        if (ts_driver_write(shared, addr, BLOCK, bytes) < 0 || ts_driver_read(shared, addr, BLOCK, back) < 0 ||
            memcmp(bytes, back, BLOCK) != 0)
            return arg ? arg : (void *)(uintptr_t)THREADS;
        if (round % 50 == 0 && ts_driver_flush(shared) < 0)
            return arg ? arg : (void *)(uintptr_t)THREADS;
    }
    return NULL;
}

static void run(const char *pattern, const struct ts_driver_config *config)
{
    pthread_t threads[THREADS];
    char dir[] = "/tmp/tessera-threads-XXXXXX", name[64], command[64];
    haddr_t eof;
    assert_non_null(mkdtemp(dir));
    snprintf(name, sizeof name, "%s/%s", dir, pattern);
    assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE | TS_OPEN_CREATE, config, &shared), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    assert_int_equal(ts_driver_eof(shared, &eof), 0);
    assert_int_equal(eof, THREADS * ROUNDS * BLOCK);
    ts_driver_close(shared);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

static void test_posix(void **unused)
{
    (void)unused;
    struct ts_driver_config config = {.kind = TS_DRIVER_SEC2};
    run("file", &config);
}

static void test_core(void **unused)
{
    (void)unused;
    struct ts_driver_config config = {.kind = TS_DRIVER_CORE};
    config.core.increment = 1000;
    config.core.backing_store = true;
    run("file", &config);
}

static void test_family(void **unused)
{
    (void)unused;
    struct ts_driver_config config = {.kind = TS_DRIVER_FAMILY};
    config.family.member_size = 30000;
    run("file-%d", &config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_posix), cmocka_unit_test(test_core),
                                       cmocka_unit_test(test_family)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
