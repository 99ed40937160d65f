/* Errors that name what is long: the whole name is in the innermost record, and what stands behind it (programs look for the number
 * there). What a function of H5Ewalk2 was given is good until the stack changes. */
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static const char *kept;

static herr_t keep(unsigned n, const H5E_error2_t *record, void *data)
{
    (void)data;
    if (n == 0)
        kept = record->desc;
    return 0;
}

static void show(const char *what, const char *name)
{
    kept = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, NULL);
    const char *number = kept ? strstr(kept, "errno = ") : NULL;
    printf("  %s: name %d %.10s\n", what, kept && strstr(kept, name), number ? number : "-");
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate("long_names.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int parts = 1; parts < 80; parts += parts < 9 ? 1 : 7) {
        char name[4096] = "";
        for (int i = 0; i < parts; i++)
            strcat(name, i ? "/a_folder_that_is_not_there_and_has_a_long_name" : "a_folder_that_is_not_there");
        printf("%d parts\n", parts);
        H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
        show("file", name);
        H5Fcreate(name, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
        show("file to make", name);
        H5Aopen(file, name, H5P_DEFAULT);
        show("attribute", name);
        H5Gopen2(file, strchr(name, '/') ? strrchr(name, '/') + 1 : name, H5P_DEFAULT);
        show("group", strchr(name, '/') ? strrchr(name, '/') + 1 : name);
        memset(name, 'x', sizeof name - 1);
        name[parts * 50] = '\0';
        H5Dopen2(file, name, H5P_DEFAULT);
        show("dataset", name);
    }
    return H5Fclose(file) < 0;
}
