/* Changes an HDF5 file, whatever is in it, and says what it did.
 *
 *     edit FILE
 *
 * Every object gets attributes, loses and renames some, and gets a comment; the elements of every dataset are turned
 * round, and it grows and shrinks where it may; in every group links are made, moved, copied and deleted. Built
 * against two libraries, both must say the same and leave equal files. */
#define H5_USE_110_API 1
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 120, NAMES = 400, BYTES = 1 << 20 };

struct object {
    char *path;
    H5O_type_t type;
};

struct objects {
    struct object list[OBJECTS];
    size_t n;
};

struct names {
    char *list[NAMES];
    size_t n;
};

static void say(const char *what, const char *path, long status)
{
    printf("%s %.80s: %s\n", what, path, status < 0 ? "fails" : "done");
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        exit(2);
    return copy;
}

static herr_t note_object(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    struct objects *all = data;
    (void)root;
    if (all->n == OBJECTS)
        return 1;
    all->list[all->n++] = (struct object){copy_of(name), info->type};
    return 0;
}

static herr_t note_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct names *names = data;
    (void)group;
    (void)info;
    if (names->n == NAMES)
        return 1;
    names->list[names->n++] = copy_of(name);
    return 0;
}

static herr_t note_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    return note_link(obj, name, NULL, data) + 0 * (info == NULL);
}

static void forget(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->list[i]);
    names->n = 0;
}

/* Elements in reverse order: of any type, and other bytes in nearly every place. */
static void turn_round(char *elements, size_t n, size_t size)
{
    char *tmp = malloc(size);
    for (size_t i = 0; tmp && i < n / 2; i++) {
        memcpy(tmp, elements + i * size, size);
        memcpy(elements + i * size, elements + (n - 1 - i) * size, size);
        memcpy(elements + (n - 1 - i) * size, tmp, size);
    }
    free(tmp);
}

static hid_t memory_type(hid_t type, int native)
{
    return native ? H5Tget_native_type(type, H5T_DIR_DEFAULT) : H5Tcopy(type);
}

static void rewrite_dataset(hid_t ds, const char *path, int native)
{
    hid_t type = H5Dget_type(ds), mem = memory_type(type, native), space = H5Dget_space(ds);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t size = mem < 0 ? 0 : H5Tget_size(mem);
    if (n > 0 && size > 0 && (size_t)n <= BYTES / size) {
        char *elements = calloc((size_t)n, size);
        herr_t status = H5Dread(ds, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements);
        say("read", path, status);
        if (status >= 0) {
            turn_round(elements, (size_t)n, size);
            say("write", path, H5Dwrite(ds, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
            H5Dvlen_reclaim(mem, space, H5P_DEFAULT, elements);
        }
        free(elements);
    }
    H5Sclose(space);
    H5Tclose(mem);
    H5Tclose(type);
}

static void resize(hid_t ds, const char *path)
{
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK];
    hid_t space = H5Dget_space(ds), dcpl = H5Dget_create_plist(ds);
    int rank = H5Sget_simple_extent_dims(space, dims, most);
    if (rank > 0 && H5Pget_layout(dcpl) == H5D_CHUNKED) {
        for (int i = 0; i < rank; i++)
            if (i % 2 && dims[i] > 1)
                dims[i] -= 1;
            else if (most[i] == H5S_UNLIMITED || dims[i] + 3 <= most[i])
                dims[i] += 3;
        say("resize", path, H5Dset_extent(ds, dims));
    }
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void rewrite_attribute(hid_t obj, const char *name, int native)
{
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT), type = H5Aget_type(attr), mem = memory_type(type, native);
    hid_t space = H5Aget_space(attr);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t size = mem < 0 ? 0 : H5Tget_size(mem);
    if (n > 0 && size > 0 && (size_t)n <= BYTES / size) {
        char *elements = calloc((size_t)n, size);
        herr_t status = H5Aread(attr, mem, elements);
        say("read attribute", name, status);
        if (status >= 0) {
            turn_round(elements, (size_t)n, size);
            say("write attribute", name, H5Awrite(attr, mem, elements));
            H5Dvlen_reclaim(mem, space, H5P_DEFAULT, elements);
        }
        free(elements);
    }
    H5Sclose(space);
    H5Tclose(mem);
    H5Tclose(type);
    H5Aclose(attr);
}

static void add_attribute(hid_t obj, const char *name, int number)
{
    int values[3] = {number, number + 1, -number};
    const char *text = "a text of variable length";
    hsize_t three = 3;
    hid_t space = H5Screate_simple(1, &three, NULL), scalar = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    hid_t attr = H5Acreate2(obj, name, number % 2 ? type : H5T_STD_I32BE, number % 2 ? scalar : space, H5P_DEFAULT,
                            H5P_DEFAULT);
    say("add attribute", name, attr);
    if (attr >= 0)
        say("write attribute", name, number % 2 ? H5Awrite(attr, type, &text) : H5Awrite(attr, H5T_NATIVE_INT, values));
    H5Aclose(attr);
    H5Tclose(type);
    H5Sclose(scalar);
    H5Sclose(space);
}

static void change_attributes(hid_t obj, int number)
{
    struct names names = {.n = 0};
    H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, &names);
    for (size_t i = 0; i < names.n; i++) {
        char other[60];
        snprintf(other, sizeof other, "a new and rather longer name %zu", i);
        if (i % 4 == 0)
            rewrite_attribute(obj, names.list[i], (number + (int)i) % 2);
        else if (i % 4 == 1)
            say("delete attribute", names.list[i], H5Adelete(obj, names.list[i]));
        else if (i % 4 == 2)
            say("rename attribute", names.list[i], H5Arename(obj, names.list[i], other));
    }
    for (int i = 0; i < 1 + number % 12; i++) {
        char name[40];
        snprintf(name, sizeof name, "added %d", i);
        add_attribute(obj, name, number + i);
    }
    forget(&names);
}

