/* pieces FOLDER: 512 MiB of new file written with calls of so many bytes, with room reserved ahead as the POSIX driver
 * does it. One line a size: bytes, seconds; the best and the median of nine times, all sizes by turns. This is what
 * PIECE_BYTES of src/driver/sec2.c was set by: where dirty pages are scarce, the system holds up a large write for
 * longer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOTAL = 512 << 20, RESERVED = 32 << 20, SIZES = 7, TURNS = 9 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double write_all(const char *path, const char *data, size_t piece)
{
    remove(path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    double begin = now();
    for (off_t at = 0; fd >= 0 && at < TOTAL; at += (off_t)piece) {
        if (at % RESERVED == 0 && fallocate(fd, FALLOC_FL_KEEP_SIZE, at, RESERVED) < 0)
            perror("fallocate");
        if (pwrite(fd, data + at, piece, at) != (ssize_t)piece)
            exit(1);
    }
    double took = now() - begin;
    close(fd);
    remove(path);
    return took;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const size_t sizes[SIZES] = {256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 16 << 20, 32 << 20};
    static double took[SIZES][TURNS];
    char path[4096];
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/pieces", argv[1]);
    char *data = malloc(TOTAL);
    memset(data, 'x', TOTAL);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SIZES; i++)
            took[i][turn] = write_all(path, data, sizes[i]);
    for (int i = 0; i < SIZES; i++) {
        qsort(took[i], TURNS, sizeof took[i][0], ascending);
        printf("%9zu %8.4f %8.4f\n", sizes[i], took[i][0], took[i][TURNS / 2]);
    }
    free(data);
    return 0;
}
