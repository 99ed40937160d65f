/* Callbacks of the application that fail: of filters when a dataset is made, iterations, conversions, link classes,
 * property lists, copies, memory. Filters that fail while a chunk is written are the business of other tests: when that
 * happens is not the same in both libraries. So are drivers that fail. */
#include "bad_requests.h"

/* Which callback fails, or at which call; and the calls so far. */
static int fail_now, calls;

/* Filters. */
enum { REFUSING = 400, FAILING_LOCAL, PASSING, ODD_ANSWER };

static htri_t refuse(hid_t dcpl, hid_t type, hid_t space)
{
    (void)dcpl, (void)type, (void)space;
    return 0;
}

static htri_t break_down(hid_t dcpl, hid_t type, hid_t space)
{
    (void)dcpl, (void)type, (void)space;
    return -1;
}

static herr_t fail_local(hid_t dcpl, hid_t type, hid_t space)
{
    (void)dcpl, (void)type, (void)space;
    return -1;
}

static size_t pass_on(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *size, void **buf)
{
    (void)flags, (void)n, (void)values, (void)size, (void)buf;
    return bytes;
}

static const H5Z_class2_t classes[] = {
    {H5Z_CLASS_T_VERS, REFUSING, 1, 1, "refusing", refuse, NULL, pass_on},
    {H5Z_CLASS_T_VERS, FAILING_LOCAL, 1, 1, "failing to set up", NULL, fail_local, pass_on},
    {H5Z_CLASS_T_VERS, PASSING, 1, 1, "passing", NULL, NULL, pass_on},
    {H5Z_CLASS_T_VERS, ODD_ANSWER, 1, 1, "breaking down", break_down, NULL, pass_on},
};

