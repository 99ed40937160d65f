#include "file/retry.h"

#include <time.h>

#include "base/alloc.h"
#include "plist/fapl.h"

enum { SWMR_ATTEMPTS = 100, MAX_BINS = 10 };

struct ts_retries {
    unsigned attempts;
    atomic_uint counts[TS_RETRY_END][MAX_BINS];
};

int ts_retries_agree(struct ts_file *f)
{
    unsigned attempts;
    if (ts_fapl_read_attempts(f->fapl, &attempts) < 0)
        return -1;
    if (attempts != 0)
        return 0;
    attempts = SWMR_ATTEMPTS;
    return ts_fapl_set_read_attempts(f->fapl, attempts);
}

int ts_retries_new(struct ts_file *f)
{
    struct ts_retries *r = ts_calloc(1, sizeof *r);
    if (!r)
        return -1;
    f->others.retries = r;
    return ts_retries_agree(f) < 0 ? -1 : ts_fapl_read_attempts(f->fapl, &r->attempts);
}

void ts_retries_free(struct ts_retries *r)
{
    ts_free(r);
}

/* With the usual 100 attempts a reader gives up after 1.2 seconds: long enough for a writer that does not get the
 * processor between two writes. */
static void sleep_before(unsigned attempt)
{
    enum { STEP = 250000, LONGEST = 25000000 };
    long ns = attempt < LONGEST / STEP ? (long)attempt * STEP : LONGEST;
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

bool ts_retry_again(struct ts_file *f, unsigned n)
{
    if (!f->others.retries || n >= f->others.retries->attempts)
        return false;
    sleep_before(n);
    return true;
}

void ts_retry_count(struct ts_file *f, enum ts_retry_kind kind, unsigned retries)
{
    unsigned bin = 0;
    if (!f->others.retries || retries == 0)
        return;
    while (retries >= 10) {
        retries /= 10;
        bin++;
    }
    atomic_fetch_add(&f->others.retries->counts[kind][bin], 1);
}

int ts_retry_bins(struct ts_file *f, unsigned *n)
{
    unsigned attempts;
    if (ts_fapl_read_attempts(f->fapl, &attempts) < 0)
        return -1;
    *n = 0;
    for (unsigned most = attempts > 0 ? attempts - 1 : 0; most > 0; most /= 10)
        (*n)++;
    return 0;
}

int ts_retry_counts(struct ts_file *f, enum ts_retry_kind kind, uint32_t **out)
{
    unsigned n, sum = 0;
    *out = NULL;
    if (ts_retry_bins(f, &n) < 0)
        return -1;
    for (unsigned i = 0; f->others.retries && i < n; i++)
        sum |= atomic_load(&f->others.retries->counts[kind][i]);
    if (sum == 0)
        return 0;
    uint32_t *counts = ts_malloc(n * sizeof *counts);
    if (!counts)
        return -1;
    for (unsigned i = 0; i < n; i++)
        counts[i] = atomic_load(&f->others.retries->counts[kind][i]);
    *out = counts;
    return 0;
}
