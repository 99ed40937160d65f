/* Classes of user-defined links hear that links go with their group before anything is changed: a flush from there finds the
 * file whole, and one that refuses keeps everything. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hdf5.h"

enum { KIND = 100, LINKS = 5 };

static char path[100], image[110];
static unsigned told, refused; /* refused: the call that says no, from 1 on */
static char order[100];

static hid_t follow(const char *name, hid_t group, const void *data, size_t size, hid_t lapl)
{
    (void)name, (void)group, (void)data, (void)size, (void)lapl;
    return -1;
}

static void copy_file(void)
{
    char bytes[4096];
    size_t n;
    FILE *from = fopen(path, "rb"), *to = fopen(image, "wb");
    assert_non_null(from);
    assert_non_null(to);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        assert_int_equal(fwrite(bytes, 1, n, to), n);
    fclose(from);
    fclose(to);
}

static herr_t deleted(const char *name, hid_t file, const void *data, size_t size)
{
    (void)data, (void)size;
    strcat(order, name);
    if (told++ == 2) {
        assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
        copy_file();
    }
    return told == refused ? -1 : 0;
}

static const H5L_class_t cls = {.version = H5L_LINK_CLASS_T_VERS_0, .id = (H5L_type_t)KIND, .trav_func = (H5L_traverse_func_t)(void (*)(void))follow, .del_func = deleted};

static void link_to(hid_t group, const char *name)
{
    assert_int_equal(H5Lcreate_ud(group, name, (H5L_type_t)KIND, name, 2, H5P_DEFAULT, H5P_DEFAULT), 0);
}

/* g has b, a, s (with z, and a hard link to t) and t (with y). */
static hid_t make(void)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t g = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t s = H5Gcreate2(g, "s", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t t = H5Gcreate2(g, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Lregister(&cls), 0);
    link_to(g, "b");
    link_to(g, "a");
    link_to(s, "z");
    link_to(t, "y");
    assert_int_equal(H5Lcreate_hard(g, "t", s, "t", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Gclose(s);
    H5Gclose(t);
    H5Gclose(g);
    told = refused = 0;
    order[0] = '\0';
    return file;
}

static void assert_whole(hid_t file, bool whole)
{
    static const char *const names[LINKS] = {"g/a", "g/b", "g/s/z", "g/t/y", "g/s/t/y"};
    assert_int_equal(H5Lexists(file, "g", H5P_DEFAULT), whole);
    for (int i = 0; whole && i < LINKS; i++)
        assert_int_equal(H5Lexists(file, names[i], H5P_DEFAULT), 1);
}

static void assert_image_is_whole(void)
{
    hid_t file = H5Fopen(image, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_whole(file, true);
    H5Fclose(file);
    unlink(image);
}

static void all_are_told_while_the_file_is_whole(void **state)
{
    (void)state;
    hid_t file = make();
    assert_int_equal(H5Ldelete(file, "g", H5P_DEFAULT), 0);
    assert_int_equal(told, 4);
    for (const char *name = "abyz"; *name; name++)
        assert_non_null(strchr(order, *name));
    assert_whole(file, false);
    assert_image_is_whole();
    assert_int_equal(H5Fclose(file), 0);
}

static void who_refuses_keeps_everything(void **state)
{
    (void)state;
    for (unsigned call = 1; call <= 4; call++) {
        hid_t file = make();
        refused = call;
        H5E_BEGIN_TRY
        {
            assert_int_equal(H5Ldelete(file, "g", H5P_DEFAULT), -1);
        }
        H5E_END_TRY
        assert_int_equal(told, call);
        assert_whole(file, true);
        assert_int_equal(H5Fclose(file), 0);
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_whole(file, true);
        H5Fclose(file);
    }
}

static void the_last_close_tells(void **state)
{
    (void)state;
    hid_t file = make(), g = H5Gopen2(file, "g", H5P_DEFAULT);
    assert_int_equal(H5Ldelete(file, "g", H5P_DEFAULT), 0);
    assert_int_equal(told, 0);
    assert_int_equal(H5Gclose(g), 0);
    assert_int_equal(told, 4);
    assert_int_equal(H5Fclose(file), 0);
}

/* One that stays because something else leads to it is not told of. */
static void what_stays_is_not_told_of(void **state)
{
    (void)state;
    hid_t file = make();
    assert_int_equal(H5Lcreate_hard(file, "g/t", file, "t", H5P_DEFAULT, H5P_DEFAULT), 0);
    assert_int_equal(H5Ldelete(file, "g", H5P_DEFAULT), 0);
    assert_int_equal(told, 3);
    assert_null(strchr(order, 'y'));
    assert_int_equal(H5Lexists(file, "t/y", H5P_DEFAULT), 1);
    assert_int_equal(H5Fclose(file), 0);
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/tessera-farewell-%d.h5", (int)getpid());
    snprintf(image, sizeof image, "%s.image", path);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(image);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_told_while_the_file_is_whole),
        cmocka_unit_test(who_refuses_keeps_everything),
        cmocka_unit_test(the_last_close_tells),
        cmocka_unit_test(what_stays_is_not_told_of),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
