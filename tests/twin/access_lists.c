/* Several handles of one dataset, each opened with another access list: which settings count, and where external files
 * lie. The environment variable for that is looked at when the process starts, so the program runs itself again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

static herr_t on_append(hid_t dset, hsize_t *dims, void *data)
{
    (void)dset, (void)dims, (void)data;
    return 0;
}

static hid_t settings(int k)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    hsize_t boundary = 4 + (hsize_t)k;
    H5Pset_chunk_cache(dapl, 100 + (size_t)k, 1000 * (size_t)k, 0.125 * k);
    H5Pset_append_flush(dapl, 1, &boundary, on_append, NULL);
    return dapl;
}

static void show(const char *what, hid_t dset)
{
    size_t slots = 0, bytes = 0;
    double w0 = 0;
    hsize_t boundary = 0;
    H5D_append_cb_t func = NULL;
    char prefix[64] = "untouched";
    if (dset < 0) {
        printf("%s: not open\n", what);
        return;
    }
    hid_t dapl = H5Dget_access_plist(dset);
    H5Pget_chunk_cache(dapl, &slots, &bytes, &w0);
    H5Pget_append_flush(dapl, 1, &boundary, &func, NULL);
    ssize_t length = H5Pget_efile_prefix(dapl, prefix, sizeof prefix);
    printf("%s: %zu %zu %g, %llu %d, %zd '%s'\n", what, slots, bytes, w0, (unsigned long long)boundary, func == on_append,
           length, prefix);
    H5Pclose(dapl);
}

static void chunked(hid_t file)
{
    const hsize_t n = 10, max = H5S_UNLIMITED, chunk = 5;
    hid_t space = H5Screate_simple(1, &n, &max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t first = H5Dcreate2(file, "chunked", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, settings(1));
    hid_t second = H5Dopen2(file, "chunked", settings(2)), third = H5Oopen(file, "chunked", H5P_DEFAULT);
    show("first", first);
    show("second", second);
    show("third", third);
    H5Dclose(first);
    show("second without first", second);
    H5Dclose(second);
    H5Dclose(third);
    second = H5Dopen2(file, "chunked", settings(2));
    show("second alone", second);
    H5Dclose(second);
    third = H5Dopen2(file, "chunked", H5P_DEFAULT);
    second = H5Dopen2(file, "chunked", settings(2));
    show("second after a plain one", second);
    H5Dclose(second);
    H5Dclose(third);
    H5Pclose(dcpl);
    H5Sclose(space);
}

/* A dataset has the list as it was when it was made or opened. */
static void changed_later(hid_t file)
{
    hid_t space = H5Screate(H5S_SCALAR), dapl = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t first = H5Dcreate2(file, "later", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, dapl);
    H5Pset_efile_prefix(dapl, "elsewhere");
    H5Pset_chunk_cache(dapl, 7, 8, 0.5);
    show("list changed later", first);
    hid_t again = H5Dopen2(file, "later", H5P_DEFAULT), with_it = H5Dopen2(file, "later", dapl);
    show("the default list", again);
    show("the changed list", with_it);
    H5Dclose(again);
    H5Dclose(first);
    with_it = H5Dopen2(file, "later", dapl);
    H5Pset_efile_prefix(dapl, "nowhere");
    show("the changed list, first", with_it);
    H5Dclose(with_it);
    H5Pclose(dapl);
    H5Sclose(space);
}

static void put_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    fputs(text, f);
    fclose(f);
}

static hid_t prefixed(const char *prefix)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_efile_prefix(dapl, prefix);
    return dapl;
}

static void show_data(const char *what, hid_t dset)
{
    char text[5] = "";
    show(what, dset);
    if (dset < 0)
        return;
    printf("  %d", (int)H5Dread(dset, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text));
    printf(" %s\n", text);
    H5Dclose(dset);
}

static void external(hid_t file, const char *name, hid_t dcpl)
{
    static const char *const names[] = {"a", "b", "", "."};
    const hsize_t four = 4;
    hid_t space = H5Screate_simple(1, &four, NULL);
    hid_t first = H5Dcreate2(file, name, H5T_NATIVE_CHAR, space, H5P_DEFAULT, dcpl, prefixed("a"));
    for (int alone = 0; alone < 2; alone++) {
        for (int i = 0; i < 4; i++)
            show_data(names[i], H5Dopen2(file, name, prefixed(names[i])));
        show_data("plain", H5Dopen2(file, name, H5P_DEFAULT));
        show_data("as an object", H5Oopen(file, name, H5P_DEFAULT));
        if (!alone)
            show_data("first", first);
    }
    H5Sclose(space);
}

static void run(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate("access_lists.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    chunked(file);
    external(file, "not external", dcpl);
    H5Pset_external(dcpl, "x", 0, 4);
    changed_later(file);
    external(file, "external", dcpl);
    H5Pclose(dcpl);
    printf("closed: %d\n", (int)H5Fclose(file));
}

static int run_again(const char *program, const char *prefix)
{
    char command[4096];
    if (prefix)
        setenv("HDF5_EXTFILE_PREFIX", prefix, 1);
    printf("--- %s\n", prefix ? prefix : "no variable");
    fflush(stdout);
    snprintf(command, sizeof command, "'%s' run", program);
    return system(command);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run();
        return 0;
    }
    mkdir("a", 0777);
    mkdir("b", 0777);
    put_file("a/x", "aaaa");
    put_file("b/x", "bbbb");
    put_file("x", "xxxx");
    unsetenv("HDF5_EXTFILE_PREFIX");
    return run_again(argv[0], NULL) != 0 || run_again(argv[0], "") != 0 || run_again(argv[0], "b") != 0;
}
