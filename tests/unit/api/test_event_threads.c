/* Event sets: calls return before what they ask for is done, in order, with the arguments as they were; errors are kept; ids are
 * there before their objects. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"
#include "support/folder.h"
#include "unit/api/event_gate.h"
#include "unit/said.h"

enum { N = 64 };

static hid_t file, es;
static struct gate gate = GATE_INIT;

static int setup(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    gate = (struct gate)GATE_INIT;
    file = H5Fcreate(folder_file(path, "events.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    es = H5EScreate();
    hid_t g = H5Gcreate2(file, "a link", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return file > 0 && es > 0 && H5Gclose(g) >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    bool closed = H5ESclose(es) >= 0 && H5Fclose(file) >= 0;
    return closed && gate_gave_up(&gate) == 0 && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 ? 0 : -1;
}

static size_t unfinished(hid_t set, uint64_t timeout)
{
    size_t n = 99;
    hbool_t failed;
    assert_true(H5ESwait(set, timeout, &n, &failed) >= 0);
    return n;
}

static void wait_all(hid_t set)
{
    size_t n = 99;
    hbool_t failed = 1;
    assert_true(H5ESwait(set, H5ES_WAIT_FOREVER, &n, &failed) >= 0);
    assert_false(failed);
    assert_int_equal(n, 0);
}

static hid_t line(hsize_t n)
{
    return H5Screate_simple(1, &n, NULL);
}

/* A conversion of the application waits in the middle of a write. */
static herr_t convert_at_gate(hid_t src, hid_t dst, H5T_cdata_t *cdata, size_t nelmts, size_t buf_stride, size_t bkg_stride,
                              void *buf, void *bkg, hid_t dxpl)
{
    (void)src, (void)dst, (void)buf_stride, (void)bkg_stride, (void)bkg, (void)dxpl;
    if (cdata->command != H5T_CONV_CONV)
        return 0;
    gate_wait(&gate);
    for (size_t i = 0; i < nelmts; i++)
        ((unsigned char *)buf)[i] ^= 0x55;
    return 0;
}

