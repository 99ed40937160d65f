/* fill CONTENT WAY DISK EVERY FILE: writes the content until a call fails, with a flush after every EVERY steps (0: none), and
 * closes the file in one of the ways there are. Says which calls failed, how many steps succeeded and how many were flushed.
 * fill check CONTENT STEPS FILE: 0 when so many steps are in the file.
 *
 * DISK is: whole, limit:BYTES (no file grows longer), calls:N (the N-th call of the driver that changes the file fails, and
 * all that follow), call:N (only that one). Built with stock libhdf5 and with Tessera; run.py runs it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "contents.h"
#include "failing_driver.h"

/* The files and objects that are open. */
static struct {
    hid_t file, obj; /* what the steps change */
    hid_t parent;    /* another file, in memory; or -1 */
    hid_t last;      /* something else that keeps the file open; or -1 */
} open_ids = {-1, -1, -1, -1};

/* Stock libhdf5 may not live to tell the rest. */
static int note(const char *what, int result)
{
    if (result < 0) {
        printf("failed: %s\n", what);
        fflush(stdout);
    }
    return result;
}

#define NOTE(call) note(#call, (call))

static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &r);
}

static void fill_the_disk(const char *disk)
{
    if (strncmp(disk, "limit:", 6) == 0)
        limit_files(strtoul(disk + 6, NULL, 10));
    if (strncmp(disk, "calls:", 6) == 0)
        failing_at(strtoul(disk + 6, NULL, 10), false);
    if (strncmp(disk, "call:", 5) == 0)
        failing_at(strtoul(disk + 5, NULL, 10), true);
}

static hid_t access_list(const char *way, const char *disk)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strncmp(way, "strong", 6) == 0)
        H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
    if (strncmp(way, "semi", 4) == 0)
        H5Pset_fclose_degree(fapl, H5F_CLOSE_SEMI);
    if (strncmp(disk, "call", 4) == 0)
        failing_use(fapl);
    return fapl;
}

static hid_t file_in_memory(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 65536, 0);
    hid_t file = H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

/* Another file has a link to this one, and nobody has an id of it. */
static void go_through_link(const char *path, hid_t fapl)
{
    H5Oclose(open_ids.obj);
    H5Fclose(open_ids.file);
    hid_t lapl = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_fapl(lapl, fapl);
    open_ids.parent = file_in_memory();
    H5Lcreate_external(path, "/", open_ids.parent, "link", H5P_DEFAULT, H5P_DEFAULT);
    open_ids.file = H5Oopen(open_ids.parent, "link", lapl);
    open_ids.obj = H5Oopen(open_ids.file, "object", H5P_DEFAULT);
    H5Pclose(lapl);
}

