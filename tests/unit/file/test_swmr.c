/* SWMR between processes: what the superblock says byte by byte, who has which lock, who may open the file when, and what
 * is left when a writer dies. */
#define _GNU_SOURCE /* locks of open files */
#include "unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5.h"
#include "support/recorder.h"

static const char *path = "file_swmr.h5";

enum { RO = 0, RW = 1, SW = 0x20, SR = 0x40 };

static hid_t latest(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    return fapl;
}

/* A dataset of rows that may grow, with an extensible array; chunks move when they are written. */
static void make_by(hid_t fcpl)
{
    hid_t fapl = latest(), f = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    hsize_t none = 0, many = H5S_UNLIMITED, chunk = 4;
    hid_t space = H5Screate_simple(1, &none, &many), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_fletcher32(dcpl);
    hid_t d = H5Dcreate2(f, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    assert_true(H5Fclose(f) >= 0);
    H5Pclose(fapl);
}

static void make(void)
{
    make_by(H5P_DEFAULT);
}

static int append(hid_t d, int value)
{
    hsize_t n, one = 1;
    hid_t space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, &n, NULL);
    H5Sclose(space);
    hsize_t more = n + 1;
    if (H5Dset_extent(d, &more) < 0)
        return -1;
    space = H5Dget_space(d);
    hid_t mem = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &n, NULL, &one, NULL);
    int status = H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value);
    H5Sclose(mem);
    H5Sclose(space);
    return status;
}

/* How many rows there are, each of which must be 100 and its number; -1 when they cannot be read. */
static int count_rows(hid_t f)
{
    int rows[100];
    hsize_t n = 0;
    hid_t d = H5Dopen2(f, "rows", H5P_DEFAULT), space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, &n, NULL);
    herr_t status = n <= 100 ? H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) : -1;
    H5Sclose(space);
    H5Dclose(d);
    for (hsize_t i = 0; status >= 0 && i < n; i++)
        assert_int_equal(rows[i], 100 + i);
    return status < 0 ? -1 : (int)n;
}

static int flags_in_file(void)
{
    unsigned char head[12];
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
    fclose(in);
    assert_int_equal(head[8], 3);
    return head[11];
}

/* Whether another could have the lock: 's' a shared one, 'x' also an exclusive one, '-' none. */
static char flock_left(void)
{
    int fd = open(path, O_RDWR);
    char left = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 'x' : flock(fd, LOCK_SH | LOCK_NB) == 0 ? 's' : '-';
    close(fd);
    return left;
}

/* The same for the lock of life. */
static char life_left(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
    int fd = open(path, O_RDWR);
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
    close(fd);
    return lock.l_type == F_UNLCK ? 'x' : lock.l_type == F_RDLCK ? 's' : '-';
}

/* Another process that opens the file, does as many steps as it is told to, and says how it went. */
struct other {
    pid_t pid;
    int to, from;
};

static char serve_one(hid_t *f, hid_t *d, char what)
{
    static int next = 100, seen;
    switch (what) {
    case 'a': /* append and flush */
        return append(*d, next++) >= 0 && H5Fflush(*f, H5F_SCOPE_GLOBAL) >= 0 ? 'y' : 'n';
    case 'u': /* append, no flush */
        return append(*d, next++) >= 0 ? 'y' : 'n';
    case 's':
        return H5Fstart_swmr_write(*f) >= 0 ? 'y' : 'n';
    case 'c':
        H5Dclose(*d);
        return H5Fclose(*f) >= 0 ? 'y' : 'n';
    case 'n':
        next = 100 + count_rows(*f);
        return 'y';
    case 'r': /* as many rows as the last that looked, or more */
        seen = count_rows(*f) >= seen ? count_rows(*f) : 1000;
        return seen < 1000 ? 'y' : 'n';
    default:
        return 'n';
    }
}

static void serve(unsigned mode, int in, int out)
{
    char what, answer;
    hid_t f = H5Fopen(path, mode, H5P_DEFAULT), d = f >= 0 ? H5Dopen2(f, "rows", H5P_DEFAULT) : -1;
    answer = d >= 0 ? 'y' : 'n';
    while (write(out, &answer, 1) == 1 && read(in, &what, 1) == 1)
        answer = serve_one(&f, &d, what);
    _exit(0);
}

static bool answered(const struct other *o)
{
    char answer = 'n';
    assert_int_equal(read(o->from, &answer, 1), 1);
    return answer == 'y';
}