static void filters(void)
{
    int values[8] = {1, 2, 3};
    hid_t growing = open_ended_line(8), fixed = line(8);
    for (size_t i = 0; i < LENGTH(classes); i++)
        H5Zregister(&classes[i]);
    for (size_t i = 0; i < LENGTH(classes); i++)
        for (int optional = 0; optional < 2; optional++)
            for (int second = 0; second < 2; second++) {
                hid_t dcpl = in_chunks(4);
                char what[100];
                if (second)
                    H5Pset_shuffle(dcpl);
                H5Pset_filter(dcpl, classes[i].id, optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY, 0, NULL);
                snprintf(what, sizeof what, "%s, %s, %s", classes[i].name, optional ? "optional" : "mandatory",
                         second ? "second" : "alone");
                TRY(what, H5Dcreate2(file, fresh(), H5T_NATIVE_INT, growing, H5P_DEFAULT, dcpl, H5P_DEFAULT));
                H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
                snprintf(what, sizeof what, "%s, %s, %s, allocated at once", classes[i].name,
                         optional ? "optional" : "mandatory", second ? "second" : "alone");
                TRY(what, H5Dcreate2(file, fresh(), H5T_NATIVE_INT, fixed, H5P_DEFAULT, dcpl, H5P_DEFAULT));
                H5Pclose(dcpl);
            }
    hid_t dcpl = in_chunks(4);
    H5Pset_filter(dcpl, PASSING, H5Z_FLAG_MANDATORY, 0, NULL);
    hid_t d = H5Dcreate2(file, "filtered", H5T_NATIVE_INT, growing, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    TRY("written", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(d);
    TRY("registered without a function", H5Zregister(&(H5Z_class2_t){H5Z_CLASS_T_VERS, 410, 1, 1, "none", NULL, NULL, NULL}));
    TRY("registered as one of the library's",
        H5Zregister(&(H5Z_class2_t){H5Z_CLASS_T_VERS, H5Z_FILTER_DEFLATE, 1, 1, "mine", NULL, NULL, pass_on}));
    TRY("registered as a number too large", H5Zregister(&(H5Z_class2_t){H5Z_CLASS_T_VERS, 70000, 1, 1, "mine", NULL, NULL, pass_on}));
    TRY("not registered", H5Zunregister(411));
    TRY("unregistered, but the library's", H5Zunregister(H5Z_FILTER_DEFLATE));
}

/* Iterations: after as many calls as `fail_now` says. */
static herr_t count_down(void)
{
    calls++;
    return calls == fail_now ? -1 : 0;
}

static herr_t on_link(hid_t id, const char *name, const H5L_info_t *info, void *ctx)
{
    (void)id, (void)name, (void)info, (void)ctx;
    return count_down();
}

static herr_t on_object(hid_t id, const char *name, const H5O_info_t *info, void *ctx)
{
    (void)id, (void)name, (void)info, (void)ctx;
    return count_down();
}

static herr_t on_attr(hid_t id, const char *name, const H5A_info_t *info, void *ctx)
{
    (void)id, (void)name, (void)info, (void)ctx;
    return count_down();
}

static herr_t on_old_link(hid_t id, const char *name, void *ctx)
{
    (void)id, (void)name, (void)ctx;
    return count_down();
}

static herr_t on_element(void *element, hid_t type, unsigned rank, const hsize_t *point, void *ctx)
{
    (void)element, (void)type, (void)rank, (void)point, (void)ctx;
    return count_down();
}

static herr_t on_property(hid_t id, const char *name, void *ctx)
{
    (void)id, (void)name, (void)ctx;
    return count_down();
}

/* One that deletes what it goes through. */
static herr_t on_link_delete(hid_t id, const char *name, const H5L_info_t *info, void *ctx)
{
    (void)info, (void)ctx;
    H5Ldelete(id, name, H5P_DEFAULT);
    return count_down();
}

static void iterations(void)
{
    int values[10];
    hid_t ten = line(10), group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 20; i++) {
        char name[20];
        snprintf(name, sizeof name, "inner %d", i);
        H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        put_int(group, name, i);
    }
    for (fail_now = 1; fail_now < 30; fail_now += 6) {
        hsize_t at = 0;
        int old = 0;
        printf("  at call %d\n", fail_now);
        calls = 0;
        TRY("H5Literate", H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, on_link, NULL));
        printf("    %d calls, %d\n", calls, (int)at);
        calls = 0;
        TRY("H5Lvisit", H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, on_link, NULL));
        calls = 0;
        TRY("H5Ovisit", H5Ovisit1(group, H5_INDEX_NAME, H5_ITER_INC, on_object, NULL));
        calls = 0;
        at = 0;
        TRY("H5Aiterate", H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &at, on_attr, NULL));
        printf("    %d calls, %d\n", calls, (int)at);
        calls = 0;
        TRY("H5Giterate", H5Giterate(file, "group", &old, on_old_link, NULL));
        calls = 0;
        TRY("H5Diterate", H5Diterate(values, H5T_NATIVE_INT, ten, on_element, NULL));
        calls = 0;
        old = 0;
        TRY("H5Piterate", H5Piterate(H5P_FILE_ACCESS, &old, on_property, NULL));
    }
    hsize_t behind = 100;
    TRY("from behind the end", H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &behind, on_link, NULL));
    TRY("attributes from behind the end", H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &behind, on_attr, NULL));
    TRY("without a function", H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, NULL, NULL));
    TRY("in no order", H5Literate(group, H5_INDEX_NAME, (H5_iter_order_t)9, NULL, on_link, NULL));
    TRY("by no index", H5Literate(group, (H5_index_t)9, H5_ITER_INC, NULL, on_link, NULL));
    fail_now = 1;
    calls = 0;
    TRY("deleting, then failing", H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, on_link_delete, NULL));
}

/* Conversions. */
static H5T_conv_ret_t on_exception(H5T_conv_except_t what, hid_t src, hid_t dst, void *from, void *to, void *ctx)
{
    (void)what, (void)src, (void)dst, (void)from, (void)to;
    calls++;
    return *(H5T_conv_ret_t *)ctx;
}

static herr_t conversion(hid_t src, hid_t dst, H5T_cdata_t *data, size_t n, size_t stride, size_t bkg_stride, void *buf,
                         void *bkg, hid_t dxpl)
{
    (void)src, (void)dst, (void)n, (void)stride, (void)bkg_stride, (void)buf, (void)bkg, (void)dxpl;
    return data->command == H5T_CONV_CONV ? -1 : 0;
}

static herr_t conversion_that_does_not_start(hid_t src, hid_t dst, H5T_cdata_t *data, size_t n, size_t stride,
                                             size_t bkg_stride, void *buf, void *bkg, hid_t dxpl)
{
    (void)src, (void)dst, (void)n, (void)stride, (void)bkg_stride, (void)buf, (void)bkg, (void)dxpl, (void)data;
    return -1;
}

