/* A driver as an application writes one, behind the library's own interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "driver/driver.h"
#include "driver/user.h"

#define ROOM 4096

/* Two files with the same number are the same. */
struct memory {
    H5FD_t pub;
    uint8_t bytes[ROOM];
    haddr_t eoa, eof;
    int number;
    bool locked;
};

struct settings {
    int number;
    bool fail; /* opening */
};

static int open_files, lists_out, terminated, flushed, live_settings;
static const struct settings *next_settings;
static bool failing;

static H5FD_t *memory_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    assert_string_equal(name, "name");
    assert_int_equal(fapl, 42);
    assert_int_equal(maxaddr, ROOM);
    assert_int_equal(flags, H5F_ACC_RDWR | H5F_ACC_CREAT);
    struct memory *m = next_settings->fail ? NULL : calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->number = next_settings->number;
    open_files++;
    return &m->pub;
}

static herr_t memory_close(H5FD_t *f)
{
    free(f);
    open_files--;
    return 0;
}

static int memory_cmp(const H5FD_t *a, const H5FD_t *b)
{
    return ((const struct memory *)a)->number - ((const struct memory *)b)->number;
}

static herr_t memory_query(const H5FD_t *f, unsigned long *flags)
{
    (void)f;
    *flags = H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t memory_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct memory *)f)->eoa;
}

static herr_t memory_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct memory *)f)->eoa = addr;
    return addr > ROOM ? -1 : 0;
}

static haddr_t memory_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return failing ? HADDR_UNDEF : ((const struct memory *)f)->eof;
}

static herr_t memory_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    struct memory *m = (struct memory *)f;
    (void)type;
    (void)dxpl;
    if (addr + size > m->eoa)
        return -1;
    memcpy(buf, m->bytes + addr, size);
    return 0;
}

static herr_t memory_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    struct memory *m = (struct memory *)f;
    (void)type;
    (void)dxpl;
    if (failing || addr + size > m->eoa)
        return -1;
    memcpy(m->bytes + addr, buf, size);
    m->eof = addr + size > m->eof ? addr + size : m->eof;
    return 0;
}

/* Only shortens. */
static herr_t memory_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct memory *m = (struct memory *)f;
    (void)dxpl;
    (void)closing;
    if (m->eoa < m->eof) {
        memset(m->bytes + m->eoa, 0, (size_t)(m->eof - m->eoa));
        m->eof = m->eoa;
    }
    return 0;
}

static herr_t memory_flush(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    (void)f;
    (void)dxpl;
    (void)closing;
    flushed++;
    return 0;
}

static herr_t memory_lock(H5FD_t *f, hbool_t rw)
{
    struct memory *m = (struct memory *)f;
    if (m->locked)
        return -1;
    m->locked = rw;
    return 0;
}

static hsize_t memory_sb_size(H5FD_t *f)
{
    (void)f;
    return 4;
}

static herr_t memory_sb_encode(H5FD_t *f, char *name, unsigned char *p)
{
    memcpy(name, "MEMORY!!", 9);
    memcpy(p, &((struct memory *)f)->number, 4);
    return 0;
}

static herr_t memory_sb_decode(H5FD_t *f, const char *name, const unsigned char *p)
{
    memcpy(&((struct memory *)f)->number, p, 4);
    return strcmp(name, "MEMORY!!") == 0 ? 0 : -1;
}

static herr_t memory_terminate(void)
{
    terminated++;
    return 0;
}

static void *settings_copy(const void *info)
{
    struct settings *s = malloc(sizeof *s);
    assert_non_null(s);
    *s = *(const struct settings *)info;
    live_settings++;
    return s;
}

static herr_t settings_free(void *info)
{
    live_settings--;
    free(info);
    return 0;
}

static hid_t list_id(void *list)
{
    next_settings = list;
    lists_out++;
    return 42;
}

static void list_done(hid_t id)
{
    assert_int_equal(id, 42);
    lists_out--;
}

static const struct ts_user_lists lists = {list_id, list_done};
static const H5FD_class_t memory_class = {.version = H5FD_CLASS_VERSION,
                                          .value = H5_VFD_INVALID,
                                          .name = "memory",
                                          .maxaddr = ROOM,
                                          .terminate = memory_terminate,
                                          .sb_size = memory_sb_size,
                                          .sb_encode = memory_sb_encode,
                                          .sb_decode = memory_sb_decode,
                                          .fapl_size = sizeof(struct settings),
                                          .fapl_copy = settings_copy,
                                          .fapl_free = settings_free,
                                          .open = memory_open,
                                          .close = memory_close,
                                          .cmp = memory_cmp,
                                          .query = memory_query,
                                          .get_eoa = memory_get_eoa,
                                          .set_eoa = memory_set_eoa,
                                          .get_eof = memory_get_eof,
                                          .read = memory_read,
                                          .write = memory_write,
                                          .flush = memory_flush,
                                          .truncate = memory_truncate,
                                          .lock = memory_lock};

