/* What a failing call leaves on the error stack: the codes and the text of the record of the public function, which is
 * what programs show and decide by, and in common cases the text of the first one, which says why. */
#include <stdint.h>
#include <unistd.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deadly.h"

struct outer {
    char major[64], minor[64], text[256], first[256], cause_major[64], cause_minor[64];
    unsigned n;
};

static herr_t keep(unsigned n, const H5E_error2_t *e, void *data)
{
    struct outer *out = data;
    if (n == 0) {
        H5Eget_msg(e->maj_num, NULL, out->major, sizeof out->major);
        H5Eget_msg(e->min_num, NULL, out->minor, sizeof out->minor);
        snprintf(out->text, sizeof out->text, "%s", e->desc);
    }
    snprintf(out->first, sizeof out->first, "%s", e->desc);
    H5Eget_msg(e->maj_num, NULL, out->cause_major, sizeof out->cause_major);
    H5Eget_msg(e->min_num, NULL, out->cause_minor, sizeof out->cause_minor);
    out->n++;
    return 0;
}

enum { WITH_TEXT, WITH_FIRST, WITH_CAUSE, CODES_ONLY };

/* Walking clears the stack as any call does, unless it is taken first. */
static void report(const char *call, int failed, int how)
{
    struct outer out = {.n = 0};
    hid_t stack = H5Eget_current_stack();
    H5Ewalk2(stack, H5E_WALK_DOWNWARD, keep, &out);
    H5Eclose_stack(stack);
    size_t len = strcspn(call, "(");
    if (!failed)
        printf("%.*s: works\n", (int)len, call);
    else if (out.n == 0)
        printf("%.*s: fails without a record\n", (int)len, call);
    else if (how == WITH_FIRST)
        printf("%.*s: [%s | %s] %s (%s)\n", (int)len, call, out.major, out.minor, out.text, out.first);
    else if (how == WITH_CAUSE)
        printf("%.*s: [%s | %s] %s (%s | %s: %s)\n", (int)len, call, out.major, out.minor, out.text, out.cause_major,
               out.cause_minor, out.first);
    else if (how == CODES_ONLY)
        printf("%.*s: [%s | %s]\n", (int)len, call, out.major, out.minor);
    else
        printf("%.*s: [%s | %s] %s\n", (int)len, call, out.major, out.minor, out.text);
}

#define TRY(call) report(#call, (call) < 0, WITH_TEXT)
/* With the first record's text. */
#define WHY(call) report(#call, (call) < 0, WITH_FIRST)
/* With the first record's codes, too. */
#define CAUSE(call) report(#call, (call) < 0, WITH_CAUSE)
/* Where the libraries say the same in other words. */
#define CODES(call) report(#call, (call) < 0, CODES_ONLY)

static herr_t no_link(hid_t g, const char *name, const H5L_info_t *info, void *data)
{
    (void)g, (void)name, (void)info, (void)data;
    return -1;
}

static herr_t no_object(hid_t o, const char *name, const H5O_info_t *info, void *data)
{
    (void)o, (void)name, (void)info, (void)data;
    return -1;
}

static herr_t no_attr(hid_t o, const char *name, const H5A_info_t *info, void *data)
{
    (void)o, (void)name, (void)info, (void)data;
    return -1;
}

static herr_t no_attr1(hid_t o, const char *name, void *data)
{
    (void)o, (void)name, (void)data;
    return -1;
}

static herr_t no_element(void *elem, hid_t type, unsigned ndim, const hsize_t *point, void *data)
{
    (void)elem, (void)type, (void)ndim, (void)point, (void)data;
    return -1;
}

static herr_t no_property(hid_t id, const char *name, void *data)
{
    (void)id, (void)name, (void)data;
    return -1;
}

