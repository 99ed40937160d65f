/* Bad requests in a file with unflushed work. After each the program does a bit more work, never flushes, and in the end
 * closes the file, opens it and looks for all of it: a request that is refused must cost nothing but itself. What is
 * printed for each is whether it was refused. Every group of requests is a process of its own, so that one that crashes
 * is told and the others go on; requests that crash stock libhdf5 1.10.8 are left out, where the comment says so. */
#ifndef BAD_REQUESTS_H
#define BAD_REQUESTS_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const char bad_path[] = "twin_bad_requests.h5";

/* The file that all is tried in, and the dataset with a row for each piece of work. */
static hid_t file, rows;
static int works;
static int is_latest;

/* Names that no other request has. */
static inline const char *fresh(void)
{
    static char name[32];
    static int n;
    snprintf(name, sizeof name, "new %d", n++);
    return name;
}

static inline hid_t simple(int rank, const hsize_t *dims, const hsize_t *max)
{
    return H5Screate_simple(rank, dims, max);
}

static inline hid_t line(hsize_t n)
{
    return H5Screate_simple(1, &n, NULL);
}

static inline hid_t open_ended_line(hsize_t n)
{
    hsize_t max = H5S_UNLIMITED;
    return H5Screate_simple(1, &n, &max);
}

static inline hid_t in_chunks(hsize_t n)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &n);
    return dcpl;
}

static inline void put_int(hid_t object, const char *name, int value)
{
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(object, name, H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    H5Sclose(scalar);
}

static inline int get_int(hid_t object, const char *name)
{
    int value = -1;
    hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    if (attr >= 0)
        H5Aread(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    return value;
}

enum { ROW = 3 };

static inline herr_t move_row(hid_t dset, int n, int values[ROW], int write)
{
    hsize_t start[2] = {(hsize_t)n, 0}, count[2] = {1, ROW};
    hid_t in_file = H5Dget_space(dset), in_memory = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t status = write ? H5Dwrite(dset, H5T_NATIVE_INT, in_memory, in_file, H5P_DEFAULT, values)
                          : H5Dread(dset, H5T_NATIVE_INT, in_memory, in_file, H5P_DEFAULT, values);
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return status;
}

static inline void work(void)
{
    char name[32];
    int values[ROW] = {works, works + 1, -works};
    hsize_t dims[2] = {(hsize_t)works + 1, ROW};
    snprintf(name, sizeof name, "work %d", works);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_int(group, "n", works);
    if (group < 0 || H5Dset_extent(rows, dims) < 0 || move_row(rows, works, values, 1) < 0)
        printf("    no work can be done after this\n");
    H5Gclose(group);
    works++;
}

/* Whether the n-th piece of work is in the file. */
static inline int is_there(hid_t dset, int n)
{
    char name[32];
    int values[ROW] = {-1, -1, -1};
    snprintf(name, sizeof name, "work %d", n);
    hid_t group = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
    int right = group >= 0 && get_int(group, "n") == n && move_row(dset, n, values, 0) >= 0 && values[0] == n &&
                values[1] == n + 1 && values[2] == -n;
    H5Gclose(group);
    return right;
}

/* What a request gave: ids are closed again. */
static inline void request(const char *what, long long result)
{
    printf("  %s: %s\n", what, result < 0 ? "refused" : "done");
    if (result > 0xffffff && H5Iis_valid((hid_t)result) > 0)
        H5Idec_ref((hid_t)result);
    work();
}

#define TRY(what, call) request(what, (long long)(call))

/* Where Tessera does something else than stock libhdf5, and why. */
static inline void request_on_purpose(const char *what, const char *why, int stock_does, int tessera_does, long long result)
{
    int as_meant = (result >= 0) == (IS_TESSERA ? tessera_does : stock_does);
    printf("  %s: %s (%s)\n", what, as_meant ? "stock and Tessera differ, as meant" : "NOT AS MEANT", why);
    if (result > 0xffffff && H5Iis_valid((hid_t)result) > 0)
        H5Idec_ref((hid_t)result);
    work();
}

enum { REFUSES, DOES };
#define TRY_ON_PURPOSE(what, why, stock, tessera, call)                                                                \
    request_on_purpose(what, why, stock, tessera, (long long)(call))

static inline void begin(int latest)
{
    hsize_t dims[2] = {0, ROW}, max[2] = {H5S_UNLIMITED, ROW}, chunk[2] = {16, ROW};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    is_latest = latest;
    H5Pset_libver_bounds(fapl, latest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    file = H5Fcreate(bad_path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t space = H5Screate_simple(2, dims, max);
    H5Pset_chunk(dcpl, 2, chunk);
    rows = H5Dcreate2(file, "rows", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    work();
}

/* Requests may leave ids behind, which would keep the file open. */
static inline void close_all(hid_t of, unsigned kinds)
{
    hid_t ids[1000];
    ssize_t n = H5Fget_obj_ids(of, kinds, LENGTH(ids), ids);
    for (ssize_t i = 0; i < n; i++)
        while (H5Iis_valid(ids[i]) > 0 && H5Idec_ref(ids[i]) > 0)
            ;
}

static inline void end(void)
{
    int kept = 0;
    close_all(file, H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR);
    printf("  closing: %d\n", H5Fclose(file));
    file = H5Fopen(bad_path, H5F_ACC_RDWR, H5P_DEFAULT);
    rows = H5Dopen2(file, "rows", H5P_DEFAULT);
    for (int i = 0; i < works; i++)
        kept += is_there(rows, i);
    printf("  after opening it again: %d of %d pieces of work\n", kept, works);
    printf("  closing: %d %d\n", H5Dclose(rows), H5Fclose(file));
}

static inline void group_of_requests(const char *name, void (*requests)(void))
{
    for (int latest = 0; latest < 2; latest++) {
        int status = 0;
        printf("%s, %s format\n", name, latest ? "latest" : "earliest");
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            setvbuf(stdout, NULL, _IOLBF, 0);
            H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
            begin(latest);
            requests();
            end();
            fflush(stdout);
            /* Stock libhdf5 crashes at its own end after some of them. */
            IS_TESSERA ? exit(0) : _exit(0);
        }
        waitpid(pid, &status, 0);
        if (status != 0)
            printf("  ended with signal %d, status %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                   WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    }
}

#endif
