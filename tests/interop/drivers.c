/* Files by other drivers than the default, changed by two libraries in turn.
 *
 *     drivers core|family|split|multi FILE make|change|check old|new
 *
 * `make` creates the file with some groups and datasets, `change` adds more and removes one, `check` says whether all
 * is there. Built against two libraries; drivers.sh lets them take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

enum { SETS = 3, SIZE = 5000 };

static hid_t access_list(const char *driver, int new_formats)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strcmp(driver, "core") == 0)
        H5Pset_fapl_core(fapl, 1024, 1);
    else if (strcmp(driver, "family") == 0)
        H5Pset_fapl_family(fapl, 3000, H5P_DEFAULT);
    else if (strcmp(driver, "split") == 0)
        H5Pset_fapl_split(fapl, "-m.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT);
    else if (strcmp(driver, "multi") == 0)
        H5Pset_fapl_multi(fapl, NULL, NULL, NULL, NULL, 1);
    if (new_formats)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    return fapl;
}

static const char *name_of(const char *turn, int i)
{
    static char name[40];
    snprintf(name, sizeof name, "%s-%d", turn, i);
    return name;
}

static int put(hid_t file, const char *turn, int i)
{
    static int data[SIZE];
    hsize_t size = SIZE, chunk = 700;
    for (int k = 0; k < SIZE; k++)
        data[k] = k * (i + 2);
    hid_t group = H5Gcreate2(file, name_of(turn, i), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL);
    if (i > 0)
        H5Pset_chunk(dcpl, 1, &chunk);
    hid_t d = H5Dcreate2(group, "data", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    int status = d < 0 ? -1 : H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(d);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Gclose(group);
    return status;
}

static int check(hid_t file, const char *turn, int i)
{
    static int data[SIZE];
    hid_t group = H5Gopen2(file, name_of(turn, i), H5P_DEFAULT),
          d = group < 0 ? -1 : H5Dopen2(group, "data", H5P_DEFAULT);
    int status = d < 0 ? -1 : H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    for (int k = 0; status == 0 && k < SIZE; k++)
        status = data[k] == k * (i + 2) ? 0 : -1;
    if (status < 0)
        fprintf(stderr, "%s is not as it was\n", name_of(turn, i));
    H5Dclose(d);
    H5Gclose(group);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const char *turn = argv[3];
    hid_t fapl = access_list(argv[1], strcmp(argv[4], "new") == 0), file;
    int status = 0;
    if (strcmp(turn, "make") == 0)
        file = H5Fcreate(argv[2], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    else
        file = H5Fopen(argv[2], strcmp(turn, "check") == 0 ? H5F_ACC_RDONLY : H5F_ACC_RDWR, fapl);
    if (file < 0)
        return 1;
    for (int i = 0; status == 0 && i < SETS; i++)
        status = strcmp(turn, "check") != 0 ? put(file, turn, i) : check(file, "change", i);
    if (status == 0 && strcmp(turn, "change") == 0)
        status = H5Ldelete(file, "make-0", H5P_DEFAULT);
    for (int i = 1; status == 0 && strcmp(turn, "make") != 0 && i < SETS; i++)
        status = check(file, "make", i);
    if (H5Fclose(file) < 0)
        status = -1;
    H5Pclose(fapl);
    return status < 0;
}
