/* Drivers that a program brings, and files that are opened by driver alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

struct settings {
    int number;
    char text[12];
};

struct plain {
    H5FD_t pub;
    int fd;
    haddr_t eoa;
    struct settings settings;
};

static int copies, opens;

static void *settings_copy(const void *info)
{
    struct settings *s = malloc(sizeof *s);
    *s = *(const struct settings *)info;
    copies++;
    return s;
}

static herr_t settings_free(void *info)
{
    copies--;
    free(info);
    return 0;
}

static H5FD_t *plain_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    const struct settings *s = H5Pget_driver_info(fapl);
    int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
              (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
    if (!s || s->number != 17 || maxaddr == 0)
        return NULL;
    int fd = open(name, how, 0666);
    if (fd < 0)
        return NULL;
    struct plain *p = calloc(1, sizeof *p);
    p->fd = fd;
    p->settings = *s;
    opens++;
    return &p->pub;
}

static void *plain_fapl_get(H5FD_t *f)
{
    return settings_copy(&((struct plain *)f)->settings);
}

static herr_t plain_close(H5FD_t *f)
{
    close(((struct plain *)f)->fd);
    free(f);
    opens--;
    return 0;
}

static int plain_cmp(const H5FD_t *a, const H5FD_t *b)
{
    struct stat x, y;
    fstat(((const struct plain *)a)->fd, &x);
    fstat(((const struct plain *)b)->fd, &y);
    return x.st_ino == y.st_ino ? 0 : x.st_ino < y.st_ino ? -1 : 1;
}

static herr_t plain_query(const H5FD_t *f, unsigned long *flags)
{
    (void)f;
    *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_METADATA;
    return 0;
}

static haddr_t plain_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct plain *)f)->eoa;
}

static herr_t plain_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct plain *)f)->eoa = addr;
    return 0;
}

static haddr_t plain_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    struct stat st;
    (void)type;
    return fstat(((const struct plain *)f)->fd, &st) < 0 ? HADDR_UNDEF : (haddr_t)st.st_size;
}

static herr_t plain_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buf)
{
    struct plain *p = (struct plain *)f;
    (void)type;
    (void)dxpl;
    if (addr + size > p->eoa)
        return -1;
    ssize_t n = pread(p->fd, buf, size, (off_t)addr);
    if (n < 0)
        return -1;
    memset((char *)buf + n, 0, size - (size_t)n);
    return 0;
}

static herr_t plain_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, const void *buf)
{
    struct plain *p = (struct plain *)f;
    (void)type;
    (void)dxpl;
    if (addr + size > p->eoa)
        return -1;
    return pwrite(p->fd, buf, size, (off_t)addr) == (ssize_t)size ? 0 : -1;
}

static herr_t plain_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct plain *p = (struct plain *)f;
    (void)dxpl;
    (void)closing;
    return ftruncate(p->fd, (off_t)p->eoa) < 0 ? -1 : 0;
}

static herr_t plain_get_handle(H5FD_t *f, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = &((struct plain *)f)->fd;
    return 0;
}

static herr_t plain_terminate(void)
{
    printf("terminated\n");
    return 0;
}

static const H5FD_class_t plain_class = {
#ifdef H5FD_CLASS_VERSION /* since 1.14 */
                                         .version = H5FD_CLASS_VERSION,
                                         .value = H5_VFD_INVALID,
#endif
                                         .name = "plain",
                                         .maxaddr = HADDR_MAX,
                                         .fc_degree = H5F_CLOSE_WEAK,
                                         .terminate = plain_terminate,
                                         .fapl_size = sizeof(struct settings),
                                         .fapl_get = plain_fapl_get,
                                         .fapl_copy = settings_copy,
                                         .fapl_free = settings_free,
                                         .open = plain_open,
                                         .close = plain_close,
                                         .cmp = plain_cmp,
                                         .query = plain_query,
                                         .get_eoa = plain_get_eoa,
                                         .set_eoa = plain_set_eoa,
                                         .get_eof = plain_get_eof,
                                         .get_handle = plain_get_handle,
                                         .read = plain_read,
                                         .write = plain_write,
                                         .truncate = plain_truncate,
                                         .fl_map = H5FD_FLMAP_SINGLE};

