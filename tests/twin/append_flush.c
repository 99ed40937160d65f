/* H5Pset_append_flush: which boundaries a dataset takes, and that they come back; and metadata that only flushes of the
 * application write. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static herr_t called(hid_t d, hsize_t *dims, void *data)
{
    (void)d, (void)dims, (void)data;
    return 0;
}

static const hsize_t UNLIMITED = (hsize_t)-1;

static hid_t boundaries(unsigned rank, hsize_t a, hsize_t b)
{
    hsize_t all[2] = {a, b};
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    herr_t status = H5Pset_append_flush(dapl, rank, all, called, NULL);
    printf("boundaries of rank %u, %llu %llu: %d;", rank, (unsigned long long)a, (unsigned long long)b, (int)status);
    return dapl;
}

static void print_back(hid_t d)
{
    hsize_t all[3] = {9, 9, 9};
    H5D_append_cb_t func = NULL;
    void *data = &func;
    hid_t dapl = H5Dget_access_plist(d);
    herr_t status = H5Pget_append_flush(dapl, 3, all, &func, &data);
    printf(" back %d: %llu %llu %llu, callback %d, data %d", (int)status, (unsigned long long)all[0], (unsigned long long)all[1],
           (unsigned long long)all[2], func == called, data != NULL);
    H5Pclose(dapl);
}

static hid_t layout(int rank, int chunked)
{
    hsize_t chunk[2] = {2, 2};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked)
        H5Pset_chunk(dcpl, rank, chunk);
    return dcpl;
}

static void try_one(hid_t file, int rank, const hsize_t *most, int chunked, hid_t dapl)
{
    static int n;
    char name[16];
    hsize_t dims[2] = {4, 4};
    snprintf(name, sizeof name, "d%d", n++);
    hid_t space = H5Screate_simple(rank, dims, most), dcpl = layout(rank, chunked);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, dapl);
    printf(" create %s", d >= 0 ? "works" : "fails");
    if (d >= 0) {
        print_back(d);
        H5Dclose(d);
    } else {
        H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    }
    d = H5Dopen2(file, name, dapl);
    printf(", open %s\n", d >= 0 ? "works" : "fails");
    if (d >= 0)
        H5Dclose(d);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void datasets(hid_t file)
{
    const hsize_t limits[][2] = {{UNLIMITED, UNLIMITED}, {UNLIMITED, 4}, {4, UNLIMITED}, {4, 4}, {8, 4}, {8, 8}};
    const hsize_t all[][2] = {{0, 0}, {2, 0}, {0, 3}, {2, 3}};
    for (int chunked = 0; chunked < 2; chunked++)
        for (int i = 0; i < (chunked ? 6 : 1); i++)
            for (int k = 0; k < 4; k++)
                for (unsigned rank = 1; rank <= 2; rank++) {
                    hid_t dapl = boundaries(rank, all[k][0], all[k][1]);
                    printf(" limits %d, chunks %d:", i, chunked);
                    try_one(file, 2, chunked ? limits[i] : NULL, chunked, dapl);
                    H5Pclose(dapl);
                }
}

static void arguments(void)
{
    hsize_t one = 1, large = (hsize_t)1 << 33;
    int data;
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    printf("no rank %d", (int)H5Pset_append_flush(dapl, 0, &one, called, NULL));
    printf(" no boundaries %d", (int)H5Pset_append_flush(dapl, 1, NULL, called, NULL));
    printf(" data alone %d", (int)H5Pset_append_flush(dapl, 1, &one, NULL, &data));
    printf(" no callback %d", (int)H5Pset_append_flush(dapl, 1, &one, NULL, NULL));
    printf(" too large %d", (int)H5Pset_append_flush(dapl, 1, &large, called, &data));
    printf(" too many %d\n", (int)H5Pset_append_flush(dapl, 33, &one, called, &data));
    H5Pclose(dapl);
}

static void print_corked(const char *what, hid_t id)
{
    hbool_t corked = 7;
    herr_t status = H5Oare_mdc_flushes_disabled(id, &corked);
    printf("%s: %d %d\n", what, (int)status, status >= 0 ? (int)corked : -1);
}

static void corks(hid_t file)
{
    hid_t d = H5Dopen2(file, "d0", H5P_DEFAULT), again = H5Dopen2(file, "d0", H5P_DEFAULT);
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    print_corked("at first", d);
    printf("enable %d\n", (int)H5Oenable_mdc_flushes(d));
    printf("disable %d\n", (int)H5Odisable_mdc_flushes(d));
    print_corked("disabled", d);
    print_corked("by another id", again);
    print_corked("the group", root);
    printf("disable again %d\n", (int)H5Odisable_mdc_flushes(again));
    printf("flush %d, %d, %d\n", (int)H5Dflush(d), (int)H5Oflush(d), (int)H5Fflush(file, H5F_SCOPE_LOCAL));
    print_corked("flushed", d);
    H5Dclose(d);
    print_corked("one id closed", again);
    H5Dclose(again);
    again = H5Dopen2(file, "d0", H5P_DEFAULT);
    print_corked("opened again", again);
    H5Dclose(again);
    print_corked("a file", file);
    H5Gclose(root);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("append_flush.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    arguments();
    datasets(file);
    corks(file);
    printf("close %d\n", (int)H5Fclose(file));
    H5Pclose(fapl);
    return 0;
}
