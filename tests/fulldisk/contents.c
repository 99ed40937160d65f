#include "contents.h"

#include <stdio.h>
#include <string.h>

#define ROW 4096 /* numbers of a step */
#define STRINGS 100
#define GROUPS 100

/* Noise that no filter makes smaller. */
static unsigned noise(unsigned x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

static void make_row(int step, unsigned *row)
{
    for (unsigned i = 0; i < ROW; i++)
        row[i] = noise((unsigned)step * ROW + i + 1);
}

static hid_t row_of(hid_t dset, int step)
{
    hsize_t start = (hsize_t)step * ROW, count = ROW;
    hid_t space = H5Dget_space(dset);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    return space;
}

/* One row of numbers in or out. */
static int move_row(hid_t dset, int step, unsigned *row, int write)
{
    hsize_t count = ROW;
    hid_t mem = H5Screate_simple(1, &count, NULL), space = row_of(dset, step);
    int status = write ? H5Dwrite(dset, H5T_NATIVE_UINT, mem, space, H5P_DEFAULT, row)
                       : H5Dread(dset, H5T_NATIVE_UINT, mem, space, H5P_DEFAULT, row);
    H5Sclose(space);
    H5Sclose(mem);
    return status;
}

static int numbers_step(hid_t dset, int step)
{
    unsigned row[ROW];
    make_row(step, row);
    return move_row(dset, step, row, 1);
}

static int numbers_check(hid_t dset, int step)
{
    unsigned row[ROW], found[ROW];
    make_row(step, row);
    return move_row(dset, step, found, 0) < 0 || memcmp(row, found, sizeof row) != 0 ? -1 : 0;
}

static hid_t numbers(hid_t loc, hid_t dcpl)
{
    hsize_t size = (hsize_t)STEPS * ROW;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dset = H5Dcreate2(loc, "object", H5T_STD_U32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return dset;
}

/* A step fills one chunk and half of the next, so that half of what is written waits for more. */
static hid_t chunked_list(void)
{
    hsize_t chunk = ROW / 3 * 2;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    return dcpl;
}

static hid_t contiguous_begin(hid_t loc)
{
    return numbers(loc, H5Pcreate(H5P_DATASET_CREATE));
}

static hid_t chunks_begin(hid_t loc)
{
    return numbers(loc, chunked_list());
}

static hid_t gzip_begin(hid_t loc)
{
    hid_t dcpl = chunked_list();
    H5Pset_deflate(dcpl, 1);
    return numbers(loc, dcpl);
}

#ifdef TESSERA
static hid_t sparse_begin(hid_t loc)
{
    hsize_t chunk = ROW / 3 * 2;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_sparse_chunk(dcpl, 1, &chunk);
    return numbers(loc, dcpl);
}
#endif

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
}

static hid_t strings_begin(hid_t loc)
{
    hsize_t size = (hsize_t)STEPS * STRINGS, chunk = 64;
    hid_t space = H5Screate_simple(1, &size, NULL), type = string_type(), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t dset = H5Dcreate2(loc, "object", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    return dset;
}

/* Also the name of a group. */
static void make_string(int step, int i, char text[161])
{
    for (int k = 0; k < 160; k++)
        text[k] = (char)('a' + noise((unsigned)((step * STRINGS + i) * 160 + k)) % 26);
    text[160] = '\0';
}

static int move_strings(hid_t dset, int step, char **strings, int write)
{
    hsize_t start = (hsize_t)step * STRINGS, count = STRINGS;
    hid_t mem = H5Screate_simple(1, &count, NULL), space = H5Dget_space(dset), type = string_type();
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    int status = write ? H5Dwrite(dset, type, mem, space, H5P_DEFAULT, strings)
                       : H5Dread(dset, type, mem, space, H5P_DEFAULT, strings);
    H5Tclose(type);
    H5Sclose(space);
    H5Sclose(mem);
    return status;
}

static int strings_step(hid_t dset, int step)
{
    static char text[STRINGS][161];
    char *strings[STRINGS];
    for (int i = 0; i < STRINGS; i++) {
        make_string(step, i, text[i]);
        strings[i] = text[i];
    }
    return move_strings(dset, step, strings, 1);
}

static int strings_check(hid_t dset, int step)
{
    char *found[STRINGS] = {0}, text[161];
    int status = move_strings(dset, step, found, 0);
    for (int i = 0; status >= 0 && i < STRINGS; i++) {
        make_string(step, i, text);
        if (!found[i] || strcmp(found[i], text) != 0)
            status = -1;
        H5free_memory(found[i]);
    }
    return status;
}

static hid_t group_begin(hid_t loc)
{
    return H5Gcreate2(loc, "object", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static int attributes_step(hid_t group, int step)
{
    unsigned row[ROW];
    char name[32];
    hsize_t size = ROW;
    make_row(step, row);
    snprintf(name, sizeof name, "attribute %d", step);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t attr = H5Acreate2(group, name, H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int status = attr < 0 ? -1 : H5Awrite(attr, H5T_NATIVE_UINT, row);
    if (attr >= 0 && H5Aclose(attr) < 0)
        status = -1;
    H5Sclose(space);
    return status;
}

static int attributes_check(hid_t group, int step)
{
    unsigned row[ROW], found[ROW];
    char name[32];
    make_row(step, row);
    snprintf(name, sizeof name, "attribute %d", step);
    hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
    int status = attr < 0 ? -1 : H5Aread(attr, H5T_NATIVE_UINT, found);
    H5Aclose(attr);
    return status < 0 || memcmp(row, found, sizeof row) != 0 ? -1 : 0;
}

static int groups_step(hid_t group, int step)
{
    char name[161];
    for (int i = 0; i < GROUPS; i++) {
        make_string(step, i, name);
        hid_t child = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (child < 0 || H5Gclose(child) < 0)
            return -1;
    }
    return 0;
}

static int groups_check(hid_t group, int step)
{
    char name[161];
    for (int i = 0; i < GROUPS; i++) {
        make_string(step, i, name);
        hid_t child = H5Gopen2(group, name, H5P_DEFAULT);
        if (child < 0)
            return -1;
        H5Gclose(child);
    }
    return 0;
}

static const struct content contents[] = {
    {"contiguous", contiguous_begin, numbers_step, numbers_check},
    {"chunks", chunks_begin, numbers_step, numbers_check},
    {"gzip", gzip_begin, numbers_step, numbers_check},
#ifdef TESSERA
    {"sparse", sparse_begin, numbers_step, numbers_check},
#endif
    {"strings", strings_begin, strings_step, strings_check},
    {"attributes", group_begin, attributes_step, attributes_check},
    {"groups", group_begin, groups_step, groups_check},
};

const struct content *content_find(const char *name)
{
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        if (strcmp(contents[i].name, name) == 0)
            return &contents[i];
    return NULL;
}
