/* Many threads find and run the same conversions while another changes the registrations. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>

#include "type/conv.h"
#include "type/type.h"

enum { THREADS = 4, ROUNDS = 300, TYPES = 6 };

static struct ts_type *types[TYPES];
static atomic_bool stop;

static int decline(H5T_conv_t func, const struct ts_conv_call *call)
{
    (void)func;
    (void)call;
    return -1;
}

static void *churn(void *arg)
{
    (void)arg;
    struct ts_conv_user user = {H5T_PERS_SOFT, "none", types[0], types[1], NULL, decline};
    struct ts_conv_user all = {.pers = H5T_PERS_DONTCARE};
    while (!atomic_load(&stop)) {
        ts_conv_register(&user);
        ts_conv_unregister(&all);
    }
    return NULL;
}

static void *work(void *arg)
{
    size_t bad = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < TYPES; i++)
            for (size_t j = 0; j < TYPES; j++) {
                struct ts_conv_path *there, *back;
                uint8_t buf[8] = {0};
                buf[types[i]->atomic.order == H5T_ORDER_BE ? types[i]->size - 1 : 0] = (uint8_t)round;
                uint8_t want[8];
                memcpy(want, buf, sizeof want);
                if (ts_conv_find(types[i], types[j], &there) < 0 || ts_conv_find(types[j], types[i], &back) < 0) {
                    bad++;
                    continue;
                }
                bad += ts_conv_run(there, NULL, 1, buf, NULL) < 0 || ts_conv_run(back, NULL, 1, buf, NULL) < 0;
                bad += memcmp(buf, want, types[i]->size) != 0;
                ts_conv_path_unref(there);
                ts_conv_path_unref(back);
            }
    *(size_t *)arg = bad;
    return NULL;
}

static void threads_share_the_table(void **state)
{
    (void)state;
    pthread_t threads[THREADS], changer;
    size_t bad[THREADS];
    for (size_t i = 0; i < TYPES; i++)
        assert_int_equal(
            ts_type_new_integer((size_t)2 << i % 3, i < 3 ? H5T_ORDER_LE : H5T_ORDER_BE, H5T_SGN_2, &types[i]), 0);
    assert_int_equal(pthread_create(&changer, NULL, churn, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &bad[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(bad[i], 0);
    }
    atomic_store(&stop, true);
    pthread_join(changer, NULL);
    ts_conv_close();
    for (size_t i = 0; i < TYPES; i++)
        ts_type_unref(types[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