static void new_dataset(hid_t group)
{
    hsize_t dims[] = {7, 5}, most[] = {H5S_UNLIMITED, 5}, chunk[] = {3, 2};
    int values[7][5];
    for (int i = 0; i < 35; i++)
        values[i / 5][i % 5] = i * i;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, most);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, 6);
    hid_t ds = H5Dcreate2(group, "new dataset", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say("new", "dataset", ds);
    if (ds >= 0)
        say("write", "dataset", H5Dwrite(ds, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(ds);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void change_links(hid_t group)
{
    struct names names = {.n = 0};
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, note_link, &names);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.list[i];
        if (i % 6 == 1)
            say("move", name, H5Lmove(group, name, group, "moved to a new name", H5P_DEFAULT, H5P_DEFAULT));
        else if (i % 6 == 2)
            say("copy", name, H5Lcopy(group, name, group, "a second link", H5P_DEFAULT, H5P_DEFAULT));
        else if (i % 6 == 4)
            say("delete", name, H5Ldelete(group, name, H5P_DEFAULT));
    }
    hid_t made = H5Gcreate2(group, "new group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say("new", "group", made);
    for (int i = 0; i < 12; i++) {
        char name[40];
        snprintf(name, sizeof name, "soft link %d", i);
        say("link", name, H5Lcreate_soft("/nowhere/at/all", made, name, H5P_DEFAULT, H5P_DEFAULT));
    }
    say("link", "external", H5Lcreate_external("nothing.h5", "/x", group, "external link", H5P_DEFAULT, H5P_DEFAULT));
    if (made >= 0)
        new_dataset(made);
    H5Gclose(made);
    forget(&names);
}

static void change_object(hid_t file, const struct object *o, int number)
{
    hid_t obj = H5Oopen(file, o->path, H5P_DEFAULT);
    say("open", o->path, obj);
    if (obj < 0)
        return;
    if (o->type == H5O_TYPE_DATASET) {
        rewrite_dataset(obj, o->path, number % 2);
        resize(obj, o->path);
    }
    change_attributes(obj, number);
    if (number % 3 == 0)
        say("comment", o->path, H5Oset_comment(obj, "a comment"));
    H5Oclose(obj);
}

int main(int argc, char **argv)
{
    static struct objects all;
    if (argc != 2)
        return 2;
    if (!getenv("EDIT_LOUD"))
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 14, 4) /* others take numbers with many unused bits without being told */
    H5Pset_relax_file_integrity_checks(fapl, H5F_RFIC_ALL);
#endif
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDWR, fapl);
    say("open", "file", file);
    if (file < 0)
        return 1;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_object, &all);
    for (size_t i = 0; i < all.n; i++)
        change_object(file, &all.list[i], (int)i);
    say("flush", "file", H5Fflush(file, H5F_SCOPE_GLOBAL));
    /* Last, for an object may go with its link. */
    for (size_t i = 0; i < all.n; i++) {
        hid_t group = all.list[i].type == H5O_TYPE_GROUP ? H5Gopen2(file, all.list[i].path, H5P_DEFAULT) : -1;
        if (group >= 0) {
            change_links(group);
            H5Gclose(group);
        }
        free(all.list[i].path);
    }
    say("close", "file", H5Fclose(file));
    return 0;
}
