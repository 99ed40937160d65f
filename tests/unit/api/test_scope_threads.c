/* Error stacks and reporting belong to a thread. */
#include <pthread.h>
#include <stdatomic.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"

static herr_t count_report(hid_t stack, void *data)
{
    (void)stack;
    atomic_fetch_add((atomic_int *)data, 1);
    return 0;
}

enum { THREADS = 8, ROUNDS = 200 };

struct job {
    int number;
    atomic_int reports, bad;
};

/* Each thread sets its own reporting, makes its own errors, and sees only these. */
static void *fail_alone(void *arg)
{
    struct job *job = arg;
    if (job->number % 2)
        H5Eset_auto2(H5E_DEFAULT, count_report, &job->reports);
    else
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        hid_t list = H5Pcreate(H5P_DATASET_CREATE);
        if (H5Eget_num(H5E_DEFAULT) != 0)
            atomic_fetch_add(&job->bad, 1);
        hsize_t dims[2] = {(hsize_t)job->number + 1, 2}, got[2] = {0};
        if (H5Pset_chunk(list, 2, dims) < 0 || H5Pget_chunk(list, 2, got) != 2 || got[0] != dims[0])
            atomic_fetch_add(&job->bad, 1);
        H5Pset_chunk(list, 0, dims);
        if (H5Eget_num(H5E_DEFAULT) != 1)
            atomic_fetch_add(&job->bad, 1);
        H5Pclose(list);
    }
    return NULL;
}

static void threads_do_not_see_each_others_errors(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct job jobs[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, fail_alone, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&jobs[i].bad), 0);
        assert_int_equal(atomic_load(&jobs[i].reports), i % 2 ? ROUNDS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_see_each_others_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
