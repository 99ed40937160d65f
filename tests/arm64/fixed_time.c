/* A clock that stands still, for programs whose files are compared byte by byte. */
#include <time.h>

time_t time(time_t *out)
{
    time_t now = 1700000000;
    if (out)
        *out = now;
    return now;
}
