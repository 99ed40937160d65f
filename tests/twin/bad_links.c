/* Links, groups, attributes, comments, copies and mounts that cannot be. */
#include "bad_requests.h"
#include "deadly.h"

static char *letters(size_t n)
{
    char *s = malloc(n + 1);
    memset(s, 'x', n);
    s[n] = 0;
    return s;
}

static void furnish(void)
{
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t inner = H5Gcreate2(file, "group/inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t t = H5Tcopy(H5T_NATIVE_INT);
    put_int(group, "a", 1);
    put_int(group, "b", 2);
    H5Tcommit2(file, "type", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("itself", file, "itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("no such file.h5", "/", file, "outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(t);
    H5Gclose(inner);
    H5Gclose(group);
}

/* Where no new object, link or copy can be. */
static const char *const taken[] = {"group", "rows", "type", "dangling", "group/inner", "/", ".", "", "nowhere/x", "rows/x",
                                    "dangling/x", "itself/x", "outside/x", "group/", "/group/inner/", "type/x"};

static void names_that_are_taken(void)
{
    furnish();
    hid_t space = line(3);
    for (size_t i = 0; i < LENGTH(taken); i++) {
        hid_t t = H5Tcopy(H5T_NATIVE_INT);
        const char *to = taken[i];
        printf("  '%s'\n", to);
        TRY("group", H5Gcreate2(file, to, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("dataset", H5Dcreate2(file, to, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("type", H5Tcommit2(file, to, t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("soft link", H5Lcreate_soft("rows", file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("external link", H5Lcreate_external("x.h5", "/", file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("hard link", H5Lcreate_hard(file, "group", file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("user link", H5Lcreate_ud(file, to, (H5L_type_t)200, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
        TRY("object link", H5Olink(rows, file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("copy", H5Ocopy(file, "group", file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("copied link", H5Lcopy(file, "dangling", file, to, H5P_DEFAULT, H5P_DEFAULT));
        TRY("moved", H5Lmove(file, "group", file, to, H5P_DEFAULT, H5P_DEFAULT));
        if (*to || STOCK_VERSION < 20200) /* it dies of an empty name */
            TRY("moved, the old way", H5Gmove(file, "group", to));
        H5Tclose(t);
    }
}

/* What cannot be opened, deleted, asked about. */
static const char *const missing[] = {"nothing", "nothing/x", "", "dangling", "dangling/x", "itself", "outside", "rows/x"};

static void names_that_are_missing(void)
{
    H5O_info_t info;
    H5L_info_t link;
    H5G_info_t group;
    H5G_stat_t stat;
    char text[100];
    furnish();
    for (size_t i = 0; i < LENGTH(missing); i++) {
        const char *at = missing[i];
        printf("  '%s'\n", at);
        TRY("open", H5Oopen(file, at, H5P_DEFAULT));
        TRY("open group", H5Gopen2(file, at, H5P_DEFAULT));
        TRY("open dataset", H5Dopen2(file, at, H5P_DEFAULT));
        TRY("open type", H5Topen2(file, at, H5P_DEFAULT));
        TRY("object information", H5Oget_info_by_name1(file, at, &info, H5P_DEFAULT));
        TRY("link information", H5Lget_info(file, at, &link, H5P_DEFAULT));
        TRY("link value", H5Lget_val(file, at, text, sizeof text, H5P_DEFAULT));
        TRY("group information", H5Gget_info_by_name(file, at, &group, H5P_DEFAULT));
        TRY("old information", H5Gget_objinfo(file, at, 1, &stat));
        TRY("hard link", H5Lcreate_hard(file, at, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
        TRY("copy", H5Ocopy(file, at, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
        TRY("comment", H5Oset_comment_by_name(file, at, "text", H5P_DEFAULT));
        TRY("old comment", H5Gset_comment(file, at, "text"));
        TRY("attribute", H5Acreate_by_name(file, at, fresh(), H5T_NATIVE_INT, H5S_ALL, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("attribute opened", H5Aopen_by_name(file, at, "a", H5P_DEFAULT, H5P_DEFAULT));
        TRY("attribute renamed", H5Arename_by_name(file, at, "a", "c", H5P_DEFAULT));
        TRY("attribute deleted", H5Adelete_by_name(file, at, "a", H5P_DEFAULT));
        if (strcmp(at, "dangling") != 0 && strcmp(at, "itself") != 0 && strcmp(at, "outside") != 0) {
            TRY("delete", H5Ldelete(file, at, H5P_DEFAULT));
            TRY("move", H5Lmove(file, at, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
            TRY("copy of the link", H5Lcopy(file, at, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
        }
    }
    TRY("delete the root", H5Ldelete(file, "/", H5P_DEFAULT));
    TRY("delete this", H5Ldelete(file, ".", H5P_DEFAULT));
    TRY("move the root", H5Lmove(file, "/", file, "x", H5P_DEFAULT, H5P_DEFAULT));
    TRY("delete number 9999", H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 9999, H5P_DEFAULT));
    TRY("delete by an order that is not kept", H5Ldelete_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY("delete by no index", H5Ldelete_by_idx(file, ".", (H5_index_t)7, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY("delete in no order", H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, (H5_iter_order_t)7, 0, H5P_DEFAULT));
    TRY("into itself", H5Lmove(file, "group", file, "group/inner/group", H5P_DEFAULT, H5P_DEFAULT));
    TRY("a name of its own again", H5Lmove(file, "group", file, "group", H5P_DEFAULT, H5P_DEFAULT));
}

static const char cut_off[] = "lengths have 16 bits: stock cuts them off";

static void try_long(const char *what, const char *why, int differs, long long result)
{
    if (differs)
        request_on_purpose(what, why, DOES, REFUSES, result);
    else
        request(what, result);
}

/* Of messages that are just too long for their header, 2.2.0 dies, unless headers are of version 2. */
static int is_deadly(size_t length, size_t from, size_t to)
{
    return STOCK_VERSION >= 20200 && !is_latest && length >= from && length <= to;
}

/* Names, values and comments of every length around the limits. */
static void too_long(void)
{
    static const size_t lengths[] = {1, 200, 255, 256, 1000, 4095, 4096, 30000, 65000, 65520, 65530, 65534, 65535, 65536, 70000};
    hid_t scalar = H5Screate(H5S_SCALAR);
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        char *name = letters(lengths[i]), *path = letters(lengths[i]);
        hid_t object = H5Gcreate2(file, fresh(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        printf("  %zu letters\n", lengths[i]);
        TRY("group", H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("opened", H5Gopen2(file, name, H5P_DEFAULT));
        TRY("deleted", H5Ldelete(file, name, H5P_DEFAULT));
        if (STOCK_VERSION < 20200 || lengths[i] != 65536) /* nothing is left of it, and 2.2.0 dies */
            try_long("value of a soft link", cut_off, lengths[i] >= 65536,
                     H5Lcreate_soft(path, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
        if (!is_deadly(lengths[i], 65520, 65520)) {
            try_long("file of an external link", cut_off, lengths[i] >= 65534,
                     H5Lcreate_external(path, "/", file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
            try_long("object of an external link", cut_off, lengths[i] >= 65534,
                     H5Lcreate_external("x", path, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
        }
        if (!is_deadly(lengths[i], 65530, 65534))
            try_long("comment", "Tessera's messages have 65,528 bytes at most", lengths[i] == 65530 || lengths[i] == 65534,
                     H5Oset_comment(object, path));
        if (lengths[i] < 65000) {
            TRY("attribute", H5Acreate2(object, path, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
            TRY("renamed", H5Arename(object, path, "short"));
            TRY("renamed again", H5Arename(object, "short", path));
        }
        H5Gclose(object);
        free(path);
        free(name);
    }
    H5Sclose(scalar);
}

/* Stock libhdf5 writes names of 65,535 letters and more cut off, as their length has 16 bits. */
static void long_attribute_names(void)
{
    static const size_t lengths[] = {65000, 65400, 65470, 65480, 65500};
    hid_t scalar = H5Screate(H5S_SCALAR);
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        char *name = letters(lengths[i]);
        hid_t object = H5Gcreate2(file, fresh(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        printf("  %zu letters\n", lengths[i]);
        if (is_latest || lengths[i] < 65500)
            TRY("attribute", H5Acreate2(object, name, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
        else
            TRY_ON_PURPOSE("attribute", "Tessera writes headers of version 2, which lead to large attributes", REFUSES, DOES,
                           H5Acreate2(object, name, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
        H5Gclose(object);
        free(name);
    }
    H5Sclose(scalar);
}

static void attributes(void)
{
    furnish();
    hid_t group = H5Gopen2(file, "group", H5P_DEFAULT), scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL);
    static const hsize_t sizes[] = {1, 10000, 16000, 16370, 20000, 100000};
    int value = 7;
    TRY("a name that is there", H5Acreate2(group, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    TRY("no name", H5Acreate2(group, "", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    TRY("NULL", H5Acreate2(group, NULL, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    TRY("rename to one that is there", H5Arename(group, "a", "b"));
    TRY("rename to itself", H5Arename(group, "a", "a"));
    TRY("rename what is not there", H5Arename(group, "c", "d"));
    TRY("rename to nothing", H5Arename(group, "a", ""));
    TRY("delete what is not there", H5Adelete(group, "c"));
    TRY("delete number 5", H5Adelete_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 5, H5P_DEFAULT));
    TRY("delete by an order that is not kept", H5Adelete_by_idx(file, "group", H5_INDEX_CRT_ORDER, H5_ITER_INC, 5, H5P_DEFAULT));
    TRY("delete by no index", H5Adelete_by_idx(file, "group", (H5_index_t)9, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY("open number 5", H5Aopen_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 5, H5P_DEFAULT, H5P_DEFAULT));
    TRY("open what is not there", H5Aopen(group, "c", H5P_DEFAULT));
    TRY("on an attribute", H5Acreate2(H5Aopen(group, "a", H5P_DEFAULT), "x", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        hid_t space = line(sizes[i]);
        char what[60];
        hid_t object = H5Gcreate2(file, fresh(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        snprintf(what, sizeof what, "%llu numbers", (unsigned long long)sizes[i]);
        if (is_latest || sizes[i] < 16370)
            TRY(what, H5Acreate2(object, "large", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
        else
            TRY_ON_PURPOSE(what, "Tessera writes headers of version 2, which lead to large attributes", REFUSES, DOES,
                           H5Acreate2(object, "large", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
        H5Gclose(object);
        H5Sclose(space);
    }
    hid_t a = H5Aopen(group, "a", H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    TRY("write text into a number", H5Awrite(a, text, &value));
    TRY("write without type", H5Awrite(a, -1, &value));
    TRY("write nothing", H5Awrite(a, H5T_NATIVE_INT, NULL));
    TRY("read into text", H5Aread(a, text, &value));
    TRY("read into nothing", H5Aread(a, H5T_NATIVE_INT, NULL));
    TRY("delete what is open", H5Adelete(group, "a"));
    TRY("write what was deleted", H5Awrite(a, H5T_NATIVE_INT, &value));
    TRY("null", H5Acreate2(group, "null", H5T_NATIVE_INT, null, H5P_DEFAULT, H5P_DEFAULT));
    a = H5Aopen(group, "null", H5P_DEFAULT);
    TRY("write into null", H5Awrite(a, H5T_NATIVE_INT, &value));
}

static void copies(void)
{
    furnish();
    static const unsigned flags[] = {H5O_COPY_SHALLOW_HIERARCHY_FLAG, H5O_COPY_EXPAND_SOFT_LINK_FLAG, H5O_COPY_EXPAND_EXT_LINK_FLAG,
                                     H5O_COPY_EXPAND_REFERENCE_FLAG, H5O_COPY_WITHOUT_ATTR_FLAG, H5O_COPY_PRESERVE_NULL_FLAG,
                                     H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG, 0x80, 0x100, 0xffff, 0x7f};
    for (size_t i = 0; i < LENGTH(flags); i++) {
        hid_t ocpypl = H5Pcreate(H5P_OBJECT_COPY);
        char what[60];
        snprintf(what, sizeof what, "flags %#x", flags[i]);
        TRY(what, H5Pset_copy_object(ocpypl, flags[i]));
        snprintf(what, sizeof what, "a copy with flags %#x", flags[i]);
        TRY(what, H5Ocopy(file, "group", file, fresh(), ocpypl, H5P_DEFAULT));
        snprintf(what, sizeof what, "a copy of a dangling link with flags %#x", flags[i]);
        TRY(what, H5Ocopy(file, "dangling", file, fresh(), ocpypl, H5P_DEFAULT));
        H5Pclose(ocpypl);
    }
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    TRY("a list of another class", H5Ocopy(file, "group", file, fresh(), dcpl, H5P_DEFAULT));
    TRY("another list of another class", H5Ocopy(file, "group", file, fresh(), H5P_DEFAULT, dcpl));
    TRY("into itself", H5Ocopy(file, "group", file, "group/inner/copy", H5P_DEFAULT, H5P_DEFAULT));
    TRY("from nowhere", H5Ocopy(-1, "group", file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("to nowhere", H5Ocopy(file, "group", -1, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("nothing", H5Ocopy(file, NULL, file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("to nothing", H5Ocopy(file, "group", file, NULL, H5P_DEFAULT, H5P_DEFAULT));
    hid_t small = H5Fcreate("twin_bad_small.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(small, "there", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY("to what is there, in another file", H5Ocopy(file, "group", small, "there", H5P_DEFAULT, H5P_DEFAULT));
    TRY("to what cannot be, in another file", H5Ocopy(file, "group", small, "a/b/c", H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(small);
    small = H5Fopen("twin_bad_small.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    DEADLY_SINCE(20200, TRY("into a file for reading", H5Ocopy(file, "group", small, "new", H5P_DEFAULT, H5P_DEFAULT)));
    TRY("from a file for reading", H5Ocopy(small, "there", file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("a hard link between files", H5Lcreate_hard(file, "group", small, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY("a hard link from another file", H5Lcreate_hard(small, "there", file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("an object of another file", H5Olink(H5Gopen2(small, "there", H5P_DEFAULT), file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    TRY("a move between files", H5Lmove(file, "group", small, "new", H5P_DEFAULT, H5P_DEFAULT));
    TRY("a move from another file", H5Lmove(small, "there", file, fresh(), H5P_DEFAULT, H5P_DEFAULT));
    close_all(small, H5F_OBJ_GROUP);
    H5Fclose(small);
}

static void mounts(void)
{
    furnish();
    hid_t child = H5Fcreate("twin_bad_child.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t other = H5Fcreate("twin_bad_other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(child, "point", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY("unmount what is not", H5Funmount(file, "group"));
    TRY("on nothing", H5Fmount(file, "nothing", child, H5P_DEFAULT));
    /* Stock libhdf5 does it, and cannot close the file. */
    if (IS_TESSERA && H5Fmount(file, "rows", child, H5P_DEFAULT) >= 0)
        printf("  mounted on a dataset\n");
    TRY("on itself", H5Fmount(file, "group", file, H5P_DEFAULT));
    TRY("no file", H5Fmount(file, "group", rows, H5P_DEFAULT));
    TRY("no list", H5Fmount(file, "group", child, rows));
    TRY("mounted", H5Fmount(file, "group", child, H5P_DEFAULT));
    TRY("twice on the same", H5Fmount(file, "group", other, H5P_DEFAULT));
    TRY("in two places", H5Fmount(file, "group/inner", child, H5P_DEFAULT));
    TRY("round in a circle", H5Fmount(child, "point", file, H5P_DEFAULT));
    TRY("hard link across", H5Lcreate_hard(file, "rows", file, "group/rows", H5P_DEFAULT, H5P_DEFAULT));
    TRY("move across", H5Lmove(file, "type", file, "group/type", H5P_DEFAULT, H5P_DEFAULT));
    TRY("delete what is mounted on", H5Ldelete(file, "group", H5P_DEFAULT));
    TRY("unmounted", H5Funmount(file, "group"));
    TRY("unmounted again", H5Funmount(file, "group"));
    H5Fclose(other);
    H5Fclose(child);
}

static void groups(void)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), lcpl = H5Pcreate(H5P_LINK_CREATE), fcpl = H5Pcreate(H5P_FILE_CREATE);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), lapl = H5Pcreate(H5P_LINK_ACCESS);
    TRY("order indexed, not tracked", H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_INDEXED));
    TRY("order of attributes indexed, not tracked", H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_INDEXED));
    TRY("order with odd flags", H5Pset_link_creation_order(gcpl, 0x80));
    TRY("more dense than compact", H5Pset_link_phase_change(gcpl, 4, 9));
    TRY("more dense than compact attributes", H5Pset_attr_phase_change(gcpl, 4, 9));
    TRY("too many compact", H5Pset_link_phase_change(gcpl, 70000, 3));
    TRY("too many compact attributes", H5Pset_attr_phase_change(gcpl, 70000, 3));
    TRY("names too long", H5Pset_est_link_info(gcpl, 70000, 70000));
    TRY("symbols too few", H5Pset_sym_k(fcpl, 0, 0));
    TRY("symbols too many", H5Pset_sym_k(fcpl, 40000, 4));
    TRY("chunks of a tree too few", H5Pset_istore_k(fcpl, 0));
    TRY("chunks of a tree too many", H5Pset_istore_k(fcpl, 40000));
    TRY("sizes odd", H5Pset_sizes(fcpl, 3, 3));
    TRY("user block odd", H5Pset_userblock(fcpl, 700));
    TRY("too many indexes of messages", H5Pset_shared_mesg_nindexes(fcpl, 9));
    TRY("an index that is not there", H5Pset_shared_mesg_index(fcpl, 3, H5O_SHMESG_ALL_FLAG, 10));
    TRY("lists below trees", H5Pset_shared_mesg_phase_change(fcpl, 4, 50));
    TRY("a group by a list of datasets", H5Gcreate2(file, fresh(), H5P_DEFAULT, dcpl, H5P_DEFAULT));
    TRY("a group by a list of links", H5Gcreate2(file, fresh(), gcpl, H5P_DEFAULT, H5P_DEFAULT));
    TRY("a group by a wrong list of access", H5Gcreate2(file, fresh(), H5P_DEFAULT, H5P_DEFAULT, dcpl));
    TRY("a link by a list of groups", H5Lcreate_soft("x", file, fresh(), gcpl, H5P_DEFAULT));
    TRY("unknown character set", H5Pset_char_encoding(lcpl, (H5T_cset_t)9));
    TRY("no link to follow", H5Pset_nlinks(lapl, 0));
    H5Lcreate_soft("rows", file, "way 1", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("way 1", file, "way 2", H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_nlinks(lapl, 1);
    TRY("two links where one is allowed", H5Oopen(file, "way 2", lapl));
    TRY("a missing group on the way", H5Gcreate2(file, "m/n/o", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_create_intermediate_group(lcpl, 1);
    TRY("made on the way", H5Gcreate2(file, "m/n/o", lcpl, H5P_DEFAULT, H5P_DEFAULT));
    TRY("made on the way, but there", H5Gcreate2(file, "m/n/o", lcpl, H5P_DEFAULT, H5P_DEFAULT));
    TRY("made on the way through a dataset", H5Gcreate2(file, "rows/n/o", lcpl, H5P_DEFAULT, H5P_DEFAULT));
    TRY("a dataset that fails on the way", H5Dcreate2(file, "p/q/r", H5T_NATIVE_INT, H5S_ALL, lcpl, H5P_DEFAULT, H5P_DEFAULT));
    TRY("is there p", H5Lexists(file, "p", H5P_DEFAULT) ? -1 : 0);
    hid_t count = H5Gcreate2(file, "counted", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    TRY("one count more", H5Oincr_refcount(count));
    TRY("one less", H5Odecr_refcount(count));
    TRY("a flush of what cannot be", H5Fflush(H5T_NATIVE_INT, H5F_SCOPE_LOCAL));
}

int main(void)
{
    group_of_requests("names that are taken", names_that_are_taken);
    group_of_requests("names that are missing", names_that_are_missing);
    group_of_requests("too long", too_long);
    group_of_requests("long names of attributes", long_attribute_names);
    group_of_requests("attributes", attributes);
    group_of_requests("copies", copies);
    group_of_requests("mounts", mounts);
    group_of_requests("groups", groups);
    return 0;
}