static struct ts_driver *opened(struct ts_user_class *cls, struct settings *s)
{
    struct ts_driver_config config = {.kind = TS_DRIVER_USER};
    struct ts_driver *d;
    config.user.cls = cls;
    config.user.list = s;
    assert_int_equal(ts_driver_open("name", TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d), 0);
    return d;
}

static int enter(void **cls)
{
    failing = false;
    terminated = flushed = 0;
    return ts_user_class_new(&memory_class, &lists, (struct ts_user_class **)cls);
}

static int leave(void **cls)
{
    ts_user_class_unref(*cls);
    return terminated == 1 && open_files == 0 && lists_out == 0 && live_settings == 0 ? 0 : -1;
}

static void test_bytes(void **cls)
{
    struct settings s = {1, false};
    struct ts_driver *d = opened(*cls, &s);
    char text[8] = "";
    haddr_t eof;
    struct ts_io_out v[2] = {{0, 3, "abc"}, {5, 2, "de"}};
    assert_int_equal(ts_driver_writev(d, v, 2), 0);
    assert_int_equal(ts_driver_read(d, 0, 7, text), 0);
    assert_memory_equal(text, "abc\0\0de", 7);
    assert_true(ts_driver_read(d, 5, 3, text) < 0);
    assert_int_equal(ts_driver_truncate(d, 2), 0);
    assert_true(ts_driver_read(d, 0, 3, text) < 0);
    /* Longer again: the driver cannot, so a byte is written. */
    assert_int_equal(ts_driver_truncate(d, 10), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 10);
    assert_int_equal(ts_driver_read(d, 0, 3, text), 0);
    assert_memory_equal(text, "ab", 3);
    assert_int_equal(ts_driver_truncate(d, 0), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 0);
    assert_int_equal(ts_driver_flush(d), 0);
    assert_int_equal(flushed, 1);
    assert_true(ts_driver_write(d, ROOM, 1, "x") < 0);
    failing = true;
    assert_true(ts_driver_write(d, 0, 1, "x") < 0);
    assert_true(ts_driver_eof(d, &eof) < 0);
    ts_err_clear();
    ts_driver_close(d);
}

static void test_identity_lock_info(void **cls)
{
    struct settings s[3] = {{1, false}, {2, false}, {1, false}};
    struct ts_driver *d[3];
    struct ts_driver_identity id[3];
    struct ts_wr w = {0};
    char name[8];
    void *handle;
    for (int i = 0; i < 3; i++) {
        d[i] = opened(*cls, &s[i]);
        assert_int_equal(d[i]->cls->identity(d[i], &id[i]), 0);
    }
    assert_true(id[0].inode == id[2].inode && id[0].device == id[2].device);
    assert_true(id[0].inode != id[1].inode);
    assert_int_equal(ts_driver_lock(d[0], true, TS_LOCK_STRICT), 0);
    assert_true(ts_driver_lock(d[0], true, TS_LOCK_STRICT) < 0);
    assert_int_equal(ts_driver_unlock(d[0]), 0);
    assert_true(d[0]->cls->handle(d[0], NULL, &handle) < 0);
    assert_int_equal(d[1]->cls->writing->info(d[1], name, &w), 0);
    assert_memory_equal(name, "MEMORY!!", 8);
    assert_int_equal(w.size, 4);
    assert_int_equal(d[0]->cls->apply_info(d[0], name, w.data, w.size), 0);
    assert_true(d[0]->cls->apply_info(d[0], name, w.data, 3) < 0);
    assert_true(d[0]->cls->apply_info(d[0], "OTHER   ", w.data, 4) < 0);
    ts_err_clear();
    ts_wr_free(&w);
    for (int i = 0; i < 3; i++)
        ts_driver_close(d[i]);
}

