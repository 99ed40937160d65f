/* Elements that cannot be read or written, extents that cannot be set, mappings that do not match, and callbacks of the
 * application that fail. */
#include "bad_requests.h"

static int numbers[100];

static hid_t make(const char *name, hid_t type, hid_t space, hid_t dcpl)
{
    return H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
}

static hid_t block(hsize_t of, hsize_t start, hsize_t count)
{
    hid_t space = line(of);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0) {
        H5Sclose(space);
        return -1;
    }
    return space;
}

/* Stock libhdf5 takes a file selection in another extent than the dataset's as it is, and reads and writes what lies
 * there, or never comes back; Tessera takes it as one in the dataset's extent. */
static int is_comparable(size_t dset, size_t selection)
{
    static const char ten[] = "yyyy.......yyyy", scalar[] = "y......y.....yy", null[] = "y.......y....yy";
    return (dset < 4 ? ten : dset == 4 ? scalar : null)[selection] == 'y';
}

/* Each kind of dataset with each pair of selections that do not go together, both ways. */
static void selections(void)
{
    hid_t fixed = line(10), growing = open_ended_line(10), compact = H5Pcreate(H5P_DATASET_CREATE), deflated = in_chunks(3);
    hid_t scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL), none = H5Screate(H5S_SIMPLE);
    hsize_t square_dims[2] = {2, 5};
    hid_t square = simple(2, square_dims, NULL), empty = line(10), point = line(10);
    hsize_t nine = 9;
    H5Pset_layout(compact, H5D_COMPACT);
    H5Pset_deflate(deflated, 1);
    H5Sselect_none(empty);
    H5Sselect_elements(point, H5S_SELECT_SET, 1, &nine);
    hid_t dsets[] = {make("contiguous", H5T_STD_I32LE, fixed, H5P_DEFAULT), make("compact", H5T_STD_I32LE, fixed, compact),
                     make("chunked", H5T_STD_I32LE, growing, in_chunks(3)), make("deflated", H5T_STD_I32LE, growing, deflated),
                     make("scalar", H5T_STD_I32LE, scalar, H5P_DEFAULT), make("null", H5T_STD_I32LE, null, H5P_DEFAULT)};
    static const char *const dset_names[] = {"contiguous", "compact", "chunked", "deflated", "scalar", "null"};
    const hid_t spaces[] = {H5S_ALL, fixed, block(10, 0, 4), block(10, 6, 4), block(20, 12, 4), line(4), line(11),
                            scalar, null, none, square, empty, point, -1, H5T_NATIVE_INT};
    static const char *const names[] = {"all", "ten", "first four", "last four", "four of twenty", "four", "eleven", "scalar",
                                        "null", "no extent", "two by five", "none", "point nine", "-1", "a type"};
    for (size_t d = 0; d < LENGTH(dsets); d++)
        for (size_t m = 0; m < LENGTH(spaces); m++)
            for (size_t f = 0; f < LENGTH(spaces); f++) {
                if (!IS_TESSERA && !is_comparable(d, f))
                    continue;
                int w = H5Dwrite(dsets[d], H5T_NATIVE_INT, spaces[m], spaces[f], H5P_DEFAULT, numbers);
                int r = H5Dread(dsets[d], H5T_NATIVE_INT, spaces[m], spaces[f], H5P_DEFAULT, numbers);
                if (!is_comparable(d, f))
                    continue;
                printf("  %s, memory %s, file %s: write %s read %s\n", dset_names[d], names[m], names[f],
                       w < 0 ? "refused" : "done", r < 0 ? "refused" : "done");
                if (f % 5 == 0)
                    work();
            }
}

