/* small FOLDER [WORDS]: times writing much that is small (written.h): strings, datasets, links, groups, attributes. */
#include "written.h"

enum { GROUPS = 20000, DATASETS = 10000, STRINGS = 1000000, ATTRIBUTES = 10000, LINKS = 100000, STRINGS_CHUNK = 10000 };

static void put_attribute(hid_t object, const char *name, hid_t space, int value)
{
    hid_t attr = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
}

static int get_attribute(hid_t object, const char *name)
{
    int value = 0;
    hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    H5Aread(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    return value;
}

static void write_groups(const char *how)
{
    hid_t file = create(how), space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < GROUPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_attribute(group, "number", space, i);
        H5Gclose(group);
    }
    H5Sclose(space);
    H5Fclose(file);
}

static double read_groups(void)
{
    double sum = 0;
    hid_t file = reopen();
    for (int i = 0; i < GROUPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
        sum += i % 7 * get_attribute(group, "number");
        H5Gclose(group);
    }
    H5Fclose(file);
    return sum;
}

static void write_datasets(const char *how)
{
    const hsize_t n = 16;
    hid_t file = create(how), space = H5Screate_simple(1, &n, NULL);
    for (int i = 0; i < DATASETS; i++) {
        char name[32];
        int data[16] = {i, i + 1, i + 2};
        snprintf(name, sizeof name, "dataset%06d", i);
        hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dset);
    }
    H5Sclose(space);
    H5Fclose(file);
}

static double read_datasets(void)
{
    double sum = 0;
    hid_t file = reopen();
    for (int i = 0; i < DATASETS; i++) {
        char name[32];
        int data[16] = {0};
        snprintf(name, sizeof name, "dataset%06d", i);
        hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
        H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dset);
        sum += i % 7 * data[2];
    }
    H5Fclose(file);
    return sum;
}

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
}

/* Made before anything is timed. */
static char **texts(void)
{
    static char *texts[STRINGS];
    for (int i = 0; i < STRINGS && !texts[STRINGS - 1]; i++) {
        char text[32];
        snprintf(text, sizeof text, "string %0*d", 1 + i % 15, i);
        texts[i] = strdup(text);
    }
    return texts;
}

static void write_strings(const char *how)
{
    const hsize_t n = STRINGS, chunk = STRINGS_CHUNK;
    hid_t file = create(how), space = H5Screate_simple(1, &n, NULL), type = string_type();
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (strstr(how, "chunks"))
        H5Pset_chunk(dcpl, 1, &chunk);
    hid_t dset = H5Dcreate2(file, "strings", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts());
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    H5Fclose(file);
}

static double read_strings(void)
{
    char **data = calloc(STRINGS, sizeof *data);
    hid_t file = reopen(), type = string_type(), dset = H5Dopen2(file, "strings", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset);
    H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    double sum = 0;
    for (int i = 0; i < STRINGS; i++)
        sum += i % 7 * (data[i] ? atof(data[i] + 7) : 0);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
    H5Sclose(space);
    H5Dclose(dset);
    H5Tclose(type);
    H5Fclose(file);
    free(data);
    return sum;
}

/* As many as the title begins with. */
static int how_many(const char *how)
{
    return how[1] == ',' ? 1000 : ATTRIBUTES;
}

static int n_attributes;

static void write_attributes(const char *how)
{
    hid_t file = create(how), space = H5Screate(H5S_SCALAR);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    n_attributes = how_many(how);
    for (int i = 0; i < n_attributes; i++) {
        char name[32];
        snprintf(name, sizeof name, "attribute%06d", i);
        put_attribute(group, name, space, i);
    }
    H5Gclose(group);
    H5Sclose(space);
    H5Fclose(file);
}

static double read_attributes(void)
{
    double sum = 0;
    hid_t file = reopen(), group = H5Gopen2(file, "group", H5P_DEFAULT);
    for (int i = 0; i < n_attributes; i++) {
        char name[32];
        snprintf(name, sizeof name, "attribute%06d", i);
        sum += i % 7 * get_attribute(group, name);
    }
    H5Gclose(group);
    H5Fclose(file);
    return sum;
}

/* Soft ones and, if the title says so, hard ones or groups. */
static void write_links(const char *how)
{
    hid_t file = create(how), group = H5Gcreate2(file, "links", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < LINKS; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%06d", i);
        if (strstr(how, "hard"))
            H5Lcreate_hard(file, "links", group, name, H5P_DEFAULT, H5P_DEFAULT);
        else if (strstr(how, "groups"))
            H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        else
            H5Lcreate_soft("/links", group, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Gclose(group);
    H5Fclose(file);
}

static double read_links(void)
{
    double sum = 0;
    hid_t file = reopen(), group = H5Gopen2(file, "links", H5P_DEFAULT);
    for (int i = 0; i < LINKS; i++) {
        char name[32];
        H5L_info_t info;
        snprintf(name, sizeof name, "link%06d", i);
        H5Lget_info(group, name, &info, H5P_DEFAULT);
        sum += i % 7 * (int)info.type + 1;
    }
    H5Gclose(group);
    H5Fclose(file);
    return sum;
}

static void prepare_strings(void)
{
    texts();
}

static const struct written cases[] = {
    {"1 M strings of variable length", write_strings, read_strings, "  read back", prepare_strings},
    {"1 M strings, chunks of 10,000", write_strings, read_strings, "  read back", prepare_strings},
    {"10,000 small datasets", write_datasets, read_datasets, "  read back", NULL},
    {"10,000 small datasets, latest format", write_datasets, read_datasets, "  read back", NULL},
    {"100,000 soft links in a group", write_links, read_links, "  read back", NULL},
    {"100,000 hard links in a group", write_links, read_links, "  read back", NULL},
    {"100,000 groups in a group", write_links, read_links, "  read back", NULL},
    {"100,000 soft links, latest format", write_links, read_links, "  read back", NULL},
    {"1,000 attributes of a group", write_attributes, read_attributes, "  read back", NULL},
    {"10,000 attributes of a group", write_attributes, read_attributes, "  read back", NULL},
    {"10,000 attributes, latest format", write_attributes, read_attributes, "  read back", NULL},
    {"20,000 groups, an attribute each", write_groups, read_groups, "  read back", NULL},
    {"20,000 groups, latest format", write_groups, read_groups, "  read back", NULL},
};

int main(int argc, char **argv)
{
    return run_written(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
