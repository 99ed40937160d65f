/* A filter goes when nothing that is open uses it, after what waits in memory has been through it. */
#include <stdio.h>

#include <hdf5.h>

#define FILE_NAME "filter_unregister.h5"

enum { FILTER = 300, N = 400, LINKS = 12 };

static size_t run_filter(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *capacity, void **buf)
{
    (void)flags, (void)n_values, (void)values, (void)capacity;
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)*buf)[i] ^= 0x5a;
    return n;
}

static const H5Z_class2_t filter_class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "turns bits", NULL, NULL, run_filter};

static hid_t make_dataset(hid_t file)
{
    const hsize_t n = N, chunk = 16;
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = i;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_filter(dcpl, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    hid_t set = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Pclose(dcpl);
    H5Sclose(space);
    return set;
}

static hid_t make_group(hid_t file, const char *name, int dense)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_filter(gcpl, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    if (dense)
        H5Pset_link_phase_change(gcpl, 0, 0);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    for (int i = 0; i < LINKS; i++) {
        char link[32];
        snprintf(link, sizeof link, "link %d", i);
        H5Lcreate_soft("nowhere", group, link, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Pclose(gcpl);
    return group;
}

static void unregister(const char *when)
{
    printf("%s: %d", when, (int)H5Zunregister(FILTER));
    printf(", there %d\n", (int)H5Zfilter_avail(FILTER));
}

static void look(void)
{
    int data[N] = {0};
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "d", H5P_DEFAULT);
    printf("read: %d", (int)H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    printf(", %d\n", data[N - 1]);
    printf("links: %d", (int)H5Lexists(file, "dense/link 7", H5P_DEFAULT));
    printf(" %d\n", (int)H5Lexists(file, "compact/link 7", H5P_DEFAULT));
    H5Dclose(set);
    H5Fclose(file);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Zregister(&filter_class);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t set = make_dataset(file), dense = make_group(file, "dense", 1), compact = make_group(file, "compact", 0);
    unregister("all open");
    H5Dclose(set);
    unregister("groups open");
    H5Gclose(dense);
    unregister("a compact group open");
    H5Gclose(compact);
    unregister("the file open");
    unregister("again");
    printf("closed: %d\n", (int)H5Fclose(file));
    H5Zregister(&filter_class);
    look();
    return 0;
}
