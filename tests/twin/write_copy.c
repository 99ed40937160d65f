/* H5Ocopy: flags, references, committed datatypes, what is refused. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deadly.h"

static hid_t file(const char *name)
{
    return H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

/* With groups that are gone through by name, on which depends which of several types is found first. */
static hid_t old_file(const char *name)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    hid_t created = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return created;
}

static int copy(hid_t from, const char *name, hid_t to, const char *new_name, unsigned flags)
{
    hid_t ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(ocpypl, flags);
    int status = H5Ocopy(from, name, to, new_name, ocpypl, H5P_DEFAULT);
    H5Pclose(ocpypl);
    return status;
}

static unsigned links(hid_t loc, const char *name)
{
    H5O_info_t info;
    return H5Oget_info_by_name(loc, name, &info, H5P_DEFAULT) < 0 ? 999 : info.rc;
}

static haddr_t addr(hid_t loc, const char *name)
{
    H5O_info_t info;
    return H5Oget_info_by_name(loc, name, &info, H5P_DEFAULT) < 0 ? HADDR_UNDEF : info.addr;
}

static haddr_t type_addr(hid_t loc, const char *name)
{
    H5O_info_t info;
    hid_t d = H5Dopen2(loc, name, H5P_DEFAULT), t = H5Dget_type(d);
    herr_t status = H5Oget_info(t, &info);
    H5Tclose(t);
    H5Dclose(d);
    return status < 0 ? HADDR_UNDEF : info.addr;
}

static herr_t show(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)data;
    if (strncmp(name, "~obj_pointed_by_", 16) == 0)
        name = "~obj_pointed_by_";
    printf(" %s:%d:%lld", name, (int)info->type, info->corder_valid ? (long long)info->corder : -1LL);
    return 0;
}

static void list(hid_t loc, const char *name)
{
    hid_t g = H5Gopen2(loc, name, H5P_DEFAULT);
    hid_t gcpl = H5Gget_create_plist(g);
    unsigned order = 0;
    H5Pget_link_creation_order(gcpl, &order);
    H5G_info_t info;
    H5Gget_info(g, &info);
    printf("%s: %llu links, next %lld:", name, (unsigned long long)info.nlinks, (long long)info.max_corder);
    H5Literate(g, order ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, NULL, show, NULL);
    printf("\n");
    H5Pclose(gcpl);
    H5Gclose(g);
}

static void ints(hid_t loc, const char *name)
{
    int v[64] = {0};
    hid_t d = H5Dopen2(loc, name, H5P_DEFAULT), s = H5Dget_space(d);
    hssize_t n = H5Sget_simple_extent_npoints(s);
    printf("%s:", name);
    if (H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0)
        printf(" unreadable");
    for (int i = 0; i < n && i < 64; i++)
        printf(" %d", v[i]);
    printf(" (%llu bytes)\n", (unsigned long long)H5Dget_storage_size(d));
    H5Sclose(s);
    H5Dclose(d);
}