static void selecting(void)
{
    hsize_t start = 0, count = 1, stride = 1, size = 1, zero = 0, far = 50, huge = UINT64_C(1) << 60, unlimited = H5S_UNLIMITED;
    hid_t space = line(10), scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL), none = H5Screate(H5S_SIMPLE);
    hssize_t offset = -20;
    hsize_t points[3] = {1, 2, 30};
    TRY("stride 0", H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &zero, &count, NULL));
    TRY("stride below the block", H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &far, &far));
    TRY("no start", H5Sselect_hyperslab(space, H5S_SELECT_SET, NULL, NULL, &count, NULL));
    TRY("no count", H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, NULL, NULL));
    TRY("unlimited twice", H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &unlimited, &unlimited));
    TRY("no operation", H5Sselect_hyperslab(space, (H5S_seloper_t)99, &start, NULL, &count, NULL));
    TRY("in a scalar", H5Sselect_hyperslab(scalar, H5S_SELECT_SET, &start, NULL, &count, NULL));
    TRY("in null", H5Sselect_hyperslab(null, H5S_SELECT_SET, &start, NULL, &count, NULL));
    TRY("points past the end", H5Sselect_elements(space, H5S_SELECT_SET, 3, points));
    TRY("no points", H5Sselect_elements(space, H5S_SELECT_SET, 0, points));
    TRY("points missing", H5Sselect_elements(space, H5S_SELECT_SET, 2, NULL));
    TRY("points or-ed", H5Sselect_elements(space, H5S_SELECT_OR, 2, points));
    TRY("far away", H5Sselect_hyperslab(space, H5S_SELECT_SET, &far, NULL, &count, &size));
    TRY("valid", H5Sselect_valid(space) > 0 ? 0 : -1);
    TRY("read far away", H5Dread(rows, H5T_NATIVE_INT, H5S_ALL, space, H5P_DEFAULT, numbers));
    TRY("moved out", H5Soffset_simple(space, &offset));
    TRY("valid", H5Sselect_valid(space) > 0 ? 0 : -1);
    TRY("huge", H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &huge, NULL));
    TRY("another extent", H5Sset_extent_simple(space, 1, &far, &count));
    TRY("extent of a scalar", H5Sset_extent_simple(scalar, 1, &far, NULL));
    TRY("extent without dims", H5Sset_extent_simple(none, 1, NULL, NULL));
    TRY("extent of 33 dims", H5Sset_extent_simple(none, 33, &far, NULL));
    TRY("extent copied from nothing", H5Sextent_copy(space, none));
}

static void extents(void)
{
    hsize_t ten = 10, fifteen = 15, twenty = 20, zero = 0, unlimited = H5S_UNLIMITED, huge = UINT64_C(1) << 62;
    hsize_t dims[2] = {10, 10}, max[2] = {20, H5S_UNLIMITED}, square_chunk[2] = {4, 4};
    hid_t up_to = simple(1, &ten, &fifteen), fixed = line(10), growing = open_ended_line(10), square = simple(2, dims, max);
    hid_t square_list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(square_list, 2, square_chunk);
    hid_t dsets[] = {make("up to fifteen", H5T_STD_I32LE, up_to, in_chunks(4)), make("fixed", H5T_STD_I32LE, fixed, in_chunks(4)),
                     make("growing", H5T_STD_I32LE, growing, in_chunks(4)), make("contiguous", H5T_STD_I32LE, fixed, H5P_DEFAULT)};
    static const char *const names[] = {"up to fifteen", "fixed", "growing", "contiguous"};
    const hsize_t sizes[] = {fifteen, twenty, zero, unlimited, huge, ten};
    for (size_t d = 0; d < LENGTH(dsets); d++)
        for (size_t s = 0; s < LENGTH(sizes); s++) {
            char what[80];
            snprintf(what, sizeof what, "%s to %llx", names[d], (unsigned long long)sizes[s]);
            if (!(d == 2 && sizes[s] >= huge))
                TRY(what, H5Dset_extent(dsets[d], &sizes[s]));
            snprintf(what, sizeof what, "%s extended to %llx", names[d], (unsigned long long)sizes[s]);
            if (!(d == 2 && sizes[s] >= huge))
                TRY(what, H5Dextend(dsets[d], &sizes[s]));
        }
    hid_t d = make("square", H5T_STD_I32LE, square, square_list);
    hsize_t to[][2] = {{21, 10}, {20, 50}, {0, 0}, {10, 10}, {20, 0}};
    for (size_t i = 0; i < LENGTH(to); i++)
        TRY("square", H5Dset_extent(d, to[i]));
    TRY("no size", H5Dset_extent(d, NULL));
}

