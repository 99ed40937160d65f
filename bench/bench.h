/* What the benchmark programs share: a clock, data that wander, and the loop over cases. */
#ifndef BENCH_H
#define BENCH_H

#ifndef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The large dataset: 512 MiB of float32. */
enum { LARGE_ROWS = 8192, LARGE_COLUMNS = 16384, SQUARE = 8192, TINY = 1000000, TINY_CHUNK = 16 };
#define LARGE_ELEMENTS ((size_t)LARGE_ROWS * LARGE_COLUMNS)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline unsigned next_random(unsigned *seed)
{
    return *seed = *seed * 1664525 + 1013904223;
}

/* A random walk in quarters: measurements that neither repeat nor are noise only. */
static inline void wander(float *data, size_t n)
{
    unsigned seed = 1;
    int value = 0;
    for (size_t i = 0; i < n; i++) {
        value += 2 * (int)(next_random(&seed) >> 28) - 15;
        data[i] = 0.25f * (float)value;
    }
}

/* A case is timed `repeats` times, the best counts. Only run is timed; check tells what was read or written. */
struct bench_case {
    const char *title;
    int repeats;
    void (*prepare)(void);
    void (*run)(const struct bench_case *c);
    double (*check)(const struct bench_case *c);
    const char *file;
};

/* One line a case: title, seconds, checksum. words: only those whose title has them; NULL: all. */
static inline void run_cases(const struct bench_case *cases, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++) {
        const struct bench_case *c = &cases[i];
        double best = 1e9;
        if (words && !strstr(c->title, words))
            continue;
        for (int repeat = 0; repeat < c->repeats; repeat++) {
            if (c->prepare)
                c->prepare();
            double start = now();
            c->run(c);
            double took = now() - start;
            best = took < best ? took : best;
        }
        printf("%s\t%.9f\t%.17g\n", c->title, best, c->check(c));
        fflush(stdout);
    }
}

#endif