static char name[64], other[80];

static void bad_classes(void)
{
    H5FD_class_t c = plain_class;
    printf("no class: %d\n", H5FDregister(NULL) >= 0);
    c.open = NULL;
    printf("no open: %d\n", H5FDregister(&c) >= 0);
    c = plain_class;
    c.close = NULL;
    printf("no close: %d\n", H5FDregister(&c) >= 0);
    c = plain_class;
    c.get_eoa = NULL;
    printf("no eoa: %d\n", H5FDregister(&c) >= 0);
    c = plain_class;
    c.get_eof = NULL;
    printf("no eof: %d\n", H5FDregister(&c) >= 0);
    c = plain_class;
    c.write = NULL;
    printf("no write: %d\n", H5FDregister(&c) >= 0);
    c = plain_class;
    c.fl_map[2] = (H5FD_mem_t)99;
    printf("bad map: %d\n", H5FDregister(&c) >= 0);
    printf("unregister nothing: %d\n", H5FDunregister(-1));
    printf("unregister a list: %d\n", H5FDunregister(H5P_FILE_ACCESS));
}

static void lists(hid_t driver, hid_t fapl)
{
    struct settings wrong = {1, "wrong"};
    hid_t copy = H5Pcopy(fapl), bad = H5Pcreate(H5P_FILE_ACCESS);
    const struct settings *s = H5Pget_driver_info(copy);
    unsigned long flags = 0;
    printf("type %d, driver %d\n", H5Iget_type(driver) == H5I_VFL, H5Pget_driver(copy) == driver);
    printf("settings %d %s\n", s->number, s->text);
    printf("equal %d\n", H5Pequal(fapl, copy));
    printf("set wrong %d", H5Pset_driver(bad, driver, &wrong));
    printf(", equal %d\n", H5Pequal(fapl, bad));
    printf("open with wrong settings %d\n", H5Fopen(name, H5F_ACC_RDONLY, bad) >= 0);
    printf("set nothing %d", H5Pset_driver(bad, driver, NULL));
    printf(", info %d\n", H5Pget_driver_info(bad) != NULL);
    printf("query %d", H5FDdriver_query(driver, &flags));
    printf(" %#lx\n", flags);
    H5Pclose(copy);
    H5Pclose(bad);
}

static void show(hid_t file)
{
    int data[100];
    int *fd = NULL, sum = 0;
    hid_t fapl = H5Fget_access_plist(file), d = H5Dopen2(file, "numbers", H5P_DEFAULT);
    const struct settings *s = H5Pget_driver_info(fapl);
    printf("read %d", H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    for (int i = 0; i < 100; i++)
        sum += data[i] * (i + 1);
    printf(", sum %d, handle %d", sum, H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd));
    printf(" %d", fd && *fd > 2);
    printf(", settings %d\n", s ? s->number : -1);
    H5Pclose(fapl);
    H5Dclose(d);
}