static void a_write_goes_on_while_the_caller_does(void **state)
{
    (void)state;
    unsigned char data[N], back[N];
    hid_t mem = H5Tcreate(H5T_OPAQUE, 1), disk = H5Tcreate(H5T_OPAQUE, 1), space = line(N);
    H5Tset_tag(mem, "in memory"), H5Tset_tag(disk, "on disk");
    assert_true(H5Tregister(H5T_PERS_HARD, "gate", mem, disk, convert_at_gate) >= 0);
    hid_t d = H5Dcreate2(file, "d", disk, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)i;
    assert_true(H5Dwrite_async(d, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, data, es) >= 0);
    gate_await(&gate);
    assert_int_equal(unfinished(es, H5ES_WAIT_NONE), 1);
    assert_int_equal(unfinished(es, 5000000), 1);
    size_t count = 0;
    assert_true(H5ESget_count(es, &count) >= 0 && count == 1);
    gate_open(&gate);
    wait_all(es);
    assert_true(H5Dread(d, disk, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(back[i], i ^ 0x55);
    assert_true(H5Tunregister(H5T_PERS_HARD, "gate", mem, disk, convert_at_gate) >= 0);
    H5Tclose(mem), H5Tclose(disk), H5Sclose(space), H5Dclose(d);
}

/* Whatever the caller does to its arguments afterwards. */
static void arguments_are_as_they_were(void **state)
{
    (void)state;
    char name[] = "made";
    int data[N], back[N];
    hsize_t start = 0, half = N / 2, chunk = 16;
    for (int i = 0; i < N; i++)
        data[i] = i + 1;
    hid_t space = line(N), mem = line(N), dcpl = H5Pcreate(H5P_DATASET_CREATE), type = H5Tcopy(H5T_NATIVE_INT);
    H5Pset_chunk(dcpl, 1, &chunk);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t d = H5Dcreate_async(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT, es);
    assert_true(d > 0);
    strcpy(name, "none");
    H5Tset_order(type, H5T_ORDER_BE);
    H5Pset_layout(dcpl, H5D_COMPACT), H5Pclose(dcpl);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &half, NULL);
    H5Sselect_hyperslab(mem, H5S_SELECT_SET, &start, NULL, &half, NULL);
    assert_true(H5Dwrite_async(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data, es) >= 0);
    H5Sselect_all(mem), H5Sselect_none(space);
    H5Sclose(space), H5Sclose(mem), H5Tclose(type);
    assert_int_equal(unfinished(es, H5ES_WAIT_NONE), 3);
    gate_open(&gate);
    wait_all(es);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(back[i], i < N / 2 ? i + 1 : 0);
    dcpl = H5Dget_create_plist(d), type = H5Dget_type(d);
    assert_int_equal(H5Pget_layout(dcpl), H5D_CHUNKED);
    assert_int_equal(H5Tget_order(type), H5T_ORDER_LE);
    H5Pclose(dcpl), H5Tclose(type), H5Dclose(d);
    assert_int_equal(H5Lexists(file, "made", H5P_DEFAULT), 1);
}

static void check_made_ahead(const char *path)
{
    int value = 0;
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "g/d", H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    assert_int_equal(value, 42);
    hid_t a = H5Aopen(d, "a", H5P_DEFAULT);
    assert_true(H5Aread(a, H5T_NATIVE_INT, &value) >= 0);
    assert_int_equal(value, 43);
    H5Aclose(a), H5Dclose(d), H5Fclose(f);
}

/* A file, what is in it, and all of it closed, before any of it is there. */
static void everything_can_be_asked_for_ahead(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    int value = 42, other = 43;
    hid_t space = H5Screate(H5S_SCALAR);
    folder_file(path, "ahead.h5");
    unlink(path);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t f = H5Fcreate_async(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t g = H5Gcreate_async(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t d = H5Dcreate_async(g, "d", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t a = H5Acreate_async(d, "a", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, es) >= 0);
    assert_true(H5Awrite_async(a, H5T_NATIVE_INT, &other, es) >= 0);
    assert_true(H5Aclose_async(a, es) >= 0 && H5Dclose_async(d, es) >= 0 && H5Gclose_async(g, es) >= 0);
    assert_true(H5Fclose_async(f, es) >= 0);
    H5Sclose(space);
    FAILS(H5Fclose_async(f, es), "closed already");
    FAILS(H5Gopen2(f, "g", H5P_DEFAULT), "");
    assert_int_equal(H5Iis_valid(d), 0);
    assert_int_equal(access(path, F_OK), -1);
    gate_open(&gate);
    wait_all(es);
    check_made_ahead(path);
}

/* Arrays of nothing: what becomes of that is the business of the call without a set. */
static void arrays_may_be_empty(void **state)
{
    (void)state;
    size_t n;
    hbool_t failed;
    H5ES_err_info_t info;
    assert_true(H5Dwrite_multi_async(0, NULL, NULL, NULL, NULL, H5P_DEFAULT, NULL, es) >= 0);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0);
    H5E_BEGIN_TRY
    {
        assert_int_equal(failed, H5Dwrite_multi(0, NULL, NULL, NULL, NULL, H5P_DEFAULT, NULL) < 0);
    }
    H5E_END_TRY
    if (failed)
        assert_true(H5ESget_err_info(es, 1, &info, &n) >= 0 && H5ESfree_err_info(n, &info) >= 0);
}

static void *open_soon(void *unused)
{
    (void)unused;
    usleep(30000);
    gate_open(&gate);
    return NULL;
}

static void a_promised_id_is_waited_for(void **state)
{
    (void)state;
    pthread_t thread;
    hsize_t dim = 0;
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t space = line(N), d = H5Dcreate_async(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t s = H5Dget_space_async(d, es), o = H5Oopen_async(file, "d", H5P_DEFAULT, es);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_DATASET), 0);
    assert_int_equal(pthread_create(&thread, NULL, open_soon, NULL), 0);
    assert_true(H5Sget_simple_extent_dims(s, &dim, NULL) == 1 && dim == N);
    assert_int_equal(H5Iget_type(o), H5I_DATASET);
    assert_int_equal(H5Iget_ref(o), 1);
    assert_int_equal(H5Iinc_ref(o), 2);
    assert_int_equal(H5Idec_ref(o), 1);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_DATASET), 2);
    hid_t held[2];
    assert_int_equal(H5Fget_obj_ids(file, H5F_OBJ_DATASET, 2, held), 2);
    assert_true(held[0] == d || held[1] == d);
    assert_true(H5Sclose(space) >= 0 && H5Sclose(s) >= 0 && H5Oclose(o) >= 0 && H5Dclose(d) >= 0);
    assert_true(H5Iis_valid(o) == 0 && H5Iget_type(d) == H5I_BADID);
    pthread_join(thread, NULL);
    wait_all(es);
}

