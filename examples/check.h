/* CHECK(call): what the call returns, or the end of the program if that is negative; the library has printed why by
 * then. */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check((long long)(call), #call, __FILE__, __LINE__)

static inline long long check(long long result, const char *call, const char *file, int line)
{
    if (result < 0) {
        fprintf(stderr, "%s:%d: %s failed\n", file, line, call);
        exit(1);
    }
    return result;
}
