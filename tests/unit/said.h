/* What the error stack says, in one line. */
#ifndef TESTS_UNIT_SAID_H
#define TESTS_UNIT_SAID_H

#include <stdio.h>
#include <string.h>

#include "hdf5.h"
#include "unit/cmocka_all.h"

static char said_text[8192];

static inline herr_t said_add(unsigned n, const H5E_error2_t *err, void *data)
{
    (void)n;
    (void)data;
    size_t at = strlen(said_text);
    snprintf(said_text + at, sizeof said_text - at, "%s | ", err->desc ? err->desc : "");
    return 0;
}

/* Of the call that has just failed. */
static inline const char *said(void)
{
    said_text[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, said_add, NULL);
    return said_text;
}

static inline void assert_says(const char *words)
{
    if (!strstr(said(), words))
        fail_msg("'%s' is not in: %s", words, said_text);
}

/* Fails with words that have these in them. */
#define FAILS(call, words)                                                                                             \
    do {                                                                                                               \
        H5E_BEGIN_TRY                                                                                                  \
        {                                                                                                              \
            assert_true((call) < 0);                                                                                   \
            assert_says(words);                                                                                        \
        }                                                                                                              \
        H5E_END_TRY                                                                                                    \
    } while (0)

#endif
