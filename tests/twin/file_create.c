/* Making files, opening them again with the same or another access, flushing and closing. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path = "twin_create.h5";

static const char *ok(hid_t id)
{
    return id >= 0 ? "good" : "fails";
}

static hid_t create(unsigned flags, hid_t fcpl, hid_t fapl)
{
    return H5Fcreate(path, flags, fcpl, fapl);
}

static void close_if(hid_t id)
{
    if (id >= 0)
        H5Fclose(id);
}

static void flags(void)
{
    const unsigned all[] = {0, H5F_ACC_TRUNC, H5F_ACC_EXCL, H5F_ACC_RDWR, H5F_ACC_TRUNC | H5F_ACC_EXCL,
                                   H5F_ACC_CREAT, 0x1000};
    for (int there = 0; there < 2; there++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            remove(path);
            if (there)
                close_if(create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
            hid_t f = create(all[i], H5P_DEFAULT, H5P_DEFAULT);
            printf("create %s file, flags %#x: %s\n", there ? "existing" : "no", all[i], ok(f));
            close_if(f);
        }
    printf("create '': %s\n", ok(H5Fcreate("", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    printf("create NULL: %s\n", ok(H5Fcreate(NULL, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    printf("create in no folder: %s\n", ok(H5Fcreate("no/such/x.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    printf("wrong lists: %s %s\n", ok(create(H5F_ACC_TRUNC, H5P_FILE_ACCESS_DEFAULT, H5P_DEFAULT)),
           ok(create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_FILE_CREATE_DEFAULT)));
    const unsigned open[] = {H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5F_ACC_EXCL, H5F_ACC_CREAT,
                                    H5F_ACC_RDWR | H5F_ACC_CREAT};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        hid_t f = H5Fopen(path, open[i], H5P_DEFAULT);
        unsigned intent = 99;
        if (f >= 0)
            H5Fget_intent(f, &intent);
        printf("open flags %#x: %s, intent %u\n", open[i], ok(f), intent);
        close_if(f);
    }
}

static void again(unsigned first, unsigned second)
{
    close_if(create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t a = H5Fopen(path, first, H5P_DEFAULT), b = H5Fopen(path, second, H5P_DEFAULT);
    printf("open %u then %u: %s %s\n", first, second, ok(a), ok(b));
    if (b >= 0) {
        unsigned x, y;
        H5O_info_t m, n;
        H5Fget_intent(a, &x);
        H5Fget_intent(b, &y);
        H5Oget_info(a, &m);
        H5Oget_info(b, &n);
        hid_t g = H5Gcreate2(b, "through_b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        printf("  intents %u %u, one file %d, group %s, seen %d\n", x, y, m.fileno == n.fileno, ok(g),
               (int)H5Lexists(a, "through_b", H5P_DEFAULT));
        if (g >= 0)
            H5Gclose(g);
    }
    hid_t c = create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = create(H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    printf("  create while open: trunc %s, excl %s\n", ok(c), ok(d));
    close_if(a);
    hid_t e = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    printf("  one closed, open for writing: %s\n", ok(e));
    close_if(e);
    close_if(b);
    e = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    printf("  all closed, open for writing: %s\n", ok(e));
    close_if(e);
}

static void degrees(void)
{
    hid_t strong = H5Pcreate(H5P_FILE_ACCESS), weak = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(strong, H5F_CLOSE_STRONG);
    H5Pset_fclose_degree(weak, H5F_CLOSE_WEAK);
    hid_t f = create(H5F_ACC_TRUNC, H5P_DEFAULT, strong);
    printf("strong then weak: %s\n", ok(H5Fopen(path, H5F_ACC_RDWR, weak)));
    hid_t g = H5Gcreate2(f, "kept", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(f);
    printf("strong closes groups: %d\n", (int)H5Iis_valid(g));
    f = H5Fopen(path, H5F_ACC_RDWR, weak);
    g = H5Gopen2(f, "kept", H5P_DEFAULT);
    H5Fclose(f);
    /* The group keeps the file open, also for writing. */
    hid_t h = H5Gcreate2(g, "inside", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("weak keeps groups: %d, inside %s, truncating %s\n", (int)H5Iis_valid(g), ok(h),
           ok(create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    H5Gclose(h);
    H5Gclose(g);
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("both there: %d\n", (int)H5Lexists(f, "kept/inside", H5P_DEFAULT));
    H5Fclose(f);
    H5Pclose(strong);
    H5Pclose(weak);
}

static void settings(const char *what, hid_t fcpl, hid_t fapl)
{
    hid_t f = create(H5F_ACC_TRUNC, fcpl, fapl);
    printf("%s: %s\n", what, ok(f));
    if (f < 0)
        return;
    H5Gclose(H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int round = 0; round < 2; round++) {
        hid_t got = H5Fget_create_plist(f);
        hsize_t user = 1, threshold = 0, page = 0;
        size_t addr = 0, len = 0;
        unsigned ik = 0, lk = 0, chunk_k = 0, order = 9;
        H5F_fspace_strategy_t strategy = -1;
        hbool_t persist = 1;
        H5Pget_userblock(got, &user);
        H5Pget_sizes(got, &addr, &len);
        H5Pget_sym_k(got, &ik, &lk);
        H5Pget_istore_k(got, &chunk_k);
        H5Pget_file_space_strategy(got, &strategy, &persist, &threshold);
        H5Pget_file_space_page_size(got, &page);
        H5Pget_link_creation_order(got, &order);
        printf("  root's order %u\n", order);
        printf("  user block %llu sizes %zu %zu k %u %u %u space %d %d %llu page %llu\n", (unsigned long long)user, addr, len,
               ik, lk, chunk_k, (int)strategy, (int)persist, (unsigned long long)threshold, (unsigned long long)page);
        H5Pclose(got);
        H5Fclose(f);
        f = H5Fopen(path, H5F_ACC_RDWR, fapl);
        printf("  again %s, group %d\n", ok(f), (int)H5Lexists(f, "g", H5P_DEFAULT));
    }
    H5Fclose(f);
}

static void creation(void)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = H5Pcreate(H5P_FILE_ACCESS);
    settings("plain", H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    settings("latest", H5P_DEFAULT, fapl);
    H5Pset_link_creation_order(fcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    settings("root in order", fcpl, fapl);
    H5Pset_userblock(fcpl, 2048);
    settings("user block", fcpl, H5P_DEFAULT);
    H5Pset_sizes(fcpl, 4, 4);
    settings("short addresses", fcpl, H5P_DEFAULT);
    H5Pset_sym_k(fcpl, 7, 9);
    H5Pset_istore_k(fcpl, 11);
    settings("other k", fcpl, H5P_DEFAULT);
    H5Pclose(fcpl);
    static const H5F_fspace_strategy_t all[] = {H5F_FSPACE_STRATEGY_FSM_AGGR, H5F_FSPACE_STRATEGY_PAGE,
                                                H5F_FSPACE_STRATEGY_AGGR, H5F_FSPACE_STRATEGY_NONE};
    for (int persist = 0; persist < 2; persist++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            fcpl = H5Pcreate(H5P_FILE_CREATE);
            H5Pset_file_space_strategy(fcpl, all[i], persist, i == 0 ? 3 : 1);
            H5Pset_file_space_page_size(fcpl, 2048);
            settings("strategy", fcpl, H5P_DEFAULT);
            H5Pclose(fcpl);
        }
    H5Pclose(fapl);
}

static void flushing(void)
{
    hid_t f = create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), g;
    printf("flush: %d %d\n", (int)H5Fflush(f, H5F_SCOPE_LOCAL), (int)H5Fflush(f, H5F_SCOPE_GLOBAL));
    g = H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("flush by a group: %d\n", (int)H5Fflush(g, H5F_SCOPE_LOCAL));
    printf("flush of nothing: %d\n", (int)H5Fflush(H5I_INVALID_HID, H5F_SCOPE_LOCAL));
    H5Gclose(g);
    hid_t again = H5Freopen(f);
    g = H5Gopen2(again, "g", H5P_DEFAULT);
    printf("reopened: %s, objects %d %d\n", ok(g), (int)H5Fget_obj_count(f, H5F_OBJ_ALL),
           (int)H5Fget_obj_count(again, H5F_OBJ_ALL | H5F_OBJ_LOCAL));
    H5Gclose(g);
    H5Fclose(f);
    g = H5Gcreate2(again, "h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("group after the first is closed: %s\n", ok(g));
    H5Gclose(g);
    H5Fclose(again);
    printf("close again: %d\n", (int)H5Fclose(again));
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("flush of a file open for reading: %d\n", (int)H5Fflush(f, H5F_SCOPE_LOCAL));
    printf("group in it: %s\n", ok(H5Gcreate2(f, "no", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Fclose(f);
}

static void image(void)
{
    static char bytes[1 << 16];
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), f = create(H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Gclose(H5Gcreate2(f, "in_image", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(f, NULL, 0), got = H5Fget_file_image(f, bytes, sizeof bytes);
    printf("image: same size %d, too small %d\n", size == got && size > 0, (int)H5Fget_file_image(f, bytes, 10));
    H5Fclose(f);
    H5Pset_fapl_core(fapl, 1024, 0);
    H5Pset_file_image(fapl, bytes, (size_t)got);
    f = H5Fopen("no_such_file.h5", H5F_ACC_RDWR, fapl);
    printf("opened from memory: %s, group %d\n", ok(f), f >= 0 ? (int)H5Lexists(f, "in_image", H5P_DEFAULT) : -1);
    hid_t g = H5Gcreate2(f, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("changed in memory: %s, close %d\n", ok(g), (int)H5Gclose(g));
    H5Fclose(f);
    H5Pclose(fapl);
}

static void memory(void)
{
    for (int backed = 0; backed < 2; backed++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_core(fapl, 1000, backed);
        remove(path);
        hid_t f = create(H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        H5Gclose(H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        printf("in memory: %s, close %d", ok(f), (int)H5Fclose(f));
        printf(", on disk %d\n", access(path, F_OK) == 0);
        H5Pclose(fapl);
    }
    printf("is HDF5: %d\n", (int)H5Fis_hdf5(path));
}

static void sizes(void)
{
    hid_t f = create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t before = 0, after = 0;
    struct stat st;
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    H5Fget_filesize(f, &before);
    stat(path, &st);
    printf("size after a flush is that of the file: %d\n", before == (hsize_t)st.st_size);
    printf("increment: %d", (int)H5Fincrement_filesize(f, 5000));
    H5Fget_filesize(f, &after);
    printf(", by %lld\n", (long long)(after - before));
    H5Fclose(f);
    stat(path, &st);
    printf("closed: %d\n", after == (hsize_t)st.st_size);
    printf("bounds: ");
    f = create(H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    printf("%d %d\n", (int)H5Fset_libver_bounds(f, H5F_LIBVER_V110, H5F_LIBVER_LATEST),
           (int)H5Fset_libver_bounds(f, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    H5Fclose(f);
}

/* To what 1.8 reads. */
static void converting(void)
{
    for (int strategy = 0; strategy < 4; strategy++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        H5Pset_file_space_strategy(fcpl, (H5F_fspace_strategy_t)strategy, strategy < 2, 1);
        hid_t f = create(H5F_ACC_TRUNC, fcpl, fapl);
        H5Gclose(H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5F_info2_t info;
        memset(&info, 0, sizeof info);
        H5Fget_info2(f, &info);
        printf("convert version %u: %d", info.super.version, (int)H5Fformat_convert(f));
        H5Fclose(f);
        f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t got = H5Fget_create_plist(f);
        H5F_fspace_strategy_t now = -1;
        hbool_t persist = 1;
        hsize_t threshold = 0;
        H5Fget_info2(f, &info);
        H5Pget_file_space_strategy(got, &now, &persist, &threshold);
        printf(", then version %u extension %llu strategy %d %d, group %d, again %d\n", info.super.version,
               (unsigned long long)info.super.super_ext_size, (int)now, (int)persist, (int)H5Lexists(f, "g", H5P_DEFAULT),
               (int)H5Fformat_convert(f));
        H5Pclose(got);
        H5Fclose(f);
        H5Pclose(fcpl);
        H5Pclose(fapl);
    }
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    flags();
    again(H5F_ACC_RDONLY, H5F_ACC_RDONLY);
    again(H5F_ACC_RDONLY, H5F_ACC_RDWR);
    again(H5F_ACC_RDWR, H5F_ACC_RDONLY);
    again(H5F_ACC_RDWR, H5F_ACC_RDWR);
    degrees();
    creation();
    flushing();
    image();
    memory();
    sizes();
    converting();
    remove(path);
    return 0;
}
