/* Every driver against a model that is an array of bytes: random writes, cuts, reads, closed and opened in between. */
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "driver/driver.h"

#define SPACE 6000
#define MEMBER 500

static char dir[64];
static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static char *path(const char *name)
{
    static char buf[4][160];
    static int next;
    char *p = buf[next++ % 4];
    snprintf(p, sizeof buf[0], "%s/%s", dir, name);
    return p;
}

static int enter(void **unused)
{
    (void)unused;
    snprintf(dir, sizeof dir, "/tmp/tessera-driver-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int leave(void **unused)
{
    (void)unused;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static long long file_size(const char *name)
{
    struct stat st;
    return stat(path(name), &st) == 0 ? (long long)st.st_size : -1;
}

static struct ts_driver_config plain(enum ts_driver_kind kind)
{
    return (struct ts_driver_config){.kind = kind};
}

static struct ts_driver_config core(bool backing)
{
    struct ts_driver_config c = {.kind = TS_DRIVER_CORE};
    c.core.increment = 512;
    c.core.backing_store = backing;
    return c;
}

static struct ts_driver_config family(void)
{
    struct ts_driver_config c = {.kind = TS_DRIVER_FAMILY};
    c.family.member_size = MEMBER;
    return c;
}

/* Raw data and global heaps in one file, all else in another. */
static struct ts_driver_config split(haddr_t raw)
{
    static char meta_name[] = "%s-m.h5", raw_name[] = "%s-r.h5";
    struct ts_driver_config c = {.kind = TS_DRIVER_MULTI};
    for (int i = 0; i < TS_MULTI_MEMBERS; i++) {
        c.multi.map[i] = i == H5FD_MEM_DRAW || i == H5FD_MEM_GHEAP ? H5FD_MEM_DRAW : H5FD_MEM_SUPER;
        c.multi.addr[i] = HADDR_UNDEF;
    }
    c.multi.name[H5FD_MEM_SUPER] = meta_name;
    c.multi.name[H5FD_MEM_DRAW] = raw_name;
    c.multi.addr[H5FD_MEM_SUPER] = 0;
    c.multi.addr[H5FD_MEM_DRAW] = raw;
    return c;
}

struct model {
    uint8_t bytes[2 * SPACE];
    size_t size;
};

static void model_resize(struct model *m, size_t size)
{
    if (size > m->size)
        memset(m->bytes + m->size, 0, size - m->size);
    m->size = size;
}

static void random_write(struct ts_driver *d, struct model *m)
{
    static uint8_t bytes[8][700];
    struct ts_io_out v[8];
    size_t n = 1 + draw(8);
    haddr_t addr = draw(SPACE);
    for (size_t i = 0; i < n; i++) {
        size_t size = draw(3) ? draw(60) : draw(700);
        for (size_t k = 0; k < size; k++)
            bytes[i][k] = (uint8_t)draw(256);
        v[i] = (struct ts_io_out){.addr = addr, .size = size, .buf = bytes[i]};
        /* Often back to back, as a commit writes. */
        addr = draw(3) ? addr + size : draw(SPACE);
        addr = addr > SPACE ? 0 : addr;
    }
    assert_int_equal(ts_driver_writev(d, v, n), 0);
    for (size_t i = 0; i < n; i++) {
        if (v[i].size == 0)
            continue;
        if (v[i].addr + v[i].size > m->size)
            model_resize(m, (size_t)v[i].addr + v[i].size);
        memcpy(m->bytes + v[i].addr, v[i].buf, v[i].size);
    }
}

static void check_reads(struct ts_driver *d, const struct model *m)
{
    static uint8_t bytes[2 * SPACE];
    haddr_t eof;
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, m->size);
    memset(bytes, 0xee, sizeof bytes);
    assert_int_equal(ts_driver_read(d, 0, m->size, bytes), 0);
    assert_memory_equal(bytes, m->bytes, m->size);
    size_t from = m->size ? draw((uint32_t)m->size) : 0, half = (m->size - from) / 2;
    struct ts_io_vec v[2] = {{from, half, bytes}, {from + half, m->size - from - half, bytes + half}};
    assert_int_equal(ts_driver_readv(d, v, 2), 0);
    assert_memory_equal(bytes, m->bytes + from, m->size - from);
    assert_true(ts_driver_read(d, m->size, 1, bytes) < 0);
    if (m->size > 0)
        assert_true(ts_driver_read(d, m->size - 1, 2, bytes) < 0);
    ts_err_clear();
}

static void against_model(const struct ts_driver_config *config, const char *name, bool lasting)
{
    struct model m = {.size = 0};
    struct ts_driver *d;
    state = 7;
    assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, config, &d), 0);
    for (int step = 0; step < 1500; step++) {
        unsigned what = draw(20);
        if (what < 12) {
            random_write(d, &m);
        } else if (what < 15) {
            model_resize(&m, draw(SPACE));
            assert_int_equal(ts_driver_truncate(d, m.size), 0);
        } else if (what == 15) {
            assert_int_equal(ts_driver_flush(d), 0);
        } else if (what == 16 && lasting && m.size > 0) {
            assert_int_equal(ts_driver_flush(d), 0);
            ts_driver_close(d);
            assert_int_equal(ts_driver_open(name, draw(2) ? TS_OPEN_WRITE : 0, config, &d), 0);
            check_reads(d, &m);
            ts_driver_close(d);
            assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE, config, &d), 0);
        }
        check_reads(d, &m);
    }
    ts_driver_close(d);
}

