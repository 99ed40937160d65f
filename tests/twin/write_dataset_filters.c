/* Filters of the application when a dataset is created: what they are asked, and what their answers do. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "twin_dataset_filters.h5"
#define FIRST 300
#define SECOND 301

static int can_answer, set_answer;

static void show_args(const char *what, hid_t dcpl, hid_t type, hid_t space)
{
    hsize_t dims[4] = {0};
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    printf("  %s: filters %d, layout %d, class %d size %zu, space", what, H5Pget_nfilters(dcpl), (int)H5Pget_layout(dcpl),
           (int)H5Tget_class(type), H5Tget_size(type));
    for (int i = 0; i < rank; i++)
        printf(" %llu", (unsigned long long)dims[i]);
    puts("");
}

static htri_t can_apply(hid_t dcpl, hid_t type, hid_t space)
{
    show_args("can apply", dcpl, type, space);
    return can_answer;
}

static herr_t set_local(hid_t dcpl, hid_t type, hid_t space)
{
    unsigned flags, values[4] = {0};
    size_t n = 4;
    show_args("set local", dcpl, type, space);
    H5Pget_filter_by_id2(dcpl, FIRST, &flags, &n, values, 0, NULL, NULL);
    printf("  had %zu values, first %u, flags %u\n", n, values[0], flags);
    values[n] = (unsigned)H5Tget_size(type);
    H5Pmodify_filter(dcpl, FIRST, flags, n + 1, values);
    return set_answer;
}

/* Adds a number to every byte; the parameters say which. */
static size_t add(unsigned flags, size_t n, const unsigned values[], size_t bytes, size_t *size, void **buf)
{
    unsigned char *at = *buf;
    unsigned by = n > 0 ? values[0] : 1;
    (void)size;
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(flags & H5Z_FLAG_REVERSE ? at[i] - by : at[i] + by);
    return bytes;
}

static const H5Z_class2_t first = {H5Z_CLASS_T_VERS, FIRST, 1, 1, "first", can_apply, set_local, add};
static const H5Z_class2_t second = {H5Z_CLASS_T_VERS, SECOND, 1, 1, "second", NULL, NULL, add};

static void attempt(hid_t file, const char *title, hid_t type, unsigned flags, int also)
{
    hsize_t dims[2] = {10, 6}, chunk[2] = {4, 3};
    unsigned value = 3;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_filter(dcpl, FIRST, flags, 1, &value);
    if (also)
        H5Pset_filter(dcpl, SECOND, 0, 1, &value);
    printf("%s\n", title);
    hid_t dset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    printf("  %s, list has %d filters\n", dset < 0 ? "refused" : "created", H5Pget_nfilters(dcpl));
    if (dset >= 0) {
        hid_t got = H5Dget_create_plist(dset);
        for (int i = 0; i < H5Pget_nfilters(got); i++) {
            unsigned got_flags, values[8];
            size_t n = 8;
            char name[16];
            H5Z_filter_t id = H5Pget_filter2(got, (unsigned)i, &got_flags, &n, values, sizeof name, name, NULL);
            printf("  filter %d '%s' flags %u:", (int)id, name, got_flags);
            for (size_t k = 0; k < n; k++)
                printf(" %u", values[k]);
            puts("");
        }
        int data[60], back[60];
        for (int i = 0; i < 60; i++)
            data[i] = i * 5;
        herr_t wrote = H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dset);
        dset = H5Dopen2(file, "d", H5P_DEFAULT);
        memset(back, 0, sizeof back);
        herr_t read = H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
        printf("  written %d, read %d, equal %d\n", wrote, read, memcmp(data, back, sizeof data) == 0);
        uint32_t mask = 77;
        unsigned char raw[256] = {0};
        hsize_t offset[2] = {0, 0}, size = 0;
        H5Dget_chunk_storage_size(dset, offset, &size);
        H5Dread_chunk(dset, H5P_DEFAULT, offset, &mask, raw);
        printf("  chunk of %llu, mask %u, bytes %u %u %u %u\n", (unsigned long long)size, mask, raw[0], raw[1], raw[4], raw[8]);
        H5Pclose(got);
        H5Dclose(dset);
        H5Ldelete(file, "d", H5P_DEFAULT);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    printf("register %d %d\n", H5Zregister(&first), H5Zregister(&second));
    can_answer = 1;
    attempt(file, "mandatory", H5T_STD_I32LE, H5Z_FLAG_MANDATORY, 0);
    attempt(file, "optional", H5T_STD_I16BE, H5Z_FLAG_OPTIONAL, 0);
    attempt(file, "two filters", H5T_STD_I64LE, H5Z_FLAG_MANDATORY, 1);
    can_answer = 0;
    attempt(file, "mandatory, cannot", H5T_STD_I32LE, H5Z_FLAG_MANDATORY, 0);
    attempt(file, "optional, cannot", H5T_STD_I32LE, H5Z_FLAG_OPTIONAL, 1);
    can_answer = -1;
    attempt(file, "mandatory, error", H5T_STD_I32LE, H5Z_FLAG_MANDATORY, 0);
    attempt(file, "optional, error", H5T_STD_I32LE, H5Z_FLAG_OPTIONAL, 0);
    can_answer = 1;
    set_answer = -1;
    attempt(file, "set local fails", H5T_STD_I32LE, H5Z_FLAG_MANDATORY, 0);
    attempt(file, "set local fails, optional", H5T_STD_I32LE, H5Z_FLAG_OPTIONAL, 0);
    printf("objects open %d\n", (int)H5Fget_obj_count(file, H5F_OBJ_ALL));
    printf("close %d\n", (int)H5Fclose(file));
    remove(FILE_NAME);
    return 0;
}
