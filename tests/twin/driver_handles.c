/* H5Fget_vfd_handle and H5FDget_vfd_handle: a descriptor or a stream, and of several files the one that the list means. */
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 3000, MEMBER = 1000 };

static void tell_name(int fd)
{
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    const char *slash = strrchr(path, '/');
    printf(" %s", slash ? slash + 1 : "no file");
}

static void tell(hid_t file, hid_t list, const char *what, long long number)
{
    void *handle = NULL;
    herr_t status = H5Fget_vfd_handle(file, list, &handle);
    printf("%s %lld: %d", what, number, status);
    if (status >= 0)
        tell_name(*(int *)handle);
    printf("\n");
}

static hid_t make(const char *name, hid_t fapl)
{
    static char data[BYTES];
    hsize_t dims = BYTES;
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), space = H5Screate_simple(1, &dims, NULL);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_CHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dset, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dset);
    H5Sclose(space);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    return file;
}

static void by_offset(hid_t fapl)
{
    const hsize_t offsets[] = {0, MEMBER - 1, MEMBER, 2500, 100000, (hsize_t)-1};
    hid_t file = make("handles_%d.h5", fapl);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        hid_t list = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_family_offset(list, offsets[i]);
        tell(file, list, "offset", (long long)offsets[i]);
        H5Pclose(list);
    }
    tell(file, fapl, "its own list", 0);
    tell(file, H5P_DEFAULT, "no list", 0);
    H5Fclose(file);
}

static void by_type(hid_t fapl, const char *name)
{
    hid_t file = make(name, fapl);
    for (int type = H5FD_MEM_DEFAULT; type < H5FD_MEM_NTYPES; type++) {
        hid_t list = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_multi_type(list, (H5FD_mem_t)type);
        tell(file, list, name, type);
        H5Pclose(list);
    }
    tell(file, H5P_DEFAULT, "no list", 0);
    H5Fclose(file);
}

static void stream(hid_t fapl)
{
    void *handle = NULL;
    hid_t file = make("handles.h5", fapl);
    herr_t status = H5Fget_vfd_handle(file, H5P_DEFAULT, &handle);
    printf("stream: %d", status);
    tell_name(fileno(*(FILE **)handle));
    printf("\n");
    H5Fclose(file);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_family(fapl, MEMBER, H5P_DEFAULT);
    by_offset(fapl);
    H5Pset_fapl_split(fapl, ".meta", H5P_DEFAULT, ".raw", H5P_DEFAULT);
    by_type(fapl, "split");
    H5Pset_fapl_multi(fapl, NULL, NULL, NULL, NULL, 1);
    by_type(fapl, "multi");
    H5Pset_fapl_stdio(fapl);
    stream(fapl);
    H5Pclose(fapl);
    return 0;
}