static void fill_file(const char *name)
{
    hsize_t dims[2] = {8, 8}, most[2] = {16, H5S_UNLIMITED}, chunk[2] = {4, 4};
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, most), fixed = H5Screate_simple(2, dims, NULL);
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "group/below", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t d = H5Dcreate2(file, "chunked", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Aclose(H5Acreate2(d, "attr", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(d);
    H5Dclose(H5Dcreate2(file, "plain", H5T_NATIVE_INT, fixed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/loop", file, "loop", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("no_such_file.h5", "/x", file, "outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", file, "nothing_there", H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(file, "attr", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Sclose(fixed);
    H5Sclose(scalar);
    H5Fclose(file);
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    fwrite(data, 1, size, f);
    fclose(f);
}

static void files(void)
{
    static char zeros[4096];
    puts("files");
    WHY(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    WHY(H5Fopen("missing.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    WHY(H5Fopen("no/such/folder.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    WHY(H5Fcreate("no/such/folder.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Fcreate("records.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
    write_file("zeros.h5", zeros, sizeof zeros);
    WHY(H5Fopen("zeros.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    write_file("empty.h5", zeros, 0);
    WHY(H5Fopen("empty.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    TRY(H5Fis_hdf5("missing.h5"));
    fill_file("cut.h5");
    if (truncate("cut.h5", 1024) == 0)
        TRY(H5Fopen("cut.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    WHY(H5Fopen("records.h5", H5F_ACC_TRUNC, H5P_DEFAULT));
    WHY(H5Fopen("records.h5", 0x1000, H5P_DEFAULT));
    WHY(H5Fopen("", H5F_ACC_RDONLY, H5P_DEFAULT));
    WHY(H5Fopen(NULL, H5F_ACC_RDONLY, H5P_DEFAULT));
    CODES(H5Fcreate(NULL, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CODES(H5Fcreate("x.h5", H5F_ACC_TRUNC | H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
    CODES(H5Fcreate("x.h5", H5F_ACC_TRUNC, H5P_DATASET_CREATE_DEFAULT, H5P_DEFAULT));
    hid_t file = H5Fopen("records.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    WHY(H5Fopen("records.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    WHY(H5Fcreate("records.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Fstart_swmr_write(file));
    WHY(H5Funmount(file, "group"));
    WHY(H5Funmount(file, "chunked"));
    WHY(H5Fmount(file, "chunked", file, H5P_DEFAULT));
    WHY(H5Fmount(file, "missing", file, H5P_DEFAULT));
    CODES(H5Fget_vfd_handle(file, H5P_DEFAULT, NULL));
    CODES(H5Fget_mdc_config(file, NULL));
    H5Fclose(file);
    file = H5Fcreate("open.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    WHY(H5Fcreate("open.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Fcreate("open.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Fstart_swmr_write(file));
    H5Fclose(file);
}

static void groups(hid_t file)
{
    H5G_info_t info;
    H5G_stat_t stat;
    hsize_t n;
    char text[32];
    puts("groups");
    WHY(H5Gopen2(file, "missing", H5P_DEFAULT));
    WHY(H5Gopen2(file, "group/missing", H5P_DEFAULT));
    WHY(H5Gopen2(file, "missing/missing", H5P_DEFAULT));
    WHY(H5Gopen2(file, "chunked", H5P_DEFAULT));
    TRY(H5Gopen2(file, "chunked/x", H5P_DEFAULT));
    WHY(H5Gopen2(file, "dangling", H5P_DEFAULT));
    CODES(H5Gopen2(file, "", H5P_DEFAULT));
    CODES(H5Gopen2(file, NULL, H5P_DEFAULT));
    TRY(H5Gopen1(file, "missing"));
    CAUSE(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Gcreate2(file, "missing/x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Gcreate2(file, "chunked/x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Gcreate1(file, "group", 0));
    TRY(H5Gget_info_by_name(file, "missing", &info, H5P_DEFAULT));
    TRY(H5Gget_info_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, &info, H5P_DEFAULT));
    TRY(H5Gget_info_by_idx(file, "missing", H5_INDEX_NAME, H5_ITER_INC, 0, &info, H5P_DEFAULT));
    TRY(H5Gget_objinfo(file, "missing", 1, &stat));
    TRY(H5Gget_linkval(file, "missing", 10, text));
    TRY(H5Gget_linkval(file, "group", 10, text));
    TRY(H5Gget_comment(file, "missing", 10, text));
    TRY(H5Gset_comment(file, "missing", "text"));
    TRY(H5Gget_objname_by_idx(file, 100, text, 10));
    TRY(H5Gget_objtype_by_idx(file, 100));
    TRY(H5Glink(file, H5L_TYPE_HARD, "missing", "new"));
    CAUSE(H5Gmove(file, "missing", "new"));
    TRY(H5Gunlink(file, "missing"));
    TRY(H5Giterate(file, "missing", NULL, no_attr1, NULL));
    TRY(H5Giterate(file, ".", NULL, no_attr1, NULL));
    hid_t dset = H5Dopen2(file, "chunked", H5P_DEFAULT);
    TRY(H5Gget_num_objs(dset, &n));
    H5Dclose(dset);
}

static void links(hid_t file)
{
    H5L_info_t info;
    char text[64];
    hsize_t at = 0;
    puts("links");
    WHY(H5Lexists(file, "missing/x", H5P_DEFAULT));
    CODES(H5Lexists(file, "", H5P_DEFAULT));
    TRY(H5Lget_info(file, "missing", &info, H5P_DEFAULT));
    WHY(H5Lget_info(file, "missing/x", &info, H5P_DEFAULT));
    TRY(H5Lget_info_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, &info, H5P_DEFAULT));
    TRY(H5Lget_info_by_idx(file, "missing", H5_INDEX_NAME, H5_ITER_INC, 0, &info, H5P_DEFAULT));
    TRY(H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, text, 10, H5P_DEFAULT));
    TRY(H5Lget_val(file, "missing", text, 10, H5P_DEFAULT));
    TRY(H5Lget_val(file, "group", text, 10, H5P_DEFAULT));
    TRY(H5Lget_val_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, text, 10, H5P_DEFAULT));
    CAUSE(H5Lcreate_soft("/x", file, "group", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Lcreate_hard(file, "missing", file, "new", H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Lcreate_hard(file, "group", file, "chunked", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Lcreate_external("f", "/x", file, "group", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Lcreate_ud(file, "new", (H5L_type_t)200, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Ldelete(file, "missing", H5P_DEFAULT));
    WHY(H5Ldelete(file, "missing/x", H5P_DEFAULT));
    TRY(H5Ldelete(file, "/", H5P_DEFAULT));
    TRY(H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, H5P_DEFAULT));
    CAUSE(H5Lmove(file, "missing", file, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Lmove(file, "group", file, "chunked", H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Lcopy(file, "missing", file, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Lcopy(file, "group", file, "chunked", H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &at, no_link, NULL));
    at = 100;
    TRY(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &at, no_link, NULL));
    at = 0;
    TRY(H5Literate_by_name(file, ".", H5_INDEX_NAME, H5_ITER_INC, &at, no_link, NULL, H5P_DEFAULT));
    TRY(H5Literate_by_name(file, "missing", H5_INDEX_NAME, H5_ITER_INC, &at, no_link, NULL, H5P_DEFAULT));
    CAUSE(H5Literate_by_name(file, "group", H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, no_link, NULL, H5P_DEFAULT));
    CAUSE(H5Lget_info_by_idx(file, "group", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, &info, H5P_DEFAULT));
    CAUSE(H5Lget_name_by_idx(file, "group", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, text, 10, H5P_DEFAULT));
    TRY(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, no_link, NULL));
    TRY(H5Lvisit_by_name(file, "missing", H5_INDEX_NAME, H5_ITER_INC, no_link, NULL, H5P_DEFAULT));
    TRY(H5Lunpack_elink_val("", 0, NULL, NULL, NULL));
    TRY(H5Lunregister((H5L_type_t)200));
    TRY(H5Lis_registered((H5L_type_t)300));
}

static void objects(hid_t file)
{
    H5O_info_t info;
    char text[32];
    puts("objects");
    WHY(H5Oopen(file, "missing", H5P_DEFAULT));
    WHY(H5Oopen(file, "group/missing", H5P_DEFAULT));
    WHY(H5Oopen(file, "missing/missing", H5P_DEFAULT));
    TRY(H5Oopen(file, "chunked/x", H5P_DEFAULT));
    WHY(H5Oopen(file, "dangling", H5P_DEFAULT));
    TRY(H5Oopen(file, "outside", H5P_DEFAULT));
    WHY(H5Oopen(file, "nothing_there", H5P_DEFAULT));
    TRY(H5Oopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, H5P_DEFAULT));
    TRY(H5Oopen_by_idx(file, "missing", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    CAUSE(H5Oopen_by_idx(file, "group", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY(H5Oopen_by_addr(file, 12));
    TRY(H5Oopen_by_addr(file, HADDR_UNDEF));
    TRY(H5Oget_info_by_name1(file, "missing", &info, H5P_DEFAULT));
    TRY(H5Oget_info_by_idx1(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, &info, H5P_DEFAULT));
    TRY(H5Oget_info_by_name2(file, "missing", &info, H5O_INFO_ALL, H5P_DEFAULT));
    TRY(H5Oget_info_by_idx2(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, &info, H5O_INFO_ALL, H5P_DEFAULT));
    WHY(H5Oexists_by_name(file, "missing/x", H5P_DEFAULT));
    TRY(H5Oget_comment_by_name(file, "missing", text, 10, H5P_DEFAULT));
    TRY(H5Oset_comment_by_name(file, "missing", "text", H5P_DEFAULT));
    WHY(H5Ocopy(file, "missing", file, "new", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Ocopy(file, "group", file, "chunked", H5P_DEFAULT, H5P_DEFAULT));
    hid_t dset = H5Dopen2(file, "chunked", H5P_DEFAULT);
    CAUSE(H5Olink(dset, file, "group", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Oenable_mdc_flushes(dset));
    H5Dclose(dset);
    TRY(H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, no_object, NULL));
    TRY(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, no_object, NULL, H5O_INFO_ALL));
    TRY(H5Ovisit_by_name1(file, "missing", H5_INDEX_NAME, H5_ITER_INC, no_object, NULL, H5P_DEFAULT));
    TRY(H5Ovisit_by_name2(file, "missing", H5_INDEX_NAME, H5_ITER_INC, no_object, NULL, H5O_INFO_ALL, H5P_DEFAULT));
}

static void attributes(hid_t file)
{
    H5A_info_t info;
    char text[32];
    hid_t scalar = H5Screate(H5S_SCALAR);
    int value = 0;
    puts("attributes");
    WHY(H5Aopen(file, "missing", H5P_DEFAULT));
    WHY(H5Aopen_by_name(file, "missing", "attr", H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Aopen_by_name(file, "chunked", "missing", H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Aopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Aopen_idx(file, 100));
    CAUSE(H5Aopen_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Aopen_name(file, "missing"));
    WHY(H5Acreate1(file, "attr", H5T_NATIVE_INT, scalar, H5P_DEFAULT));
    WHY(H5Acreate2(file, "attr", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Acreate_by_name(file, "missing", "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Acreate_by_name(file, "chunked", "attr", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY(H5Adelete(file, "missing"));
    TRY(H5Adelete_by_name(file, "chunked", "missing", H5P_DEFAULT));
    WHY(H5Adelete_by_name(file, "missing", "missing", H5P_DEFAULT));
    CAUSE(H5Adelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, H5P_DEFAULT));
    TRY(H5Arename(file, "missing", "new"));
    TRY(H5Arename_by_name(file, "chunked", "missing", "new", H5P_DEFAULT));
    WHY(H5Arename_by_name(file, "missing", "missing", "new", H5P_DEFAULT));
    TRY(H5Aexists_by_name(file, "missing", "attr", H5P_DEFAULT));
    TRY(H5Aget_info_by_name(file, ".", "missing", &info, H5P_DEFAULT));
    CAUSE(H5Aget_info_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, &info, H5P_DEFAULT));
    CAUSE(H5Aget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 100, text, 10, H5P_DEFAULT));
    TRY(H5Aiterate1(file, NULL, no_attr1, NULL));
    TRY(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, no_attr, NULL));
    TRY(H5Aiterate_by_name(file, "missing", H5_INDEX_NAME, H5_ITER_INC, NULL, no_attr, NULL, H5P_DEFAULT));
    hid_t attr = H5Aopen(file, "attr", H5P_DEFAULT);
    WHY(H5Aread(attr, H5T_C_S1, &value));
    WHY(H5Awrite(attr, H5T_C_S1, &value));
    CODES(H5Aread(attr, H5T_NATIVE_INT, NULL));
    CODES(H5Awrite(attr, H5T_NATIVE_INT, NULL));
    H5Aclose(attr);
    TRY(H5Aclose(attr));
    H5Sclose(scalar);
}

static void datasets_create(hid_t file)
{
    hsize_t dims[2] = {8, 8}, most[2] = {16, H5S_UNLIMITED}, chunk[3] = {4, 4, 4}, large[2] = {100, 4};
    hid_t space = H5Screate_simple(2, dims, most), fixed = H5Screate_simple(2, dims, NULL), none = H5Screate(H5S_NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    puts("creating datasets");
    WHY(H5Dopen2(file, "missing", H5P_DEFAULT));
    WHY(H5Dopen2(file, "group", H5P_DEFAULT));
    WHY(H5Dopen2(file, "missing/x", H5P_DEFAULT));
    TRY(H5Dopen1(file, "missing"));
    WHY(H5Dcreate1(file, "group", H5T_NATIVE_INT, fixed, H5P_DEFAULT));
    CAUSE(H5Dcreate2(file, "group", H5T_NATIVE_INT, fixed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Dcreate2(file, "missing/x", H5T_NATIVE_INT, fixed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_chunk(dcpl, 3, chunk);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pset_chunk(dcpl, 2, large);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, fixed, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pset_chunk(dcpl, 2, chunk);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, none, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pset_filter(dcpl, 300, H5Z_FLAG_MANDATORY, 0, NULL);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(dcpl, H5D_COMPACT);
    dims[0] = dims[1] = 1000;
    hid_t big = H5Screate_simple(2, dims, NULL);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, big, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Sclose(big);
    H5Pset_layout(dcpl, H5D_CHUNKED);
    TRY(H5Dcreate2(file, "new", H5T_NATIVE_INT, fixed, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_deflate(dcpl, 3);
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, fixed, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Sclose(fixed);
    H5Sclose(none);
}

static void datasets_io(hid_t file)
{
    static int values[100];
    hsize_t dims[2] = {20, 8}, three[1] = {3}, start[2] = {7, 7}, count[2] = {2, 2}, offset[2] = {1, 1};
    uint32_t filters = 0;
    hsize_t size;
    H5D_chunk_index_t index;
    hid_t chunked = H5Dopen2(file, "chunked", H5P_DEFAULT), plain = H5Dopen2(file, "plain", H5P_DEFAULT);
    hid_t mem = H5Screate_simple(1, three, NULL), out = H5Dget_space(chunked);
    puts("reading and writing");
    WHY(H5Dread(chunked, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    WHY(H5Dwrite(chunked, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    WHY(H5Dread(chunked, H5T_NATIVE_INT, mem, H5S_ALL, H5P_DEFAULT, values));
    WHY(H5Dwrite(chunked, H5T_NATIVE_INT, mem, H5S_ALL, H5P_DEFAULT, values));
    H5Sselect_hyperslab(out, H5S_SELECT_SET, start, NULL, count, NULL);
    WHY(H5Dread(chunked, H5T_NATIVE_INT, H5S_ALL, out, H5P_DEFAULT, values));
    WHY(H5Dwrite(chunked, H5T_NATIVE_INT, H5S_ALL, out, H5P_DEFAULT, values));
    WHY(H5Dread(chunked, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, NULL));
    WHY(H5Dwrite(chunked, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, NULL));
    WHY(H5Dset_extent(chunked, dims));
    WHY(H5Dset_extent(plain, dims));
    CODES(H5Dset_extent(chunked, NULL));
    WHY(H5Dextend(chunked, dims));
    WHY(H5Dextend(plain, dims));
    WHY(H5Dget_chunk_storage_size(plain, offset, &size));
    WHY(H5Dget_chunk_storage_size(chunked, offset, &size));
    WHY(H5Dread_chunk(plain, H5P_DEFAULT, offset, &filters, values));
    WHY(H5Dwrite_chunk(plain, H5P_DEFAULT, 0, offset, 64, values));
    CODES(H5Dget_chunk_index_type(plain, &index));
    CODES(H5Dget_num_chunks(plain, H5S_ALL, &size));
    WHY(H5Dget_chunk_info_by_coord(plain, offset, &filters, NULL, &size));
    WHY(H5Diterate(values, H5T_NATIVE_INT, mem, no_element, NULL));
    WHY(H5Diterate(NULL, H5T_NATIVE_INT, mem, no_element, NULL));
    WHY(H5Dfill(NULL, H5T_NATIVE_INT, values, H5T_C_S1, mem));
    WHY(H5Dfill(values, H5T_NATIVE_INT, values, H5T_C_S1, mem));
    WHY(H5Dvlen_reclaim(H5T_NATIVE_INT, mem, H5P_DEFAULT, values));
    WHY(H5Dgather(mem, values, H5T_NATIVE_INT, 1, values, NULL, NULL));
    CODES(H5Dscatter(NULL, NULL, H5T_NATIVE_INT, mem, values));
    H5Dclose(chunked);
    H5Dclose(plain);
    TRY(H5Dclose(plain));
    TRY(H5Dget_space(plain));
    TRY(H5Dget_type(plain));
    TRY(H5Dread(plain, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Sclose(mem);
    H5Sclose(out);
}

static void types(hid_t file)
{
    int value = 0;
    char name[8];
    puts("types");
    WHY(H5Topen2(file, "missing", H5P_DEFAULT));
    WHY(H5Topen2(file, "group", H5P_DEFAULT));
    TRY(H5Topen1(file, "missing"));
    hid_t copy = H5Tcopy(H5T_NATIVE_INT), e = H5Tenum_create(H5T_NATIVE_INT);
    WHY(H5Tcommit1(file, "group", copy));
    CAUSE(H5Tcommit2(file, "group", copy, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Tcommit2(file, "missing/x", copy, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Tcommit2(file, "new", H5T_NATIVE_INT, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Tcommit_anon(file, H5T_NATIVE_INT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t named = H5Topen2(file, "type", H5P_DEFAULT);
    CAUSE(H5Tcommit1(file, "new", named));
    CAUSE(H5Tcommit2(file, "new", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CAUSE(H5Tcommit_anon(file, named, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(named);
    WHY(H5Tconvert(H5T_NATIVE_INT, H5T_C_S1, 1, &value, NULL, H5P_DEFAULT));
    WHY(H5Tcompiler_conv(H5T_NATIVE_INT, H5T_C_S1));
    H5Tenum_insert(e, "one", &value);
    TRY(H5Tenum_insert(e, "one", &value));
    value = 5;
    WHY(H5Tenum_nameof(e, &value, name, sizeof name));
    WHY(H5Tenum_valueof(e, "two", &value));
    CODES(H5Tset_size(copy, 0));
    WHY(H5Tset_size(H5T_NATIVE_INT, 8));
    CODES(H5Tclose(H5T_NATIVE_INT));
    H5Tclose(copy);
    H5Tclose(e);
}

static void spaces(void)
{
    hsize_t dims[2] = {8, 8}, smaller[2] = {4, 4}, start[2] = {0, 0}, zero[2] = {0, 0}, count[2] = {4, 4};
    hsize_t far[2] = {9, 9};
    hid_t space = H5Screate_simple(2, dims, NULL), none = H5Screate(H5S_NULL);
    puts("spaces");
    CODES(H5Screate((H5S_class_t)7));
    CODES(H5Screate_simple(-1, dims, NULL));
    CODES(H5Screate_simple(50, dims, NULL));
    CODES(H5Screate_simple(2, dims, smaller));
    CODES(H5Screate_simple(2, NULL, NULL));
    CODES(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, zero, count, NULL));
    CODES(H5Sselect_hyperslab(space, H5S_SELECT_SET, NULL, NULL, count, NULL));
    CODES(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, NULL, NULL));
    CODES(H5Sselect_hyperslab(none, H5S_SELECT_SET, start, NULL, count, NULL));
    WHY(H5Sselect_elements(space, H5S_SELECT_SET, 1, far));
    CODES(H5Sselect_elements(space, H5S_SELECT_SET, 0, far));
    WHY(H5Sget_select_elem_npoints(space));
    CODES(H5Sget_select_hyper_nblocks(space));
    CODES(H5Sset_extent_simple(space, 2, dims, smaller));
    H5Sclose(space);
    H5Sclose(none);
}

static void properties(void)
{
    int value = 0;
    hsize_t dims[2] = {0, 4}, one[1] = {4}, two[1] = {5};
    char text[8];
    size_t n = 0;
    unsigned flags;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    puts("properties");
    TRY(H5Pcreate(H5P_DEFAULT));
    TRY(H5Pget(dcpl, "missing", &value));
    TRY(H5Pset(dcpl, "missing", &value));
    TRY(H5Premove(dcpl, "missing"));
    TRY(H5Pget_size(dcpl, "missing", &n));
    CODES(H5Pset_chunk(dcpl, 0, dims));
    CODES(H5Pset_chunk(dcpl, 2, dims));
    TRY(H5Pset_chunk(fapl, 1, one));
    CODES(H5Pget_chunk(dcpl, 1, one));
    CODES(H5Pset_deflate(dcpl, 10));
    TRY(H5Pset_deflate(fapl, 1));
    WHY(H5Pset_filter(dcpl, -1, 0, 0, NULL));
    WHY(H5Pset_filter(dcpl, 1000000, 0, 0, NULL));
    CODES(H5Pget_filter2(dcpl, 5, &flags, &n, NULL, 0, text, NULL));
    TRY(H5Pget_filter_by_id2(dcpl, 5, &flags, &n, NULL, 0, text, NULL));
    WHY(H5Premove_filter(dcpl, 5));
    CODES(H5Pset_layout(dcpl, (H5D_layout_t)9));
    CODES(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_EARLIEST));
    WHY(H5Pset_fclose_degree(fapl, (H5F_close_degree_t)9));
    CODES(H5Pset_alignment(fapl, 1, 0));
    TRY(H5Pset_userblock(fapl, 512));
    CODES(H5Pset_driver(fapl, H5T_NATIVE_INT, NULL));
    CODES(H5Pget_external(dcpl, 3, 0, NULL, NULL, NULL));
    CODES(H5Pset_external(dcpl, NULL, 0, 10));
    hid_t s1 = H5Screate_simple(1, one, NULL), s2 = H5Screate_simple(1, two, NULL);
    WHY(H5Pset_virtual(dcpl, s1, "f", "d", s2));
    CODES(H5Pget_virtual_srcspace(dcpl, 3));
    H5Sclose(s1);
    H5Sclose(s2);
    WHY(H5Piterate(dcpl, NULL, no_property, NULL));
    WHY(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, NULL));
    WHY(H5Pget_fill_value(dcpl, H5T_C_S1, &value));
    CODES(H5Pset_szip(dcpl, 0, 3));
    CODES(H5Pset_scaleoffset(dcpl, (H5Z_SO_scale_type_t)2, -1));
    CODES(H5Pset_page_buffer_size(fapl, 4096, 90, 20));
    CODES(H5Pset_page_buffer_size(fapl, 4096, 190, 20));
    TRY(H5Pset_data_transform(H5P_DEFAULT, "x +"));
    H5Pclose(dcpl);
    H5Pclose(fapl);
}

static void references(hid_t file)
{
    hobj_ref_t ref = 12;
    hdset_reg_ref_t region = {0};
    H5O_type_t type;
    puts("references");
    WHY(H5Rcreate(&ref, file, "missing", H5R_OBJECT, -1));
    WHY(H5Rcreate(&region, file, "chunked", H5R_DATASET_REGION, -1));
    CODES(H5Rcreate(NULL, file, "missing", H5R_OBJECT, -1));
    ref = 12;
    TRY(H5Rdereference1(file, H5R_OBJECT, &ref));
    TRY(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &ref));
    TRY(H5Rget_obj_type2(file, H5R_OBJECT, &ref, &type));
    TRY(H5Rget_region(file, H5R_DATASET_REGION, &region));
    TRY(H5Rget_name(file, H5R_OBJECT, &ref, NULL, 0));
    ref = 0;
    TRY(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &ref));
    TRY(H5Rget_obj_type2(file, H5R_OBJECT, &ref, &type));
}

static void read_only(hid_t file)
{
    static int values[64];
    hsize_t dims[2] = {9, 9};
    hid_t space = H5Screate(H5S_SCALAR), copy = H5Tcopy(H5T_NATIVE_INT);
    hid_t dset = H5Dopen2(file, "chunked", H5P_DEFAULT), attr = H5Aopen(file, "attr", H5P_DEFAULT);
    puts("a file that is open for reading");
    WHY(H5Gcreate2(file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Dcreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Tcommit2(file, "new", copy, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Tcommit_anon(file, copy, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Acreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Acreate_by_name(file, ".", "new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    WHY(H5Awrite(attr, H5T_NATIVE_INT, values));
    WHY(H5Adelete(file, "attr"));
    WHY(H5Adelete_by_name(file, ".", "attr", H5P_DEFAULT));
    WHY(H5Adelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    WHY(H5Arename(file, "attr", "new"));
    DEADLY_SINCE(20200, WHY(H5Lcreate_soft("/x", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    DEADLY_SINCE(20200, WHY(H5Lcreate_hard(file, "group", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    DEADLY_SINCE(20200, WHY(H5Lcreate_external("f", "/x", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    WHY(H5Ldelete(file, "group", H5P_DEFAULT));
    WHY(H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    DEADLY_SINCE(20200, WHY(H5Lmove(file, "group", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    DEADLY_SINCE(20200, WHY(H5Lcopy(file, "group", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    DEADLY_SINCE(20200, WHY(H5Ocopy(file, "group", file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    DEADLY_SINCE(20200, WHY(H5Olink(dset, file, "new", H5P_DEFAULT, H5P_DEFAULT)));
    WHY(H5Oset_comment(file, "text"));
    WHY(H5Oincr_refcount(dset));
    WHY(H5Odecr_refcount(dset));
    WHY(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    WHY(H5Dset_extent(dset, dims));
    DEADLY_SINCE(20200, WHY(H5Dwrite_chunk(dset, H5P_DEFAULT, 0, (hsize_t[]){0, 0}, 64, values)));
    WHY(H5Fflush(file, H5F_SCOPE_GLOBAL));
    H5Aclose(attr);
    H5Dclose(dset);
    H5Tclose(copy);
    H5Sclose(space);
}

static void broken(void)
{
    puts("a chunk's data that does not decode");
    hsize_t dims[1] = {64}, chunk[1] = {16}, at[1] = {0};
    int values[64] = {0};
    hid_t file = H5Fcreate("broken.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, chunk);
    H5Pset_deflate(dcpl, 1);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite_chunk(dset, H5P_DEFAULT, 0, at, 12, "no zlib data");
    H5Dclose(dset);
    H5Fclose(file);
    file = H5Fopen("broken.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    TRY(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dset);
    H5Fclose(file);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void ids(hid_t file)
{
    puts("ids");
    hid_t space = H5Screate(H5S_SCALAR), no[] = {-1, 0, space};
    H5Sclose(space);
    for (int i = 0; i < 3; i++) {
        hid_t bad = no[i];
        TRY(H5Gopen2(bad, "x", H5P_DEFAULT));
        TRY(H5Dopen2(bad, "x", H5P_DEFAULT));
        TRY(H5Oopen(bad, "x", H5P_DEFAULT));
        TRY(H5Aopen(bad, "x", H5P_DEFAULT));
        TRY(H5Lexists(bad, "x", H5P_DEFAULT));
        TRY(H5Ldelete(bad, "x", H5P_DEFAULT));
        TRY(H5Dget_space(bad));
        TRY(H5Aget_space(bad));
        TRY(H5Sget_simple_extent_ndims(bad));
        TRY(H5Tget_class(bad));
        TRY(H5Fget_create_plist(bad));
        TRY(H5Fflush(bad, H5F_SCOPE_LOCAL));
        TRY(H5Gget_create_plist(bad));
        TRY(H5Sclose(bad));
        TRY(H5Tclose(bad));
        TRY(H5Gclose(bad));
        TRY(H5Oclose(bad));
    }
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    H5Pclose(list);
    CAUSE(H5Pclose(list));
    TRY(H5Pclose(file));
    TRY(H5Dget_space(file));
    TRY(H5Gclose(file));
    TRY(H5Sclose(file));
    TRY(H5Zget_filter_info(300, NULL));
    TRY(H5Zunregister(300));
    CODES(H5Zunregister(H5Z_FILTER_DEFLATE));
    TRY(H5Inmembers((H5I_type_t)90, NULL));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    fill_file("records.h5");
    fill_file("other.h5");
    files();
    hid_t file = H5Fopen("records.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    groups(file);
    links(file);
    objects(file);
    attributes(file);
    datasets_create(file);
    datasets_io(file);
    types(file);
    spaces();
    properties();
    references(file);
    ids(file);
    H5Fclose(file);
    file = H5Fopen("records.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    read_only(file);
    H5Fclose(file);
    broken();
    /* Stock libhdf5 does not survive its own end after some of these failures. */
    fflush(stdout);
    _exit(0);
}
