/* Opening files for SWMR: which flags go together, in one process and in two. */
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The names of the flags open the library, so they are no constants. */
enum { RO = 0, RW = 1, SW = 0x20, SR = 0x40 };

static const char *path = "swmr_open.h5";
static const unsigned modes[] = {RO, RO | SR, RW, RW | SW};
static const char *const names[] = {"reader", "SWMR reader", "writer", "SWMR writer"};

static hid_t bounds(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    return fapl;
}

static void make(H5F_libver_t low)
{
    hid_t fapl = bounds(low);
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    H5Pclose(fapl);
}

static void print_file(hid_t f)
{
    unsigned intent = 99, attempts = 99;
    H5F_retry_info_t retry;
    memset(&retry, 0, sizeof retry);
    H5Fget_intent(f, &intent);
    H5Fget_metadata_read_retry_info(f, &retry);
    hid_t fapl = H5Fget_access_plist(f);
    H5Pget_metadata_read_attempts(fapl, &attempts);
    H5Pclose(fapl);
    printf(" intent %#x bins %u attempts %u", intent, retry.nbins, attempts);
}

static herr_t print_first(unsigned n, const H5E_error2_t *record, void *unused)
{
    (void)unused;
    if (n == 0)
        printf(" '%s'", record->desc);
    return 0;
}

static void print_opening(hid_t f)
{
    printf(" %s", f >= 0 ? "opens" : "fails");
    if (f >= 0)
        print_file(f);
    H5Fclose(f);
    printf("\n");
}

static void flags(void)
{
    const unsigned all[] = {RO | SW, RW | SW, RO | SR, RW | SR, RO | SW | SR, RW | SW | SR};
    const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};
    for (int low = 0; low < 3; low++)
        for (int i = 0; i < 6; i++) {
            make(lows[low]);
            printf("file of bound %d, flags %#x:", low, all[i]);
            print_opening(H5Fopen(path, all[i], H5P_DEFAULT));
        }
    for (int low = 0; low < 3; low++) {
        hid_t fapl = bounds(lows[low]);
        printf("created with bound %d:", low);
        print_opening(H5Fcreate(path, H5F_ACC_TRUNC | SW, H5P_DEFAULT, fapl));
        H5Pclose(fapl);
    }
    printf("created for SWMR reading:");
    print_opening(H5Fcreate(path, H5F_ACC_TRUNC | SR, H5P_DEFAULT, H5P_DEFAULT));
}

static void attempts(void)
{
    const unsigned numbers[] = {1, 2, 10, 11, 1234};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++) {
            make(H5F_LIBVER_V110);
            hid_t fapl = bounds(H5F_LIBVER_V110);
            H5Pset_metadata_read_attempts(fapl, numbers[k]);
            printf("%s with %u attempts:", names[i], numbers[k]);
            print_opening(H5Fopen(path, modes[i], fapl));
            H5Pclose(fapl);
        }
}