/* An object of unknown type is closed under the one name or the other. */
static void both_ids_of_an_object_go_together(void **state)
{
    (void)state;
    hid_t held[1], o = H5Oopen_async(file, "a link", H5P_DEFAULT, es);
    wait_all(es);
    assert_int_equal(H5Fget_obj_ids(file, H5F_OBJ_GROUP, 1, held), 1);
    assert_true(held[0] != o && H5Gclose(held[0]) >= 0);
    FAILS(H5Oclose(o), "");
    o = H5Oopen_async(file, "a link", H5P_DEFAULT, es);
    assert_true(H5Oclose_async(o, es) >= 0);
    FAILS(H5Oclose_async(o, es), "closed already");
    wait_all(es);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_GROUP), 0);
    o = H5Oopen_async(file, "a link", H5P_DEFAULT, es);
    assert_true(H5Gclose(o) >= 0);
    wait_all(es);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_GROUP), 0);
}

static void check_failure(const H5ES_err_info_t *info, const char *api, const char *arg, uint64_t number)
{
    assert_string_equal(info->api_name, api);
    assert_non_null(strstr(info->api_args, arg));
    assert_non_null(strstr(info->app_file_name, "test_event_threads.c"));
    assert_string_equal(info->app_func_name, "errors_are_kept");
    assert_true(info->app_line_num > 0);
    assert_int_equal(info->op_ins_count, number);
    assert_true(info->op_ins_ts > 0 && info->op_exec_ts >= info->op_ins_ts);
    assert_true(H5Eget_num(info->err_stack_id) > 0);
}

