/* Makes files with what releases after 1.10 brought: their bounds, references of four kinds, complex numbers, virtual
 * mappings with shared names, chunks of any size.
 *
 *   newer FOLDER [change]      makes them, or changes those that are there
 *
 * Built with several libraries: newer.py says which made the files that are kept, and Tessera's must be read by them. What
 * the library that runs does not have is left out. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) (sizeof(array) / sizeof *(array))
#define V200 ((H5F_libver_t)5)

/* Libraries before 2.0 can be linked to. */
#pragma weak H5Tcomplex_create

static unsigned release; /* 114 for 1.14, 200 for 2.0 */
static H5F_libver_t newest;

static hid_t ok(hid_t result, const char *what, int line)
{
    if (result >= 0)
        return result;
    fprintf(stderr, "newer: line %d: %s\n", line, what);
    H5Eprint2(H5E_DEFAULT, stderr);
    exit(1);
}
#define OK(call) ok((hid_t)(call), #call, __LINE__)

static const char *const bound_names[] = {"earliest", "v18", "v110", "v112", "v114", "v200"};

/* Without times: files are the same whenever they are made. */
static hid_t creation_of(hid_t cls)
{
    hid_t list = OK(H5Pcreate(cls));
    OK(H5Pset_obj_track_times(list, 0));
    return list;
}

static hid_t creation(void)
{
    return creation_of(H5P_DATASET_CREATE);
}

static void commit(hid_t at, const char *name, hid_t type)
{
    hid_t tcpl = creation_of(H5P_DATATYPE_CREATE);
    OK(H5Tcommit2(at, name, type, H5P_DEFAULT, tcpl, H5P_DEFAULT));
    H5Pclose(tcpl);
}

static hid_t new_file(const char *name, H5F_libver_t low, H5F_libver_t high)
{
    hid_t fapl = OK(H5Pcreate(H5P_FILE_ACCESS)), fcpl = creation_of(H5P_FILE_CREATE);
    OK(H5Pset_libver_bounds(fapl, low, high));
    OK(H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG));
    hid_t file = OK(H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl));
    H5Pclose(fapl);
    H5Pclose(fcpl);
    return file;
}

/* Of the rank, with dimensions and largest ones; NULL: scalar. */
static hid_t space_of(int rank, const hsize_t *dims, const hsize_t *max)
{
    return OK(rank ? H5Screate_simple(rank, dims, max) : H5Screate(H5S_SCALAR));
}

