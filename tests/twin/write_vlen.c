/* Variable-length data and references written, overwritten and read back: in datasets of all layouts and in attributes.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "write_vlen.h5"
#define N 6

static void result(const char *what, long status)
{
    printf("%s: %s\n", what, status < 0 ? "fails" : "works");
}

#define DO(call) result(#call, (long)(call))

static hid_t file, space;

static hid_t string_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

/* Layout 0 contiguous, 1 compact, 2 chunks, 3 deflated chunks. */
static hid_t layout_list(int layout)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = 4;
    if (layout == 1)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (layout >= 2)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (layout == 3)
        H5Pset_deflate(dcpl, 6);
    return dcpl;
}

static hid_t make(const char *name, int layout, hid_t type)
{
    char full[40];
    hid_t dcpl = layout_list(layout);
    snprintf(full, sizeof full, "%s%d", name, layout);
    hid_t d = H5Dcreate2(file, full, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    return d;
}

static void show_strings(hid_t d, hid_t type)
{
    char *values[N] = {0};
    if (H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        printf("cannot read\n");
        return;
    }
    for (int i = 0; i < N; i++)
        printf(" %s%.30s%s", values[i] ? "'" : "", values[i] ? values[i] : "NULL", values[i] ? "'" : "");
    printf("\n");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
}

static void strings(int layout)
{
    char text[5000];
    const char *values[N] = {"one", "", NULL, "four", text, "six"};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    hid_t type = string_type(), d = make("strings", layout, type);
    show_strings(d, type);
    DO(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    show_strings(d, type);
    hsize_t size = 0, start = 1, count = 3;
    DO(H5Dvlen_get_buf_size(d, type, space, &size));
    printf("%llu bytes\n", (unsigned long long)size);
    /* Some of them once more. */
    const char *other[N] = {0, "two", "three", "a longer text than before"};
    hid_t part = H5Scopy(space);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, NULL, &count, NULL);
    for (int i = 0; i < 50; i++)
        if (H5Dwrite(d, type, part, part, H5P_DEFAULT, other) < 0)
            printf("fails\n");
    show_strings(d, type);
    if (layout < 3)
        printf("%llu bytes\n", (unsigned long long)H5Dget_storage_size(d));
    H5Sclose(part);
    H5Dclose(d);
    H5Tclose(type);
}

static void show_sequences(hid_t d)
{
    hid_t type = H5Tvlen_create(H5T_NATIVE_INT);
    hvl_t values[N] = {{0}};
    if (H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        printf("cannot read");
    for (int i = 0; i < N; i++) {
        printf(" [");
        for (size_t k = 0; k < values[i].len; k++)
            printf(" %d", ((int *)values[i].p)[k]);
        printf(" ]");
    }
    printf("\n");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    H5Tclose(type);
}

/* Elements of other sizes and byte orders on disk. */
static void sequences(int layout)
{
    int numbers[8] = {1, -2, 3, 400, 5, 6, 70000, 8};
    hvl_t values[N] = {{3, numbers}, {0, NULL}, {8, numbers}, {1, numbers + 3}, {0, numbers}, {2, numbers + 5}};
    hid_t memory = H5Tvlen_create(H5T_NATIVE_INT), disk = H5Tvlen_create(layout % 2 ? H5T_STD_I64BE : H5T_STD_I32LE);
    hid_t d = make("sequences", layout, disk);
    DO(H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    show_sequences(d);
    for (int i = 0; i < N; i++)
        values[i].len = (size_t)i, values[i].p = numbers;
    DO(H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    show_sequences(d);
    H5Dclose(d);
    H5Tclose(memory);
    H5Tclose(disk);
}

static void nested(int layout)
{
    short numbers[5] = {10, 20, 30, 40, 50};
    hvl_t inner[4] = {{2, numbers}, {0, NULL}, {5, numbers}, {1, numbers + 4}};
    hvl_t values[N] = {{4, inner}, {1, inner}, {0, NULL}, {2, inner + 2}, {1, inner + 1}, {3, inner}}, back[N];
    hid_t base = H5Tvlen_create(H5T_NATIVE_SHORT), type = H5Tvlen_create(base), d = make("nested", layout, type);
    for (int turn = 0; turn < 3; turn++) {
        DO(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        memset(back, 0, sizeof back);
        DO(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
        for (int i = 0; i < N; i++)
            for (size_t k = 0; k < back[i].len; k++) {
                hvl_t *v = (hvl_t *)back[i].p + k;
                printf(" %d.%d:%d,%d", i, (int)k, (int)v->len, v->len ? ((short *)v->p)[v->len - 1] : -1);
            }
        printf("\n");
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, back);
        hvl_t first = values[0];
        memmove(values, values + 1, (N - 1) * sizeof first);
        values[N - 1] = first;
    }
    H5Dclose(d);
    H5Tclose(base);
    H5Tclose(type);
}

struct mixed {
    int number;
    char *text;
    hvl_t list;
    char *texts[2];
};

static hid_t mixed_type(int parts)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct mixed)), text = string_type();
    hid_t list = H5Tvlen_create(H5T_NATIVE_FLOAT);
    hsize_t two = 2;
    hid_t array = H5Tarray_create2(text, 1, &two);
    if (parts & 1)
        H5Tinsert(type, "number", HOFFSET(struct mixed, number), H5T_NATIVE_INT);
    if (parts & 2)
        H5Tinsert(type, "text", HOFFSET(struct mixed, text), text);
    if (parts & 4)
        H5Tinsert(type, "list", HOFFSET(struct mixed, list), list);
    if (parts & 8)
        H5Tinsert(type, "texts", HOFFSET(struct mixed, texts), array);
    H5Tclose(text);
    H5Tclose(list);
    H5Tclose(array);
    return type;
}

static void show_mixed(hid_t d)
{
    struct mixed back[N];
    hid_t type = mixed_type(15);
    memset(back, 0, sizeof back);
    DO(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    for (int i = 0; i < N; i++)
        printf(" (%d %s %d:%g %s %s)", back[i].number, back[i].text ? back[i].text : "-", (int)back[i].list.len,
               back[i].list.len ? ((float *)back[i].list.p)[back[i].list.len - 1] : 0,
               back[i].texts[0] ? back[i].texts[0] : "-", back[i].texts[1] ? back[i].texts[1] : "-");
    printf("\n");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, back);
    H5Tclose(type);
}

static void compounds(int layout)
{
    float floats[3] = {1.5f, 2.5f, 3.5f};
    struct mixed values[N];
    char texts[N][20];
    hid_t type = mixed_type(15), d = make("compounds", layout, type);
    for (int i = 0; i < N; i++) {
        snprintf(texts[i], sizeof texts[i], "text%d", i);
        values[i] = (struct mixed){i, texts[i], {(size_t)i % 4, floats}, {texts[0], i % 2 ? NULL : texts[5]}};
    }
    DO(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    show_mixed(d);
    /* Members alone: the others stay. */
    for (int parts = 1; parts < 16; parts *= 2) {
        hid_t some = mixed_type(parts);
        for (int i = 0; i < N; i++) {
            values[i].number += 100;
            texts[i][0]++;
        }
        DO(H5Dwrite(d, some, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        H5Tclose(some);
        show_mixed(d);
    }
    H5Dclose(d);
    H5Tclose(type);
}

static void attributes(void)
{
    const char *values[N] = {"an", "attribute", "", NULL, "of", "strings"},
               *other[N] = {"x", "yy", "zzz", "", "u", NULL};
    char *back[N];
    hid_t type = string_type(), root = H5Gopen2(file, "/", H5P_DEFAULT);
    hid_t a = H5Acreate2(root, "strings", type, space, H5P_DEFAULT, H5P_DEFAULT);
    for (int turn = 0; turn < 3; turn++) {
        DO(H5Awrite(a, type, turn % 2 ? other : values));
        DO(H5Aread(a, type, back));
        for (int i = 0; i < N; i++)
            printf(" %s", back[i] ? back[i] : "NULL");
        printf("\n");
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, back);
    }
    H5Aclose(a);
    H5Gclose(root);
    H5Tclose(type);
}

static void show_references(hid_t d, hid_t regions)
{
    hobj_ref_t refs[N];
    hdset_reg_ref_t areas[N];
    H5O_type_t type;
    char name[40];
    if (H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs) < 0 ||
        H5Dread(regions, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, areas) < 0) {
        printf("cannot read references\n");
        return;
    }
    for (int i = 0; i < 3; i++) {
        name[0] = 0;
        if (H5Rget_obj_type2(d, H5R_OBJECT, &refs[i], &type) >= 0 &&
            H5Rget_name(d, H5R_OBJECT, &refs[i], name, 40) >= 0)
            printf(" type %d name %s;", (int)type, name);
        hid_t area = H5Rget_region(d, H5R_DATASET_REGION, &areas[i]),
              of = H5Rdereference2(d, H5P_DEFAULT, H5R_DATASET_REGION, &areas[i]);
        hsize_t low = 0, high = 0;
        if (area >= 0 && H5Sget_select_bounds(area, &low, &high) >= 0)
            printf(" %lld points from %d to %d of %d;", (long long)H5Sget_select_npoints(area), (int)low, (int)high,
                   (int)H5Iget_type(of));
        H5Sclose(area);
        H5Dclose(of);
    }
    printf("\n");
}

static void references(int layout)
{
    hobj_ref_t refs[N] = {0};
    hdset_reg_ref_t areas[N];
    hsize_t start = 1, count = 2, points[3] = {5, 0, 2};
    hid_t part = H5Scopy(space), d = make("references", layout, H5T_STD_REF_OBJ);
    hid_t r = make("regions", layout, H5T_STD_REF_DSETREG);
    memset(areas, 0, sizeof areas);
    DO(H5Rcreate(&refs[0], file, "/", H5R_OBJECT, -1));
    DO(H5Rcreate(&refs[1], file, "/strings0", H5R_OBJECT, -1));
    DO(H5Rcreate(&refs[2], d, ".", H5R_OBJECT, -1));
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, NULL, &count, NULL);
    DO(H5Rcreate(&areas[0], file, "/strings0", H5R_DATASET_REGION, part));
    H5Sselect_elements(part, H5S_SELECT_SET, 3, points);
    DO(H5Rcreate(&areas[1], file, "sequences1", H5R_DATASET_REGION, part));
    H5Sselect_all(part);
    DO(H5Rcreate(&areas[2], file, "sequences1", H5R_DATASET_REGION, part));
    DO(H5Dwrite(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs));
    DO(H5Dwrite(r, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, areas));
    show_references(d, r);
    H5Dclose(d);
    H5Dclose(r);
    H5Sclose(part);
}

static void misuse(void)
{
    hobj_ref_t ref;
    hdset_reg_ref_t area;
    DO(H5Rcreate(NULL, file, "/", H5R_OBJECT, -1));
    DO(H5Rcreate(&ref, file, "/nowhere", H5R_OBJECT, -1));
    DO(H5Rcreate(&ref, file, "", H5R_OBJECT, -1));
    DO(H5Rcreate(&ref, file, NULL, H5R_OBJECT, -1));
    DO(H5Rcreate(&ref, space, "/", H5R_OBJECT, -1));
    DO(H5Rcreate(&area, file, "/strings0", H5R_DATASET_REGION, -1));
    DO(H5Rcreate(&area, file, "/strings0", H5R_DATASET_REGION, file));
    DO(H5Rcreate(&area, file, "/strings0", (H5R_type_t)17, space));
    DO(H5Rcreate(&area, file, "/strings0", H5R_BADTYPE, space));
}

static void all(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hsize_t n = N;
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    space = H5Screate_simple(1, &n, NULL);
    attributes();
    for (int layout = 0; layout < 4; layout++) {
        printf("layout %d\n", layout);
        if (layout != 1)
            strings(layout);
        sequences(layout);
        nested(layout);
        compounds(layout);
        references(layout);
    }
    misuse();
    H5Fclose(file);
    /* From the file. */
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t type = string_type();
    for (int layout = 0; layout < 4; layout++) {
        char name[40];
        hid_t d[4];
        const char *names[4] = {"strings", "sequences", "references", "regions"};
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%s%d", names[i], layout);
            d[i] = i == 0 && layout == 1 ? -1 : H5Dopen2(file, name, H5P_DEFAULT);
        }
        if (layout != 1)
            show_strings(d[0], type);
        show_sequences(d[1]);
        show_references(d[2], d[3]);
        for (int i = 0; i < 4; i++)
            H5Dclose(d[i]);
    }
    hdset_reg_ref_t area;
    DO(H5Rcreate(&area, file, "/strings0", H5R_DATASET_REGION, space));
    H5Tclose(type);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(fapl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    all(H5F_LIBVER_EARLIEST);
    all(H5F_LIBVER_LATEST);
    if (!getenv("KEEP_FILES"))
        unlink(FILE_NAME);
    return 0;
}