static void make_ints(hid_t loc, const char *name, hsize_t chunk)
{
    hsize_t n = 30, max = H5S_UNLIMITED;
    int v[30];
    hid_t s = H5Screate_simple(1, &n, chunk ? &max : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (int i = 0; i < 30; i++)
        v[i] = i * i - 7;
    if (chunk) {
        H5Pset_chunk(dcpl, 1, &chunk);
        H5Pset_fletcher32(dcpl);
    }
    hid_t d = H5Dcreate2(loc, name, H5T_NATIVE_INT, s, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(s);
}

static void trees(hid_t f, hid_t to)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t g = H5Gcreate2(f, "tree", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    hid_t sub = H5Gcreate2(g, "sub", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    make_ints(g, "plain", 0);
    make_ints(sub, "chunks", 7);
    H5Gclose(H5Gcreate2(g, "gone", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_hard(g, ".", sub, "up", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(g, "plain", sub, "same", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/tree/plain", g, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", g, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    /* 2.2.0 dies of the copy in whose place a group came. */
    DEADLY_SINCE(20200, H5Lcreate_soft("sub", g, "softgroup", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(g, "last", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Ldelete(g, "gone", H5P_DEFAULT);
    H5Ldelete(g, "last", H5P_DEFAULT);
    H5Oset_comment_by_name(g, "sub", "a comment", H5P_DEFAULT);
    const unsigned flags[] = {0, H5O_COPY_SHALLOW_HIERARCHY_FLAG, H5O_COPY_EXPAND_SOFT_LINK_FLAG};
    for (int i = 0; i < 6; i++) {
        char name[32], path[64], comment[32] = "";
        hid_t where = i < 3 ? to : f;
        snprintf(name, sizeof name, "copy%d", i);
        printf("%s, flags %u: %d\n", name, flags[i % 3], copy(f, "tree", where, name, flags[i % 3]));
        list(where, name);
        snprintf(path, sizeof path, "%s/sub", name);
        list(where, path);
        H5Oget_comment_by_name(where, path, comment, sizeof comment, H5P_DEFAULT);
        printf("links %u %u, comment '%s'\n", links(where, name), links(where, path), comment);
        snprintf(path, sizeof path, "%s/plain", name);
        printf("links %u\n", links(where, path));
        ints(where, path);
    }
    ints(to, "copy0/sub/chunks");
    ints(to, "copy0/sub/same");
    printf("same object: %d\n", addr(to, "copy0/sub/same") == addr(to, "copy0/plain"));
    H5Gclose(H5Gcreate2(to, "copy0/after", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    list(to, "copy0");
    H5Gclose(sub);
    H5Gclose(g);
    H5Pclose(gcpl);
}

static void show_refs(hid_t loc, const char *name, int n)
{
    hobj_ref_t refs[8];
    hid_t d = H5Dopen2(loc, name, H5P_DEFAULT);
    H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs);
    printf("%s:", name);
    for (int i = 0; i < n; i++) {
        char path[64] = "";
        H5O_info_t info;
        if (refs[i] == 0) {
            printf(" null");
            continue;
        }
        hid_t o = H5Rdereference1(d, H5R_OBJECT, &refs[i]);
        H5Oget_info(o, &info);
        H5Iget_name(o, path, sizeof path);
        printf(" type %d with %u links%s", (int)info.type, info.rc, path[1] == '~' ? " ~" : "");
        H5Oclose(o);
    }
    hobj_ref_t ref = 1;
    hid_t a = H5Aopen(d, "ref", H5P_DEFAULT);
    H5Aread(a, H5T_STD_REF_OBJ, &ref);
    printf(", attribute %s", ref ? "leads" : "null\n");
    if (ref) {
        H5O_info_t info;
        hid_t o = H5Rdereference1(d, H5R_OBJECT, &ref);
        H5Oget_info(o, &info);
        printf(" to type %d with %u links\n", (int)info.type, info.rc);
        H5Oclose(o);
    }
    H5Aclose(a);
    H5Dclose(d);
}

static void references(hid_t f, hid_t to)
{
    hsize_t n = 3;
    hobj_ref_t refs[3] = {0};
    hdset_reg_ref_t region;
    hid_t s = H5Screate_simple(1, &n, NULL), one = H5Screate(H5S_SCALAR);
    make_ints(f, "target", 0);
    hid_t d = H5Dcreate2(f, "refs", H5T_STD_REF_OBJ, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Rcreate(&refs[0], f, "target", H5R_OBJECT, -1);
    H5Rcreate(&refs[1], f, "tree/sub", H5R_OBJECT, -1);
    H5Dwrite(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs);
    hid_t a = H5Acreate2(d, "ref", H5T_STD_REF_OBJ, one, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_STD_REF_OBJ, &refs[0]);
    H5Aclose(a);
    H5Dclose(d);
    hid_t t = H5Dopen2(f, "target", H5P_DEFAULT), sel = H5Dget_space(t);
    hsize_t start = 3, count = 5;
    H5Sselect_hyperslab(sel, H5S_SELECT_SET, &start, NULL, &count, NULL);
    H5Rcreate(&region, f, "target", H5R_DATASET_REGION, sel);
    d = H5Dcreate2(f, "region", H5T_STD_REF_DSETREG, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &region);
    H5Dclose(d);
    H5Sclose(sel);
    H5Dclose(t);
    printf("%d\n", copy(f, "refs", to, "refs0", 0));
    show_refs(to, "refs0", 3);
    printf("%d\n", copy(f, "refs", f, "refs1", 0));
    show_refs(f, "refs1", 3);
    printf("%d\n", copy(f, "refs", to, "refs2", H5O_COPY_EXPAND_REFERENCE_FLAG));
    show_refs(to, "refs2", 3);
    printf("%d\n", copy(f, "refs", to, "refs3", H5O_COPY_EXPAND_REFERENCE_FLAG | H5O_COPY_WITHOUT_ATTR_FLAG));
    printf("%d\n", copy(f, "refs", f, "refs4", H5O_COPY_EXPAND_REFERENCE_FLAG));
    show_refs(f, "refs4", 3);
    printf("%d\n", copy(f, "region", to, "region", H5O_COPY_EXPAND_REFERENCE_FLAG));
    d = H5Dopen2(to, "region", H5P_DEFAULT);
    H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &region);
    sel = H5Rget_region(d, H5R_DATASET_REGION, &region);
    printf("region of %lld\n", (long long)H5Sget_select_npoints(sel));
    H5Sclose(sel);
    H5Dclose(d);
    list(to, "/");
    H5Sclose(s);
    H5Sclose(one);
}

static int calls;

static H5O_mcdt_search_ret_t go_on(void *data)
{
    (void)data;
    calls++;
    return H5O_MCDT_SEARCH_CONT;
}

static H5O_mcdt_search_ret_t stop(void *data)
{
    (void)data;
    calls++;
    return H5O_MCDT_SEARCH_STOP;
}

static H5O_mcdt_search_ret_t fail(void *data)
{
    (void)data;
    return H5O_MCDT_SEARCH_ERROR;
}

static void where(hid_t to, const char *name)
{
    haddr_t at = type_addr(to, name);
    printf("%s: first %d, second %d, %d calls\n", name, at == addr(to, "first"), at == addr(to, "in/second"), calls);
}

static void committed(hid_t f, hid_t to)
{
    hid_t s = H5Screate(H5S_SCALAR), t = H5Tcopy(H5T_STD_I16BE), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    H5Tcommit2(f, "type", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate2(t, "note", H5T_NATIVE_INT, s, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(f, "typed", t, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(to, "in", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t first = H5Tcopy(H5T_STD_I16BE), second = H5Tcopy(H5T_STD_I16BE);
    H5Tcommit2(to, "first", first, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tcommit2(to, "in/second", second, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Ocopy(f, "typed", to, "typed0", ocpypl, H5P_DEFAULT);
    where(to, "typed0");
    hid_t d = H5Dopen2(to, "typed0", H5P_DEFAULT), own = H5Dget_type(d);
    printf("committed %d, attributes %d\n", H5Tcommitted(own), H5Aget_num_attrs(own));
    H5Tclose(own);
    H5Dclose(d);
    H5Pset_copy_object(ocpypl, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    H5Ocopy(f, "typed", to, "typed1", ocpypl, H5P_DEFAULT);
    where(to, "typed1");
    H5Padd_merge_committed_dtype_path(ocpypl, "/in/second");
    H5Pset_mcdt_search_cb(ocpypl, go_on, NULL);
    H5Ocopy(f, "typed", to, "typed2", ocpypl, H5P_DEFAULT);
    where(to, "typed2");
    H5Pfree_merge_committed_dtype_paths(ocpypl);
    H5Padd_merge_committed_dtype_path(ocpypl, "/nothing");
    H5Ocopy(f, "typed", to, "typed3", ocpypl, H5P_DEFAULT);
    where(to, "typed3");
    H5Pset_mcdt_search_cb(ocpypl, stop, NULL);
    H5Ocopy(f, "typed", to, "typed4", ocpypl, H5P_DEFAULT);
    where(to, "typed4");
    H5Pset_mcdt_search_cb(ocpypl, go_on, NULL);
    printf("%d\n", H5Ocopy(f, "type", to, "merged", ocpypl, H5P_DEFAULT));
    printf("merged %d, links %u\n", addr(to, "merged") == addr(to, "first"), links(to, "first"));
    H5Ocopy(f, "typed", f, "typed5", ocpypl, H5P_DEFAULT);
    printf("same file: merged %d\n", type_addr(f, "typed5") == addr(f, "type"));
    H5Pset_mcdt_search_cb(ocpypl, fail, NULL);
    printf("failing callback: %d\n", H5Ocopy(f, "typed", to, "typed6", ocpypl, H5P_DEFAULT));
    H5Tclose(first);
    H5Tclose(second);
    H5Tclose(t);
    H5Sclose(s);
    H5Pclose(ocpypl);
}

static void refused(hid_t f, hid_t to)
{
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    printf("no source: %d\n", H5Ocopy(f, "none", to, "x1", H5P_DEFAULT, H5P_DEFAULT));
    printf("exists: %d\n", H5Ocopy(f, "target", to, "copy0", H5P_DEFAULT, H5P_DEFAULT));
    printf("no group: %d\n", H5Ocopy(f, "target", to, "x/y", H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_create_intermediate_group(lcpl, 1);
    printf("made group: %d\n", H5Ocopy(f, "target", to, "x/y/z", H5P_DEFAULT, lcpl));
    printf("links %u\n", links(to, "x/y/z"));
    printf("no names: %d %d\n", H5Ocopy(f, "", to, "x2", H5P_DEFAULT, H5P_DEFAULT),
           H5Ocopy(f, "target", to, "", H5P_DEFAULT, H5P_DEFAULT));
    printf("wrong list: %d\n", H5Ocopy(f, "target", to, "x3", lcpl, H5P_DEFAULT));
    printf("wrong id: %d\n", H5Ocopy(H5P_DEFAULT, "target", to, "x4", H5P_DEFAULT, H5P_DEFAULT));
    printf("itself below: %d\n", H5Ocopy(f, "tree", f, "tree/inner", H5P_DEFAULT, H5P_DEFAULT));
    list(f, "tree/inner");
    printf("root: %d\n", H5Ocopy(f, "/", to, "root", H5P_DEFAULT, H5P_DEFAULT));
    printf("all of it: %d\n", H5Lexists(to, "root/tree/plain", H5P_DEFAULT));
    H5Pclose(lcpl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t f = file("source.h5"), to = file("target.h5"), types = old_file("types.h5"), refs = file("refs.h5");
    trees(f, to);
    references(f, refs);
    committed(f, types);
    refused(f, to);
    printf("close %d %d\n", H5Fclose(f), H5Fclose(types));
    printf("close %d %d\n", H5Fclose(to), H5Fclose(refs));
    f = H5Fopen("target.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    ints(f, "copy0/sub/chunks");
    ints(f, "root/tree/inner/plain");
    list(f, "/");
    H5Fclose(f);
    f = H5Fopen("target.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    to = file("again.h5");
    printf("from a file for reading: %d\n", H5Ocopy(f, "copy0", to, "c", H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(to);
    H5Fclose(f);
    return 0;
}
