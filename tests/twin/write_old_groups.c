/* Groups with symbol tables, in files of stock libhdf5, changed: what they hold and how they keep it. */
#include <unistd.h>

#include "read_util.h"

#define COPY "write_old_groups.h5"

static hid_t open_copy(const char *name)
{
    char path[4096], bytes[65536];
    snprintf(path, sizeof path, "%s/%s", getenv("TESSERA_CORPUS"), name);
    FILE *in = fopen(path, "rb"), *out = fopen(COPY, "wb");
    size_t n;
    while (in && out && (n = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, n, out);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    printf("== %s\n", name);
    return H5Fopen(COPY, H5F_ACC_RDWR, H5P_DEFAULT);
}

static hid_t reopen(hid_t file)
{
    printf("close %d\n", H5Fclose(file));
    return H5Fopen(COPY, H5F_ACC_RDWR, H5P_DEFAULT);
}

static unsigned long hash;
static int count;

static herr_t add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    char value[300] = "";
    hash = fold(hash, name) + (unsigned)info->type * 7 + (unsigned)info->cset;
    count++;
    if (info->type != H5L_TYPE_HARD) {
        H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT);
        hash = fold(hash, value + (info->type == H5L_TYPE_EXTERNAL));
        return 0;
    }
    H5O_info_t obj;
    if (H5Oget_info_by_name(group, name, &obj, H5P_DEFAULT) < 0)
        return -1;
    hash = hash * 31 + obj.rc * 5 + (unsigned)obj.type;
    return 0;
}

static void show(hid_t group, const char *what)
{
    H5G_info_t info;
    hash = 5;
    count = 0;
    H5Gget_info(group, &info);
    herr_t status = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add, NULL);
    printf("%s: storage %d, %d links; %d: %d with %lx\n", what, (int)info.storage_type, (int)info.nlinks, status, count,
           hash);
}

static void change(hid_t file, const char *path)
{
    char name[60];
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    show(group, "at first");
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "new %d", i * 37 % 300);
        if (i % 3 == 0)
            H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        else if (i % 3 == 1)
            H5Lcreate_soft(path, group, name, H5P_DEFAULT, H5P_DEFAULT);
        else
            H5Lcreate_hard(file, "/", group, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    show(group, "more");
    printf("again %d\n", H5Lcreate_soft("x", group, "new 5", H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 200; i++)
        if (H5Ldelete_by_idx(group, ".", H5_INDEX_NAME, i % 2 ? H5_ITER_DEC : H5_ITER_INC, (hsize_t)i / 4, H5P_DEFAULT) < 0)
            printf("cannot delete %d\n", i);
    show(group, "fewer");
    for (int i = 0; i < 300; i += 7) {
        char to[60];
        snprintf(name, sizeof name, "new %d", i);
        snprintf(to, sizeof to, "%d moved", i);
        if (H5Lexists(group, name, H5P_DEFAULT) > 0)
            printf("%d", H5Lmove(group, name, group, to, H5P_DEFAULT, H5P_DEFAULT));
    }
    printf("\n");
    show(group, "renamed");
    H5Gclose(group);
}

static void convert(hid_t file, const char *path, int utf8)
{
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT), lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    if (utf8)
        printf("utf-8 %d\n", H5Lcreate_soft("x", group, "zz\xc3\xbc", lcpl, H5P_DEFAULT));
    else
        printf("external %d\n", H5Lcreate_external("f.h5", "/x", group, "zz external", H5P_DEFAULT, H5P_DEFAULT));
    show(group, "converted");
    H5Pclose(lcpl);
    H5Gclose(group);
}

static void empty(hid_t file, const char *path)
{
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    int n = 0;
    while (H5Ldelete_by_idx(group, ".", H5_INDEX_NAME, n % 3 ? H5_ITER_INC : H5_ITER_DEC, 0, H5P_DEFAULT) >= 0)
        n++;
    printf("deleted %d\n", n);
    show(group, "empty");
    H5Gclose(group);
}

int main(void)
{
    static const struct {
        const char *file, *group;
    } cases[] = {{"group_old_9links.h5", "/"}, {"group_old_1000links.h5", "/"}, {"group_old_9links.h5", "/g"},
                 {"group_old_1000links.h5", "/g"}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t file = open_copy(cases[i].file);
        if (file < 0) {
            printf("does not open\n");
            continue;
        }
        if (H5Lexists(file, cases[i].group, H5P_DEFAULT) <= 0) {
            printf("no %s\n", cases[i].group);
            H5Fclose(file);
            continue;
        }
        change(file, cases[i].group);
        file = reopen(file);
        convert(file, cases[i].group, (int)i % 2);
        file = reopen(file);
        change(file, cases[i].group);
        file = reopen(file);
        empty(file, cases[i].group);
        file = reopen(file);
        change(file, cases[i].group);
        H5Fclose(file);
    }
    unlink(COPY);
    return 0;
}
