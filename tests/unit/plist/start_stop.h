/* Property lists for one group of tests. */
#ifndef TESTS_PLIST_START_STOP_H
#define TESTS_PLIST_START_STOP_H

#include "unit/cmocka_all.h"

#include "base/error.h"
#include "plist/engine.h"

static int setup(void **state)
{
    (void)state;
    return ts_plist_start();
}

static int teardown(void **state)
{
    (void)state;
    ts_plist_stop();
    ts_err_clear();
    return 0;
}

#endif
