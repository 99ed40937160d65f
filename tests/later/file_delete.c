/* Deleting files of every driver: what is gone afterwards. */
#include <hdf5.h>

#include <H5FDdevelop.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "later.h"

struct made {
    const char *what, *name;
    hid_t fapl;
};

static hid_t new_list(void)
{
    return H5Pcreate(H5P_FILE_ACCESS);
}

/* Names that begin with d_, which are then gone. */
static void left_over(void)
{
    struct dirent **list;
    int n = scandir(".", &list, NULL, alphasort);
    printf("  left:");
    for (int i = 0; i < n; i++) {
        if (strncmp(list[i]->d_name, "d_", 2) == 0) {
            printf(" %s", list[i]->d_name);
            unlink(list[i]->d_name);
        }
        free(list[i]);
    }
    free(list);
    printf("\n");
}

static void delete_file(const struct made *m)
{
    HEAD(m->what);
    H5Fclose(H5Fcreate(m->name, H5F_ACC_TRUNC, H5P_DEFAULT, m->fapl));
    SAY(H5Fdelete(m->name, m->fapl));
    left_over();
    H5Fclose(H5Fcreate(m->name, H5F_ACC_TRUNC, H5P_DEFAULT, m->fapl));
    SAY(H5FDdelete(m->name, m->fapl));
    SAY(H5FDdelete(m->name, m->fapl));
    left_over();
}

static void no_hdf5(void)
{
    FILE *f = fopen("d_text", "w");
    HEAD("not an HDF5 file");
    fputs("text", f);
    fclose(f);
    SAY(H5Fdelete("d_text", H5P_DEFAULT));
    SAY(H5FDdelete("d_text", H5P_DEFAULT));
    left_over();
}

int main(void)
{
    hid_t lists[8];
    begin();
    for (int i = 0; i < 8; i++)
        lists[i] = new_list();
    SAY(H5Pset_fapl_stdio(lists[1]));
    SAY(H5Pset_fapl_log(lists[2], NULL, 0, 0));
    SAY(H5Pset_fapl_core(lists[3], 1024, 1));
    SAY(H5Pset_fapl_family(lists[4], 1024, H5P_DEFAULT));
    SAY(H5Pset_fapl_split(lists[5], "-m", H5P_DEFAULT, "-r", H5P_DEFAULT));
    SAY(H5Pset_fapl_multi(lists[6], NULL, NULL, NULL, NULL, 1));
    H5FD_splitter_vfd_config_t split = {H5FD_SPLITTER_MAGIC, H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION, H5P_DEFAULT, H5P_DEFAULT,
                                        "d_copy", "", 0};
    SAY(H5Pset_fapl_splitter(lists[7], &split));
    const struct made all[] = {{"sec2", "d_x", lists[0]},     {"stdio", "d_x", lists[1]}, {"log", "d_x", lists[2]},
                               {"core", "d_x", lists[3]},     {"family", "d_x%d", lists[4]}, {"split", "d_x", lists[5]},
                               {"multi", "d_x", lists[6]}, {"splitter", "d_x", lists[7]}};
    for (int i = 0; i < 8; i++)
        delete_file(&all[i]);
    no_hdf5();
    for (int i = 0; i < 8; i++)
        H5Pclose(lists[i]);
    return 0;
}
