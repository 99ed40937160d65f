#define _GNU_SOURCE /* secure_getenv */
#include "base/env.h"

#include <stdlib.h>

const char *ts_env(const char *name)
{
    return secure_getenv(name);
}
