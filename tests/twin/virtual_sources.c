/* Files that others name, as both libraries find them: sources of virtual datasets that are missing, that cannot be read
 * (Tessera is asked for libhdf5's ways, by its environment variable), and files that are open already with some close degree.
 * Where that is another than weak, Tessera reads the source and libhdf5 does not: tests/unit/dataset/test_virtual_unreadable.c. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 2 };

static void make_source(const char *name)
{
    int values[N] = {7, 7};
    hsize_t n = N;
    hid_t f = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/nowhere", f, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/loop", f, "loop", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("no file.h5", "/d", f, "to no file", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("noise.h5", "/d", f, "to noise", H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(d);
    H5Sclose(space);
    H5Fclose(f);
}

static void make_virtual(const char *file, const char *dset)
{
    int fill = -1;
    hsize_t n = N;
    hid_t f = H5Fcreate("virtual.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    H5Pset_virtual(dcpl, space, file, dset, space);
    H5Dclose(H5Dcreate2(f, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Lcreate_external(file, dset, f, "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(f);
}

static void show_opened(hid_t f, const char *name)
{
    int values[N] = {0, 0};
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT);
    if (d < 0) {
        printf(" %s: does not open", name);
        return;
    }
    herr_t read = H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    printf(" %s: %d, %d %d", name, read, values[0], values[1]);
    H5Dclose(d);
}

static void show(const char *file, const char *dset)
{
    int values[N] = {1, 2};
    make_virtual(file, dset);
    hid_t f = H5Fopen("virtual.h5", H5F_ACC_RDWR, H5P_DEFAULT), d = H5Dopen2(f, "v", H5P_DEFAULT);
    printf("%s, %s:", file, dset);
    show_opened(f, "v");
    show_opened(f, "link");
    printf(" written: %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(d);
    H5Fclose(f);
}

static void noise(const char *name, int n)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    while (n-- > 0 && write(fd, "x", 1) == 1)
        ;
    close(fd);
}

static void show_missing(void)
{
    show("source.h5", "d");
    make_source("source.h5");
    show("no file.h5", "d");
    show("no folder/no file.h5", "d");
    show("source.h5/below.h5", "d");
    show("source.h5", "none");
    show("source.h5", "none/none");
    show("source.h5", "dangling");
    show("source.h5", "to no file");
    show(".", "none");
}

static void show_unreadable(void)
{
    noise("noise.h5", 1000);
    noise("empty.h5", 0);
    mkdir("folder.h5", 0777);
    show("noise.h5", "d");
    show("empty.h5", "d");
    show("folder.h5", "d");
    show("source.h5", "group");
    show("source.h5", "loop");
    show("source.h5", "to noise");
    show(".", "group");
    rmdir("folder.h5");
}

static hid_t with_degree(int degree)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(fapl, (H5F_close_degree_t)degree);
    return fapl;
}

static void show_degrees(int source, int parent)
{
    hid_t s = source >= 0 ? H5Fopen("source.h5", H5F_ACC_RDONLY, with_degree(source)) : -1;
    hid_t f = H5Fopen("virtual.h5", H5F_ACC_RDONLY, with_degree(parent));
    printf("source %d, parent %d:", source, parent);
    if (source <= H5F_CLOSE_WEAK)
        show_opened(f, "v");
    show_opened(f, "link");
    H5Fclose(f);
    if (s >= 0)
        H5Fclose(s);
    f = H5Fopen("virtual.h5", H5F_ACC_RDONLY, with_degree(parent));
    hid_t d = H5Dopen2(f, "link", H5P_DEFAULT);
    s = source >= 0 ? H5Fopen("source.h5", H5F_ACC_RDONLY, with_degree(source)) : -1;
    printf(", behind the link %s\n", s >= 0 ? "it opens" : "not");
    H5Dclose(d);
    H5Fclose(f);
    if (s >= 0)
        H5Fclose(s);
}

static void show_length(hsize_t gap)
{
    hsize_t n = 0;
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_virtual_printf_gap(dapl, gap);
    hid_t f = H5Fopen("virtual.h5", H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "v", dapl), space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, &n, NULL);
    printf("gap %d: %d elements\n", (int)gap, (int)n);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(f);
    H5Pclose(dapl);
}

static void show_blocks(void)
{
    hsize_t zero = 0, n = N, no_limit = H5S_UNLIMITED;
    hid_t f = H5Fcreate("virtual.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dst = H5Screate_simple(1, &zero, &no_limit), src = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(dst, H5S_SELECT_SET, &zero, &n, &no_limit, &n);
    H5Pset_virtual(dcpl, dst, "block%b.h5", "d", src);
    H5Dclose(H5Dcreate2(f, "v", H5T_NATIVE_INT, dst, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Sclose(src);
    H5Sclose(dst);
    H5Pclose(dcpl);
    H5Fclose(f);
    make_source("block0.h5");
    make_source("block2.h5");
    show_length(0);
    show_length(1);
    setenv("TESSERA_VDS_UNREADABLE", "fill", 1);
    noise("block1.h5", 1000);
    show_length(0);
    show_length(1);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    remove("source.h5");
    show_missing();
    setenv("TESSERA_VDS_UNREADABLE", "fill", 1);
    show_unreadable();
    make_source("source.h5");
    make_virtual("source.h5", "d");
    for (int source = -1; source <= 3; source++)
        for (int parent = 0; parent <= 3; parent++)
            show_degrees(source, parent);
    unsetenv("TESSERA_VDS_UNREADABLE");
    show_blocks();
    return 0;
}