static void conversions(void)
{
    static const H5T_conv_ret_t answers[] = {H5T_CONV_ABORT, H5T_CONV_UNHANDLED, H5T_CONV_HANDLED};
    static const char *const names[] = {"abort", "unhandled", "handled"};
    int large[10] = {1, 1000, 2, 3000, 4, 5, 6, 7, 8, 9};
    hid_t ten = line(10), text = H5Tcopy(H5T_C_S1), dcpl = in_chunks(4);
    for (size_t a = 0; a < LENGTH(answers); a++)
        for (int layout = 0; layout < 2; layout++) {
            char what[60];
            hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
            H5Pset_type_conv_cb(dxpl, on_exception, (void *)(uintptr_t)&answers[a]);
            hid_t d = H5Dcreate2(file, fresh(), H5T_STD_I8LE, ten, H5P_DEFAULT, layout ? dcpl : H5P_DEFAULT, H5P_DEFAULT);
            snprintf(what, sizeof what, "%s, layout %d", names[a], layout);
            TRY(what, H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, large));
            H5Dclose(d);
            H5Pclose(dxpl);
        }
    H5Tset_size(text, 4);
    TRY("a conversion that fails, registered", H5Tregister(H5T_PERS_SOFT, "fails", text, H5T_NATIVE_INT, conversion));
    TRY("one that does not start", H5Tregister(H5T_PERS_HARD, "does not start", H5T_NATIVE_INT, text, conversion_that_does_not_start));
    TRY("one without a function", H5Tregister(H5T_PERS_SOFT, "none", text, H5T_NATIVE_INT, NULL));
    hid_t d = H5Dcreate2(file, fresh(), H5T_NATIVE_INT, ten, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    TRY("written with it", H5Dwrite(d, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, large));
    TRY("read with the other", H5Dread(d, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, large));
    hid_t a = H5Acreate2(d, "a", H5T_NATIVE_INT, ten, H5P_DEFAULT, H5P_DEFAULT);
    TRY("an attribute with it", H5Awrite(a, text, large));
    H5Aclose(a);
    TRY("a transform that cannot be", H5Pset_data_transform(H5Pcreate(H5P_DATASET_XFER), "x +* 2"));
}

/* Link classes of the application. */
static herr_t on_create(const char *name, hid_t group, const void *data, size_t size, hid_t lcpl)
{
    (void)name, (void)group, (void)data, (void)size, (void)lcpl;
    return fail_now == 1 ? -1 : 0;
}

static herr_t on_move(const char *name, hid_t to, const void *data, size_t size)
{
    (void)name, (void)to, (void)data, (void)size;
    return fail_now == 2 ? -1 : 0;
}

static herr_t on_copy(const char *name, hid_t to, const void *data, size_t size)
{
    (void)name, (void)to, (void)data, (void)size;
    return fail_now == 3 ? -1 : 0;
}

static hid_t on_traverse(const char *name, hid_t group, const void *data, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)data, (void)size, (void)lapl, (void)dxpl;
    return fail_now == 4 ? -1 : H5Oopen(group, "target", H5P_DEFAULT);
}

static herr_t on_delete(const char *name, hid_t f, const void *data, size_t size)
{
    (void)name, (void)f, (void)data, (void)size;
    return fail_now == 5 ? -1 : 0;
}

static ssize_t on_query(const char *name, const void *data, size_t size, void *buf, size_t room)
{
    (void)name, (void)data, (void)size, (void)buf, (void)room;
    return fail_now == 6 ? -1 : 0;
}