static void test_model_posix(void **unused)
{
    (void)unused;
    struct ts_driver_config c = plain(TS_DRIVER_SEC2);
    against_model(&c, path("sec2"), true);
    c = plain(TS_DRIVER_LOG);
    against_model(&c, path("log"), true);
    c = plain(TS_DRIVER_STDIO);
    against_model(&c, path("stdio"), true);
}

static void test_model_core(void **unused)
{
    (void)unused;
    struct ts_driver_config c = core(false);
    against_model(&c, path("nothing"), false);
    assert_int_equal(file_size("nothing"), -1);
    c = core(true);
    against_model(&c, path("core"), true);
}

static void test_model_family(void **unused)
{
    (void)unused;
    struct ts_driver_config c = family();
    against_model(&c, path("family-%d"), true);
}

/* Two regions that grow and shrink on their own. */
static void test_model_multi(void **unused)
{
    (void)unused;
    struct ts_driver_config c = split(HADDR_MAX / 2);
    struct model m[2] = {{.size = 0}, {.size = 0}};
    struct ts_driver *d;
    uint8_t bytes[300], back[300];
    assert_int_equal(ts_driver_open(path("multi"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, &c, &d), 0);
    for (int step = 0; step < 2000; step++) {
        int i = (int)draw(2);
        haddr_t base = i ? HADDR_MAX / 2 : 0, room;
        size_t at = draw(SPACE), size = 1 + draw(sizeof bytes - 1);
        memset(bytes, step, size);
        if (draw(4) == 0) {
            model_resize(&m[i], 1 + at);
            assert_int_equal(ts_driver_truncate(d, base + 1 + at), 0);
        } else {
            assert_int_equal(ts_driver_write(d, base + at, size, bytes), 0);
            if (at + size > m[i].size)
                model_resize(&m[i], at + size);
            memcpy(m[i].bytes + at, bytes, size);
        }
        size = size < m[i].size ? size : m[i].size;
        assert_int_equal(ts_driver_read(d, base + m[i].size - size, size, back), 0);
        assert_memory_equal(back, m[i].bytes + m[i].size - size, size);
        assert_int_equal(d->cls->room(d, base, &room), 0);
        assert_int_equal(room, m[i].size);
    }
    assert_int_equal(file_size("multi-m.h5"), m[0].size);
    assert_int_equal(file_size("multi-r.h5"), m[1].size);
    assert_int_equal(ts_driver_truncate(d, 0), 0);
    ts_driver_close(d);
    assert_int_equal(file_size("multi-m.h5"), 0);
    assert_int_equal(file_size("multi-r.h5"), 0);
}

static void test_multi_regions_and_info(void **unused)
{
    (void)unused;
    /* As libhdf5 writes it for H5Pset_fapl_split. */
    static const uint8_t expected[] = {1,    1,    3,    3,    1,   1, 0,   0,   0,   0,   0,    0,    0,    0,
                                       0,    0,    5,    0,    0,   0, 0,   0,   0,   0,   0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0xff, 0x7f, 3,   0, 0,   0,   0,   0,   0,    0,    '%',  's',
                                       '-',  'm',  '.',  'h',  '5', 0, '%', 's', '-', 'r', '.',  'h',  '5',  0};
    haddr_t raw = UINT64_C(0x7fffffffffffffff), start, limit;
    struct ts_driver_config c = split(raw);
    struct ts_wr w = {0};
    char id[8];
    struct ts_driver *d;
    assert_int_equal(ts_driver_open(path("multi"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d), 0);
    const struct ts_driver_writing *wr = d->cls->writing;
    assert_int_equal(wr->region(d, H5FD_MEM_OHDR, &start, &limit), 0);
    assert_int_equal(start, 0);
    assert_int_equal(limit, raw);
    assert_int_equal(wr->region(d, H5FD_MEM_GHEAP, &start, &limit), 0);
    assert_int_equal(start, raw);
    assert_int_equal(limit, HADDR_MAX);
    assert_int_equal(ts_driver_write(d, 0, 5, "12345"), 0);
    assert_int_equal(ts_driver_truncate(d, raw + 3), 0);
    assert_int_equal(wr->info(d, id, &w), 0);
    assert_memory_equal(id, "NCSAmult", 8);
    assert_int_equal(w.size, sizeof expected);
    assert_memory_equal(w.data, expected, sizeof expected);
    /* What was written is understood, under another map as well, and members stay locked when they stay. */
    assert_int_equal(ts_driver_lock(d, true, TS_LOCK_STRICT), 0);
    assert_int_equal(d->cls->apply_info(d, id, w.data, w.size), 0);
    char text[5];
    assert_int_equal(ts_driver_read(d, 0, 5, text), 0);
    assert_memory_equal(text, "12345", 5);
    ts_wr_free(&w);
    ts_driver_close(d);
}

static void test_family_members(void **unused)
{
    (void)unused;
    struct ts_driver_config c = family();
    struct ts_wr w = {0};
    char id[8];
    struct ts_driver *d;
    haddr_t eof;
    assert_int_equal(ts_driver_open(path("f-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d), 0);
    assert_int_equal(ts_driver_write(d, 3 * MEMBER + 10, 5, "hello"), 0);
    assert_int_equal(file_size("f-0"), MEMBER);
    assert_int_equal(file_size("f-2"), MEMBER);
    assert_int_equal(file_size("f-3"), 15);
    assert_int_equal(file_size("f-4"), -1);
    /* Across the border, and what no longer belongs to the file is emptied. */
    assert_int_equal(ts_driver_write(d, MEMBER - 2, 5, "abcde"), 0);
    assert_int_equal(ts_driver_truncate(d, MEMBER + 2), 0);
    assert_int_equal(file_size("f-0"), MEMBER);
    assert_int_equal(file_size("f-1"), 2);
    assert_int_equal(file_size("f-2"), 0);
    assert_int_equal(file_size("f-3"), 0);
    assert_int_equal(d->cls->writing->info(d, id, &w), 0);
    assert_memory_equal(id, "NCSAfami", 8);
    assert_int_equal(w.size, 8);
    assert_int_equal(w.data[0] | w.data[1] << 8, MEMBER);
    ts_driver_close(d);
    /* Opened without knowing the member size. */
    c.family.member_size = 0;
    assert_int_equal(ts_driver_open(path("f-%d"), TS_OPEN_WRITE, &c, &d), 0);
    assert_int_equal(d->cls->apply_info(d, id, w.data, w.size), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, MEMBER + 2);
    assert_int_equal(ts_driver_truncate(d, 10), 0);
    ts_driver_close(d);
    /* One member with something in it says nothing about how long it may become. */
    assert_int_equal(ts_driver_open(path("f-%d"), 0, &c, &d), 0);
    assert_int_equal(d->cls->apply_info(d, id, w.data, w.size), 0);
    ts_driver_close(d);
    ts_wr_free(&w);
    assert_true(ts_driver_open(path("g-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d) < 0);
    ts_err_clear();
}

/* Who makes the first member exclusively takes what is left of others with the same names. */
static void test_family_exclusive(void **unused)
{
    (void)unused;
    struct ts_driver_config c = family();
    struct ts_driver *d;
    haddr_t eof;
    assert_int_equal(ts_driver_open(path("f-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, &c, &d), 0);
    assert_int_equal(ts_driver_write(d, 2 * MEMBER, 1, "x"), 0);
    ts_driver_close(d);
    assert_true(ts_driver_open(path("f-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, &c, &d) < 0);
    ts_err_clear();
    assert_int_equal(unlink(path("f-0")), 0);
    assert_int_equal(ts_driver_open(path("f-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, &c, &d), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 0);
    assert_int_equal(file_size("f-2"), 0);
    ts_driver_close(d);
}

static void test_open_flags(void **unused)
{
    (void)unused;
    struct ts_driver_config c = plain(TS_DRIVER_SEC2);
    struct ts_driver *d;
    assert_true(ts_driver_open(path("x"), TS_OPEN_WRITE, &c, &d) < 0);
    assert_int_equal(ts_driver_open(path("x"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_TRUNC, &c, &d), 0);
    assert_int_equal(ts_driver_write(d, 0, 4, "data"), 0);
    ts_driver_close(d);
    assert_true(ts_driver_open(path("x"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL, &c, &d) < 0);
    ts_err_clear();
    /* Another may have the lock: opening must not cut what it has. */
    assert_int_equal(ts_driver_open(path("x"), TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_TRUNC, &c, &d), 0);
    assert_int_equal(file_size("x"), 4);
    assert_int_equal(ts_driver_truncate(d, 0), 0);
    assert_int_equal(file_size("x"), 0);
    ts_driver_close(d);
}

static void test_core_store(void **unused)
{
    (void)unused;
    struct ts_driver_config c = core(true);
    struct ts_driver *d;
    struct ts_driver_identity a, b;
    static uint8_t big[300000];
    assert_int_equal(ts_driver_open(path("c"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d), 0);
    memset(big, 1, sizeof big);
    assert_int_equal(ts_driver_write(d, 0, sizeof big, big), 0);
    assert_int_equal(file_size("c"), 0);
    assert_int_equal(ts_driver_flush(d), 0);
    assert_int_equal(file_size("c"), sizeof big);
    /* Only pages that changed are written again: the others show what somebody else wrote. */
    FILE *file = fopen(path("c"), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 5, SEEK_SET), 0);
    assert_int_equal(fputc('!', file), '!');
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ts_driver_write(d, 200000, 3, "new"), 0);
    assert_int_equal(ts_driver_flush(d), 0);
    assert_int_equal(d->cls->identity(d, &a), 0);
    assert_false(a.unique);
    ts_driver_close(d);
    c = plain(TS_DRIVER_SEC2);
    assert_int_equal(ts_driver_open(path("c"), 0, &c, &d), 0);
    assert_int_equal(d->cls->identity(d, &b), 0);
    assert_true(a.device == b.device && a.inode == b.inode);
    assert_int_equal(ts_driver_read(d, 5, 1, big), 0);
    assert_int_equal(big[0], '!');
    assert_int_equal(ts_driver_read(d, 199999, 4, big), 0);
    assert_memory_equal(big, "\1new", 4);
    ts_driver_close(d);
    /* Not flushed, not there. */
    c = core(false);
    assert_int_equal(ts_driver_open(path("c"), TS_OPEN_WRITE, &c, &d), 0);
    assert_int_equal(ts_driver_truncate(d, 1), 0);
    assert_int_equal(ts_driver_flush(d), 0);
    ts_driver_close(d);
    assert_int_equal(file_size("c"), sizeof big);
}

static void test_core_image(void **unused)
{
    (void)unused;
    struct ts_driver_config c = core(true);
    struct ts_driver *d;
    haddr_t eof;
    c.core.image = "image";
    c.core.image_size = 5;
    assert_int_equal(ts_driver_open(path("i"), TS_OPEN_WRITE, &c, &d), 0);
    assert_int_equal(file_size("i"), 5);
    assert_int_equal(ts_driver_write(d, 5, 1, "!"), 0);
    assert_int_equal(ts_driver_flush(d), 0);
    ts_driver_close(d);
    assert_int_equal(file_size("i"), 6);
    assert_true(ts_driver_open(path("i"), TS_OPEN_WRITE, &c, &d) < 0);
    ts_err_clear();
    /* A new file has no image. */
    assert_int_equal(ts_driver_open(path("j"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d), 0);
    assert_int_equal(ts_driver_eof(d, &eof), 0);
    assert_int_equal(eof, 0);
    ts_driver_close(d);
}

/* The limit on the size of files gives an error, and what fits is there. */
static void test_no_space(void **unused)
{
    (void)unused;
    struct ts_driver_config c = plain(TS_DRIVER_SEC2);
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
        struct ts_driver *d;
        static uint8_t bytes[4000];
        signal(SIGXFSZ, SIG_IGN);
        struct ts_io_out v[2] = {{0, 600, bytes}, {600, 600, bytes}};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
            ts_driver_open(path("n"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d) < 0)
            _exit(1);
        bool good = ts_driver_writev(d, v, 2) < 0 && ts_err_mark() == 1 && ts_driver_truncate(d, 2000) < 0 &&
                    file_size("n") == 1000 && ts_driver_writev(d, v, 1) == 0;
        ts_driver_close(d);
        _exit(good ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Other file systems take what they like. */
static bool on_ext4(void)
{
    struct statfs fs;
    return statfs(dir, &fs) == 0 && fs.f_type == EXT4_SUPER_MAGIC;
}

static void assert_disk_use(const char *name, long long least, long long most)
{
    struct stat st;
    assert_int_equal(stat(path(name), &st), 0);
    if (on_ext4())
        assert_in_range(st.st_blocks * 512, least, most + 65536);
}

/* A child that was forked must leave the room of its parent alone, and how long the file is. */
static void close_in_child(struct ts_driver *d)
{
    pid_t child = fork();
    if (child == 0) {
        ts_driver_close(d);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_reserved_room(void **unused)
{
    (void)unused;
    enum { STEP = 300000, STEPS = 60 };
    static uint8_t bytes[STEP];
    struct ts_driver_config config = plain(TS_DRIVER_SEC2);
    struct ts_driver *d;
    assert_int_equal(ts_driver_open(path("room"), TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d), 0);
    for (int i = 0; i < STEPS; i++) {
        struct ts_io_out v = {.addr = (haddr_t)i * STEP, .size = STEP, .buf = bytes};
        assert_int_equal(ts_driver_writev(d, &v, 1), 0);
        assert_int_equal(file_size("room"), (i + 1) * STEP);
        if (i < 10)
            assert_disk_use("room", 0, (i + 1) * STEP);
    }
    assert_disk_use("room", STEPS * STEP + 1000000, 2 * STEPS * STEP);
    close_in_child(d);
    assert_disk_use("room", STEPS * STEP + 1000000, 2 * STEPS * STEP);
    ts_driver_close(d);
    assert_int_equal(file_size("room"), STEPS * STEP);
    assert_disk_use("room", 0, STEPS * STEP);
}

/* What a writer that was killed had reserved is little, and goes with the next that opens the file and closes it. */
static void test_killed_with_room(void **unused)
{
    (void)unused;
    enum { STEP = 1000000, STEPS = 40, MOST = 8 << 20 };
    static uint8_t bytes[STEP];
    struct ts_driver_config config = plain(TS_DRIVER_SEC2);
    struct ts_driver *d;
    pid_t child = fork();
    if (child == 0) {
        bool good = ts_driver_open(path("killed"), TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d) == 0;
        for (int i = 0; i < STEPS && good; i++)
            good = ts_driver_write(d, (haddr_t)i * STEP, STEP, bytes) == 0;
        kill(getpid(), good ? SIGKILL : SIGTERM);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_disk_use("killed", STEPS * STEP + 2 * STEP, STEPS * STEP + MOST);
    assert_int_equal(ts_driver_open(path("killed"), TS_OPEN_WRITE, &config, &d), 0);
    ts_driver_close(d);
    assert_int_equal(file_size("killed"), STEPS * STEP);
    assert_disk_use("killed", 0, STEPS * STEP);
}

/* Opening a FIFO waits for nobody, and says what it is. */
static void test_not_files(void **unused)
{
    (void)unused;
    struct ts_driver_config config = plain(TS_DRIVER_SEC2);
    static const unsigned ways[] = {0, TS_OPEN_WRITE, TS_OPEN_WRITE | TS_OPEN_CREATE};
    struct ts_driver *d;
    assert_int_equal(mkfifo(path("fifo"), 0666), 0);
    assert_int_equal(mkdir(path("folder"), 0777), 0);
    alarm(20);
    for (int i = 0; i < 3; i++)
        for (int folder = 0; folder < 2; folder++) {
            assert_true(ts_driver_open(path(folder ? "folder" : "fifo"), ways[i], &config, &d) < 0);
            assert_non_null(strstr(ts_err_current()->rec[0].text, folder ? "errno = 21" : "errno = 29"));
            ts_err_clear();
        }
    alarm(0);
    void *fd;
    assert_int_equal(ts_driver_open(path("file"), TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d), 0);
    assert_int_equal(d->cls->handle(d, NULL, &fd), 0);
    assert_int_equal(fcntl(*(int *)fd, F_GETFL) & O_NONBLOCK, 0);
    ts_driver_close(d);
}

/* Holes that a file has stay holes where nobody writes, and so does what is far behind its end. */
static void test_holes_stay(void **unused)
{
    (void)unused;
    enum { STEP = 1000000, STEPS = 10, LONG = 200000000 };
    static uint8_t bytes[STEP];
    struct ts_driver_config config = plain(TS_DRIVER_SEC2);
    struct ts_driver *d;
    for (int behind = 0; behind < 2; behind++) {
        assert_int_equal(ts_driver_open(path("holes"), TS_OPEN_WRITE | TS_OPEN_CREATE, &config, &d), 0);
        assert_int_equal(ts_driver_truncate(d, behind ? 0 : LONG), 0);
        for (int i = 0; i < STEPS; i++) {
            struct ts_io_out v = {.addr = (haddr_t)LONG / 2 + (haddr_t)i * STEP, .size = STEP, .buf = bytes};
            assert_int_equal(ts_driver_writev(d, &v, 1), 0);
        }
        assert_disk_use("holes", 0, (1 + behind) * STEPS * STEP);
        ts_driver_close(d);
        assert_disk_use("holes", 0, STEPS * STEP);
    }
}

static void expect_locks(const struct ts_driver_config *config, const char *name, bool shared, bool exclusive)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct ts_driver *d;
        if (ts_driver_open(name, TS_OPEN_WRITE, config, &d) < 0)
            _exit(9);
        int got = (ts_driver_lock(d, true, TS_LOCK_STRICT) == 0) << 1;
        got |= ts_driver_unlock(d) < 0 ? 4 : 0;
        got |= ts_driver_lock(d, false, TS_LOCK_STRICT) == 0;
        ts_driver_close(d);
        _exit(got);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), shared | exclusive << 1);
}

static void lock_steps(const struct ts_driver_config *config, const char *name)
{
    struct ts_driver *d;
    assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE | TS_OPEN_CREATE, config, &d), 0);
    assert_int_equal(ts_driver_write(d, 0, 1, "x"), 0);
    assert_int_equal(ts_driver_flush(d), 0);
    expect_locks(config, name, true, true);
    assert_int_equal(ts_driver_lock(d, true, TS_LOCK_NONE), 1);
    expect_locks(config, name, true, true);
    assert_int_equal(ts_driver_lock(d, true, TS_LOCK_BEST_EFFORT), 0);
    expect_locks(config, name, false, false);
    assert_int_equal(ts_driver_unlock(d), 0);
    expect_locks(config, name, true, true);
    assert_int_equal(ts_driver_lock(d, false, TS_LOCK_STRICT), 0);
    expect_locks(config, name, true, false);
    ts_driver_close(d);
    assert_int_equal(ts_driver_open(name, TS_OPEN_WRITE, config, &d), 0);
    expect_locks(config, name, true, true);
    ts_driver_close(d);
}

static void test_locks(void **unused)
{
    (void)unused;
    struct ts_driver_config c = plain(TS_DRIVER_SEC2);
    lock_steps(&c, path("sec2"));
    c = core(true);
    lock_steps(&c, path("core"));
    c = family();
    lock_steps(&c, path("family-%d"));
    c = split(HADDR_MAX / 2);
    lock_steps(&c, path("multi"));
}

/* Members that come later are as locked as the others. */
static void test_lock_new_member(void **unused)
{
    (void)unused;
    struct ts_driver_config c = family(), sec2 = plain(TS_DRIVER_SEC2);
    struct ts_driver *d, *other;
    assert_int_equal(ts_driver_open(path("f-%d"), TS_OPEN_WRITE | TS_OPEN_CREATE, &c, &d), 0);
    assert_int_equal(ts_driver_lock(d, true, TS_LOCK_STRICT), 0);
    assert_int_equal(ts_driver_write(d, MEMBER, 1, "x"), 0);
    assert_int_equal(ts_driver_open(path("f-1"), TS_OPEN_WRITE, &sec2, &other), 0);
    assert_true(ts_driver_lock(other, false, TS_LOCK_BEST_EFFORT) < 0);
    ts_err_clear();
    ts_driver_close(d);
    assert_int_equal(ts_driver_lock(other, false, TS_LOCK_BEST_EFFORT), 0);
    ts_driver_close(other);
}

static int no_locks(struct ts_driver *d, bool exclusive)
{
    (void)d;
    (void)exclusive;
    return 1;
}

static void test_lock_policy(void **unused)
{
    (void)unused;
    static const struct {
        const char *value;
        enum ts_lock_policy off, best, strict;
    } cases[] = {{NULL, TS_LOCK_NONE, TS_LOCK_BEST_EFFORT, TS_LOCK_STRICT},
                 {"nonsense", TS_LOCK_NONE, TS_LOCK_BEST_EFFORT, TS_LOCK_STRICT},
                 {"FALSE", TS_LOCK_NONE, TS_LOCK_NONE, TS_LOCK_NONE},
                 {"0", TS_LOCK_NONE, TS_LOCK_NONE, TS_LOCK_NONE},
                 {"TRUE", TS_LOCK_STRICT, TS_LOCK_STRICT, TS_LOCK_STRICT},
                 {"1", TS_LOCK_STRICT, TS_LOCK_STRICT, TS_LOCK_STRICT},
                 {"BEST_EFFORT", TS_LOCK_BEST_EFFORT, TS_LOCK_BEST_EFFORT, TS_LOCK_BEST_EFFORT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].value)
            setenv("HDF5_USE_FILE_LOCKING", cases[i].value, 1);
        else
            unsetenv("HDF5_USE_FILE_LOCKING");
        assert_int_equal(ts_driver_lock_policy(false, true), cases[i].off);
        assert_int_equal(ts_driver_lock_policy(true, true), cases[i].best);
        assert_int_equal(ts_driver_lock_policy(true, false), cases[i].strict);
    }
    unsetenv("HDF5_USE_FILE_LOCKING");
    const struct ts_driver_class cls = {.lock = no_locks};
    struct ts_driver d = {.cls = &cls};
    assert_int_equal(ts_driver_lock(&d, true, TS_LOCK_BEST_EFFORT), 1);
    assert_true(ts_driver_lock(&d, true, TS_LOCK_STRICT) < 0);
    ts_err_clear();
}

static int use_all(const struct ts_driver_config *config, const char *name)
{
    struct ts_driver *d;
    struct ts_wr w = {0};
    char id[8];
    if (ts_driver_open(name, TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_TRUNC, config, &d) < 0)
        return -1;
    int status = ts_driver_truncate(d, 0);
    status = status < 0 ? -1 : ts_driver_lock(d, true, TS_LOCK_STRICT);
    status = status < 0 ? -1 : ts_driver_write(d, 4000, 5, "tail!");
    status = status < 0 ? -1 : ts_driver_write(d, 0, 5, "head!");
    if (status == 0 && d->cls->writing->info)
        status = d->cls->writing->info(d, id, &w);
    if (status == 0 && d->cls->apply_info)
        status = d->cls->apply_info(d, id, w.data, w.size);
    status = status < 0 ? -1 : ts_driver_flush(d);
    ts_wr_free(&w);
    ts_driver_close(d);
    return status;
}

static void test_allocation_failures(void **unused)
{
    (void)unused;
    struct ts_driver_config configs[] = {plain(TS_DRIVER_SEC2), core(false), core(true), family(), split(3000)};
    const char *names[] = {"a", "b", "c", "d-%d", "e"};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(use_all(&configs[i], path(names[i])), 0);
        unsigned long n = 0;
        int status;
        do {
            ts_alloc_fail_at(++n, TS_FAULT_ONCE);
            status = use_all(&configs[i], path(names[i]));
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            assert_true(status == 0 || ts_err_no_memory(0));
            ts_err_clear();
        } while (status < 0);
        assert_true(n > 2);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)
    const struct CMUnitTest tests[] = {T(test_model_posix),
                                       T(test_model_core),
                                       T(test_model_family),
                                       T(test_model_multi),
                                       T(test_multi_regions_and_info),
                                       T(test_family_members),
                                       T(test_family_exclusive),
                                       T(test_open_flags),
                                       T(test_core_store),
                                       T(test_core_image),
                                       T(test_no_space),
                                       T(test_reserved_room),
                                       T(test_killed_with_room),
                                       T(test_not_files),
                                       T(test_holes_stay),
                                       T(test_locks),
                                       T(test_lock_new_member),
                                       T(test_lock_policy),
                                       T(test_allocation_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
