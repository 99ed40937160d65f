/* A filter of the application fails: what flushing and closing say, and that other datasets lose nothing. What is left of
 * the dataset itself after it was closed is not the same: stock forgets what could not be written, and so its file closes
 * without an error. */
#include <stdio.h>
#include <string.h>

#include "hdf5.h"

#define FILE_NAME "filter_failures.h5"
#define FILTER 300
#define N 12
#define CHUNK 4

static int fails;

static size_t run_filter(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    (void)n_values, (void)values, (void)capacity, (void)buf;
    return fails && !(flags & H5Z_FLAG_REVERSE) ? 0 : n;
}

static const H5Z_class2_t filter_class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "fails", NULL, NULL, run_filter};

static hid_t create(hid_t file, const char *name, unsigned flags)
{
    hsize_t n = N, chunk = CHUNK;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    if (strcmp(name, "plain") != 0)
        H5Pset_filter(dcpl, FILTER, flags, 0, NULL);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return d;
}

static int write_values(hid_t d, int first)
{
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = first + i;
    return H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

static void show(hid_t file, const char *name)
{
    int data[N];
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    int status = H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    printf("%s: %d, %d to %d\n", name, status, data[0], data[N - 1]);
    H5Dclose(d);
}

static hid_t begin(hid_t *filtered, hid_t *plain)
{
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fails = 0;
    *filtered = create(file, "filtered", H5Z_FLAG_MANDATORY);
    *plain = create(file, "plain", 0);
    printf("writing: %d %d\n", write_values(*filtered, 100), write_values(*plain, 200));
    return file;
}

static void end(hid_t file, hid_t plain, int all)
{
    printf("closing the other: %d\n", H5Dclose(plain));
    fails = 0;
    printf("closing the file: %d\n", H5Fclose(file));
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    show(file, "plain");
    if (all)
        show(file, "filtered");
    H5Fclose(file);
}

static void show_close(hid_t d)
{
    int status = H5Dclose(d);
    printf("closing: %d, then the id is %s\n", status, H5Iis_valid(d) > 0 ? "there" : "gone");
}

static void close_at_once(void)
{
    hid_t d, plain, file = begin(&d, &plain);
    fails = 1;
    show_close(d);
    end(file, plain, 0);
}

static void flush_first(void)
{
    hid_t d, plain, file = begin(&d, &plain);
    fails = 1;
    for (int i = 0; i < 2; i++)
        printf("flushing: %d\n", H5Fflush(file, H5F_SCOPE_GLOBAL));
    show_close(d);
    end(file, plain, 0);
}

static void heal(void)
{
    hid_t d, plain, file = begin(&d, &plain);
    fails = 1;
    printf("flushing the dataset: %d\n", H5Dflush(d));
    fails = 0;
    printf("flushing: %d\n", H5Fflush(file, H5F_SCOPE_GLOBAL));
    fails = 1;
    show_close(d);
    end(file, plain, 1);
}

static void close_twice(void)
{
    hid_t d, plain, file = begin(&d, &plain), again = H5Dopen2(file, "filtered", H5P_DEFAULT);
    fails = 1;
    show_close(d);
    H5Iinc_ref(again);
    show_close(again);
    show_close(again);
    show_close(again);
    end(file, plain, 0);
}

static void delete_closed(void)
{
    hid_t d, plain, file = begin(&d, &plain);
    fails = 1;
    show_close(d);
    printf("deleting: %d\n", H5Ldelete(file, "filtered", H5P_DEFAULT));
    printf("flushing: %d\n", H5Fflush(file, H5F_SCOPE_GLOBAL));
    end(file, plain, 0);
}

/* One that may fail is skipped. */
static void optional(void)
{
    hid_t d, plain, file = begin(&d, &plain), o = create(file, "optional", H5Z_FLAG_OPTIONAL);
    show_close(d);
    fails = 1;
    printf("writing: %d\n", write_values(o, 300));
    printf("flushing: %d\n", H5Fflush(file, H5F_SCOPE_GLOBAL));
    show_close(o);
    show(file, "optional");
    end(file, plain, 1);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"close at once", close_at_once}, {"flush first", flush_first}, {"heal", heal},
               {"close twice", close_twice}, {"delete", delete_closed}, {"optional", optional}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Zregister(&filter_class);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        printf("== %s\n", all[i].name);
        all[i].run();
    }
    remove(FILE_NAME);
    return 0;
}
