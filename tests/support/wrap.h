/* A driver around another that passes every call on: what the wrappers of the tests have in common. */
#ifndef TESTS_SUPPORT_WRAP_H
#define TESTS_SUPPORT_WRAP_H

#include "driver/driver.h"

struct wrap {
    struct ts_driver base;
    struct ts_driver_class cls; /* base.cls; a wrapper changes what it wants to see */
    struct ts_driver_writing writing;
    struct ts_driver *inner;
};

/* Takes over the inner driver; aborts when memory is short. */
struct wrap *wrap_new(struct ts_driver *inner);

/* Wraps each driver that is opened by this name from now on, or by any name when it is NULL. Wrappers that are added
 * later go around those that are there; at most four. */
typedef struct ts_driver *wrap_fn(struct ts_driver *inner, unsigned flags);
void wrap_add(const char *name, wrap_fn *fn);
void wrap_remove(wrap_fn *fn);

#endif