static void link_classes(void)
{
    const H5L_class_t cls = {H5L_LINK_CLASS_T_VERS, (H5L_type_t)200, "mine", on_create, on_move, on_copy, on_traverse,
                             on_delete, on_query};
    const H5L_class_t as_soft = {H5L_LINK_CLASS_T_VERS, H5L_TYPE_SOFT, "x", NULL, NULL, NULL, on_traverse, NULL, NULL};
    const H5L_class_t no_way = {H5L_LINK_CLASS_T_VERS, (H5L_type_t)201, "x", NULL, NULL, NULL, NULL, NULL, NULL};
    H5L_info_t info;
    char value[10];
    H5Gclose(H5Gcreate2(file, "target", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY("registered with a number of the library's", H5Lregister(&as_soft));
    TRY("registered without a way", H5Lregister(&no_way));
    TRY("not registered", H5Lcreate_ud(file, "link", (H5L_type_t)200, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
    H5Lregister(&cls);
    for (fail_now = 0; fail_now <= 6; fail_now++) {
        char name[30], other[30];
        snprintf(name, sizeof name, "link %d", fail_now);
        snprintf(other, sizeof other, "other %d", fail_now);
        printf("  callback %d fails\n", fail_now);
        TRY("create", H5Lcreate_ud(file, name, (H5L_type_t)200, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
        TRY("is there", H5Lexists(file, name, H5P_DEFAULT) > 0 ? 0 : -1);
        TRY("open", H5Oopen(file, name, H5P_DEFAULT));
        TRY("open behind it", H5Gcreate2(file, "link 0/new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        TRY("information", H5Lget_info(file, name, &info, H5P_DEFAULT));
        TRY("value", H5Lget_val(file, name, value, sizeof value, H5P_DEFAULT));
        TRY("copy", H5Lcopy(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT));
        TRY("is there", H5Lexists(file, other, H5P_DEFAULT) > 0 ? 0 : -1);
        TRY("move", H5Lmove(file, name, file, "moved", H5P_DEFAULT, H5P_DEFAULT));
        printf("    old %d new %d\n", H5Lexists(file, name, H5P_DEFAULT) > 0, H5Lexists(file, "moved", H5P_DEFAULT) > 0);
        TRY("delete", H5Ldelete(file, "moved", H5P_DEFAULT));
        TRY("delete the old", H5Ldelete(file, name, H5P_DEFAULT));
        printf("    old %d new %d\n", H5Lexists(file, name, H5P_DEFAULT) > 0, H5Lexists(file, "moved", H5P_DEFAULT) > 0);
        int failing = fail_now;
        fail_now = 0;
        H5Ldelete(file, "moved", H5P_DEFAULT);
        H5Ldelete(file, name, H5P_DEFAULT);
        fail_now = failing;
    }
    fail_now = 0;
    TRY("unregistered", H5Lunregister((H5L_type_t)200));
    TRY("unregistered again", H5Lunregister((H5L_type_t)200));
}

/* Property lists. */
static herr_t on_list(hid_t id, void *ctx)
{
    (void)id, (void)ctx;
    return fail_now == 1 ? -1 : 0;
}

static herr_t on_list_copy(hid_t to, hid_t from, void *ctx)
{
    (void)to, (void)from, (void)ctx;
    return fail_now == 2 ? -1 : 0;
}

static herr_t on_value(const char *name, size_t size, void *value)
{
    (void)name, (void)size, (void)value;
    return fail_now == 3 ? -1 : 0;
}

static herr_t on_value_of(hid_t id, const char *name, size_t size, void *value)
{
    (void)id, (void)name, (void)size, (void)value;
    return fail_now == 4 ? -1 : 0;
}

static void try_dataset_with(hid_t list)
{
    hid_t made = H5Dcreate2(file, fresh(), H5T_NATIVE_INT, line(4), H5P_DEFAULT, list, H5P_DEFAULT);
    if (fail_now == 2)
        TRY_ON_PURPOSE("a dataset with it", "the list that a dataset keeps is none of the class", REFUSES, DOES, made);
    else
        TRY("a dataset with it", made);
}

static void property_lists(void)
{
    for (fail_now = 0; fail_now <= 4; fail_now++) {
        int value = 7;
        int failing = fail_now;
        fail_now = 0;
        hid_t cls = H5Pcreate_class(H5P_DATASET_CREATE, "mine", on_list, NULL, on_list_copy, NULL, NULL, NULL);
        H5Pregister2(cls, "value", sizeof value, &value, on_value, on_value_of, on_value_of, on_value_of, on_value, NULL, NULL);
        fail_now = failing;
        printf("  callback %d fails\n", fail_now);
        TRY("create", H5Pcreate(cls));
        fail_now = 0;
        hid_t list = H5Pcreate(cls);
        fail_now = failing;
        TRY("copy", H5Pcopy(list));
        TRY("set", H5Pset(list, "value", &value));
        TRY("get", H5Pget(list, "value", &value));
        if ((fail_now != 2 && fail_now != 3) || STOCK_VERSION < 20200) /* it dies when it cannot copy the list */
            try_dataset_with(list);
        fail_now = 0;
        TRY("removed", H5Premove(list, "value"));
        TRY("removed again", H5Premove(list, "value"));
        TRY("get what is not there", H5Pget(list, "nothing", &value));
        TRY("set what is not there", H5Pset(list, "nothing", &value));
        TRY("registered in a class that has lists", H5Pregister2(cls, "value", 4, &value, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        TRY("inserted twice", H5Pinsert2(list, "chunked", 4, &value, NULL, NULL, NULL, NULL, NULL, NULL));
        TRY("inserted twice", H5Pinsert2(list, "chunked", 4, &value, NULL, NULL, NULL, NULL, NULL, NULL));
        TRY("unregistered", H5Punregister(cls, "nothing"));
        H5Pclose(list);
        H5Pclose_class(cls);
        fail_now = failing;
    }
}

/* Copies: what is asked about committed datatypes. */
static H5O_mcdt_search_ret_t on_search(void *ctx)
{
    return *(H5O_mcdt_search_ret_t *)ctx;
}

static void copies(void)
{
    hid_t t = H5Tcopy(H5T_NATIVE_INT), other = H5Fcreate("twin_bad_copy.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Tcommit2(file, "type", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "typed", t, line(4), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    static const H5O_mcdt_search_ret_t answers[] = {H5O_MCDT_SEARCH_ERROR, H5O_MCDT_SEARCH_CONT, H5O_MCDT_SEARCH_STOP};
    for (size_t i = 0; i < LENGTH(answers); i++) {
        char name[30];
        hid_t ocpypl = H5Pcreate(H5P_OBJECT_COPY);
        H5Pset_copy_object(ocpypl, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
        H5Pset_mcdt_search_cb(ocpypl, on_search, (void *)(uintptr_t)&answers[i]);
        snprintf(name, sizeof name, "copy %d", (int)i);
        TRY("to another file", H5Ocopy(file, "typed", other, name, ocpypl, H5P_DEFAULT));
        TRY("is there", H5Lexists(other, name, H5P_DEFAULT) > 0 ? 0 : -1);
        if (answers[i] == H5O_MCDT_SEARCH_ERROR)
            TRY_ON_PURPOSE("in the same file", "Tessera asks there, too", DOES, REFUSES,
                           H5Ocopy(file, "typed", file, name, ocpypl, H5P_DEFAULT));
        else
            TRY("in the same file", H5Ocopy(file, "typed", file, name, ocpypl, H5P_DEFAULT));
        H5Pclose(ocpypl);
    }
    H5Fclose(other);
}

/* The application's memory for elements of variable length. */
static void *no_memory(size_t size, void *ctx)
{
    (void)ctx;
    return ++calls == fail_now ? NULL : malloc(size);
}

static void give_back(void *memory, void *ctx)
{
    (void)ctx;
    free(memory);
}

static void memory(void)
{
    hid_t text = H5Tcopy(H5T_C_S1), four = line(4);
    const char *strings[4] = {"one", "two", "three", "four"};
    char *got[4] = {0};
    H5Tset_size(text, H5T_VARIABLE);
    hid_t d = H5Dcreate2(file, "strings", text, four, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    TRY("written", H5Dwrite(d, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings));
    for (fail_now = 1; fail_now <= 5; fail_now++) {
        hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_vlen_mem_manager(dxpl, no_memory, NULL, give_back, NULL);
        calls = 0;
        memset(got, 0, sizeof got);
        int status = H5Dread(d, text, H5S_ALL, H5S_ALL, dxpl, got);
        TRY("read", status);
        if (status >= 0)
            H5Dvlen_reclaim(text, four, dxpl, got);
        H5Pclose(dxpl);
    }
    fail_now = 0;
    H5Dclose(d);
}

int main(void)
{
    group_of_requests("filters", filters);
    group_of_requests("iterations", iterations);
    group_of_requests("conversions", conversions);
    group_of_requests("link classes", link_classes);
    group_of_requests("property lists", property_lists);
    group_of_requests("copies", copies);
    group_of_requests("memory", memory);
    return 0;
}