static void put(hid_t at, const char *name, hid_t stored, hid_t memory, hsize_t n, const void *data)
{
    hid_t space = space_of(n > 0, &n, NULL), dcpl = creation();
    hid_t dset = OK(H5Dcreate2(at, name, stored, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    OK(H5Dwrite(dset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void put_attribute(hid_t at, const char *name, hid_t type, hsize_t n, const void *data)
{
    hid_t space = space_of(n > 0, &n, NULL), attr = OK(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    OK(H5Awrite(attr, type, data));
    H5Aclose(attr);
    H5Sclose(space);
}

static hid_t enum_of(hid_t base, size_t n, const char *const *names)
{
    hid_t t = OK(H5Tenum_create(base));
    for (size_t i = 0; i < n; i++) {
        signed char value = (signed char)i;
        OK(H5Tenum_insert(t, names[i], &value));
    }
    return t;
}

static hid_t boolean(void)
{
    return enum_of(H5T_STD_I8LE, 2, (const char *const[]){"FALSE", "TRUE"});
}

static hid_t text(void)
{
    hid_t t = OK(H5Tcopy(H5T_C_S1));
    OK(H5Tset_size(t, H5T_VARIABLE));
    OK(H5Tset_cset(t, H5T_CSET_UTF8));
    return t;
}

struct record {
    int number;
    double value;
    signed char flag;
    short table[2][3];
};

static hid_t record_type(void)
{
    hid_t t = OK(H5Tcreate(H5T_COMPOUND, sizeof(struct record))), flag = boolean();
    hid_t table = OK(H5Tarray_create2(H5T_STD_I16LE, 2, (hsize_t[]){2, 3}));
    OK(H5Tinsert(t, "number", HOFFSET(struct record, number), H5T_STD_I32LE));
    OK(H5Tinsert(t, "value", HOFFSET(struct record, value), H5T_IEEE_F64LE));
    OK(H5Tinsert(t, "flag", HOFFSET(struct record, flag), flag));
    OK(H5Tinsert(t, "table", HOFFSET(struct record, table), table));
    H5Tclose(table);
    H5Tclose(flag);
    return t;
}

static void put_types(hid_t file)
{
    static const struct record records[2] = {{1, 2.5, 1, {{1, 2, 3}, {4, 5, 6}}}, {-7, 1e300, 0, {{-1}}}};
    static const int numbers[] = {5, -4, 3, 2, 1}, few[] = {8, 9};
    static const signed char flags[] = {1, 0, 1}, colours[] = {2, 0, 1};
    static const char *const words[] = {"one", "zwei", "drei \xe2\x82\xac"};
    const hvl_t lists[] = {{3, (void *)numbers}, {0, NULL}, {2, (void *)few}};
    hid_t record = record_type(), flag = boolean(), word = text(), list = OK(H5Tvlen_create(H5T_NATIVE_INT));
    hid_t colour = enum_of(H5T_STD_I8LE, 3, (const char *const[]){"red", "green", "blue"});
    put(file, "int", H5T_STD_I32BE, H5T_NATIVE_INT, N(numbers), numbers);
    put(file, "record", record, record, N(records), records);
    put(file, "flag", flag, flag, N(flags), flags);
    put(file, "colour", colour, colour, N(colours), colours);
    put(file, "word", word, word, N(words), words);
    put(file, "list", list, list, N(lists), lists);
    put_attribute(file, "record", record, 2, records);
    put_attribute(file, "flag", flag, 0, flags);
    put_attribute(file, "word", word, 3, words);
    commit(file, "type", record);
    put(file, "by type", record, record, 1, records);
    H5Tclose(record), H5Tclose(flag), H5Tclose(word), H5Tclose(list), H5Tclose(colour);
}

static void put_old_references(hid_t file)
{
    hobj_ref_t objects[2];
    hdset_reg_ref_t regions[2];
    hsize_t n = 5, start = 1, count = 2, points[] = {4, 0};
    hid_t space = space_of(1, &n, NULL);
    memset(regions, 0, sizeof regions);
    OK(H5Rcreate(&objects[0], file, "int", H5R_OBJECT, -1));
    OK(H5Rcreate(&objects[1], file, "/", H5R_OBJECT, -1));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL));
    OK(H5Rcreate(&regions[0], file, "int", H5R_DATASET_REGION, space));
    OK(H5Sselect_elements(space, H5S_SELECT_SET, 2, points));
    OK(H5Rcreate(&regions[1], file, "int", H5R_DATASET_REGION, space));
    put(file, "old objects", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, 2, objects);
    put(file, "old regions", H5T_STD_REF_DSETREG, H5T_STD_REF_DSETREG, 2, regions);
    H5Sclose(space);
}

struct chunked {
    const char *name;
    int rank;
    hsize_t dims[2], max[2], chunk[2];
    bool early, partial;
};

/* One of each index of chunks. */
static const struct chunked indexes[] = {
    {"single", 1, {10}, {10}, {10}, false, false},
    {"implicit", 1, {20}, {20}, {5}, true, false},
    {"fixed", 1, {40}, {64}, {4}, false, false},
    {"extensible", 1, {40}, {H5S_UNLIMITED}, {4}, false, false},
    {"tree", 2, {9, 9}, {H5S_UNLIMITED, H5S_UNLIMITED}, {4, 4}, false, false},
    {"edges", 2, {6, 7}, {6, H5S_UNLIMITED}, {4, 4}, false, true},
};

static void put_chunked(hid_t file, const struct chunked *c, bool filtered)
{
    int data[100];
    char name[40];
    hid_t space = space_of(c->rank, c->dims, c->max), dcpl = creation();
    for (size_t i = 0; i < N(data); i++)
        data[i] = (int)(i * i);
    snprintf(name, sizeof name, "%s%s", c->name, filtered ? " filtered" : "");
    OK(H5Pset_chunk(dcpl, c->rank, c->chunk));
    OK(H5Pset_alloc_time(dcpl, c->early ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_INCR));
    if (filtered) {
        OK(H5Pset_shuffle(dcpl));
        OK(H5Pset_deflate(dcpl, 6));
    }
    if (c->partial)
        OK(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    hid_t dset = OK(H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    OK(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void put_groups(hid_t file)
{
    char name[20];
    hid_t gcpl = creation_of(H5P_GROUP_CREATE);
    OK(H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    hid_t group = OK(H5Gcreate2(file, "group", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "link %d", i * 7 % 12);
        OK(H5Lcreate_soft("/int", group, name, H5P_DEFAULT, H5P_DEFAULT));
        put_attribute(group, name, H5T_NATIVE_INT, 0, &i);
    }
    OK(H5Lcreate_external("nowhere.h5", "/int", group, "other", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
    H5Pclose(gcpl);
}

/* Row after row from few sources: the names of most are those of earlier ones. */
static void put_virtual(hid_t file)
{
    static const struct {
        const char *file, *dset;
    } sources[] = {{".", "int"}, {".", "int"}, {"source.h5", "int"}, {"source.h5", "int"}, {"source.h5", "also"},
                   {".", "int"}, {"source.h5", "also"}, {"a source that does not exist, whatever it is called.h5", "int"}};
    hsize_t dims[2] = {N(sources), 5}, count[2] = {1, 5}, start[2] = {0, 0}, n = 5;
    hid_t space = space_of(2, dims, NULL), row = space_of(1, &n, NULL), dcpl = creation();
    int fill = -9;
    OK(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    for (; start[0] < dims[0]; start[0]++) {
        OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        OK(H5Pset_virtual(dcpl, space, sources[start[0]].file, sources[start[0]].dset, row));
    }
    H5Dclose(OK(H5Dcreate2(file, "rows", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    H5Pclose(dcpl);
    H5Sclose(row);
    H5Sclose(space);
}

static void make_source(void)
{
    static const int numbers[] = {10, 11, 12, 13, 14}, others[] = {20, 21, 22, 23, 24};
    hid_t file = new_file("source.h5", H5F_LIBVER_EARLIEST, newest);
    put(file, "int", H5T_STD_I32LE, H5T_NATIVE_INT, 5, numbers);
    put(file, "also", H5T_STD_I32LE, H5T_NATIVE_INT, 5, others);
    put_attribute(file, "of the root", H5T_STD_I32LE, 5, numbers);
    OK(H5Fclose(file));
}

static void make_bounds(H5F_libver_t low, H5F_libver_t high)
{
    char name[60];
    snprintf(name, sizeof name, "bounds_%s_%s.h5", bound_names[low], bound_names[high]);
    hid_t file = new_file(name, low, high);
    put_types(file);
    put_old_references(file);
    put_groups(file);
    for (size_t i = 0; i < N(indexes); i++)
        if (!indexes[i].partial || high >= H5F_LIBVER_V110) {
            put_chunked(file, &indexes[i], false);
            put_chunked(file, &indexes[i], true);
        }
    if (high >= H5F_LIBVER_V110)
        put_virtual(file);
    OK(H5Fclose(file));
}

/* References to everything that there is here and in another file, after one to nothing. */
enum { REFERENCES = 9 };

static void make_references(hid_t here, hid_t there, H5R_ref_t *refs)
{
    hsize_t n = 5, start = 0, stride = 2, count = 2, block = 1, points[] = {4, 0, 2};
    hid_t space = space_of(1, &n, NULL);
    memset(refs, 0, REFERENCES * sizeof *refs);
    OK(H5Rcreate_object(here, "int", H5P_DEFAULT, &refs[1]));
    OK(H5Rcreate_object(here, "/group", H5P_DEFAULT, &refs[2]));
    OK(H5Rcreate_attr(here, "/", "flag", H5P_DEFAULT, &refs[3]));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block));
    OK(H5Rcreate_region(here, "int", space, H5P_DEFAULT, &refs[4]));
    OK(H5Rcreate_region(there, "also", space, H5P_DEFAULT, &refs[5]));
    OK(H5Sselect_elements(space, H5S_SELECT_SET, 3, points));
    OK(H5Rcreate_region(here, "int", space, H5P_DEFAULT, &refs[6]));
    OK(H5Rcreate_object(there, "int", H5P_DEFAULT, &refs[7]));
    OK(H5Rcreate_attr(there, "/", "of the root", H5P_DEFAULT, &refs[8]));
    H5Sclose(space);
}

struct referring {
    int number;
    H5R_ref_t one, two[2];
    hvl_t list;
};

static hid_t referring_type(void)
{
    hid_t t = OK(H5Tcreate(H5T_COMPOUND, sizeof(struct referring))), list = OK(H5Tvlen_create(H5T_STD_REF));
    hid_t two = OK(H5Tarray_create2(H5T_STD_REF, 1, (hsize_t[]){2}));
    OK(H5Tinsert(t, "number", HOFFSET(struct referring, number), H5T_STD_I32LE));
    OK(H5Tinsert(t, "one", HOFFSET(struct referring, one), H5T_STD_REF));
    OK(H5Tinsert(t, "two", HOFFSET(struct referring, two), two));
    OK(H5Tinsert(t, "list", HOFFSET(struct referring, list), list));
    H5Tclose(list);
    H5Tclose(two);
    return t;
}

/* 1.12 writes them in a form of its own, which later releases cannot read. */
static void put_referring_lists(hid_t file, const hvl_t *lists, hsize_t n)
{
    if (release < 114)
        return;
    hid_t list = OK(H5Tvlen_create(H5T_STD_REF));
    put(file, "lists", list, list, n, lists);
    put_attribute(file, "lists", list, n, lists);
    H5Tclose(list);
}

static void put_referring(hid_t file, H5R_ref_t *refs)
{
    struct referring two[2];
    hid_t t = referring_type(), array = OK(H5Tarray_create2(H5T_STD_REF, 1, (hsize_t[]){3}));
    const hvl_t lists[] = {{4, refs + 1}, {0, NULL}, {REFERENCES, refs}};
    memset(two, 0, sizeof two);
    two[0].number = 1;
    two[0].one = refs[1];
    two[0].two[0] = refs[4];
    two[0].two[1] = refs[7];
    two[0].list = release < 114 ? lists[1] : lists[2];
    two[1].number = 2;
    two[1].two[1] = refs[3];
    put(file, "references", H5T_STD_REF, H5T_STD_REF, REFERENCES, refs);
    put_referring_lists(file, lists, N(lists));
    put(file, "arrays", array, array, 3, refs);
    put(file, "compound", t, t, 2, two);
    put_attribute(file, "references", H5T_STD_REF, REFERENCES, refs);
    put_attribute(file, "compound", t, 2, two);
    H5Tclose(array), H5Tclose(t);
}

static void make_referring(H5F_libver_t low)
{
    H5R_ref_t refs[REFERENCES];
    char name[60];
    snprintf(name, sizeof name, "references_%s.h5", bound_names[low]);
    hid_t here = new_file(name, low, newest), there = OK(H5Fopen("source.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    put_types(here);
    put_groups(here);
    make_references(here, there, refs);
    put_referring(here, refs);
    for (int i = 1; i < REFERENCES; i++)
        OK(H5Rdestroy(&refs[i]));
    OK(H5Fclose(there));
    OK(H5Fclose(here));
}

static hid_t complex_of(hid_t base)
{
    return OK(H5Tcomplex_create(base));
}

static void put_complex(hid_t file, const char *name, hid_t base, const double *numbers, hsize_t n)
{
    hid_t stored = complex_of(base), memory = complex_of(H5T_NATIVE_DOUBLE);
    put(file, name, stored, memory, n, numbers);
    put_attribute(file, name, memory, n, numbers);
    H5Tclose(stored);
    H5Tclose(memory);
}

/* Releases before 1.14.4 have no name for it. */
static hid_t half_float(void)
{
    hid_t t = OK(H5Tcopy(H5T_IEEE_F32LE));
    OK(H5Tset_fields(t, 15, 10, 5, 0, 10));
    OK(H5Tset_precision(t, 16));
    OK(H5Tset_size(t, 2));
    OK(H5Tset_ebias(t, 15));
    return t;
}

static hid_t odd_float(void)
{
    hid_t t = OK(H5Tcopy(H5T_IEEE_F32BE));
    OK(H5Tset_fields(t, 26, 20, 6, 4, 16));
    OK(H5Tset_offset(t, 4));
    OK(H5Tset_precision(t, 23));
    OK(H5Tset_ebias(t, 31));
    return t;
}

struct with_complex {
    int number;
    double z[2], table[4];
    hvl_t list;
};

static void put_with_complex(hid_t file, const double *numbers)
{
    hid_t z = complex_of(H5T_NATIVE_DOUBLE), list = OK(H5Tvlen_create(z)), table = OK(H5Tarray_create2(z, 1, (hsize_t[]){2}));
    hid_t t = OK(H5Tcreate(H5T_COMPOUND, sizeof(struct with_complex)));
    struct with_complex two[2] = {{1, {1, 2}, {3, 4, 5, 6}, {3, (void *)numbers}}, {2, {-1, 0}, {0, 0, 0, 7}, {0, NULL}}};
    OK(H5Tinsert(t, "number", HOFFSET(struct with_complex, number), H5T_NATIVE_INT));
    OK(H5Tinsert(t, "z", HOFFSET(struct with_complex, z), z));
    OK(H5Tinsert(t, "table", HOFFSET(struct with_complex, table), table));
    OK(H5Tinsert(t, "list", HOFFSET(struct with_complex, list), list));
    put(file, "in compounds", t, t, 2, two);
    put(file, "in lists", list, list, 1, &two[0].list);
    put_attribute(file, "in compounds", t, 2, two);
    commit(file, "committed", z);
    put(file, "by type", z, z, 3, numbers);
    H5Tclose(t), H5Tclose(table), H5Tclose(list), H5Tclose(z);
}

static void put_complex_chunks(hid_t file, const double *numbers)
{
    hsize_t n = 6, chunk = 4;
    double fill[2] = {0.5, -0.5};
    hid_t z = complex_of(H5T_NATIVE_DOUBLE), space = space_of(1, &n, NULL), dcpl = creation();
    OK(H5Pset_chunk(dcpl, 1, &chunk));
    OK(H5Pset_fill_value(dcpl, z, fill));
    OK(H5Pset_nbit(dcpl));
    OK(H5Pset_shuffle(dcpl));
    OK(H5Pset_deflate(dcpl, 6));
    hid_t dset = OK(H5Dcreate2(file, "in chunks", z, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){1}, NULL, (hsize_t[]){3}, NULL));
    hid_t memory = space_of(1, (hsize_t[]){3}, NULL);
    OK(H5Dwrite(dset, z, memory, space, H5P_DEFAULT, numbers));
    H5Sclose(memory), H5Dclose(dset), H5Pclose(dcpl), H5Sclose(space), H5Tclose(z);
}

static void make_complex(H5F_libver_t low)
{
    static const double numbers[] = {1.5, -2.25, 0, 1e30, -3, 0};
    char name[60];
    snprintf(name, sizeof name, "complex_%s.h5", bound_names[low]);
    hid_t file = new_file(name, low, newest), odd = odd_float(), half = half_float();
    put_complex(file, "half", half, numbers, 1);
    put_complex(file, "single", H5T_IEEE_F32LE, numbers, 3);
    put_complex(file, "single be", H5T_IEEE_F32BE, numbers, 3);
    put_complex(file, "double", H5T_IEEE_F64LE, numbers, 3);
    put_complex(file, "double be", H5T_IEEE_F64BE, numbers, 3);
    put_complex(file, "long", H5T_NATIVE_LDOUBLE, numbers, 3);
    put_complex(file, "odd", odd, numbers, 1);
    put_with_complex(file, numbers);
    put_complex_chunks(file, numbers);
    H5Tclose(half);
    H5Tclose(odd);
    OK(H5Fclose(file));
}

/* Chunks of 5 GiB: nothing is in them, or the file would not be kept. */
static void put_vast(hid_t file)
{
    hsize_t n = (hsize_t)12 << 30, max = H5S_UNLIMITED, chunk = (hsize_t)5 << 30;
    hid_t space = space_of(1, &n, NULL), growing = space_of(1, &n, &max), dcpl = creation();
    unsigned char fill = 7;
    OK(H5Pset_chunk(dcpl, 1, &chunk));
    OK(H5Pset_fill_value(dcpl, H5T_NATIVE_UCHAR, &fill));
    H5Dclose(OK(H5Dcreate2(file, "vast", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    OK(H5Pset_deflate(dcpl, 1));
    H5Dclose(OK(H5Dcreate2(file, "vast filtered", H5T_STD_U8LE, growing, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    H5Pclose(dcpl);
    H5Sclose(growing);
    H5Sclose(space);
}

/* Filtered chunks in files whose addresses and lengths are not of one size. */
static void make_sizes(size_t address, size_t length)
{
    char name[60];
    snprintf(name, sizeof name, "sizes_%zu_%zu.h5", address, length);
    hid_t fapl = OK(H5Pcreate(H5P_FILE_ACCESS)), fcpl = creation_of(H5P_FILE_CREATE);
    OK(H5Pset_libver_bounds(fapl, newest, newest));
    OK(H5Pset_sizes(fcpl, address, length));
    hid_t file = OK(H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl));
    for (size_t i = 0; i < N(indexes); i++)
        if (length == 8 || (indexes[i].max[0] != H5S_UNLIMITED && !indexes[i].partial)) /* libhdf5 reads no others of 4 */
            put_chunked(file, &indexes[i], true);
    if (address == 8 && length == 8)
        put_vast(file);
    OK(H5Fclose(file));
    H5Pclose(fcpl);
    H5Pclose(fapl);
}

static void make_all(void)
{
    make_source();
    for (H5F_libver_t low = H5F_LIBVER_EARLIEST; low <= newest; low++)
        for (H5F_libver_t high = low ? low : H5F_LIBVER_V18; high <= newest; high++)
            make_bounds(low, high);
    make_referring(H5F_LIBVER_EARLIEST);
    make_referring(newest);
    if (release < 200)
        return;
    make_complex(H5F_LIBVER_EARLIEST);
    make_complex(V200);
    make_sizes(8, 8);
    make_sizes(8, 4);
    make_sizes(4, 8);
}

static void overwrite(hid_t file, const char *name, const hsize_t *dims, int add)
{
    int data[400];
    hid_t dset = OK(H5Dopen2(file, name, H5P_DEFAULT));
    for (int i = 0; i < (int)N(data); i++)
        data[i] = i * 3 + add;
    if (dims)
        OK(H5Dset_extent(dset, dims));
    OK(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(dset);
}

/* Chunks come, go, and change their sizes. */
static void change_chunks(hid_t file)
{
    overwrite(file, "single filtered", NULL, 1);
    overwrite(file, "fixed filtered", NULL, 2);
    overwrite(file, "extensible filtered", (hsize_t[]){300}, 3);
    overwrite(file, "extensible filtered", (hsize_t[]){33}, 4);
    overwrite(file, "tree filtered", (hsize_t[]){19, 21}, 5);
    overwrite(file, "edges filtered", (hsize_t[]){6, 30}, 6);
    OK(H5Ldelete(file, "implicit filtered", H5P_DEFAULT));
    OK(H5Ocopy(file, "tree filtered", file, "tree copied", H5P_DEFAULT, H5P_DEFAULT));
}

static void change_complex(hid_t file)
{
    static const double numbers[] = {-1, 2, -3, 4, -5, 6};
    hid_t memory = complex_of(H5T_NATIVE_DOUBLE), dset = OK(H5Dopen2(file, "single be", H5P_DEFAULT));
    OK(H5Dwrite(dset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    put_attribute(dset, "more", memory, 3, numbers);
    H5Dclose(dset);
    dset = OK(H5Dopen2(file, "in chunks", H5P_DEFAULT));
    OK(H5Dwrite(dset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    H5Dclose(dset);
    OK(H5Adelete(file, "in compounds"));
    OK(H5Ocopy(file, "in lists", file, "lists copied", H5P_DEFAULT, H5P_DEFAULT));
    OK(H5Ldelete(file, "in lists", H5P_DEFAULT));
    H5Tclose(memory);
}

static void change_references(hid_t file)
{
    H5R_ref_t ref;
    hid_t dset = OK(H5Dopen2(file, "references", H5P_DEFAULT)), memory = space_of(1, (hsize_t[]){1}, NULL), space = OK(H5Dget_space(dset));
    OK(H5Rcreate_attr(file, "/", "word", H5P_DEFAULT, &ref));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){4}, NULL, (hsize_t[]){1}, NULL));
    OK(H5Dwrite(dset, H5T_STD_REF, memory, space, H5P_DEFAULT, &ref));
    OK(H5Rdestroy(&ref));
    OK(H5Adelete(file, "compound"));
    OK(H5Adelete(file, "lists"));
    H5Sclose(space), H5Sclose(memory), H5Dclose(dset);
}

static void change_all(void)
{
    static const struct {
        const char *name;
        void (*change)(hid_t file);
    } files[] = {{"sizes_8_8.h5", change_chunks},       {"bounds_v200_v200.h5", change_chunks}, {"bounds_v110_v110.h5", change_chunks},
                 {"complex_v200.h5", change_complex},   {"complex_earliest.h5", change_complex},
                 {"references_v200.h5", change_references}};
    for (size_t i = 0; i < N(files); i++) {
        if (access(files[i].name, F_OK) != 0)
            continue; /* later than the release */
        hid_t file = OK(H5Fopen(files[i].name, H5F_ACC_RDWR, H5P_DEFAULT));
        files[i].change(file);
        OK(H5Fclose(file));
    }
}

int main(int argc, char **argv)
{
    unsigned major, minor, patch;
    if (argc < 2 || argc > 3 || chdir(argv[1]) != 0) {
        fputs("usage: newer FOLDER [change]\n", stderr);
        return 2;
    }
    OK(H5get_libversion(&major, &minor, &patch));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = OK(H5Pcreate(H5P_FILE_ACCESS));
    for (newest = V200; H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, newest) < 0;)
        newest--;
    release = newest >= V200 ? 200 : major * 100 + minor;
    H5Pclose(fapl);
    argc == 3 ? change_all() : make_all();
    return 0;
}
