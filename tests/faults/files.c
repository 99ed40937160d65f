/* Files as a whole: created, opened, repaired, flushed, with their space managed in every way. */
#include <stdio.h>
#include <string.h>

#include "faults/faults.h"
#include "support/faulty.h"

static hid_t create_with(const char *path, hid_t fapl, H5F_fspace_strategy_t strategy, bool persist)
{
    KEEP(fcpl, H5Pcreate(H5P_FILE_CREATE));
    TRY(H5Pset_file_space_strategy(fcpl, strategy, persist, 1));
    TRY(H5Pset_file_space_page_size(fcpl, 512));
    return H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
}

/* Groups with attributes; every other one goes again, so that there are holes. */
static int fill(hid_t file, bool holes)
{
    char name[40];
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "before %d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        TRY(group);
        TRY(H5Gclose(group));
    }
    for (int i = 0; i < 16 && holes; i += 2) {
        snprintf(name, sizeof name, "before %d", i);
        TRY(H5Ldelete(file, name, H5P_DEFAULT));
    }
    return 0;
}

static int make_plain(const char *path, hid_t fapl)
{
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    return fill(file, false);
}

static int make_persist(const char *path, hid_t fapl)
{
    KEEP(file, create_with(path, fapl, H5F_FSPACE_STRATEGY_FSM_AGGR, true));
    return fill(file, true);
}

static int make_pages(const char *path, hid_t fapl)
{
    KEEP(file, create_with(path, fapl, H5F_FSPACE_STRATEGY_PAGE, true));
    return fill(file, true);
}

static int make_no_manager(const char *path, hid_t fapl)
{
    KEEP(file, create_with(path, fapl, H5F_FSPACE_STRATEGY_NONE, false));
    return fill(file, true);
}

static int make_user_block(const char *path, hid_t fapl)
{
    KEEP(fcpl, H5Pcreate(H5P_FILE_CREATE));
    TRY(H5Pset_userblock(fcpl, 1024));
    KEEP(file, H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl));
    return fill(file, true);
}

static int make_old(const char *path, hid_t fapl)
{
    (void)fapl;
    return from_corpus("group_old_9links.h5", path);
}

/* The writes in place fail, once the journal is whole: it stays. */
static int make_journal(const char *path, hid_t fapl)
{
    TRY(make_plain(path, fapl));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    TRY(file);
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "before %d/in the journal", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        TRY(group);
        TRY(H5Gclose(group));
    }
    faulty_fail_at(3, FAULTY_WRITE, FAULTY_EIO, false);
    herr_t status = H5Fclose(file);
    faulty_fail_at(0, 0, FAULTY_EIO, true);
    return status < 0 ? 0 : -1;
}

static int change(hid_t file, int step)
{
    char name[40];
    hsize_t n = 100;
    switch (step) {
    case 0:
        return H5Ldelete(file, "before 1", H5P_DEFAULT);
    case 1: {
        KEEP(group, H5Gcreate2(file, "after", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        return 0;
    }
    case 2: {
        KEEP(dcpl, H5Pcreate(H5P_DATASET_CREATE));
        TRY(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
        KEEP(space, H5Screate_simple(1, &n, NULL));
        KEEP(dataset, H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        return 0;
    }
    default:
        snprintf(name, sizeof name, "before %d", 2 * step - 3);
        return H5Ldelete(file, name, H5P_DEFAULT);
    }
}

static int create_group(hid_t file, int step)
{
    char name[40];
    snprintf(name, sizeof name, "group %d", step);
    KEEP(group, H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return 0;
}

/* When the flush fails the group is there all the same. */
static int with_flushes(hid_t file, int step)
{
    char name[40];
    snprintf(name, sizeof name, "group %d", step);
    htri_t there = H5Lexists(file, name, H5P_DEFAULT);
    TRY(there);
    if (!there)
        TRY(create_group(file, step));
    return H5Fflush(file, H5F_SCOPE_GLOBAL);
}

static hid_t create_plain(const char *path, hid_t fapl)
{
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
}

static hid_t create_pages(const char *path, hid_t fapl)
{
    return create_with(path, fapl, H5F_FSPACE_STRATEGY_PAGE, true);
}

static hid_t create_persist(const char *path, hid_t fapl)
{
    return create_with(path, fapl, H5F_FSPACE_STRATEGY_FSM_AGGR, true);
}

#define NEW FAULTS_CREATES | FAULTS_OPENS

static const struct scenario scenarios[] = {
    {.name = "create", .create = create_plain, .step = create_group, .steps = 1, .flags = NEW},
    {.name = "create-latest", .create = create_plain, .step = create_group, .steps = 1, .flags = NEW | FAULTS_LATEST},
    {.name = "create-pages", .create = create_pages, .step = create_group, .steps = 1, .flags = NEW | FAULTS_LATEST},
    {.name = "create-persist", .create = create_persist, .step = create_group, .steps = 1, .flags = NEW},
    {.name = "truncate", .make = make_plain, .create = create_plain, .step = create_group, .steps = 1, .flags = NEW},
    {.name = "open", .make = make_plain, .step = change, .steps = 2, .flags = FAULTS_OPENS},
    {.name = "open-latest", .make = make_plain, .step = change, .steps = 2, .flags = FAULTS_OPENS | FAULTS_LATEST},
    {.name = "open-old", .make = make_old, .step = create_group, .steps = 2, .flags = FAULTS_OPENS},
    {.name = "journal", .make = make_journal, .step = create_group, .steps = 1, .flags = FAULTS_OPENS},
    {.name = "journal-latest", .make = make_journal, .step = create_group, .steps = 1,
     .flags = FAULTS_OPENS | FAULTS_LATEST},
    {.name = "flush", .make = make_plain, .step = with_flushes, .steps = 4, .flags = FAULTS_PARTS},
    {.name = "flush-latest", .make = make_plain, .step = with_flushes, .steps = 4, .flags = FAULTS_LATEST | FAULTS_PARTS},
    {.name = "persist", .make = make_persist, .step = change, .steps = 5, .flags = FAULTS_OPENS},
    {.name = "pages", .make = make_pages, .step = change, .steps = 5, .flags = FAULTS_OPENS | FAULTS_LATEST},
    {.name = "no-manager", .make = make_no_manager, .step = change, .steps = 5},
    {.name = "user-block", .make = make_user_block, .step = change, .steps = 5},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