static void types_of_elements(void)
{
    hid_t text = H5Tcopy(H5T_C_S1), opaque = H5Tcreate(H5T_OPAQUE, 4), other = H5Tcreate(H5T_OPAQUE, 4);
    hid_t compound = H5Tcreate(H5T_COMPOUND, 8), sequence = H5Tvlen_create(H5T_NATIVE_INT), variable = H5Tcopy(H5T_C_S1);
    hid_t enumeration = H5Tenum_create(H5T_NATIVE_INT), space = line(4);
    hsize_t two = 2;
    int value = 0;
    H5Tset_size(text, 4);
    H5Tset_size(variable, H5T_VARIABLE);
    H5Tset_tag(opaque, "one");
    H5Tset_tag(other, "another");
    H5Tinsert(compound, "a", 0, H5T_NATIVE_INT);
    H5Tenum_insert(enumeration, "zero", &value);
    const hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, text, opaque, other, compound, sequence, variable, enumeration,
                           H5T_STD_REF_OBJ, H5T_STD_B32LE, H5Tarray_create2(H5T_NATIVE_INT, 1, &two)};
    static const char *const names[] = {"int", "double", "text", "opaque", "other opaque", "compound", "sequence", "string",
                                        "enum", "reference", "bits", "array"};
    static char memory[4 * 64];
    for (size_t d = 0; d < LENGTH(types); d++) {
        hid_t dset = make(fresh(), types[d], space, H5P_DEFAULT);
        for (size_t m = 0; m < LENGTH(types); m++) {
            char what[80];
            memset(memory, 0, sizeof memory);
            snprintf(what, sizeof what, "%s into %s", names[m], names[d]);
            TRY(what, H5Dwrite(dset, types[m], H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
            snprintf(what, sizeof what, "%s from %s", names[m], names[d]);
            TRY(what, H5Dread(dset, types[m], H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
        }
        TRY("no memory to write", H5Dwrite(dset, types[d], H5S_ALL, H5S_ALL, H5P_DEFAULT, NULL));
        TRY("no list", H5Dwrite(dset, types[d], H5S_ALL, H5S_ALL, space, memory));
        H5Dclose(dset);
    }
}

static void mappings(void)
{
    hid_t four = line(4), eight = line(8), growing = open_ended_line(4), scalar = H5Screate(H5S_SCALAR);
    hid_t first = block(8, 0, 4), behind = block(20, 10, 4), none = line(4), no_extent = H5Screate(H5S_SIMPLE);
    hsize_t start = 0, stride = 4, unlimited = H5S_UNLIMITED, size = 4;
    hid_t endless = open_ended_line(8);
    H5Sselect_none(none);
    H5Sselect_hyperslab(endless, H5S_SELECT_SET, &start, &stride, &unlimited, &size);
    const hid_t spaces[] = {four, eight, growing, scalar, first, behind, none, no_extent, endless, H5S_ALL, -1};
    static const char *const names[] = {"four", "eight", "growing", "scalar", "first four of eight", "four of twenty", "none",
                                        "no extent", "endless", "all", "-1"};
    for (size_t v = 0; v < LENGTH(spaces); v++)
        for (size_t s = 0; s < LENGTH(spaces); s++) {
            char what[120];
            hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
            snprintf(what, sizeof what, "mapping of %s to %s", names[v], names[s]);
            int set = H5Pset_virtual(dcpl, spaces[v], "source.h5", "data", spaces[s]);
            TRY(what, set);
            if (set >= 0) {
                TRY("dataset of eight", make(fresh(), H5T_NATIVE_INT, eight, dcpl));
                TRY("dataset that grows", make(fresh(), H5T_NATIVE_INT, growing, dcpl));
            }
            H5Pclose(dcpl);
        }
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    TRY("no file", H5Pset_virtual(dcpl, four, NULL, "data", four));
    TRY("no dataset", H5Pset_virtual(dcpl, four, "x.h5", NULL, four));
    TRY("empty names", H5Pset_virtual(dcpl, four, "", "", four));
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(dcpl, four, "x.h5", "data", four);
    H5Pset_deflate(dcpl, 1);
    TRY("filtered", make(fresh(), H5T_NATIVE_INT, four, dcpl));
    H5Premove_filter(dcpl, H5Z_FILTER_ALL);
    hsize_t square_dims[2] = {8, 8};
    hid_t square = simple(2, square_dims, NULL);
    TRY("of another rank", make(fresh(), H5T_NATIVE_INT, square, dcpl));
    TRY("scalar", make(fresh(), H5T_NATIVE_INT, scalar, dcpl));
    TRY("null", make(fresh(), H5T_NATIVE_INT, H5Screate(H5S_NULL), dcpl));
    TRY("no space", make(fresh(), H5T_NATIVE_INT, rows, dcpl));
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(dcpl, square, "x.h5", "data", square);
    TRY("of another rank, the other way", make(fresh(), H5T_NATIVE_INT, eight, dcpl));
}

int main(void)
{
    group_of_requests("selections", selections);
    group_of_requests("selecting", selecting);
    group_of_requests("extents", extents);
    group_of_requests("types of elements", types_of_elements);
    group_of_requests("mappings", mappings);
    return 0;
}
