/* Cases that write a file. The library that wrote it reads it back, which keeps both sides honest; where reading has a
 * title it is timed too. */
#ifndef BENCH_WRITTEN_H
#define BENCH_WRITTEN_H

#include "bench.h"

static char path[4096];

static inline hid_t create(const char *bounds)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strstr(bounds, "latest"))
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

static inline hid_t reopen(void)
{
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

struct written {
    const char *title;
    void (*write)(const char *how);
    double (*read)(void);
    const char *read_title; /* NULL: reading is not timed */
    void (*prepare)(void);
};

static inline void run_one_written(const struct written *c)
{
    remove(path);
    if (c->prepare)
        c->prepare();
    double start = now();
    c->write(c->title);
    double wrote = now() - start;
    start = now();
    double check = c->read();
    double took = now() - start;
    printf("%s\t%.9f\t%.17g\n", c->title, wrote, check);
    if (c->read_title)
        printf("%s\t%.9f\t%.17g\n", c->read_title, took, check);
    fflush(stdout);
}

/* The arguments are the folder and, if only some cases are wanted, words of their titles. One line a case: title,
 * seconds, checksum. */
static inline int run_written(int argc, char **argv, const struct written *cases, size_t n)
{
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/written.h5", argv[1]);
    for (size_t i = 0; i < n; i++)
        if (argc == 2 || strstr(cases[i].title, argv[2]))
            run_one_written(&cases[i]);
    remove(path);
    return 0;
}

#endif
