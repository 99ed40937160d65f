/* Counted objects behind ids, for the tests of the handle table. */
#ifndef TESTS_ID_THINGS_H
#define TESTS_ID_THINGS_H

#include <stdatomic.h>

#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "base/error.h"
#include "id/id.h"

/* A dead thing that is touched shows itself: the count of living things would go below 0. */
struct thing {
    struct ts_count refs;
    int value;
};

static atomic_int alive;

static struct thing *thing_new(int value)
{
    struct thing *t = ts_malloc(sizeof *t);
    ts_count_init(&t->refs, 1);
    t->value = value;
    atomic_fetch_add(&alive, 1);
    return t;
}

static void thing_ref(void *obj)
{
    struct thing *t = obj;
    if (t->value < 0)
        atomic_store(&alive, -1000000);
    ts_count_add(&t->refs);
}

static void thing_unref(void *obj)
{
    struct thing *t = obj;
    if (ts_count_drop(&t->refs)) {
        t->value = -1;
        atomic_fetch_sub(&alive, 1);
        ts_count_deinit(&t->refs);
        ts_free(t);
    }
}

static struct ts_count *thing_count(void *obj, unsigned i)
{
    return i == 0 ? &((struct thing *)obj)->refs : NULL;
}

static const struct ts_id_class things = {.ref = thing_ref, .unref = thing_unref, .count = thing_count};

static int setup(void **state)
{
    (void)state;
    return ts_id_class_set(H5I_DATASET, &things) | ts_id_class_set(H5I_GROUP, &things);
}

static int teardown(void **state)
{
    (void)state;
    ts_id_close_all();
    ts_err_clear();
    return atomic_load(&alive);
}

#endif
