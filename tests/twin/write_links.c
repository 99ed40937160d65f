/* Groups and links made, moved, copied and removed: what each call says and what the group holds afterwards. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "id_types.h"

#define FILE_A "write_links_a.h5"
#define FILE_B "write_links_b.h5"

static void result(const char *what, long status)
{
    printf("%s: %s\n", what, status < 0 ? "fails" : "works");
}

#define DO(call) result(#call, (long)(call))

static hid_t fapl18(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    return fapl;
}

static hid_t new_file(const char *name)
{
    hid_t fapl = fapl18(), file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    if (file < 0) {
        printf("%s cannot be created\n", name);
        exit(1);
    }
    return file;
}

static hid_t open_file(const char *name, unsigned flags)
{
    hid_t fapl = fapl18(), file = H5Fopen(name, flags, fapl);
    H5Pclose(fapl);
    return file;
}

static haddr_t known[1000];
static size_t n_known;

/* Objects by the order in which they are met: addresses are nobody's business. */
static unsigned number_of(haddr_t addr)
{
    for (size_t i = 0; i < n_known; i++)
        if (known[i] == addr)
            return (unsigned)i;
    known[n_known++] = addr;
    return (unsigned)n_known - 1;
}

static herr_t show_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)data;
    char value[200] = "";
    printf("  '%s' type %d corder %d/%d cset %d", name, (int)info->type, (int)info->corder_valid, (int)info->corder,
           (int)info->cset);
    if (info->type == H5L_TYPE_HARD) {
        H5O_info_t obj;
        H5Oget_info_by_name(group, name, &obj, H5P_DEFAULT);
        printf(" -> object %u type %d rc %u\n", number_of(info->u.address), (int)obj.type, obj.rc);
        return 0;
    }
    H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT);
    if (info->type == H5L_TYPE_EXTERNAL) {
        const char *file, *path;
        H5Lunpack_elink_val(value, info->u.val_size, NULL, &file, &path);
        printf(" -> %s in %s", path, file);
    } else {
        printf(" -> %s", value);
    }
    printf(" (%d)\n", (int)info->u.val_size);
    return 0;
}

static void show(hid_t loc, const char *what)
{
    H5G_info_t info;
    printf("-- %s\n", what);
    n_known = 0;
    if (H5Gget_info(loc, &info) >= 0)
        printf("  storage %d links %d max corder %d\n", (int)info.storage_type, (int)info.nlinks, (int)info.max_corder);
    H5Lvisit(loc, H5_INDEX_NAME, H5_ITER_INC, show_link, NULL);
}

static void make(hid_t loc, const char *name)
{
    hid_t group = H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("make '%s': %s\n", name, group < 0 ? "fails" : "works");
    if (group >= 0) {
        char path[100] = "?";
        H5Iget_name(group, path, sizeof path);
        printf("  called %s\n", path);
        H5Gclose(group);
    }
}

static void make_deep(hid_t loc, const char *name)
{
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    hid_t group = H5Gcreate2(loc, name, lcpl, H5P_DEFAULT, H5P_DEFAULT);
    printf("make deep '%s': %s\n", name, group < 0 ? "fails" : "works");
    if (group >= 0) {
        char path[100] = "?";
        H5Iget_name(group, path, sizeof path);
        printf("  called %s\n", path);
        H5Gclose(group);
    }
    H5Pclose(lcpl);
}

