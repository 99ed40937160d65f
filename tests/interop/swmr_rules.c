/* swmr_rules FILE MODE: makes the file, or opens it, says y or n, and keeps it open until its input ends. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static hid_t open_as(const char *name, const char *mode, hid_t fapl)
{
    if (strcmp(mode, "make") == 0)
        return H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    if (strcmp(mode, "reader") == 0)
        return H5Fopen(name, H5F_ACC_RDONLY, fapl);
    if (strcmp(mode, "swmr-reader") == 0)
        return H5Fopen(name, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl);
    if (strcmp(mode, "writer") == 0)
        return H5Fopen(name, H5F_ACC_RDWR, fapl);
    if (strcmp(mode, "swmr-writer") == 0)
        return H5Fopen(name, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl);
    hid_t file = H5Fopen(name, H5F_ACC_RDWR, fapl);
    return H5Fstart_swmr_write(file) < 0 ? -1 : file;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    hid_t file = open_as(argv[1], argv[2], fapl);
    printf("%c\n", file >= 0 ? 'y' : 'n');
    fflush(stdout);
    while (getchar() != EOF)
        ;
    H5Pclose(fapl);
    return H5Fclose(file) < 0;
}