static bool start(unsigned mode, struct other *o)
{
    int to[2], from[2];
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    o->pid = fork();
    if (o->pid == 0)
        serve(mode, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    o->to = to[1];
    o->from = from[0];
    return answered(o);
}

static bool tell(struct other *o, char what)
{
    assert_int_equal(write(o->to, &what, 1), 1);
    return answered(o);
}

static void kill_it(struct other *o)
{
    kill(o->pid, SIGKILL);
    waitpid(o->pid, NULL, 0);
    close(o->to);
    close(o->from);
}

static void flags_and_locks(void **state)
{
    (void)state;
    make();
    struct other o;
    assert_int_equal(flags_in_file(), 0);
    assert_true(start(RW, &o));
    assert_int_equal(flock_left(), '-');
    assert_int_equal(life_left(), 'x');
    assert_true(tell(&o, 'a'));
    assert_int_equal(flags_in_file(), 1);
    assert_true(tell(&o, 's'));
    assert_int_equal(flags_in_file(), 7);
    assert_int_equal(flock_left(), 'x');
    assert_int_equal(life_left(), '-');
    assert_true(tell(&o, 'a'));
    assert_int_equal(flags_in_file(), 7);
    struct other reader;
    assert_true(start(RO | SR, &reader));
    assert_int_equal(flock_left(), 's');
    assert_true(tell(&o, 'c'));
    assert_int_equal(flags_in_file(), 0);
    assert_int_equal(life_left(), 'x');
    assert_int_equal(flock_left(), 's');
    kill_it(&reader);
    kill_it(&o);
    assert_int_equal(flock_left(), 'x');
}

static void opened_as_a_writer(void **state)
{
    (void)state;
    make();
    struct other o;
    assert_true(start(RW | SW, &o));
    assert_int_equal(flags_in_file(), 7);
    assert_int_equal(flock_left(), 'x');
    assert_int_equal(life_left(), '-');
    assert_true(tell(&o, 'c'));
    assert_int_equal(flags_in_file(), 0);
    kill_it(&o);
}

/* Whatever the bounds are, a file that is made for SWMR has checksums from its root on. */
static void created_as_a_writer(void **state)
{
    (void)state;
    char magic[4];
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC | SW, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_int_equal(flags_in_file(), 7);
    H5O_info2_t info;
    haddr_t root;
    assert_true(H5Oget_info3(f, &info, H5O_INFO_BASIC) >= 0);
    memcpy(&root, &info.token, sizeof root);
    H5Fclose(f);
    assert_int_equal(flags_in_file(), 0);
    int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, magic, 4, (off_t)root), 4);
    close(fd);
    assert_memory_equal(magic, "OHDR", 4);
}

/* Without locks there is none of life either, and the mark does not say that there is one. */
static void without_locks(void **state)
{
    (void)state;
    make();
    struct other o;
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_true(start(RW | SW, &o));
    assert_int_equal(flags_in_file(), 5);
    assert_int_equal(life_left(), 'x');
    assert_true(tell(&o, 'a'));
    assert_int_equal(flags_in_file(), 5);
    hid_t f = H5Fopen(path, RO | SR, H5P_DEFAULT);
    assert_int_equal(count_rows(f), 1);
    H5Fclose(f);
    assert_true(H5Fopen(path, RO, H5P_DEFAULT) < 0);
    assert_true(H5Fopen(path, RW | SW, H5P_DEFAULT) < 0);
    unsetenv("HDF5_USE_FILE_LOCKING");
    assert_true(H5Fopen(path, RO, H5P_DEFAULT) < 0);
    assert_true(H5Fopen(path, RW, H5P_DEFAULT) < 0);
    kill_it(&o);
}

static herr_t find_text(unsigned n, const H5E_error2_t *err, void *text)
{
    (void)n;
    const char **wanted = text;
    if (*wanted && err->desc && strstr(err->desc, *wanted))
        *wanted = NULL;
    return 0;
}

/* The error says what is in the way, and what to do. */
static void refused(unsigned mode, const char *why)
{
    hid_t f = H5Fopen(path, mode, H5P_DEFAULT);
    assert_true(f < 0);
    const char *left = why;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_text, &left);
    if (left)
        fail_msg("no error says '%s'", why);
}