/* The settings go with the configuration, and so does the class: it may be unregistered while a list has it. */
static void test_settings(void **state)
{
    struct ts_user_class *cls = *state;
    struct settings s = {5, true};
    struct ts_driver_config config = {.kind = TS_DRIVER_USER}, copy, again;
    struct ts_driver *d;
    config.user.cls = cls;
    config.user.info = &s;
    assert_int_equal(ts_driver_config_copy(&copy, &config), 0);
    assert_int_equal(ts_driver_config_copy(&again, &copy), 0);
    assert_int_equal(live_settings, 2);
    assert_int_equal(((struct settings *)again.user.info)->number, 5);
    assert_true(ts_user_info_equal(cls, copy.user.info, again.user.info));
    ((struct settings *)again.user.info)->number = 6;
    assert_false(ts_user_info_equal(cls, copy.user.info, again.user.info));
    ts_driver_config_deinit(&again);
    ts_driver_config_deinit(&copy);
    /* Opening may fail, and needs a list. */
    config.user.info = NULL;
    assert_true(ts_driver_open("name", TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d) < 0);
    config.user.list = &s;
    assert_true(ts_driver_open("name", TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d) < 0);
    ts_err_clear();
    s.fail = false;
    ts_alloc_fail_at(1, TS_FAULT_ONCE);
    assert_true(ts_driver_open("name", TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d) < 0);
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    ts_err_clear();
    d = opened(cls, &s);
    struct ts_user_class *other;
    assert_int_equal(ts_user_class_new(&memory_class, &lists, &other), 0);
    struct ts_driver *in_other = opened(other, &s);
    ts_user_class_unref(other);
    assert_int_equal(ts_driver_write(in_other, 0, 1, "x"), 0);
    assert_int_equal(terminated, 0);
    ts_driver_close(in_other);
    assert_int_equal(terminated, 1);
    terminated = 0;
    ts_driver_close(d);
}

static unsigned vectors;

/* As the interface says: H5FD_MEM_NOLIST, or a size 0, is as before from there on. */
static herr_t memory_read_vector(H5FD_t *f, hid_t dxpl, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[],
                                 void *bufs[])
{
    assert_true(count > 0 && types[0] == H5FD_MEM_DEFAULT && types[1] == H5FD_MEM_NOLIST);
    vectors += count;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(sizes[i] > 0);
        if (memory_read(f, types[0], dxpl, addrs[i], sizes[i], bufs[i]) < 0)
            return -1;
    }
    return 0;
}

static herr_t memory_write_vector(H5FD_t *f, hid_t dxpl, uint32_t count, H5FD_mem_t types[], haddr_t addrs[], size_t sizes[],
                                  const void *bufs[])
{
    vectors += count;
    for (uint32_t i = 0; i < count; i++)
        if (memory_write(f, types[0], dxpl, addrs[i], sizes[i], bufs[i]) < 0)
            return -1;
    return 0;
}

/* Several parts are asked for in one call, by drivers that take such; parts of nothing are left out. */
static void test_vectors(void **cls)
{
    struct ts_user_class *plain = *cls, *user;
    H5FD_class_t calls = plain->calls;
    struct settings s = {1, false};
    char a[4] = "", b[4] = "";
    struct ts_io_out out[3] = {{0, 3, "abc"}, {9, 0, NULL}, {5, 2, "de"}};
    struct ts_io_vec in[3] = {{0, 3, a}, {3, 0, NULL}, {5, 2, b}};
    calls.read_vector = memory_read_vector;
    calls.write_vector = memory_write_vector;
    assert_int_equal(ts_user_class_new(&calls, &lists, &user), 0);
    struct ts_driver *d = opened(user, &s);
    vectors = 0;
    assert_int_equal(ts_driver_writev(d, out, 3), 0);
    assert_int_equal(vectors, 2);
    assert_int_equal(ts_driver_readv(d, in, 3), 0);
    assert_int_equal(vectors, 4);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "de");
    assert_int_equal(ts_driver_read(d, 0, 3, a), 0);
    assert_int_equal(vectors, 4);
    in[2].size = 3; /* behind the end: nothing is read */
    assert_true(ts_driver_readv(d, in, 3) < 0);
    assert_int_equal(vectors, 4);
    for (unsigned n = 1; n <= 3; n++) {
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        assert_true(ts_driver_writev(d, out, 3) < 0);
    }
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    failing = true;
    assert_true(ts_driver_writev(d, out, 3) < 0);
    failing = false;
    ts_err_clear();
    ts_driver_close(d);
    ts_user_class_unref(user);
    assert_int_equal(terminated, 1);
    terminated = 0;
}

/* A program of 1.10 has a class without what came later; nothing of it gets lost on the way there and back. */
static void test_class_of_110(void **cls)
{
    struct ts_user_class *user = *cls;
    H5FD_class_t wide;
    struct ts_class110 narrow;
    ts_class110_widen(&user->old, &wide);
    assert_int_equal(wide.version, H5FD_CLASS_VERSION);
    assert_int_equal(wide.value, H5_VFD_INVALID);
    assert_true(wide.read == memory_read && wide.unlock == NULL && wide.read_vector == NULL && wide.ctl == NULL);
    assert_string_equal(wide.name, "memory");
    ts_class110_narrow(&wide, &narrow);
    assert_memory_equal(&narrow, &user->old, sizeof narrow);
    assert_ptr_equal(ts_user_class_of(ts_user_class_shown(user)), user);
    assert_int_equal(sizeof narrow, 280);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)
    const struct CMUnitTest tests[] = {T(test_bytes), T(test_identity_lock_info), T(test_settings), T(test_vectors),
                                       T(test_class_of_110)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
