/* What ends the program, seen from outside. */
#ifndef TS_TESTS_DEATH_H
#define TS_TESTS_DEATH_H

#include <stdbool.h>

/* Runs a function in a child of the process: true when it aborts with a message that has all these words in it (NULL ends
 * them), and else what happened is said on stderr. */
bool ts_dies_saying(void (*run)(void *ctx), void *ctx, const char *const *words);

#endif