static void allowed(unsigned mode)
{
    hid_t f = H5Fopen(path, mode, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_true(count_rows(f) >= 0);
    H5Fclose(f);
}

static void rules(void **state)
{
    (void)state;
    static const unsigned modes[] = {RO, RO | SR, RW, RW | SW};
    /* NULL: it may. Rows: who has the file; columns: who comes. */
    static const char *const table[4][4] = {
        {NULL, NULL, "readers have it open", "readers have it open"},
        {NULL, NULL, "readers have it open", "a SWMR writer comes first"},
        {"let it call H5Fstart_swmr_write", "let it call H5Fstart_swmr_write", "a writer has it open", "a writer has it open"},
        {"use H5F_ACC_RDONLY | H5F_ACC_SWMR_READ", NULL, "a writer has it open", "a writer has it open"},
    };
    for (int has = 0; has < 4; has++)
        for (int comes = 0; comes < 4; comes++) {
            make();
            struct other o;
            assert_true(start(modes[has], &o));
            if (table[has][comes])
                refused(modes[comes], table[has][comes]);
            else
                allowed(modes[comes]);
            kill_it(&o);
        }
}

/* A SWMR writer and its readers: others see no difference. */
static void rules_among_readers(void **state)
{
    (void)state;
    make();
    struct other writer, reader;
    assert_true(start(RW | SW, &writer));
    assert_true(start(RO | SR, &reader));
    refused(RO, "use H5F_ACC_RDONLY | H5F_ACC_SWMR_READ");
    allowed(RO | SR);
    refused(RW, "readers have it open");
    refused(RW | SW, "a writer has it open");
    assert_true(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0);
    kill_it(&reader);
    assert_true(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_int_equal(flags_in_file(), 7);
    kill_it(&writer);
}

static void check_rows(unsigned mode, int rows)
{
    hid_t f = H5Fopen(path, mode, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_int_equal(count_rows(f), rows);
    assert_true(H5Fclose(f) >= 0);
}

static void a_writer_dies(void **state)
{
    (void)state;
    for (int who = 0; who < 4; who++) {
        static const unsigned modes[] = {RO, RO | SR, RW, RW | SW};
        make();
        struct other o;
        assert_true(start(RW | SW, &o));
        assert_true(tell(&o, 'a') && tell(&o, 'a') && tell(&o, 'u'));
        kill_it(&o);
        assert_int_equal(flags_in_file(), 7);
        check_rows(modes[who], 2);
        assert_int_equal(flags_in_file(), who < 2 ? 7 : 0);
        check_rows(RW, 2);
        assert_int_equal(flags_in_file(), 0);
    }
}

/* Its readers stay. Another SWMR writer may go on; a plain one may not, nor may plain readers once there is one. */
static void a_writer_dies_among_readers(void **state)
{
    (void)state;
    make();
    struct other first, second, reader, plain;
    assert_true(start(RW | SW, &first));
    assert_true(tell(&first, 'a'));
    assert_true(start(RO | SR, &reader));
    kill_it(&first);
    refused(RW, "readers have it open");
    /* A plain reader that was let in because there is no writer keeps writers out. */
    assert_true(start(RO, &plain));
    assert_int_equal(life_left(), 's');
    refused(RW | SW, "readers have it open");
    kill_it(&plain);
    assert_true(start(RW | SW, &second));
    assert_int_equal(life_left(), '-');
    assert_true(tell(&second, 'n') && tell(&second, 'a'));
    assert_int_equal(flags_in_file(), 7);
    refused(RO, "use H5F_ACC_RDONLY | H5F_ACC_SWMR_READ");
    refused(RW | SW, "a writer has it open");
    check_rows(RO | SR, 2);
    assert_true(tell(&second, 'c'));
    assert_int_equal(flags_in_file(), 0);
    kill_it(&second);
    kill_it(&reader);
    check_rows(RW, 2);
}

/* The flags of all superblocks that were written, one after the other. */
static void check_marks(const char *wanted)
{
    char seen[64] = "";
    for (size_t i = 0; i < recorder_count(); i++) {
        const struct recorder_event *e = recorder_event(i);
        size_t n = strlen(seen);
        if (e->what == RECORDED_WRITE && e->addr == 0 && n < 60 && (n == 0 || seen[n - 1] != '0' + e->bytes[11]))
            seen[n] = (char)('0' + e->bytes[11]);
    }
    assert_string_equal(seen, wanted);
}

/* At no moment does the file look like that of a plain writer, or like one that nobody writes. */
static void marks_of_a_successor(void **state)
{
    (void)state;
    make();
    struct other first, reader;
    assert_true(start(RW | SW, &first));
    assert_true(tell(&first, 'a'));
    assert_true(start(RO | SR, &reader));
    kill_it(&first);
    recorder_start(path);
    hid_t f = H5Fopen(path, RW | SW, H5P_DEFAULT), d = H5Dopen2(f, "rows", H5P_DEFAULT);
    assert_true(append(d, 101) >= 0 && H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    H5Dclose(d);
    H5Fclose(f);
    check_marks("70");
    recorder_stop();
    kill_it(&reader);
    recorder_start(path);
    f = H5Fopen(path, RW, H5P_DEFAULT), d = H5Dopen2(f, "rows", H5P_DEFAULT);
    assert_true(append(d, 102) >= 0 && H5Fstart_swmr_write(f) >= 0);
    assert_true(append(d, 103) >= 0 && H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    H5Dclose(d);
    H5Fclose(f);
    check_marks("170");
    recorder_stop();
    check_rows(RW, 4);
}

/* A plain writer takes the mark of the dead SWMR writer away before it writes, so that a reader looks for its journal. */
static void a_plain_writer_after_a_dead_one(void **state)
{
    (void)state;
    make();
    struct other o;
    assert_true(start(RW | SW, &o));
    assert_true(tell(&o, 'a'));
    kill_it(&o);
    assert_true(start(RW, &o));
    assert_true(tell(&o, 'n') && tell(&o, 'a'));
    assert_int_equal(flags_in_file(), 1);
    kill_it(&o);
    check_rows(RO | SR, 2);
}

/* The mark of a stock SWMR writer does not say whether it lives. */
static void a_stock_writer(void **state)
{
    (void)state;
    unsigned yes = 1;
    make();
    struct other o;
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_true(start(RW | SW, &o));
    unsetenv("HDF5_USE_FILE_LOCKING");
    assert_true(tell(&o, 'a'));
    kill_it(&o);
    assert_int_equal(flags_in_file(), 5);
    refused(RO, "open it with H5F_ACC_RDONLY | H5F_ACC_SWMR_READ");
    refused(RW, "recover --force");
    refused(RW | SW, "recover --force");
    check_rows(RO | SR, 1);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pinsert2(fapl, "tessera_recover", sizeof yes, &yes, NULL, NULL, NULL, NULL, NULL, NULL) >= 0);
    hid_t f = H5Fopen(path, RW, fapl);
    assert_true(f >= 0);
    H5Fclose(f);
    H5Pclose(fapl);
    assert_int_equal(flags_in_file(), 0);
    check_rows(RO, 1);
}

static int flags_at(off_t at)
{
    unsigned char flags;
    int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &flags, 1, at + 11), 1);
    close(fd);
    return flags;
}

/* Files that remember what is free, files in pages, files with a user block. Killed or closed, the rows are there; what
 * the writer freed is free afterwards where that is remembered. */
static void kinds_of_files(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        bool dies = kind & 1, persist = kind >= 4;
        hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
        hsize_t user_block = kind < 2 ? 512 : 0;
        H5Pset_userblock(fcpl, user_block);
        if (kind >= 2)
            H5Pset_file_space_strategy(fcpl, kind / 2 == 3 ? H5F_FSPACE_STRATEGY_FSM_AGGR : H5F_FSPACE_STRATEGY_PAGE, persist, 1);
        make_by(fcpl);
        H5Pclose(fcpl);
        struct other writer, reader;
        assert_true(start(RW | SW, &writer));
        assert_int_equal(flags_at((off_t)user_block), 7);
        assert_true(tell(&writer, 'a'));
        assert_true(start(RO | SR, &reader));
        for (int i = 0; i < 20; i++)
            assert_true(tell(&writer, 'a') && tell(&reader, 'r'));
        assert_true(tell(&writer, dies ? 'u' : 'c'));
        assert_int_equal(flags_at((off_t)user_block), dies ? 7 : 0);
        kill_it(&writer);
        assert_true(tell(&reader, 'r'));
        check_rows(RO | SR, 21);
        kill_it(&reader);
        hid_t f = H5Fopen(path, RW, H5P_DEFAULT);
        assert_int_equal(count_rows(f), 21);
        assert_true(H5Fget_freespace(f) >= (persist && !dies ? 15 * 20 : 0));
        assert_true(H5Fclose(f) >= 0);
        check_rows(RW, 21);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_and_locks),
        cmocka_unit_test(opened_as_a_writer),
        cmocka_unit_test(created_as_a_writer),
        cmocka_unit_test(without_locks),
        cmocka_unit_test(rules),
        cmocka_unit_test(rules_among_readers),
        cmocka_unit_test(a_writer_dies),
        cmocka_unit_test(a_writer_dies_among_readers),
        cmocka_unit_test(marks_of_a_successor),
        cmocka_unit_test(a_plain_writer_after_a_dead_one),
        cmocka_unit_test(a_stock_writer),
        cmocka_unit_test(kinds_of_files),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
