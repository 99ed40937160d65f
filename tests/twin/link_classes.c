/* What the functions of a user-defined link class are called with, and when; each fails once. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "id_types.h"

#define FILE_NAME "link_classes.h5"

enum { LINK_CLASS = 90 };
enum { CREATE = 1, MOVE = 2, COPY = 4, TRAVERSE = 8, DELETE = 16, QUERY = 32 };

static unsigned failing;

static void show(const char *what, const char *name, hid_t id, size_t size)
{
    char path[64] = "";
    H5Iget_name(id, path, sizeof path);
    printf("  %s '%s' of %lu bytes at '%s', a %d, which has it: %d\n", what, name, (unsigned long)size, path,
           (int)H5Iget_type(id), (int)H5Lexists(id, name, H5P_DEFAULT));
}

static herr_t create(const char *name, hid_t group, const void *data, size_t size, hid_t lcpl)
{
    show("create", name, group, size);
    printf("    default list %d, data %d\n", lcpl == H5P_DEFAULT, data != NULL);
    return failing & CREATE ? -1 : 0;
}

static herr_t move(const char *name, hid_t group, const void *data, size_t size)
{
    (void)data;
    show("move", name, group, size);
    return failing & MOVE ? -1 : 0;
}

static herr_t copy(const char *name, hid_t group, const void *data, size_t size)
{
    (void)data;
    show("copy", name, group, size);
    return failing & COPY ? -1 : 0;
}

static hid_t traverse(const char *name, hid_t group, const void *data, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)data, (void)dxpl;
    show("traverse", name, group, size);
    printf("    list %s\n", id_type(lapl));
    return failing & TRAVERSE ? -1 : H5Oopen(group, "target", H5P_DEFAULT);
}

static herr_t delete(const char *name, hid_t file, const void *data, size_t size)
{
    char path[64] = "";
    (void)data;
    H5Iget_name(file, path, sizeof path);
    printf("  delete '%s' of %lu bytes, file %d\n", name, (unsigned long)size, H5Iget_type(file) == H5I_FILE);
    return failing & DELETE ? -1 : 0;
}

static ssize_t query(const char *name, const void *data, size_t size, void *buf, size_t buf_size)
{
    (void)data;
    printf("  query '%s' of %lu bytes into %lu\n", name, (unsigned long)size, buf ? (unsigned long)buf_size : 0ul);
    if (failing & QUERY)
        return -1;
    if (buf && buf_size > 1)
        memcpy(buf, "Q", 2);
    return 7;
}

#define DO(call) printf(" %s: %s\n", #call, (call) < 0 ? "fails" : "works")

static void open_links(hid_t file, hid_t group)
{
    hid_t id;
    DO(id = H5Oopen(group, "link", H5P_DEFAULT));
    H5Oclose(id);
    DO(id = H5Oopen(file, "deep/er/link", H5P_DEFAULT));
    H5Oclose(id);
}

static void look(hid_t group)
{
    H5L_info_t info = {.type = H5L_TYPE_ERROR};
    char value[16] = "";
    if (H5Lget_info(group, "link", &info, H5P_DEFAULT) >= 0)
        printf(" type %d, %lu bytes\n", (int)info.type, (unsigned long)info.u.val_size);
    if (H5Lget_val(group, "link", value, sizeof value, H5P_DEFAULT) >= 0)
        printf(" value '%s'\n", value);
}

static void run(hid_t file, hid_t group, hid_t lcpl)
{
    DO(H5Lcreate_ud(group, "link", (H5L_type_t)LINK_CLASS, "abc", 4, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(file, "deep/er/link", (H5L_type_t)LINK_CLASS, "abc", 4, lcpl, H5P_DEFAULT));
    DO(H5Lcreate_ud(file, "empty", (H5L_type_t)LINK_CLASS, NULL, 0, H5P_DEFAULT, H5P_DEFAULT));
    open_links(file, group);
    look(group);
    DO(H5Lcopy(group, "link", file, "copied", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(group, "link", file, "moved", H5P_DEFAULT, H5P_DEFAULT));
    printf(" copied %d moved %d left %d\n", (int)H5Lexists(file, "copied", H5P_DEFAULT),
           (int)H5Lexists(file, "moved", H5P_DEFAULT), (int)H5Lexists(group, "link", H5P_DEFAULT));
    H5Ldelete(file, "copied", H5P_DEFAULT);
    failing = 0;
    const char *const names[] = {"copied", "moved", "empty", "group/link", "deep"};
    for (int i = 0; i < 5; i++)
        if (H5Lexists(file, names[i], H5P_DEFAULT) > 0)
            DO(H5Ldelete(file, names[i], H5P_DEFAULT));
}

/* The class of external links is one like the others: it can go, and be the program's own. */
static void external_links(hid_t file)
{
    H5L_class_t cls = {H5L_LINK_CLASS_T_VERS, H5L_TYPE_EXTERNAL, "own", create, NULL, NULL, traverse, NULL, NULL};
    failing = 0;
    DO(H5Lcreate_external("none.h5", "/", file, "link", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lunregister(H5L_TYPE_EXTERNAL));
    DO(H5Lcreate_external("none.h5", "/", file, "other", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lexists(file, "other", H5P_DEFAULT) ? 0 : -1);
    look(file);
    DO(H5Ldelete(file, "link", H5P_DEFAULT));
    DO(H5Lregister(&cls));
    DO(H5Lcreate_external("some//folder/x.h5", "a//b/", file, "other", H5P_DEFAULT, H5P_DEFAULT));
    hid_t id;
    DO(id = H5Oopen(file, "other", H5P_DEFAULT));
    DO(H5Ldelete(file, "other", H5P_DEFAULT));
    DO(H5Lunregister(H5L_TYPE_EXTERNAL));
    (void)id;
}

int main(void)
{
    H5L_class_t cls = {H5L_LINK_CLASS_T_VERS, (H5L_type_t)LINK_CLASS, "own", create, move, copy, traverse, delete, query};
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Gclose(H5Gcreate2(group, "target", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Lregister(&cls);
    for (unsigned i = 0; i <= QUERY; i = i ? 2 * i : 1) {
        printf("failing %#x\n", i);
        failing = i;
        run(file, group, lcpl);
    }
    external_links(file);
    H5Pclose(lcpl);
    H5Gclose(group);
    H5Fclose(file);
    unlink(FILE_NAME);
    return 0;
}
