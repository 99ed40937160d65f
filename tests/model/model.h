/* What the model tests share: random numbers that a seed repeats, and a check that tells where it failed. Who includes it
 * has `fail`, which does not return. */
#ifndef TS_TESTS_MODEL_H
#define TS_TESTS_MODEL_H

#include <stdint.h>

#define MUST(t, x)                                                                                                     \
    do {                                                                                                               \
        if (!(x))                                                                                                      \
            fail((t), #x, __LINE__);                                                                                   \
    } while (0)

static inline unsigned random_below(uint64_t *state, unsigned n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % n);
}

#endif