static void errors_are_kept(void **state)
{
    (void)state;
    H5ES_err_info_t info[3];
    size_t n = 99;
    uint64_t inserted = 0;
    hbool_t failed = 0;
    int value = 7, back = 0;
    hid_t space = H5Screate(H5S_SCALAR), good, bad;
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    bad = H5Gcreate_async(file, "a link", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t under = H5Dopen_async(bad, "nothing", H5P_DEFAULT, es);
    good = H5Dcreate_async(file, "good", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(bad > 0 && under > 0 && good > 0);
    assert_true(H5Dwrite_async(good, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, es) >= 0);
    assert_true(H5ESget_op_counter(es, &inserted) >= 0 && inserted == 5);
    gate_open(&gate);
    while (H5Iget_type(good) != H5I_DATASET || H5ESget_count(es, &n) < 0 || n > 2)
        usleep(1000);
    assert_true(H5ESget_err_status(es, &failed) >= 0 && failed);
    assert_true(H5ESget_err_count(es, &n) >= 0 && n == 2);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && failed && n == 0);
    FAILS(H5Dwrite_async(good, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, es), "2 operations of the event set failed");
    FAILS(H5Dclose_async(good, es), "failed");
    assert_true(H5Dread(good, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &back) >= 0 && back == 7);
    FAILS(H5Gget_create_plist(bad), "failed or was called off");
    assert_true(H5ESget_err_info(es, 3, info, &n) >= 0 && n == 2);
    check_failure(&info[0], "H5Gcreate_async", "name=\"a link\"", 1);
    check_failure(&info[1], "H5Dopen_async", "name=\"nothing\"", 2);
    assert_true(H5ESfree_err_info(2, info) >= 0);
    assert_true(H5ESget_err_status(es, &failed) >= 0 && !failed);
    assert_true(H5Dclose_async(good, es) >= 0);
    assert_true(H5Gclose(bad) >= 0 && H5Dclose(under) >= 0 && H5Iis_valid(bad) == 0);
    wait_all(es);
    H5Sclose(space);
}

static herr_t ignore(hid_t stack, void *data)
{
    (void)stack;
    atomic_fetch_add((atomic_int *)data, 1);
    return 0;
}

struct noted {
    atomic_int inserted, done[4];
    atomic_bool refuse;
};

static int note_insert(const H5ES_op_info_t *info, void *ctx)
{
    struct noted *noted = ctx;
    atomic_fetch_add(&noted->inserted, 1);
    return info->op_ins_ts > 0 && info->api_name && atomic_load(&noted->refuse) ? -1 : 0;
}

static int note_done(const H5ES_op_info_t *info, H5ES_status_t status, hid_t stack, void *ctx)
{
    struct noted *noted = ctx;
    atomic_fetch_add(&noted->done[status], 1);
    return (status == H5ES_STATUS_FAIL) == (stack > 0) && info->api_args ? 0 : (int)atomic_fetch_add(&noted->done[0], 1);
}

static void callbacks_tell(void **state)
{
    (void)state;
    struct noted noted = {0};
    atomic_int reports = 0;
    size_t n;
    hbool_t failed;
    H5ES_err_info_t info;
    H5Eset_auto2(H5E_DEFAULT, ignore, &reports);
    assert_true(H5ESregister_insert_func(es, note_insert, &noted) >= 0);
    assert_true(H5ESregister_complete_func(es, note_done, &noted) >= 0);
    hid_t g = H5Gopen_async(file, "a link", H5P_DEFAULT, es);
    wait_all(es);
    hid_t none = H5Gopen_async(file, "none", H5P_DEFAULT, es);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && failed);
    assert_int_equal(atomic_load(&reports), 0);
    assert_true(H5ESget_err_info(es, 1, &info, &n) >= 0 && n == 1 && H5ESfree_err_info(1, &info) >= 0);
    atomic_store(&noted.refuse, true);
    assert_true(H5Gclose_async(g, es) < 0);
    assert_int_equal(H5Iget_type(g), H5I_GROUP);
    assert_true(H5Gopen_async(file, "a link", H5P_DEFAULT, es) < 0);
    atomic_store(&noted.refuse, false);
    assert_true(H5Gclose_async(g, es) >= 0);
    wait_all(es);
    assert_int_equal(atomic_load(&noted.inserted), 5);
    assert_int_equal(atomic_load(&noted.done[H5ES_STATUS_SUCCEED]), 2);
    assert_int_equal(atomic_load(&noted.done[H5ES_STATUS_FAIL]), 1);
    assert_int_equal(atomic_load(&noted.done[0]), 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(H5Gclose(none) >= 0);
}

static void what_has_not_begun_can_be_called_off(void **state)
{
    (void)state;
    struct noted noted = {0};
    size_t left = 99;
    hbool_t failed = 1;
    hid_t open = H5Gopen2(file, "a link", H5P_DEFAULT), other = H5EScreate();
    assert_true(H5ESregister_complete_func(es, note_done, &noted) >= 0);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t g = H5Gcreate_async(file, "never", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t under = H5Gcreate_async(g, "below", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t waits = H5Gopen_async(g, "below", H5P_DEFAULT, other);
    assert_true(H5Gclose_async(open, es) >= 0);
    assert_true(H5EScancel(es, &left, &failed) >= 0);
    assert_false(failed);
    assert_int_equal(left, 2); /* the one that has begun, and what is to be closed */
    assert_int_equal(atomic_load(&noted.done[H5ES_STATUS_CANCELED]), 2);
    assert_true(H5ESwait(other, H5ES_WAIT_FOREVER, &left, &failed) >= 0 && failed && left == 0);
    FAILS(H5Gget_create_plist(g), "failed or was called off");
    gate_open(&gate);
    wait_all(es);
    assert_int_equal(H5Lexists(file, "never", H5P_DEFAULT), 0);
    assert_int_equal(H5Iis_valid(open), 0);
    assert_true(H5Gclose(g) >= 0 && H5Gclose(under) >= 0 && H5Gclose(waits) >= 0);
    assert_true(H5EScancel(es, &left, &failed) >= 0 && left == 0 && !failed);
    assert_true(H5ESclose(other) >= 0);
}

static void a_set_is_not_closed_before_it_is_done(void **state)
{
    (void)state;
    hid_t own = H5EScreate();
    assert_true(gate_hold_up(&gate, file, own) >= 0);
    FAILS(H5ESclose(own), "1 operations are not done");
    FAILS(H5Idec_ref(own), "not done");
    assert_int_equal(H5Iget_type(own), H5I_EVENTSET);
    gate_open(&gate);
    wait_all(own);
    assert_true(H5ESclose(own) >= 0);
    FAILS(H5ESclose(own), "");
    FAILS(H5Gopen_async(file, "a link", H5P_DEFAULT, own), "invalid event set");
}

/* One set stands still, the other goes on; what needs something of the first waits for it. */
static void sets_run_side_by_side(void **state)
{
    (void)state;
    hid_t other = H5EScreate();
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t late = H5Gcreate_async(file, "late", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t early = H5Gcreate_async(file, "early", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, other);
    wait_all(other);
    assert_int_equal(H5Lexists(file, "early", H5P_DEFAULT), 1);
    hid_t below = H5Gcreate_async(late, "below", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, other);
    assert_int_equal(unfinished(other, 10000000), 1);
    gate_open(&gate);
    wait_all(other);
    assert_int_equal(H5Lexists(file, "late/below", H5P_DEFAULT), 1);
    wait_all(es);
    assert_true(H5Gclose(late) >= 0 && H5Gclose(early) >= 0 && H5Gclose(below) >= 0 && H5ESclose(other) >= 0);
}

struct inner {
    struct gate ready;
    hid_t set, id;
    atomic_int done;
};

/* In the set's thread: waits for what comes after itself. */
static herr_t wait_for_itself(hid_t group, const char *name, const H5L_info2_t *info, void *ctx)
{
    (void)group, (void)name, (void)info;
    struct inner *inner = ctx;
    size_t n;
    hbool_t failed;
    gate_wait(&inner->ready);
    if (H5ESwait(inner->set, H5ES_WAIT_FOREVER, &n, &failed) < 0 && H5Gget_create_plist(inner->id) < 0 && H5close() < 0)
        atomic_store(&inner->done, 1);
    return 1;
}

static void an_operation_does_not_wait_for_itself(void **state)
{
    (void)state;
    struct inner inner = {.ready = GATE_INIT};
    inner.set = es;
    assert_true(H5Literate_async(file, H5_INDEX_NAME, H5_ITER_INC, NULL, wait_for_itself, &inner, es) >= 0);
    inner.id = H5Gopen_async(file, "a link", H5P_DEFAULT, es);
    gate_open(&inner.ready);
    wait_all(es);
    assert_int_equal(atomic_load(&inner.done), 1);
    assert_true(H5Gclose(inner.id) >= 0);
}

static herr_t wait_for_other(hid_t group, const char *name, const H5L_info2_t *info, void *ctx)
{
    (void)group, (void)name, (void)info;
    struct inner *inner = ctx;
    size_t n;
    hbool_t failed;
    gate_wait(&inner->ready);
    if (H5ESwait(inner->set, H5ES_WAIT_FOREVER, &n, &failed) < 0)
        atomic_store(&inner->done, 1);
    return 1;
}

static void two_sets_do_not_wait_for_each_other(void **state)
{
    (void)state;
    hid_t other = H5EScreate();
    struct inner one = {.ready = GATE_INIT}, two = {.ready = GATE_INIT};
    one.set = other, two.set = es;
    assert_true(H5Literate_async(file, H5_INDEX_NAME, H5_ITER_INC, NULL, wait_for_other, &one, es) >= 0);
    assert_true(H5Literate_async(file, H5_INDEX_NAME, H5_ITER_INC, NULL, wait_for_other, &two, other) >= 0);
    gate_await(&one.ready), gate_await(&two.ready);
    gate_open(&one.ready), gate_open(&two.ready);
    wait_all(es), wait_all(other);
    assert_int_equal(atomic_load(&one.done) + atomic_load(&two.done), 1);
    assert_true(H5ESclose(other) >= 0);
}

/* What is committed is used by what comes after it, though the id was there before. */
static void a_type_is_committed(void **state)
{
    (void)state;
    hid_t type = H5Tcopy(H5T_STD_I32LE), space = H5Screate(H5S_SCALAR), again;
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    assert_true(H5Tcommit_async(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    hid_t d = H5Dcreate_async(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    again = H5Topen_async(file, "type", H5P_DEFAULT, es);
    gate_open(&gate);
    assert_int_equal(H5Tcommitted(type), 1);
    assert_int_equal(H5Tequal(type, again), 1);
    hid_t of = H5Dget_type(d);
    assert_int_equal(H5Tcommitted(of), 1);
    assert_true(H5Tclose_async(of, es) >= 0 && H5Tclose_async(again, es) >= 0);
    FAILS(H5Tget_size(of) > 0 ? 0 : -1, "");
    wait_all(es);
    hid_t second = H5Tcopy(H5T_STD_I64LE), e;
    size_t n;
    hbool_t failed;
    H5ES_err_info_t info;
    assert_true(H5Tcommit_async(file, "type", second, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    assert_int_equal(H5Tcommitted(second), 0);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && failed);
    assert_true(H5ESget_err_info(es, 1, &info, &n) >= 0 && H5ESfree_err_info(1, &info) >= 0);
    assert_true((e = H5Dcreate_async(file, "e", second, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es)) > 0);
    wait_all(es);
    H5Tclose(type), H5Tclose(second), H5Sclose(space), H5Dclose(d), H5Dclose(e);
}

/* An id that counts twice is closed twice. */
static void counts_are_kept(void **state)
{
    (void)state;
    hid_t g = H5Gopen2(file, "a link", H5P_DEFAULT);
    assert_int_equal(H5Iinc_ref(g), 2);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    assert_true(H5Gclose_async(g, es) >= 0);
    assert_int_equal(H5Iget_type(g), H5I_GROUP);
    gate_open(&gate);
    wait_all(es);
    assert_int_equal(H5Iget_ref(g), 1);
    assert_true(H5Gclose_async(g, es) >= 0);
    assert_int_equal(H5Iget_type(g), H5I_BADID);
    wait_all(es);
    FAILS(H5Gclose_async(file, es), "closed already");
    FAILS(H5Tclose_async(H5T_NATIVE_INT, es), "closed already");
    assert_int_equal(H5Iget_type(file), H5I_FILE);
}

/* A file that may not be closed while something is open stays, and says so when it comes to it. */
static void a_file_that_may_not_be_closed_stays(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    size_t n;
    hbool_t failed;
    H5ES_err_info_t info;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(fapl, H5F_CLOSE_SEMI);
    hid_t f = H5Fcreate(folder_file(path, "semi.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t g = H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Fclose_async(f, es) >= 0);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && failed);
    assert_int_equal(H5Iget_type(f), H5I_FILE);
    assert_true(H5ESget_err_info(es, 1, &info, &n) >= 0 && n == 1);
    assert_true(H5Eget_num(info.err_stack_id) > 0 && H5ESfree_err_info(1, &info) >= 0);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    assert_true(H5Gclose_async(g, es) >= 0 && H5Fclose_async(f, es) >= 0);
    gate_open(&gate);
    wait_all(es);
    assert_int_equal(H5Iget_type(f), H5I_BADID);
    H5Pclose(fapl);
}

/* Many threads, each with datasets of its own, in a set of its own and in one that all share. */
enum { THREADS = 8, ROUNDS = 40 };

struct job {
    int number;
    bool shared;
    atomic_int bad;
};

static void *insert_many(void *ctx)
{
    struct job *job = ctx;
    hid_t set = job->shared ? es : H5EScreate(), space = line(N);
    int data[ROUNDS][N];
    char name[32];
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            data[r][i] = job->number * 1000000 + r * 1000 + i;
        snprintf(name, sizeof name, "%d-%d", job->number, r);
        hid_t d = H5Dcreate_async(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set);
        if (d < 0 || H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data[r], set) < 0 ||
            H5Dclose_async(d, set) < 0)
            atomic_fetch_add(&job->bad, 1);
        if (r % 8 == 7 && H5Lexists(file, "a link", H5P_DEFAULT) != 1)
            atomic_fetch_add(&job->bad, 1);
    }
    size_t n = 1;
    hbool_t failed = 0;
    if (H5ESwait(set, H5ES_WAIT_FOREVER, &n, &failed) < 0 || failed || n != 0 || (!job->shared && H5ESclose(set) < 0))
        atomic_fetch_add(&job->bad, 1);
    H5Sclose(space);
    return NULL;
}

static void check_many(int number)
{
    int data[N];
    char name[32];
    for (int r = 0; r < ROUNDS; r++) {
        snprintf(name, sizeof name, "%d-%d", number, r);
        hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
        for (int i = 0; i < N; i++)
            assert_int_equal(data[i], number * 1000000 + r * 1000 + i);
        H5Dclose(d);
    }
}

static void many_threads_insert(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.number = i, .shared = i % 2};
        assert_int_equal(pthread_create(&threads[i], NULL, insert_many, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&jobs[i].bad), 0);
    }
    for (int i = 0; i < THREADS; i++)
        check_many(i);
}

/* At random: threads that share two sets make, use, call off and close things, whatever becomes of them; nothing is left. */
enum { STEPS = 300, KEPT = 6 };

struct chaos {
    unsigned seed;
    hid_t sets[2];
};

static unsigned draw(struct chaos *c, unsigned n)
{
    c->seed = c->seed * 1664525u + 1013904223u;
    return (c->seed >> 8) % n;
}

/* What came to nothing is closed by all that closes. */
static void what_came_to_nothing_is_closed(void **state)
{
    (void)state;
    size_t n;
    hbool_t failed;
    H5ES_err_info_t info[6];
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    hid_t ids[6] = {H5Oopen_async(file, "none", H5P_DEFAULT, es),      H5Topen_async(file, "none", H5P_DEFAULT, es),
                    H5Dopen_async(file, "none", H5P_DEFAULT, es),      H5Oopen_async(file, "none", H5P_DEFAULT, es),
                    H5Topen_async(file, "none", H5P_DEFAULT, es),      H5Aopen_async(file, "none", H5P_DEFAULT, es)};
    assert_true(H5Oclose_async(ids[3], es) >= 0 && H5Tclose_async(ids[4], es) >= 0 && H5Aclose_async(ids[5], es) >= 0);
    gate_open(&gate);
    do
        assert_true(H5ESwait(es, 1000000, &n, &failed) >= 0);
    while (n > 0);
    assert_true(H5ESget_err_info(es, 6, info, &n) >= 0 && n == 6 && H5ESfree_err_info(6, info) >= 0);
    assert_true(H5ESget_err_count(es, &n) >= 0 && n == 0);
    assert_true(H5Oclose(ids[0]) >= 0 && H5Tclose(ids[1]) >= 0 && H5Dclose(ids[2]) >= 0);
    for (int i = 0; i < 6; i++)
        FAILS(H5Idec_ref(ids[i]), "");
}

/* What fails must not stop the others. */
static void handle_errors(hid_t set)
{
    H5ES_err_info_t info[4];
    size_t n;
    while (H5ESget_err_info(set, 4, info, &n) >= 0 && n > 0)
        H5ESfree_err_info(n, info);
}

static void disturb(struct chaos *c, hid_t set)
{
    size_t n;
    hbool_t failed;
    switch (draw(c, 3)) {
    case 0:
        H5EScancel(set, &n, &failed);
        break;
    case 1:
        H5ESwait(set, draw(c, 2000) * 1000, &n, &failed);
        break;
    default:
        handle_errors(set);
    }
}

static void step(struct chaos *c, hid_t kept[KEPT])
{
    static const char *const names[] = {"a link", "x", "y", "z"};
    hid_t set = c->sets[draw(c, 2)], *one = &kept[draw(c, KEPT)], at = draw(c, 3) ? file : kept[draw(c, KEPT)];
    const char *name = names[draw(c, 4)];
    hid_t made = -1;
    H5G_info_t info;
    switch (draw(c, 8)) {
    case 0:
        made = H5Gcreate_async(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set);
        break;
    case 1:
        made = H5Gopen_async(at, name, H5P_DEFAULT, set);
        break;
    case 2:
        made = H5Oopen_async(at, name, H5P_DEFAULT, set);
        break;
    case 3:
        H5Ldelete_async(file, names[1 + draw(c, 3)], H5P_DEFAULT, set);
        break;
    case 4:
        if (H5Oclose_async(*one, set) >= 0)
            *one = -1;
        break;
    case 5:
        H5Gget_info(*one, &info);
        break;
    case 6:
        H5Iinc_ref(*one), H5Idec_ref(*one);
        break;
    default:
        disturb(c, set);
    }
    if (made > 0 && *one > 0)
        H5Idec_ref(*one);
    if (made > 0)
        *one = made;
}

static void *play(void *ctx)
{
    struct chaos *c = ctx;
    hid_t kept[KEPT] = {-1, -1, -1, -1, -1, -1};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < STEPS; i++)
        step(c, kept);
    for (int i = 0; i < KEPT; i++)
        if (kept[i] > 0)
            H5Idec_ref(kept[i]);
    return NULL;
}

static void anything_may_happen(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct chaos chaos[THREADS];
    hid_t other = H5EScreate();
    size_t n = 1;
    hbool_t failed = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        chaos[i] = (struct chaos){.seed = i + 1, .sets = {es, other}};
        assert_int_equal(pthread_create(&threads[i], NULL, play, &chaos[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        hid_t set = i ? other : es;
        do {
            assert_true(H5ESwait(set, 1000000, &n, &failed) >= 0);
            handle_errors(set);
        } while (n > 0 || failed);
    }
    assert_true(H5ESclose(other) >= 0);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_ALL), 1);
    assert_int_equal(H5Lexists(file, "a link", H5P_DEFAULT), 1);
}

/* The library is closed with work to do: it is done first. */
static void closing_the_library_waits(void **state)
{
    (void)state;
    int value = 5, back = 0;
    char path[FOLDER_PATH];
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate_async(file, "last", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, es) >= 0);
    assert_true(H5close() >= 0);
    file = H5Fopen(folder_file(path, "events.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    es = H5EScreate();
    d = H5Dopen2(file, "last", H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &back) >= 0 && back == 5);
    H5Dclose(d);
    hid_t none = H5Gopen_async(file, "none", H5P_DEFAULT, es);
    size_t n;
    hbool_t failed;
    assert_true(none > 0 && H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && failed);
    assert_true(H5close() >= 0); /* what failed before is known */
    file = H5Fopen(folder_file(path, "events.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    es = H5EScreate();
}

static int start(void **unused)
{
    (void)unused;
    return folder_make() ? 0 : -1;
}

static int stop(void **unused)
{
    (void)unused;
    return folder_remove() ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_write_goes_on_while_the_caller_does),
        TEST(arguments_are_as_they_were),
        TEST(everything_can_be_asked_for_ahead),
        TEST(arrays_may_be_empty),
        TEST(a_promised_id_is_waited_for),
        TEST(both_ids_of_an_object_go_together),
        TEST(errors_are_kept),
        TEST(callbacks_tell),
        TEST(what_has_not_begun_can_be_called_off),
        TEST(a_set_is_not_closed_before_it_is_done),
        TEST(sets_run_side_by_side),
        TEST(an_operation_does_not_wait_for_itself),
        TEST(two_sets_do_not_wait_for_each_other),
        TEST(a_type_is_committed),
        TEST(counts_are_kept),
        TEST(a_file_that_may_not_be_closed_stays),
        TEST(many_threads_insert),
        TEST(what_came_to_nothing_is_closed),
        TEST(anything_may_happen),
        TEST(closing_the_library_waits),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
