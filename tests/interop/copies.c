/* copies SOURCE TARGET earliest|latest FLAGS: copies the root group of a file into a new one, and a second time inside it.
 * Built with two libraries, the targets must be alike. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    if (strcmp(argv[3], "latest") == 0)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_copy_object(ocpypl, (unsigned)strtoul(argv[4], NULL, 0));
    hid_t from = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t to = H5Fcreate(argv[2], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    if (from < 0 || to < 0) {
        printf("cannot open\n");
        return 0;
    }
    printf("across %d\n", H5Ocopy(from, "/", to, "across", ocpypl, H5P_DEFAULT));
    printf("within %d\n", H5Ocopy(to, "across", to, "within", ocpypl, H5P_DEFAULT));
    H5Fclose(from);
    int status = H5Fclose(to);
    H5Pclose(fapl);
    H5Pclose(ocpypl);
    return status < 0;
}
