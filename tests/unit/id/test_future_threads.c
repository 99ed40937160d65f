/* Ids whose object the application makes when it is first looked for. */
#include <pthread.h>
#include <stdatomic.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"
#include "unit/said.h"

static atomic_int realized, discarded, freed;
static H5I_type_t own_type;
static char actual[] = "actual";

static int reset(void **state)
{
    (void)state;
    realized = discarded = freed = 0;
    return 0;
}

static herr_t make_space(void *object, hid_t *made)
{
    hsize_t dim = *(hsize_t *)object;
    atomic_fetch_add(&realized, 1);
    *made = dim ? H5Screate_simple(1, &dim, NULL) : H5I_INVALID_HID;
    return dim ? 0 : -1;
}

static herr_t make_own(void *object, hid_t *made)
{
    atomic_fetch_add(&realized, object == NULL);
    *made = H5Iregister(own_type, actual);
    return 0;
}

static herr_t make_another_type(void *object, hid_t *made)
{
    *(hid_t *)object = *made = H5Tcopy(H5T_NATIVE_INT);
    return 0;
}

static herr_t make_by_itself(void *object, hid_t *made)
{
    *made = H5Scopy(*(hid_t *)object);
    return *made < 0 ? -1 : 0;
}

static herr_t discard(void *object)
{
    (void)object;
    atomic_fetch_add(&discarded, 1);
    return 0;
}

static herr_t refuse_discard(void *object)
{
    (void)object;
    return -1;
}

static herr_t free_own(void *object, void **request)
{
    (void)request;
    assert_string_equal(object, actual);
    atomic_fetch_add(&freed, 1);
    return 0;
}

static void it_is_made_when_looked_for(void **state)
{
    (void)state;
    hsize_t dim = 7, got = 0;
    hid_t id = H5Iregister_future(H5I_DATASPACE, &dim, make_space, discard);
    assert_true(id > 0 && realized == 0);
    assert_true(H5Sget_simple_extent_dims(id, &got, NULL) == 1 && got == 7);
    assert_true(realized == 1 && discarded == 1);
    assert_int_equal(H5Iget_ref(id), 1);
    assert_int_equal(H5Sget_simple_extent_ndims(id), 1);
    assert_true(realized == 1 && discarded == 1);
    assert_true(H5Sclose(id) >= 0 && H5Iis_valid(id) == 0);
    id = H5Iregister_future(H5I_DATASPACE, &dim, make_space, discard);
    assert_true(H5Sclose(id) >= 0 && H5Iis_valid(id) == 0 && discarded == 2);
}

static void a_failure_may_be_tried_again(void **state)
{
    (void)state;
    hsize_t dim = 0;
    hid_t other = 0, own, id = H5Iregister_future(H5I_DATASPACE, &dim, make_space, discard);
    FAILS(H5Sget_simple_extent_ndims(id), "failed");
    assert_true(realized == 1 && discarded == 0);
    dim = 3;
    assert_int_equal(H5Sget_simple_extent_ndims(id), 1);
    assert_true(realized == 2 && discarded == 1 && H5Sclose(id) >= 0);
    id = H5Iregister_future(H5I_DATASPACE, &other, make_another_type, discard);
    FAILS(H5Sget_simple_extent_ndims(id), "which is none of type");
    assert_int_equal(H5Tclose(other), 0);
    own = H5Iregister_future(H5I_DATASPACE, &own, make_by_itself, discard);
    FAILS(H5Sget_simple_extent_ndims(own), "being made by the function that asks for it");
    hid_t kept = H5Iregister_future(H5I_DATASPACE, &dim, make_space, refuse_discard);
    FAILS(H5Sget_simple_extent_ndims(kept), "discards what stood in");
    assert_int_equal(H5Sget_simple_extent_ndims(kept), 1);
    assert_true(H5Sclose(kept) >= 0);
    assert_true(H5close() >= 0);
    assert_int_equal(discarded, 3);
}

static void types_of_the_application_have_them(void **state)
{
    (void)state;
    hsize_t n = 9;
    own_type = H5Iregister_type(0, 0, (H5I_free_t)free_own);
    hid_t id = H5Iregister_future(own_type, NULL, make_own, discard);
    assert_true(H5Inmembers(own_type, &n) >= 0 && n == 1);
    assert_ptr_equal(H5Iobject_verify(id, own_type), actual);
    assert_true(H5Inmembers(own_type, &n) >= 0 && n == 1);
    assert_true(realized == 1 && discarded == 1 && freed == 0);
    assert_int_equal(H5Idec_ref(id), 0);
    assert_int_equal(freed, 1);
    id = H5Iregister_future(own_type, NULL, make_own, discard);
    assert_true(H5Iclear_type(own_type, 0) >= 0 && H5Iis_valid(id) == 0);
    id = H5Iregister_future(own_type, NULL, make_own, discard);
    assert_true(H5Idestroy_type(own_type) >= 0);
    assert_true(realized == 1 && discarded == 3 && freed == 1);
    FAILS(H5Iregister_future(own_type, NULL, make_own, discard), "");
    FAILS(H5Iregister_future(H5I_DATASPACE, NULL, NULL, discard), "realize_cb");
    FAILS(H5Iregister_future(H5I_DATASPACE, NULL, make_own, NULL), "discard_cb");
}

enum { THREADS = 8, ROUNDS = 50 };

static atomic_int wrong;

static void *look(void *id)
{
    hsize_t got = 0;
    if (H5Sget_simple_extent_dims(*(hid_t *)id, &got, NULL) != 1 || got != 5)
        atomic_fetch_add(&wrong, 1);
    return NULL;
}

static void many_threads_look(void **state)
{
    (void)state;
    for (int r = 0; r < ROUNDS; r++) {
        pthread_t threads[THREADS];
        hsize_t dim = 5;
        hid_t id = H5Iregister_future(H5I_DATASPACE, &dim, make_space, discard);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, look, &id), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_true(H5Sclose(id) >= 0);
        assert_true(realized == r + 1 && discarded == r + 1 && wrong == 0);
    }
}

/* An operation of an event set takes one as any id. */
static void operations_have_them_made(void **state)
{
    (void)state;
    hsize_t dim = 5;
    size_t n;
    hbool_t failed = 1;
    hid_t es = H5EScreate(), id = H5Iregister_future(H5I_DATASPACE, &dim, make_space, discard);
    hid_t f = H5Fcreate_async("future.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t d = H5Dcreate_async(f, "d", H5T_NATIVE_INT, id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Sclose(id) >= 0 && realized == 1 && discarded == 1);
    assert_true(H5Dclose_async(d, es) >= 0 && H5Fclose_async(f, es) >= 0);
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && !failed && H5ESclose(es) >= 0);
    remove("future.h5");
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_made_when_looked_for),   TEST(a_failure_may_be_tried_again), TEST(types_of_the_application_have_them),
        TEST(many_threads_look),            TEST(operations_have_them_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