static void names(void)
{
    static const char *const wrong[] = {"", ".", "/", "./", "//", "a/.", "a/..", "x/", "/y//", "a//z", "no/where", "..", "./w", "w/./v"};
    hid_t f = new_file(FILE_A);
    printf("== names\n");
    make(f, "a");
    make(f, "a");
    make(f, "a/b");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        make(f, wrong[i]);
    make_deep(f, "p/q/r");
    make_deep(f, "p/q/r");
    make_deep(f, "p/q/s/");
    make_deep(f, "/p//./q/t/u");
    DO(H5Gcreate2(f, NULL, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Gcreate2(-1, "z", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Gcreate2(f, "z", H5P_FILE_ACCESS_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Gclose(H5Gcreate1(f, "old", 0)));
    DO(H5Gcreate1(f, "old", 0));
    show(f, "root");
    H5Fclose(f);
}

static void hard_and_soft(void)
{
    hid_t f = new_file(FILE_A), g = new_file(FILE_B);
    printf("== hard and soft\n");
    make(f, "a");
    make(f, "a/b");
    DO(H5Lcreate_hard(f, "a/b", f, "c", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a/b", f, "c", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "none", f, "d", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", f, "a/b/cycle", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", g, "other", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "/", f, "root", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, ".", f, "root2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", f, "", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "", f, "x", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", f, ".", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", f, "/", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(H5L_SAME_LOC, "a", f, "same", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "a", H5L_SAME_LOC, "same2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(H5L_SAME_LOC, "a", H5L_SAME_LOC, "same3", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("a/b", f, "s", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("nowhere", f, "dangling", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("", f, "empty", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("a", f, "s", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("s2", f, "s2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("//a//./b//", f, "slashes", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/", f, "slash", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("x", f, "missing/s", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "s", f, "via_soft", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "dangling", f, "via_dangling", H5P_DEFAULT, H5P_DEFAULT));
    make(f, "s/below");
    make(f, "s");
    make(f, "dangling");
    make(f, "dangling/below");
    make_deep(f, "dangling/deep");
    make(f, "s2/x");
    show(f, "root");
    DO(H5Olink(g, f, "x", H5P_DEFAULT, H5P_DEFAULT));
    hid_t anon = H5Gcreate_anon(f, H5P_DEFAULT, H5P_DEFAULT);
    DO(anon);
    char text[100] = "?";
    printf("anonymous name %d '%s'\n", (int)H5Iget_name(anon, text, sizeof text), text);
    H5O_info_t info;
    H5Oget_info(anon, &info);
    printf("rc %u\n", info.rc);
    make(anon, "inside");
    DO(H5Olink(anon, f, "linked", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Olink(anon, f, "linked", H5P_DEFAULT, H5P_DEFAULT));
    H5Oget_info(anon, &info);
    printf("rc %u name %d", info.rc, (int)H5Iget_name(anon, text, sizeof text));
    printf(" '%s'\n", text);
    H5Gclose(anon);
    DO(H5Gcreate_anon(f, H5P_FILE_ACCESS_DEFAULT, H5P_DEFAULT));
    show(f, "root");
    H5Fclose(f);
    H5Fclose(g);
    f = open_file(FILE_A, H5F_ACC_RDONLY);
    show(f, "again");
    DO(H5Gcreate2(f, "ro", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(f, "a", H5P_DEFAULT));
    DO(H5Lcreate_soft("a", f, "rosoft", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "moved", H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(f);
}

static void removal(void)
{
    hid_t f = new_file(FILE_A);
    char text[100];
    printf("== removal\n");
    make(f, "a");
    make(f, "a/b");
    make(f, "a/b/c");
    H5Lcreate_hard(f, "a/b", f, "second", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("a", f, "soft", H5P_DEFAULT, H5P_DEFAULT);
    DO(H5Ldelete(f, "none", H5P_DEFAULT));
    DO(H5Ldelete(f, "a/none", H5P_DEFAULT));
    DO(H5Ldelete(f, ".", H5P_DEFAULT));
    DO(H5Ldelete(f, "/", H5P_DEFAULT));
    DO(H5Ldelete(f, "", H5P_DEFAULT));
    DO(H5Ldelete(f, NULL, H5P_DEFAULT));
    hid_t b = H5Gopen2(f, "a/b", H5P_DEFAULT), c = H5Gopen2(f, "/a/b/c", H5P_DEFAULT);
    DO(H5Ldelete(f, "a/b", H5P_DEFAULT));
    show(f, "without a/b");
    strcpy(text, "?");
    printf("b is called %d", (int)H5Iget_name(b, text, sizeof text));
    printf(" '%s'\n", text);
    strcpy(text, "?");
    printf("c is called %d", (int)H5Iget_name(c, text, sizeof text));
    printf(" '%s'\n", text);
    DO(H5Ldelete(f, "second", H5P_DEFAULT));
    make(b, "late");
    show(b, "b, unlinked but open");
    strcpy(text, "?");
    printf("b is called %d", (int)H5Iget_name(b, text, sizeof text));
    printf(" '%s'\n", text);
    DO(H5Olink(b, f, "back", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(b);
    H5Gclose(c);
    show(f, "b is back");
    DO(H5Ldelete(f, "soft", H5P_DEFAULT));
    DO(H5Gunlink(f, "back/c"));
    for (int order = H5_ITER_INC; order <= H5_ITER_NATIVE; order++) {
        make(f, "x1");
        make(f, "x2");
        make(f, "x3");
        DO(H5Ldelete_by_idx(f, ".", H5_INDEX_NAME, order, 1, H5P_DEFAULT));
        if (order != H5_ITER_NATIVE)
            show(f, "one less");
        DO(H5Ldelete_by_idx(f, ".", H5_INDEX_NAME, order, 100, H5P_DEFAULT));
        DO(H5Ldelete_by_idx(f, ".", H5_INDEX_CRT_ORDER, order, 0, H5P_DEFAULT));
        while (H5Ldelete_by_idx(f, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT) >= 0)
            ;
        show(f, "all gone");
    }
    DO(H5Ldelete_by_idx(f, "none", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    DO(H5Ldelete_by_idx(f, ".", -1, H5_ITER_INC, 0, H5P_DEFAULT));
    H5Fclose(f);
}

static void called(hid_t id)
{
    char text[100] = "?";
    int len = (int)H5Iget_name(id, text, sizeof text);
    printf("  called %d '%s'\n", len, text);
}

static void move_and_copy(void)
{
    hid_t f = new_file(FILE_A), g = new_file(FILE_B);
    printf("== move and copy\n");
    make(f, "a");
    make(f, "a/b");
    make(f, "a/b/c");
    make(f, "d");
    H5Lcreate_soft("/a/b", f, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(FILE_B, "/x", f, "ext", H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = H5Gopen2(f, "a", H5P_DEFAULT), c = H5Gopen2(f, "a/b/c", H5P_DEFAULT), s = H5Gopen2(f, "soft/c", H5P_DEFAULT);
    called(s);
    DO(H5Lmove(f, "none", f, "n", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "d", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "a", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, ".", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "/", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "/", f, "z", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, ".", f, "z", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "", f, "z", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", f, "no/where", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "a", g, "other", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "a", g, "other", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "soft", g, "softcopy", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "ext", g, "extcopy", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "ext", g, "extcopy", H5P_DEFAULT, H5P_DEFAULT));
    show(f, "untouched");
    show(g, "of the other file");
    DO(H5Lmove(f, "a", f, "d/e", H5P_DEFAULT, H5P_DEFAULT));
    called(a);
    called(c);
    show(f, "moved");
    DO(H5Lcopy(f, "d/e", f, "d/f", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "d/e", H5L_SAME_LOC, "same", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(H5L_SAME_LOC, "d/e", H5L_SAME_LOC, "same2", H5P_DEFAULT, H5P_DEFAULT));
    called(a);
    DO(H5Ldelete(f, "d/e", H5P_DEFAULT));
    DO(H5Lmove(f, "soft", f, "d/soft", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "d", f, "d/f/under", H5P_DEFAULT, H5P_DEFAULT));
    show(f, "d is gone");
    DO(H5Gmove(f, "same", "same3"));
    DO(H5Gmove2(f, "same3", f, "same4"));
    DO(H5Glink(f, H5L_TYPE_HARD, "same4", "hardlink"));
    DO(H5Glink(f, H5L_TYPE_SOFT, "same4", "softlink"));
    DO(H5Glink(f, H5L_TYPE_EXTERNAL, "same4", "badlink"));
    DO(H5Glink2(f, "same4", H5L_TYPE_HARD, f, "hardlink2"));
    DO(H5Glink2(f, "same4", H5L_TYPE_SOFT, f, "softlink2"));
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    DO(H5Lmove(f, "softlink2", f, "i/j/k", lcpl, H5P_DEFAULT));
    DO(H5Lcopy(f, "softlink", f, "i/j/l", lcpl, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "same4", f, "i/m/n", lcpl, H5P_DEFAULT));
    DO(H5Lcreate_soft("same4", f, "i/m/o/p", lcpl, H5P_DEFAULT));
    H5Pclose(lcpl);
    H5Gclose(a);
    H5Gclose(c);
    H5Gclose(s);
    show(f, "root");
    H5Fclose(f);
    H5Fclose(g);
}

static void external(void)
{
    hid_t f = new_file(FILE_A), g = new_file(FILE_B);
    printf("== external\n");
    make(g, "target");
    DO(H5Lcreate_external(FILE_B, "/target", f, "e", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external(FILE_B, "target//", f, "e2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external(FILE_B, "/target", f, "e", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external("none.h5", "/target", f, "broken", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external("", "/target", f, "x", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external(FILE_B, "", f, "x", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external(NULL, "/", f, "x", H5P_DEFAULT, H5P_DEFAULT));
    make(f, "e/through");
    make(f, "e");
    make(f, "broken/through");
    make_deep(f, "e/i/j");
    DO(H5Lcreate_hard(f, "e", f, "hard_to_external", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "e", f, "e/hard", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "e/through", f, "e/through2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "e/through2", f, "here", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(f, "e/i/j", H5P_DEFAULT));
    DO(H5Ldelete(f, "broken/i", H5P_DEFAULT));
    DO(H5Ldelete(f, "broken", H5P_DEFAULT));
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_acc_flags(lapl, H5F_ACC_RDONLY);
    H5Fclose(g);
    DO(H5Lcreate_soft("x", f, "e/soft_ro", H5P_DEFAULT, lapl));
    DO(H5Ldelete(f, "e/hard", lapl));
    H5Pclose(lapl);
    show(f, "from");
    H5Fclose(f);
    g = open_file(FILE_B, H5F_ACC_RDONLY);
    show(g, "to");
    H5Fclose(g);
}

static void storage(void)
{
    hid_t f = new_file(FILE_A), gcpl = H5Pcreate(H5P_GROUP_CREATE);
    char name[40];
    printf("== storage\n");
    H5Pset_link_phase_change(gcpl, 5, 3);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_est_link_info(gcpl, 3, 20);
    hid_t g = H5Gcreate2(f, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "link %d", 9 - i);
        H5Lcreate_soft("value", g, name, H5P_DEFAULT, H5P_DEFAULT);
        show(g, name);
    }
    for (int i = 0; i < 7; i++) {
        H5Ldelete_by_idx(g, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 1, H5P_DEFAULT);
        show(g, "one less");
    }
    H5Ldelete_by_idx(g, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT);
    show(g, "empty");
    make(g, "new");
    show(g, "one");
    hid_t plist = H5Gget_create_plist(g);
    unsigned a, b, flags;
    H5Pget_link_phase_change(plist, &a, &b);
    printf("phase %u %u", a, b);
    H5Pget_est_link_info(plist, &a, &b);
    printf(" estimates %u %u", a, b);
    H5Pget_link_creation_order(plist, &flags);
    printf(" order %u\n", flags);
    H5Pclose(plist);
    H5Gclose(g);
    H5Pset_link_phase_change(gcpl, 0, 0);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED);
    g = H5Gcreate2(f, "dense", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    show(g, "dense from the start");
    make(g, "one");
    show(g, "dense from the start");
    H5Ldelete(g, "one", H5P_DEFAULT);
    show(g, "dense from the start");
    H5Gclose(g);
    g = H5Gcreate2(f, "long", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    char *text = malloc(70000);
    memset(text, 'x', 70000);
    text[40000] = 0;
    DO(H5Lcreate_soft(text, g, "value", H5P_DEFAULT, H5P_DEFAULT));
    H5G_info_t info;
    H5Gget_info(g, &info);
    printf("storage %d\n", (int)info.storage_type);
    DO(H5Lcreate_soft("v", g, text, H5P_DEFAULT, H5P_DEFAULT));
    H5Gget_info(g, &info);
    printf("storage %d\n", (int)info.storage_type);
    text[40000] = 'x';
    text[66000] = 0;
    DO(H5Lcreate_soft("v", g, text, H5P_DEFAULT, H5P_DEFAULT));
    H5Gget_info(g, &info);
    printf("storage %d\n", (int)info.storage_type);
    DO(H5Ldelete(g, text, H5P_DEFAULT));
    free(text);
    H5Gget_info(g, &info);
    printf("storage %d links %d\n", (int)info.storage_type, (int)info.nlinks);
    H5Gclose(g);
    H5Pclose(gcpl);
    H5Fclose(f);
}

static int told;
static herr_t on_create(const char *name, hid_t group, const void *data, size_t size, hid_t lcpl)
{
    printf("  create '%s' with %d bytes '%.*s' exists %d lcpl %s\n", name, (int)size, (int)size, size ? (const char *)data : "",
           (int)H5Lexists(group, name, H5P_DEFAULT), id_type(lcpl));
    return told == 1 ? -1 : 0;
}

static herr_t on_move(const char *name, hid_t group, const void *data, size_t size)
{
    char path[100] = "?";
    H5Iget_name(group, path, sizeof path);
    printf("  move to '%s' in %s with '%.*s' exists %d\n", name, path, (int)size, (const char *)data, (int)H5Lexists(group, name, H5P_DEFAULT));
    return told == 2 ? -1 : 0;
}

static herr_t on_copy(const char *name, hid_t group, const void *data, size_t size)
{
    char path[100] = "?";
    H5Iget_name(group, path, sizeof path);
    printf("  copy to '%s' in %s with '%.*s' exists %d\n", name, path, (int)size, (const char *)data, (int)H5Lexists(group, name, H5P_DEFAULT));
    return told == 3 ? -1 : 0;
}

static herr_t on_delete(const char *name, hid_t file, const void *data, size_t size)
{
    printf("  delete '%s' with '%.*s' from %d\n", name, (int)size, (const char *)data, (int)H5Iget_type(file));
    return told == 4 ? -1 : 0;
}

static hid_t on_traverse(const char *name, hid_t group, const void *data, size_t size, hid_t lapl)
{
    char path[100];
    snprintf(path, sizeof path, "%.*s", (int)size, (const char *)data);
    return H5Oopen(group, path, lapl);
}

static ssize_t on_query(const char *name, const void *data, size_t size, void *buf, size_t buf_size)
{
    if (buf)
        snprintf(buf, buf_size, "<%.*s>", (int)size, (const char *)data);
    return (ssize_t)size + 3;
}

static void user_links(void)
{
    hid_t f = new_file(FILE_A);
    H5L_class_t cls = {H5L_LINK_CLASS_T_VERS, (H5L_type_t)100, "test", on_create, on_move, on_copy, (void *)on_traverse, on_delete, on_query};
#ifdef H5L_LINK_CLASS_T_VERS_0
    cls.version = H5L_LINK_CLASS_T_VERS_0;
#endif
    printf("== user links\n");
    make(f, "target");
    DO(H5Lcreate_ud(f, "u", (H5L_type_t)100, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lregister(&cls));
    DO(H5Lcreate_ud(f, "u", (H5L_type_t)100, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(f, "u", (H5L_type_t)100, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(f, "u0", (H5L_type_t)100, NULL, 0, H5P_DEFAULT, H5P_DEFAULT));
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(lcpl, H5T_CSET_UTF8);
    DO(H5Lcreate_ud(f, "ul", (H5L_type_t)100, "target", 6, lcpl, H5P_DEFAULT));
    DO(H5Lmove(f, "ul", f, "ul2", H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(lcpl);
    DO(H5Lcreate_ud(f, "u1", H5L_TYPE_SOFT, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(f, "u1", (H5L_type_t)300, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(f, "u1", H5L_TYPE_EXTERNAL, "\0file\0path", 11, H5P_DEFAULT, H5P_DEFAULT));
    make(f, "u/through");
    DO(H5Lmove(f, "u", f, "target/moved", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "target/moved", f, "v", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "v", f, "v2", H5P_DEFAULT, H5P_DEFAULT));
    show(f, "all");
    told = 1;
    DO(H5Lcreate_ud(f, "w", (H5L_type_t)100, "target", 6, H5P_DEFAULT, H5P_DEFAULT));
    told = 2;
    DO(H5Lmove(f, "v2", f, "v3", H5P_DEFAULT, H5P_DEFAULT));
    told = 3;
    DO(H5Lcopy(f, "target/moved", f, "v4", H5P_DEFAULT, H5P_DEFAULT));
    told = 4;
    DO(H5Ldelete(f, "target/moved", H5P_DEFAULT));
    told = 0;
    show(f, "after failures");
    DO(H5Ldelete(f, "u0", H5P_DEFAULT));
    make(f, "box");
    DO(H5Lcreate_ud(f, "box/u", (H5L_type_t)100, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(f, "box", H5P_DEFAULT));
    show(f, "root");
    DO(H5Lcreate_ud(f, "left", (H5L_type_t)100, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lunregister((H5L_type_t)100));
    DO(H5Lmove(f, "left", f, "left2", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(f, "left2", f, "left3", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "left", f, "left4", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(f, "left2", H5P_DEFAULT));
    DO(H5Ldelete(f, "left", H5P_DEFAULT));
    H5Fclose(f);
}

static void mounted(void)
{
    hid_t f = new_file(FILE_A), g = new_file(FILE_B);
    printf("== mounted\n");
    make(f, "point");
    make(f, "point/hidden");
    make(f, "beside");
    make(g, "inside");
    DO(H5Fmount(f, "point", g, H5P_DEFAULT));
    make(f, "point/new");
    make(f, "point/inside/deep");
    make_deep(f, "point/i/j");
    make(g, "/absolute");
    DO(H5Lcreate_hard(f, "point/new", f, "across", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(f, "point/new", f, "point/second", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/beside", f, "point/up", H5P_DEFAULT, H5P_DEFAULT));
    make(f, "point/up/through");
    DO(H5Lmove(f, "point/new", f, "moved", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(f, "point/new", f, "point/moved", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(f, "point/second", H5P_DEFAULT));
    DO(H5Lmove(f, "point", f, "point2", H5P_DEFAULT, H5P_DEFAULT));
    make(f, "point2/after");
    show(f, "with the mount");
    DO(H5Funmount(f, "point2"));
    show(f, "without");
    show(g, "what was mounted");
    DO(H5Fmount(f, "point2", g, H5P_DEFAULT));
    DO(H5Ldelete(f, "point2", H5P_DEFAULT));
    make(f, "point3");
    DO(H5Gopen2(f, "point2", H5P_DEFAULT));
    DO(H5Gopen2(f, "point3/inside", H5P_DEFAULT));
    DO(H5Funmount(f, "point3"));
    show(f, "without a point");
    H5Fclose(g);
    H5Fclose(f);
}

/* The callback of the access list decides how the other file is opened. */
static herr_t on_external(const char *parent, const char *group, const char *child, const char *path, unsigned *flags,
                          hid_t fapl, void *data)
{
    printf("  from %s %s to %s %s flags %u\n", parent, group, child, path, *flags & H5F_ACC_RDWR);
    if (*(unsigned *)data != 100)
        *flags = *(unsigned *)data;
    return *(unsigned *)data == 100 ? -1 : 0;
}

static void external_access(void)
{
    hid_t f = new_file(FILE_A), g = new_file(FILE_B), lapl = H5Pcreate(H5P_LINK_ACCESS);
    unsigned flags = H5F_ACC_RDWR;
    printf("== external access\n");
    make(g, "there");
    H5Fclose(g);
    DO(H5Lcreate_external(FILE_B, "there", f, "e", H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_elink_cb(lapl, on_external, &flags);
    DO(H5Lcreate_soft("x", f, "e/soft", H5P_DEFAULT, lapl));
    flags = H5F_ACC_RDONLY;
    DO(H5Lcreate_soft("x", f, "e/soft2", H5P_DEFAULT, lapl));
    DO(H5Ldelete(f, "e/soft", lapl));
    flags = 100;
    DO(H5Lcreate_soft("x", f, "e/soft3", H5P_DEFAULT, lapl));
    flags = H5F_ACC_RDWR;
    DO(H5Lmove(f, "e/soft", f, "e/soft4", H5P_DEFAULT, lapl));
    DO(H5Lcopy(f, "e/soft4", f, "soft5", H5P_DEFAULT, lapl));
    H5Pclose(lapl);
    show(f, "from");
    H5Fclose(f);
    g = open_file(FILE_B, H5F_ACC_RDONLY);
    show(g, "to");
    H5Fclose(g);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    names();
    hard_and_soft();
    removal();
    move_and_copy();
    external();
    external_access();
    mounted();
    storage();
    user_links();
    unlink(FILE_A);
    unlink(FILE_B);
    return 0;
}
