/* Cases of bench/threads that use metadata only: groups, attributes and datasets of a file that is open for reading,
 * dataspaces and property lists. */
#include "threads.h"

/* A thread has so many groups of its own, each with an attribute and a dataset. */
enum { GROUPS = 8, CALLS = 100000 };

static double calls(const struct team *t)
{
    return CALLS / (double)t->part;
}

static void make_group(hid_t file, int i, hid_t scalar, hid_t space)
{
    char name[32];
    snprintf(name, sizeof name, "g%d", i);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t attr = H5Acreate2(group, "number", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, H5T_NATIVE_INT, &i);
    H5Aclose(attr);
    H5Dclose(H5Dcreate2(group, "data", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
}

static void prepare_groups(struct team *t)
{
    hid_t file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t scalar = H5Screate(H5S_SCALAR), space = H5Screate_simple(1, (hsize_t[]){100}, NULL);
    for (unsigned i = 0; i < t->n * GROUPS; i++)
        make_group(file, (int)i, scalar, space);
    H5Sclose(space);
    H5Sclose(scalar);
    must(t, 0, H5Fclose(file) >= 0);
}

static void open_groups(struct team *t)
{
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

static void close_groups(struct team *t)
{
    must(t, 0, H5Fclose(t->file) >= 0);
}

static int read_number(hid_t file, int i)
{
    char name[32];
    int number = -1;
    snprintf(name, sizeof name, "g%d", i);
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT), attr = H5Aopen(group, "number", H5P_DEFAULT);
    H5Aread(attr, H5T_NATIVE_INT, &number);
    return H5Aclose(attr) >= 0 && H5Gclose(group) >= 0 && number == i;
}

static double read_own(struct team *t, unsigned i)
{
    double n = calls(t);
    for (int k = 0; k < n; k++)
        must(t, i, read_number(t->file, (int)i * GROUPS + k % GROUPS));
    return n / 1000;
}

static double read_one(struct team *t, unsigned i)
{
    double n = calls(t);
    for (int k = 0; k < n; k++)
        must(t, i, read_number(t->file, 0));
    return n / 1000;
}

static double open_datasets(struct team *t, unsigned i)
{
    char name[32];
    double n = calls(t);
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "g%d/data", (int)i * GROUPS + k % GROUPS);
        hid_t dset = H5Dopen2(t->file, name, H5P_DEFAULT), space = H5Dget_space(dset);
        must(t, i, H5Sclose(space) >= 0 && H5Dclose(dset) >= 0);
    }
    return n / 1000;
}

static double look_for_links(struct team *t, unsigned i)
{
    char name[32];
    double n = calls(t);
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "g%d", (int)i * GROUPS + k % GROUPS);
        must(t, i, H5Lexists(t->file, name, H5P_DEFAULT) > 0);
    }
    return n / 1000;
}

static double make_spaces(struct team *t, unsigned i)
{
    double n = calls(t);
    for (int k = 0; k < n; k++)
        must(t, i, H5Sclose(H5Screate(H5S_SIMPLE)) >= 0);
    return n / 1000;
}

static double make_lists(struct team *t, unsigned i)
{
    double n = calls(t);
    for (int k = 0; k < n; k++)
        must(t, i, H5Pclose(H5Pcreate(H5P_DATASET_CREATE)) >= 0);
    return n / 1000;
}

/* clang-format off */
const struct thread_case metadata_cases[] = {
    {"open a group, read its attribute, groups of their own", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, read_own, NULL, close_groups},
    {"open a group, read its attribute, all the same", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, read_one, NULL, close_groups},
    {"open a dataset, ask for its extent", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, open_datasets, NULL, close_groups},
    {"look whether a link is there", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, look_for_links, NULL, close_groups},
    {"make a dataspace, close it", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, make_spaces, NULL, close_groups},
    {"make a creation list of datasets, close it", "k/s", TEAM_OR_MANY, prepare_groups, open_groups, make_lists, NULL, close_groups},
    {0},
};
/* clang-format on */
