/* Virtual mappings as they are in the global heap: names that are those of earlier mappings, and bytes that lie. */
#include "unit/cmocka_all.h"

#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "dataset/virtual_parts.h"
#include "space/space.h"

#define ALL "\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0"
#define TWO ALL ALL

static struct ts_space *shown(void)
{
    struct ts_space *s;
    hsize_t n = 5;
    assert_int_equal(ts_space_new_simple(1, &n, NULL, &s), 0);
    return s;
}

static struct ts_wr with_checksum(const void *bytes, size_t n)
{
    struct ts_wr w = {0};
    ts_wr_bytes(&w, bytes, n);
    ts_wr_checksum(&w, 0);
    return w;
}

static int decode(const void *bytes, size_t n, unsigned len_size, struct ts_vds *maps)
{
    struct ts_space *s = shown();
    struct ts_wr w = with_checksum(bytes, n);
    int status = ts_virtual_decode(w.data, w.size, len_size, s, maps);
    ts_wr_free(&w);
    ts_space_unref(s);
    return status;
}

static const char shared[] = "\1\5\0\0\0\0\0\0\0"
                             "\0first file\0first dataset\0" TWO
                             "\1\0\0\0\0\0\0\0\0also\0" TWO
                             "\4second dataset\0" TWO
                             "\3\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0" TWO
                             "\6\0\0\0\0\0\0\0\0" TWO;

static void names_of_earlier_mappings(void **state)
{
    static const char *const expected[][2] = {{"first file", "first dataset"}, {"first file", "also"}, {".", "second dataset"},
                                              {"first file", "second dataset"}, {".", "first dataset"}};
    struct ts_vds maps = {0};
    (void)state;
    assert_int_equal(decode(shared, sizeof shared - 1, 8, &maps), 0);
    assert_int_equal(maps.n, 5);
    for (size_t i = 0; i < maps.n; i++) {
        assert_string_equal(maps.maps[i].file, expected[i][0]);
        assert_string_equal(maps.maps[i].dset, expected[i][1]);
    }
    /* The same string, not a copy: a few bytes of a file must not become many names. */
    assert_ptr_equal(maps.maps[3].file, maps.maps[0].file);
    ts_vds_deinit(&maps);
}

/* Written again, a number is always that of the first mapping with the name. */
static void only_shorter_and_allowed(void **state)
{
    struct ts_vds maps = {0};
    struct ts_wr w = {0}, old = {0};
    (void)state;
    assert_int_equal(decode(shared, sizeof shared - 1, 8, &maps), 0);
    assert_int_equal(ts_virtual_encode(&maps, 8, H5F_LIBVER_V200, &w), 0);
    assert_int_equal(w.size, sizeof shared - 1 + 4);
    assert_memory_equal(w.data, shared, 84);
    assert_int_equal(ts_virtual_encode(&maps, 8, H5F_LIBVER_V110, &old), 0);
    assert_int_equal(old.data[0], 0);
    struct ts_vds again = {0};
    struct ts_space *s = shown();
    assert_int_equal(ts_virtual_decode(w.data, w.size, 8, s, &again), 0);
    assert_int_equal(again.n, maps.n);
    for (size_t i = 0; i < maps.n; i++) {
        assert_string_equal(again.maps[i].file, maps.maps[i].file);
        assert_string_equal(again.maps[i].dset, maps.maps[i].dset);
    }
    ts_vds_deinit(&again);
    ts_wr_free(&w);
    ts_wr_free(&old);
    /* Names of 7 letters and less are no longer than a number. */
    struct ts_vds few = {0};
    static const char brief[] = "\0\2\0\0\0\0\0\0\0" "1234567\0" "7654321\0" TWO "1234567\0" "7654321\0" TWO;
    assert_int_equal(decode(brief, sizeof brief - 1, 8, &few), 0);
    assert_int_equal(ts_virtual_encode(&few, 8, H5F_LIBVER_V200, &w), 0);
    assert_int_equal(w.size, sizeof brief - 1 + 4);
    assert_memory_equal(w.data, brief, sizeof brief - 1);
    ts_wr_free(&w);
    ts_vds_deinit(&few);
    ts_space_unref(s);
    ts_vds_deinit(&maps);
}

static void lies(void **state)
{
    static const struct {
        const char *what, *bytes;
        size_t n;
    } cases[] = {
#define LIE(what, bytes) {what, bytes, sizeof bytes - 1}
        LIE("version 2", "\2\0\0\0\0\0\0\0\0"),
        LIE("a name of itself", "\1\1\0\0\0\0\0\0\0" "\1\0\0\0\0\0\0\0\0x\0" TWO),
        LIE("a name of a later one", "\1\2\0\0\0\0\0\0\0" "\2f\0\1\0\0\0\0\0\0\0" TWO "\0f\0d\0" TWO),
        LIE("an enormous number", "\1\2\0\0\0\0\0\0\0" "\0f\0d\0" TWO "\1\377\377\377\377\377\377\377\377d\0" TWO),
        LIE("unknown flags", "\1\1\0\0\0\0\0\0\0" "\10f\0d\0" TWO),
        LIE("more entries than bytes", "\1\2\0\0\0\0\0\0\0" "\0f\0d\0" TWO),
        LIE("a number that is cut off", "\1\2\0\0\0\0\0\0\0" "\0f\0d\0" TWO "\1\0"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_vds maps = {0};
        if (decode(cases[i].bytes, cases[i].n, 8, &maps) == 0)
            fail_msg("%s", cases[i].what);
        ts_vds_deinit(&maps);
        ts_err_clear();
    }
    /* Every prefix. */
    for (size_t n = 0; n < sizeof shared - 1; n++) {
        struct ts_vds maps = {0};
        assert_int_equal(decode(shared, n, 8, &maps), -1);
        ts_vds_deinit(&maps);
        ts_err_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_earlier_mappings),
        cmocka_unit_test(only_shorter_and_allowed),
        cmocka_unit_test(lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