static void mount_it(void)
{
    open_ids.parent = file_in_memory();
    H5Gclose(H5Gcreate2(open_ids.parent, "point", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fmount(open_ids.parent, "point", open_ids.file, H5P_DEFAULT);
}

static hid_t open_attribute(void)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(open_ids.file, "kept", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return attr;
}

static hid_t open_type(void)
{
    hid_t type = H5Tcopy(H5T_STD_I32LE);
    H5Tcommit2(open_ids.file, "kept", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return type;
}

/* Everything up to here is in the file. */
static int begin(const struct content *content, const char *way, const char *disk, const char *path)
{
    hid_t fapl = access_list(way, disk);
    open_ids.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    open_ids.obj = content->begin(open_ids.file);
    if (strcmp(way, "link") == 0)
        go_through_link(path, fapl);
    if (strcmp(way, "mounted") == 0 || strcmp(way, "unmounted") == 0)
        mount_it();
    if (strcmp(way, "group last") == 0)
        open_ids.last = H5Gopen2(open_ids.file, "/", H5P_DEFAULT);
    if (strcmp(way, "attribute last") == 0)
        open_ids.last = open_attribute();
    if (strcmp(way, "type last") == 0)
        open_ids.last = open_type();
    if (strcmp(way, "handles") == 0)
        open_ids.last = H5Freopen(open_ids.file);
    H5Pclose(fapl);
    return open_ids.obj < 0 ? -1 : H5Fflush(open_ids.file, H5F_SCOPE_LOCAL);
}

static int steps_done, steps_flushed;

static void fill(const struct content *content, int every)
{
    while (steps_done < STEPS && note("a step", content->step(open_ids.obj, steps_done)) >= 0) {
        steps_done++;
        if (every == 0 || steps_done % every != 0)
            continue;
        if (NOTE(H5Fflush(open_ids.file, H5F_SCOPE_LOCAL)) < 0)
            return;
        steps_flushed = steps_done;
    }
}

static void close_file(void)
{
    NOTE(H5Fclose(open_ids.file));
}

static void close_object(void)
{
    NOTE(H5Oclose(open_ids.obj));
}

static void way_close(void)
{
    close_object();
    close_file();
}

static void way_dec(void)
{
    NOTE(H5Idec_ref(open_ids.obj));
    NOTE(H5Idec_ref(open_ids.file));
}

static void way_weak(void)
{
    close_file();
    close_object();
}

static void way_weak_dec(void)
{
    NOTE(H5Idec_ref(open_ids.file));
    NOTE(H5Idec_ref(open_ids.obj));
}

static void way_strong_dec(void)
{
    NOTE(H5Idec_ref(open_ids.file));
}

static void refused(int result)
{
    if (result >= 0)
        printf("not refused\n");
}

static void way_semi(void)
{
    refused(H5Fclose(open_ids.file));
    way_close();
}

static void way_semi_dec(void)
{
    refused(H5Idec_ref(open_ids.file));
    way_dec();
}

static void way_counts(void)
{
    H5Iinc_ref(open_ids.file);
    way_close();
    close_file();
}

static void way_handles(void)
{
    close_file();
    close_object();
    NOTE(H5Fclose(open_ids.last));
}

static void way_group_last(void)
{
    way_close();
    NOTE(H5Gclose(open_ids.last));
}

static void way_attribute_last(void)
{
    way_close();
    NOTE(H5Aclose(open_ids.last));
}

static void way_type_last(void)
{
    way_close();
    NOTE(H5Tclose(open_ids.last));
}

static void way_mounted(void)
{
    way_close();
    NOTE(H5Fclose(open_ids.parent));
}

static void way_unmounted(void)
{
    way_close();
    NOTE(H5Funmount(open_ids.parent, "point"));
    H5Fclose(open_ids.parent);
}

static void way_link(void)
{
    close_object();
    NOTE(H5Gclose(open_ids.file));
    H5Fclose(open_ids.parent);
}

static void way_library(void)
{
    NOTE(H5close());
}

/* The end of the program closes what is open, and can say so on stderr only. */
static void way_exit(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"close", way_close},           {"dec", way_dec},
    {"weak", way_weak},             {"weak dec", way_weak_dec},
    {"strong", close_file},         {"strong dec", way_strong_dec},
    {"semi", way_semi},             {"semi dec", way_semi_dec},
    {"counts", way_counts},         {"handles", way_handles},
    {"group last", way_group_last}, {"attribute last", way_attribute_last},
    {"type last", way_type_last},   {"mounted", way_mounted},
    {"unmounted", way_unmounted},   {"link", way_link},
    {"library", way_library},       {"exit", way_exit},
};

static int check(const char *name, int steps, const char *path)
{
    const struct content *content = content_find(name);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), obj = file < 0 ? -1 : H5Oopen(file, "object", H5P_DEFAULT);
    if (!content || obj < 0)
        return 1;
    for (int i = 0; i < steps; i++)
        if (content->check(obj, i) < 0) {
            printf("step %d is not in the file\n", i);
            return 1;
        }
    H5Oclose(obj);
    return H5Fclose(file) < 0;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (argc == 5 && strcmp(argv[1], "check") == 0)
        return check(argv[2], atoi(argv[3]), argv[4]);
    const struct content *content = argc == 6 ? content_find(argv[1]) : NULL;
    size_t way = 0;
    while (content && way < sizeof ways / sizeof *ways && strcmp(ways[way].name, argv[2]) != 0)
        way++;
    if (!content || way == sizeof ways / sizeof *ways)
        return 2;
    if (begin(content, argv[2], argv[3], argv[5]) < 0) {
        printf("failed: begin\n");
        return 3;
    }
    fill_the_disk(argv[3]);
    fill(content, atoi(argv[4]));
    printf("done: %d\nflushed: %d\nclosing\n", steps_done, steps_flushed);
    fflush(stdout);
    ways[way].run();
    printf("hits: %lu\n", failing_hits());
    fflush(stdout);
    /* What the end of the program does is one of the ways; and stock does not survive it after a failed close. */
    if (strcmp(argv[2], "exit") != 0)
        _exit(0);
    return 0;
}