static void drivers(void)
{
    for (int k = 0; k < 4; k++) {
        hid_t fapl = bounds(H5F_LIBVER_V110);
        if (k == 0)
            H5Pset_fapl_core(fapl, 1024, 1);
        else if (k == 1)
            H5Pset_fapl_stdio(fapl);
        else if (k == 2)
            H5Pset_fapl_family(fapl, 1 << 20, H5P_DEFAULT);
        else
            H5Pset_fapl_log(fapl, NULL, 0, 0);
        H5Fclose(H5Fcreate("driver%d.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
        hid_t f = H5Fopen("driver%d.h5", RO | SR, fapl);
        printf("driver %d: reader %d", k, f >= 0);
        H5Fclose(f);
        f = H5Fopen("driver%d.h5", RW | SW, fapl);
        printf(" writer %d\n", f >= 0);
        H5Fclose(f);
        H5Pclose(fapl);
    }
}

static hid_t open_something(hid_t f, int kind)
{
    hsize_t one = 1, many = H5S_UNLIMITED;
    hid_t id = -1, space = H5Screate_simple(1, &one, &many), scalar = H5Screate(H5S_SCALAR), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &one);
    switch (kind) {
    case 0:
        id = H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        id = H5Dcreate2(f, "dataset", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        break;
    case 2:
        id = H5Tcopy(H5T_NATIVE_INT);
        H5Tcommit2(f, "type", id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 3:
        id = H5Acreate2(f, "attribute", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 4:
        id = H5Freopen(f);
        break;
    case 5:
        id = H5Tcopy(H5T_NATIVE_INT);
        break;
    }
    H5Sclose(space);
    H5Sclose(scalar);
    H5Pclose(dcpl);
    return id;
}

static void start(void)
{
    for (int low = 0; low < 3; low++) {
        make(low == 0 ? H5F_LIBVER_EARLIEST : low == 1 ? H5F_LIBVER_V18 : H5F_LIBVER_V110);
        for (int i = 0; i < 4; i++) {
            hid_t f = H5Fopen(path, modes[i], H5P_DEFAULT);
            printf("file of bound %d, start of a %s: %d", low, names[i], H5Fstart_swmr_write(f));
            if (f >= 0)
                print_file(f);
            printf(" again %d\n", H5Fstart_swmr_write(f));
            H5Fclose(f);
        }
    }
    for (int kind = 0; kind < 6; kind++) {
        make(H5F_LIBVER_V110);
        hid_t fapl = bounds(H5F_LIBVER_V110), f = H5Fopen(path, RW, fapl), id = open_something(f, kind);
        printf("start with something of kind %d open: %d, %d", kind, id >= 0, H5Fstart_swmr_write(f));
        H5Idec_ref(id);
        printf(" and closed: %d\n", H5Fstart_swmr_write(f));
        H5Fclose(f);
        H5Pclose(fapl);
    }
    printf("start of nothing: %d %d\n", H5Fstart_swmr_write(-1), H5Fstart_swmr_write(H5T_NATIVE_INT));
}

static void twice(void)
{
    hid_t fapl = bounds(H5F_LIBVER_V110);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            make(H5F_LIBVER_V110);
            hid_t f = H5Fopen(path, modes[i], fapl);
            printf("%s, then in the same process a %s:", names[i], names[k]);
            print_opening(H5Fopen(path, modes[k], fapl));
            H5Fclose(f);
        }
    for (int k = 0; k < 4; k++) {
        make(H5F_LIBVER_V110);
        hid_t f = H5Fopen(path, RW, fapl);
        H5Fstart_swmr_write(f);
        printf("writer that started, then in the same process a %s:", names[k]);
        print_opening(H5Fopen(path, modes[k], fapl));
        H5Fclose(f);
    }
    H5Pclose(fapl);
}

/* In another process, which then waits to be killed, or closes the file first. */
static pid_t other(unsigned mode, int start_late)
{
    int to_us[2];
    char answer = 'n';
    if (pipe(to_us) != 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        hid_t fapl = bounds(H5F_LIBVER_V110), f = H5Fopen(path, mode, fapl);
        answer = f >= 0 && (!start_late || H5Fstart_swmr_write(f) >= 0) ? 'y' : 'n';
        if (write(to_us[1], &answer, 1) == 1)
            pause();
        _exit(0);
    }
    if (read(to_us[0], &answer, 1) != 1 || answer != 'y')
        printf("(the other cannot)");
    close(to_us[0]);
    close(to_us[1]);
    return pid;
}

/* A writer that has changed something, without locks. */
static pid_t other_without_locks(int swmr)
{
    int to_us[2];
    char answer = 'n';
    if (pipe(to_us) != 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        hid_t fapl = bounds(H5F_LIBVER_V110);
        H5Pset_file_locking(fapl, 0, 1);
        hid_t f = H5Fopen(path, RW, fapl);
        H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        answer = (swmr ? H5Fstart_swmr_write(f) : H5Fflush(f, H5F_SCOPE_GLOBAL)) >= 0 ? 'y' : 'n';
        if (write(to_us[1], &answer, 1) == 1)
            pause();
        _exit(0);
    }
    if (read(to_us[0], &answer, 1) != 1 || answer != 'y')
        printf("(the other cannot)");
    close(to_us[0]);
    close(to_us[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void processes(void)
{
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            make(H5F_LIBVER_V110);
            pid_t pid = i < 4 ? other(modes[i], 0) : other(RW, 1);
            printf("%s, then a %s:", i < 4 ? names[i] : "writer that started", names[k]);
            print_opening(H5Fopen(path, modes[k], H5P_DEFAULT));
            end(pid);
        }
}

/* What programs look for in the innermost record. */
static void words(void)
{
    for (int swmr = 0; swmr < 2; swmr++)
        for (int k = 0; k < 4; k++) {
            make(H5F_LIBVER_V110);
            pid_t pid = other_without_locks(swmr);
            hid_t fapl = bounds(H5F_LIBVER_V110);
            H5Pset_file_locking(fapl, 0, 1);
            hid_t f = H5Fopen(path, modes[k], fapl);
            printf("%s without locks, then a %s:", swmr ? "SWMR writer" : "writer", names[k]);
            if (f < 0)
                H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, print_first, NULL);
            print_opening(f);
            end(pid);
            H5Pclose(fapl);
        }
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    flags();
    attempts();
    drivers();
    start();
    twice();
    processes();
    words();
    return 0;
}
