/* What the programs that read the corpus share. */
#ifndef READ_UTIL_H
#define READ_UTIL_H

#include <fnmatch.h>
#include <glob.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hash of names, for lists too long to print. */
static inline unsigned long fold(unsigned long h, const char *s)
{
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211ul;
    return h * 31;
}

static inline const char *index_name(H5_index_t t)
{
    return t == H5_INDEX_NAME ? "name" : "order";
}

static inline const char *order_name(H5_iter_order_t o)
{
    return o == H5_ITER_INC ? "inc" : o == H5_ITER_DEC ? "dec" : "native";
}

#define FOR_ALL_ORDERS(t, o)                                                                                           \
    for (int t = H5_INDEX_NAME; t <= H5_INDEX_CRT_ORDER; t++)                                                          \
        for (int o = H5_ITER_INC; o <= H5_ITER_NATIVE; o++)

/* A file of the corpus, as all releases of libhdf5 have opened it before 1.14.4. */
static inline hid_t open_for_all(const char *path)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
#if STOCK_VERSION >= 11404
    H5Pset_relax_file_integrity_checks(fapl, H5F_RFIC_ALL);
#endif
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    return file;
}

/* Reading selections of 32 dimensions, libhdf5 1.14 writes over memory that is not its own. */
static inline int is_deadly(const char *name)
{
    return STOCK_VERSION >= 11400 && strstr(name, "rank32") != NULL;
}

/* Calls back for every file of the corpus with such a name. */
static inline int for_files(const char *const *patterns, void (*each)(const char *name, hid_t file))
{
    const char *dir = getenv("TESSERA_CORPUS");
    char pattern[4096];
    glob_t found;
    if (!dir)
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (; *patterns; patterns++) {
        snprintf(pattern, sizeof pattern, "%s/%s", dir, *patterns);
        if (glob(pattern, 0, NULL, &found) != 0) {
            printf("%s: none\n", *patterns);
            continue;
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = strrchr(found.gl_pathv[i], '/') + 1;
            if (is_deadly(name))
                continue;
            hid_t file = open_for_all(found.gl_pathv[i]);
            printf("== %s: %s\n", name, file < 0 ? "does not open" : "open");
            if (file >= 0) {
                each(name, file);
                printf("open objects: %d\n", (int)H5Fget_obj_count(file, H5F_OBJ_ALL));
                H5Fclose(file);
            }
        }
        globfree(&found);
    }
    return 0;
}

#endif