static void files(hid_t fapl)
{
    int data[100];
    hsize_t size = 100;
    for (int i = 0; i < 100; i++)
        data[i] = i * i;
    printf("nothing there: %d\n", H5Fopen(name, H5F_ACC_RDWR, fapl) >= 0);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), space = H5Screate_simple(1, &size, NULL);
    hid_t d = H5Dcreate2(file, "numbers", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("created %d %d\n", file >= 0, d >= 0);
    printf("written %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(d);
    hid_t again = H5Fopen(name, H5F_ACC_RDWR, fapl);
    printf("the same %d, opens %d\n", H5Fget_obj_count(file, H5F_OBJ_FILE) == 2, opens);
    H5Fclose(again);
    printf("flushed %d\n", H5Fflush(file, H5F_SCOPE_GLOBAL));
    show(file);
    printf("closed %d", H5Fclose(file));
    printf(", opens %d\n", opens);
    printf("exclusive %d\n", H5Fcreate(name, H5F_ACC_EXCL, H5P_DEFAULT, fapl) >= 0);
    file = H5Fopen(name, H5F_ACC_RDWR, fapl);
    printf("group %d\n", H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    show(file);
    printf("group %d\n", H5Lexists(file, "group", H5P_DEFAULT));
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    show(file);
    H5Fclose(file);
    H5Sclose(space);
}

static void bare_file(const char *what, hid_t fapl)
{
    char text[16] = "";
    H5FD_t *f = H5FDopen(other, H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, fapl, HADDR_UNDEF), *g;
    printf("%s: open %d\n", what, f != NULL);
    if (!f)
        return;
    int *fd = NULL;
    printf("eoa %d, eof %d\n", (int)H5FDget_eoa(f, H5FD_MEM_DEFAULT), (int)H5FDget_eof(f, H5FD_MEM_DEFAULT));
    printf("write behind %d\n", H5FDwrite(f, H5FD_MEM_DRAW, H5P_DEFAULT, 0, 4, "text"));
    printf("set %d", H5FDset_eoa(f, H5FD_MEM_DEFAULT, 10));
    printf(", eoa %d\n", (int)H5FDget_eoa(f, H5FD_MEM_DEFAULT));
    printf("write %d\n", H5FDwrite(f, H5FD_MEM_DRAW, H5P_DEFAULT, 2, 4, "text"));
    printf("read %d", H5FDread(f, H5FD_MEM_DRAW, H5P_DEFAULT, 1, 8, text));
    printf(" '%s' %d %d\n", text + 1, text[0], text[7]);
    printf("read behind %d, nowhere %d\n", H5FDread(f, H5FD_MEM_DRAW, H5P_DEFAULT, 8, 8, text),
           H5FDread(f, H5FD_MEM_DRAW, H5P_DEFAULT, 0, 1, NULL));
    printf("alloc %d", (int)H5FDalloc(f, H5FD_MEM_DRAW, H5P_DEFAULT, 20));
    printf(", eoa %d\n", (int)H5FDget_eoa(f, H5FD_MEM_DRAW));
    printf("free %d", H5FDfree(f, H5FD_MEM_DRAW, H5P_DEFAULT, 25, 5));
    printf(", eoa %d\n", (int)H5FDget_eoa(f, H5FD_MEM_DRAW));
    printf("flush %d, truncate %d\n", H5FDflush(f, H5P_DEFAULT, 0), H5FDtruncate(f, H5P_DEFAULT, 0));
    printf("eof %d\n", (int)H5FDget_eof(f, H5FD_MEM_DEFAULT));
    printf("handle %d", H5FDget_vfd_handle(f, H5P_DEFAULT, (void **)&fd));
    printf(" %d\n", fd && *fd > 2);
    g = H5FDopen(other, H5F_ACC_RDONLY, fapl, HADDR_UNDEF);
    printf("cmp %d %d\n", H5FDcmp(f, f), H5FDcmp(f, g));
    printf("driver %d\n", f->driver_id == H5Pget_driver(fapl));
    printf("close %d %d\n", H5FDclose(g), H5FDclose(f));
}

int main(void)
{
    struct settings s = {17, "seventeen"};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(name, sizeof name, "/tmp/tessera-twin-%d.h5", (int)getpid());
    snprintf(other, sizeof other, "%s.other", name);
    bad_classes();
    hid_t driver = H5FDregister(&plain_class), fapl = H5Pcreate(H5P_FILE_ACCESS);
    printf("registered %d\n", driver >= 0);
    printf("set %d\n", H5Pset_driver(fapl, driver, &s));
    lists(driver, fapl);
    files(fapl);
    bare_file("plain", fapl);
    hid_t sec2 = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_sec2(sec2);
    bare_file("sec2", sec2);
    H5Pclose(sec2);
    printf("no name %d, no range %d\n", H5FDopen("", 0, fapl, HADDR_UNDEF) != NULL, H5FDopen(name, 0, fapl, 0) != NULL);
    printf("unregister %d\n", H5FDunregister(driver));
    H5Pclose(fapl);
    printf("copies %d, opens %d\n", copies, opens);
    unlink(name);
    unlink(other);
    return 0;
}
