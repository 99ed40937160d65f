/* The splitter driver: all that is written goes to a second file, too. Drivers that this build has not. Logging of the
 * metadata cache when it was not asked for. */
#include <hdf5.h>

#include <H5FDhdfs.h>
#include <H5FDsplitter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static herr_t keep_text(unsigned n, const H5E_error2_t *e, void *data)
{
    if (n == 0)
        snprintf(data, 200, "%s", e->desc);
    return 0;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        char text[200] = "";                                                                                           \
        if ((call) < 0) {                                                                                              \
            hid_t stack = H5Eget_current_stack();                                                                      \
            H5Ewalk2(stack, H5E_WALK_DOWNWARD, keep_text, text);                                                       \
            H5Eclose_stack(stack);                                                                                     \
            printf("%s: fails: %s\n", #call, text);                                                                    \
        } else {                                                                                                       \
            printf("%s: works\n", #call);                                                                              \
        }                                                                                                              \
    } while (0)

static void set(H5FD_splitter_vfd_config_t *c, const char *copy, const char *log, int ignore)
{
    memset(c, 0, sizeof *c);
    c->magic = H5FD_SPLITTER_MAGIC;
    c->version = H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION;
    c->rw_fapl_id = c->wo_fapl_id = H5P_DEFAULT;
    snprintf(c->wo_path, sizeof c->wo_path, "%s", copy);
    snprintf(c->log_file_path, sizeof c->log_file_path, "%s", log);
    c->ignore_wo_errs = (hbool_t)ignore;
}

static int same_bytes(const char *one, const char *other)
{
    static char a[1 << 16], b[1 << 16];
    FILE *f = fopen(one, "rb"), *g = fopen(other, "rb");
    size_t n = f ? fread(a, 1, sizeof a, f) : 0, m = g ? fread(b, 1, sizeof b, g) : 1;
    if (f)
        fclose(f);
    if (g)
        fclose(g);
    return n > 0 && n == m && memcmp(a, b, n) == 0;
}

static void write_numbers(hid_t file, const char *name)
{
    int values[100];
    hsize_t dims[1] = {100};
    for (int i = 0; i < 100; i++)
        values[i] = i;
    hid_t space = H5Screate_simple(1, dims, NULL);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("write %d\n", H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dset);
    H5Sclose(space);
}

static void lists(void)
{
    static H5FD_splitter_vfd_config_t c, got;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    unsigned long flags = 1;
    printf("driver %d query %d", H5FD_SPLITTER > 0, H5FDdriver_query(H5FD_SPLITTER, &flags));
    printf(" flags %lx\n", flags);
    TRY(H5Pset_fapl_splitter(fapl, &c));
    set(&c, "copy.h5", "log", 1);
    TRY(H5Pset_fapl_splitter(fapl, &c));
    printf("is set %d\n", H5Pget_driver(fapl) == H5FD_SPLITTER);
    TRY(H5Pget_fapl_splitter(fapl, &got));
    set(&got, "", "", 0);
    TRY(H5Pget_fapl_splitter(fapl, &got));
    printf("%s %s %d lists %d %d\n", got.wo_path, got.log_file_path, got.ignore_wo_errs,
           H5Pisa_class(got.rw_fapl_id, H5P_FILE_ACCESS), H5Pisa_class(got.wo_fapl_id, H5P_FILE_ACCESS));
#if STOCK_VERSION < 11400 /* later releases declare it where they have it only */
    H5FD_hdfs_fapl_t hdfs = {.version = 1};
    TRY(H5Pset_fapl_hdfs(fapl, &hdfs));
    TRY(H5Pget_fapl_hdfs(fapl, &hdfs));
    printf("hdfs %d\n", H5FD_hdfs_init() > 0);
#endif
    H5Pclose(fapl);
}

static void both_files(void)
{
    static H5FD_splitter_vfd_config_t c;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    set(&c, "copy.h5", "", 0);
    H5Pset_fapl_splitter(fapl, &c);
    hid_t file = H5Fcreate("main.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    write_numbers(file, "a");
    printf("close %d same %d\n", H5Fclose(file), same_bytes("main.h5", "copy.h5"));
    file = H5Fopen("main.h5", H5F_ACC_RDWR, fapl);
    write_numbers(file, "b");
    printf("close %d same %d\n", H5Fclose(file), same_bytes("main.h5", "copy.h5"));
    file = H5Fopen("copy.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("in the copy %d %d\n", H5Lexists(file, "a", H5P_DEFAULT), H5Lexists(file, "b", H5P_DEFAULT));
    H5Fclose(file);
    FILE *longer = fopen("copy.h5", "a");
    fputs("more than the other has", longer);
    fclose(longer);
    H5Fclose(H5Fopen("main.h5", H5F_ACC_RDONLY, fapl));
    printf("after reading same %d\n", same_bytes("main.h5", "copy.h5"));
    H5Fclose(H5Fopen("main.h5", H5F_ACC_RDWR, fapl));
    printf("after opening for writing same %d\n", same_bytes("main.h5", "copy.h5"));
    unlink("copy.h5");
    TRY(H5Fopen("main.h5", H5F_ACC_RDWR, fapl));
    set(&c, "no/such/folder/copy.h5", "", 0);
    H5Pset_fapl_splitter(fapl, &c);
    TRY(H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    H5Pclose(fapl);
}

static void logging(void)
{
    hbool_t enabled = 9, now = 9;
    hid_t file = H5Fopen("main.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("status %d: ", H5Fget_mdc_logging_status(file, &enabled, &now));
    printf("%d %d\n", enabled, now);
    TRY(H5Fstart_mdc_logging(file));
    TRY(H5Fstop_mdc_logging(file));
    TRY(H5Fstart_mdc_logging(-1));
    H5Fclose(file);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    lists();
    both_files();
    logging();
    return 0;
}
