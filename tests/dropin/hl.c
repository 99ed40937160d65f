/* hl FILE: uses the high-level library, each of its interfaces, and prints all it sees. Built against Debian's
 * libraries. */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t file;

#define SHOW(call) printf("%s: %lld\n", #call, (long long)(call))

static void show_ints(const char *what, const int *values, int n)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void lite(void)
{
    hsize_t dims[2] = {2, 3}, got[2] = {0, 0};
    int ints[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, rank = 0;
    double doubles[6] = {.5, 1.5, 2.5, 3.5, 4.5, 5.5}, twice[6] = {0};
    char text[64] = "";
    H5T_class_t cls = H5T_NO_CLASS;
    size_t size = 0;
    SHOW(H5LTmake_dataset_int(file, "ints", 2, dims, ints));
    SHOW(H5LTmake_dataset_double(file, "doubles", 2, dims, doubles));
    SHOW(H5LTmake_dataset_string(file, "text", "some text"));
    SHOW(H5LTmake_dataset(file, "shorts", 2, dims, H5T_NATIVE_INT, ints));
    SHOW(H5LTread_dataset_int(file, "ints", back));
    show_ints("ints", back, 6);
    SHOW(H5LTread_dataset_double(file, "ints", twice));
    printf("%g %g\n", twice[0], twice[5]);
    SHOW(H5LTread_dataset_string(file, "text", text));
    printf("'%s'\n", text);
    SHOW(H5LTget_dataset_ndims(file, "ints", &rank));
    SHOW(H5LTget_dataset_info(file, "doubles", got, &cls, &size));
    printf("%d %llu %llu %d %zu\n", rank, (unsigned long long)got[0], (unsigned long long)got[1], (int)cls, size);
    SHOW(H5LTfind_dataset(file, "ints"));
    SHOW(H5LTfind_dataset(file, "nothing"));
    SHOW(H5LTset_attribute_int(file, "ints", "three", ints, 3));
    SHOW(H5LTset_attribute_double(file, "ints", "half", doubles, 1));
    SHOW(H5LTset_attribute_string(file, "ints", "unit", "metre"));
    SHOW(H5LTset_attribute_string(file, "ints", "unit", "foot"));
    SHOW(H5LTget_attribute_int(file, "ints", "three", back));
    show_ints("three", back, 3);
    SHOW(H5LTget_attribute_string(file, "ints", "unit", text));
    printf("'%s'\n", text);
    SHOW(H5LTget_attribute_ndims(file, "ints", "three", &rank));
    SHOW(H5LTget_attribute_info(file, "ints", "unit", got, &cls, &size));
    printf("%d %d %zu\n", rank, (int)cls, size);
    hid_t dset = H5Dopen2(file, "ints", H5P_DEFAULT);
    SHOW(H5LTfind_attribute(dset, "unit"));
    SHOW(H5LTfind_attribute(dset, "nothing"));
    H5Dclose(dset);
    SHOW(H5LTpath_valid(file, "/ints", 1));
    SHOW(H5LTpath_valid(file, "/none/ints", 1));
}

static void types(void)
{
    static const char *const texts[] = {
        "H5T_IEEE_F32BE", "H5T_STRING { STRSIZE 7; STRPAD H5T_STR_NULLPAD; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; }",
        "H5T_COMPOUND { H5T_STD_I16LE \"a\"; H5T_ARRAY { [2][3] H5T_IEEE_F64LE } \"b\"; H5T_VLEN { H5T_NATIVE_INT } "
        "\"c\"; }",
        "H5T_ENUM { H5T_STD_I8LE; \"no\" 0; \"yes\" 1; }", "H5T_NONSENSE"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hid_t type = H5LTtext_to_dtype(texts[i], H5LT_DDL);
        size_t size = 0;
        printf("type %zu: %d\n", i, type >= 0);
        if (type < 0)
            continue;
        SHOW(H5LTdtype_to_text(type, NULL, H5LT_DDL, &size));
        char *text = calloc(1, size + 1);
        SHOW(H5LTdtype_to_text(type, text, H5LT_DDL, &size));
        printf("%zu bytes, class %d:\n%s\n", H5Tget_size(type), (int)H5Tget_class(type), text);
        free(text);
        H5Tclose(type);
    }
}

struct row {
    char name[16];
    int number;
    double value;
};

static void show_rows(const struct row *rows, int n)
{
    for (int i = 0; i < n; i++)
        printf("  %s %d %g\n", rows[i].name, rows[i].number, rows[i].value);
}

static void tables(void)
{
    static const char *names[3] = {"name", "number", "value"};
    size_t offsets[3] = {HOFFSET(struct row, name), HOFFSET(struct row, number), HOFFSET(struct row, value)};
    size_t sizes[3] = {16, sizeof(int), sizeof(double)}, got_sizes[4], got_offsets[4], whole;
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 16);
    hid_t kinds[3] = {text, H5T_NATIVE_INT, H5T_NATIVE_DOUBLE};
    struct row rows[4] = {{"a", 1, .5}, {"b", 2, 1.5}, {"c", 3, 2.5}, {"d", 4, 3.5}}, back[16], fill = {"-", -1, -1};
    hsize_t fields, records;
    char n0[32], n1[32], n2[32], n3[32], *got[4] = {n0, n1, n2, n3}, title[32] = "";
    memset(back, 0, sizeof back);
    SHOW(H5TBmake_table("a title", file, "table", 3, 4, sizeof(struct row), names, offsets, kinds, 2, &fill, 1, rows));
    SHOW(H5TBappend_records(file, "table", 2, sizeof(struct row), offsets, sizes, rows));
    SHOW(H5TBinsert_record(file, "table", 1, 1, sizeof(struct row), offsets, sizes, rows + 3));
    SHOW(H5TBdelete_record(file, "table", 0, 1));
    SHOW(H5TBwrite_records(file, "table", 2, 1, sizeof(struct row), offsets, sizes, &fill));
    SHOW(H5TBget_table_info(file, "table", &fields, &records));
    printf("%llu fields, %llu records\n", (unsigned long long)fields, (unsigned long long)records);
    SHOW(H5TBread_table(file, "table", sizeof(struct row), offsets, sizes, back));
    show_rows(back, (int)records);
    SHOW(H5TBread_records(file, "table", 1, 2, sizeof(struct row), offsets, sizes, back));
    show_rows(back, 2);
    int numbers[8] = {0}, more[6] = {10, 20, 30, 40, 50, 60};
    size_t zero = 0, four = sizeof(int);
    SHOW(H5TBread_fields_name(file, "table", "number", 0, records, sizeof(int), &zero, &four, numbers));
    show_ints("number", numbers, (int)records);
    SHOW(H5TBwrite_fields_name(file, "table", "number", 1, 2, sizeof(int), &zero, &four, more));
    SHOW(H5TBmake_table("second", file, "other", 3, 4, sizeof(struct row), names, offsets, kinds, 2, NULL, 0, rows));
    SHOW(H5TBadd_records_from(file, "other", 1, 2, "other", 0));
    SHOW(H5TBcombine_tables(file, "other", file, "other", "both"));
    /* In one without fill values: of those the library copies what it never set. */
    SHOW(H5TBinsert_field(file, "other", "more", H5T_NATIVE_INT, 1, NULL, more));
    SHOW(H5TBget_field_info(file, "other", got, got_sizes, got_offsets, &whole));
    for (int i = 0; i < 4; i++)
        printf("  %s %zu %zu of %zu\n", got[i], got_sizes[i], got_offsets[i], whole);
    SHOW(H5TBdelete_field(file, "other", "value"));
    SHOW(H5TBget_table_info(file, "both", &fields, &records));
    printf("%llu fields, %llu records\n", (unsigned long long)fields, (unsigned long long)records);
    hid_t dset = H5Dopen2(file, "table", H5P_DEFAULT);
    SHOW(H5TBAget_title(dset, title));
    printf("'%s'\n", title);
    H5Dclose(dset);
    H5Tclose(text);
}

static herr_t scale_seen(hid_t dset, unsigned dim, hid_t scale, void *data)
{
    char name[32] = "";
    (void)dset, (void)data;
    H5DSget_scale_name(scale, name, sizeof name);
    printf("  dimension %u: %s\n", dim, name);
    return 0;
}

static void scales(void)
{
    hsize_t dims[2] = {2, 3};
    int values[6] = {1, 2, 3, 4, 5, 6};
    char text[32] = "";
    H5LTmake_dataset_int(file, "scaled", 2, dims, values);
    H5LTmake_dataset_int(file, "x", 1, dims, values);
    H5LTmake_dataset_int(file, "y", 1, dims + 1, values);
    H5LTmake_dataset_int(file, "y2", 1, dims + 1, values);
    hid_t d = H5Dopen2(file, "scaled", H5P_DEFAULT), x = H5Dopen2(file, "x", H5P_DEFAULT),
          y = H5Dopen2(file, "y", H5P_DEFAULT), y2 = H5Dopen2(file, "y2", H5P_DEFAULT);
    SHOW(H5DSset_scale(x, "the x"));
    SHOW(H5DSset_scale(y, "the y"));
    SHOW(H5DSattach_scale(d, x, 0));
    SHOW(H5DSattach_scale(d, y, 1));
    SHOW(H5DSattach_scale(d, y2, 1));
    SHOW(H5DSset_label(d, 0, "rows"));
    SHOW(H5DSset_label(d, 1, "columns"));
    SHOW(H5DSget_label(d, 1, text, sizeof text));
    printf("'%s'\n", text);
    SHOW(H5DSget_num_scales(d, 1));
    SHOW(H5DSis_scale(y2));
    SHOW(H5DSis_attached(d, y, 1));
    SHOW(H5DSis_attached(d, y, 0));
    SHOW(H5DSiterate_scales(d, 1, NULL, scale_seen, NULL));
    SHOW(H5DSdetach_scale(d, y, 1));
    SHOW(H5DSget_num_scales(d, 1));
    SHOW(H5DSattach_scale(d, d, 0));
    H5Dclose(d);
    H5Dclose(x);
    H5Dclose(y);
    H5Dclose(y2);
}

static void packets(void)
{
    int values[100], back[100] = {0};
    hsize_t n = 0;
    for (int i = 0; i < 100; i++)
        values[i] = i * i;
    hid_t plain = H5PTcreate_fl(file, "packets", H5T_NATIVE_INT, 7, 3), how = H5Pcreate(H5P_DATASET_CREATE);
    SHOW(H5PTappend(plain, 60, values));
    SHOW(H5PTappend(plain, 40, values + 60));
    SHOW(H5PTget_num_packets(plain, &n));
    printf("%llu packets\n", (unsigned long long)n);
    SHOW(H5PTread_packets(plain, 95, 5, back));
    show_ints("read", back, 5);
    SHOW(H5PTcreate_index(plain));
    SHOW(H5PTset_index(plain, 10));
    SHOW(H5PTget_next(plain, 3, back));
    show_ints("next", back, 3);
    SHOW(H5PTget_index(plain, &n));
    printf("at %llu\n", (unsigned long long)n);
    SHOW(H5PTis_varlen(plain));
    SHOW(H5PTis_valid(plain));
    SHOW(H5PTclose(plain));
    SHOW(H5PTis_valid(plain));
    hid_t vlen = H5Tvlen_create(H5T_NATIVE_INT);
    hvl_t parts[3] = {{3, values}, {0, NULL}, {2, values + 5}}, got[3];
    H5Pset_deflate(how, 1);
    hid_t varying = H5PTcreate(file, "varying", vlen, 4, how);
    SHOW(H5PTappend(varying, 3, parts));
    SHOW(H5PTis_varlen(varying));
    SHOW(H5PTread_packets(varying, 0, 3, got));
    for (int i = 0; i < 3; i++)
        show_ints("packet", got[i].p, (int)got[i].len);
    SHOW(H5PTfree_vlen_buff(varying, 3, got));
    SHOW(H5PTclose(varying));
    hid_t again = H5PTopen(file, "packets");
    SHOW(H5PTget_num_packets(again, &n));
    SHOW(H5PTclose(again));
    H5Tclose(vlen);
    H5Pclose(how);
}

static void images(void)
{
    unsigned char gray[12] = {0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220}, colour[36],
                  palette[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, back[36] = {0};
    hsize_t width = 0, height = 0, planes = 0, shape[2] = {3, 3};
    char interlace[32] = "";
    hssize_t n = 0;
    for (int i = 0; i < 36; i++)
        colour[i] = (unsigned char)(i * 7);
    SHOW(H5IMmake_image_8bit(file, "gray", 4, 3, gray));
    SHOW(H5IMmake_image_24bit(file, "colour", 4, 3, "INTERLACE_PIXEL", colour));
    SHOW(H5IMget_image_info(file, "colour", &width, &height, &planes, interlace, &n));
    printf("%llu x %llu x %llu %s %lld\n", (unsigned long long)width, (unsigned long long)height,
           (unsigned long long)planes, interlace, (long long)n);
    SHOW(H5IMread_image(file, "colour", back));
    printf("%d %d\n", back[1], back[35]);
    SHOW(H5IMis_image(file, "gray"));
    SHOW(H5IMmake_palette(file, "palette", shape, palette));
    SHOW(H5IMlink_palette(file, "gray", "palette"));
    SHOW(H5IMget_npalettes(file, "gray", &n));
    SHOW(H5IMget_palette_info(file, "gray", 0, shape));
    SHOW(H5IMget_palette(file, "gray", 0, back));
    printf("%lld %llu %d\n", (long long)n, (unsigned long long)shape[0], back[8]);
    SHOW(H5IMis_palette(file, "palette"));
    SHOW(H5IMunlink_palette(file, "gray", "palette"));
    SHOW(H5IMget_npalettes(file, "gray", &n));
}

static void direct(void)
{
    hsize_t dims[1] = {0}, most[1] = {H5S_UNLIMITED}, chunk[1] = {4}, at[1] = {4}, now[1];
    int values[4] = {9, 8, 7, 6}, back[8] = {0};
    unsigned skipped = 0;
    hid_t space = H5Screate_simple(1, dims, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, chunk);
    hid_t d = H5Dcreate2(file, "appended", H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT);
    SHOW(H5DOappend(d, H5P_DEFAULT, 0, 4, H5T_NATIVE_INT, values));
    SHOW(H5DOappend(d, H5P_DEFAULT, 0, 4, H5T_NATIVE_INT, values));
    values[0] = 100;
    SHOW(H5DOwrite_chunk(d, H5P_DEFAULT, 0, at, sizeof values, values));
    SHOW(H5DOread_chunk(d, H5P_DEFAULT, at, &skipped, back));
    show_ints("chunk", back, 4);
    SHOW(H5LDget_dset_dims(d, now));
    SHOW(H5LDget_dset_type_size(d, NULL));
    SHOW(H5LDget_dset_elmts(d, now, dims, NULL, back));
    H5Dclose(d);
    H5Pclose(how);
    H5Sclose(space);
}

static void in_memory(const char *name)
{
    FILE *in = fopen(name, "rb");
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    rewind(in);
    void *bytes = malloc((size_t)size);
    int back[6] = {0};
    if (fread(bytes, 1, (size_t)size, in) != (size_t)size)
        exit(1);
    fclose(in);
    hid_t image = H5LTopen_file_image(
        bytes, (size_t)size, H5LT_FILE_IMAGE_OPEN_RW | H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE);
    printf("image: %d\n", image >= 0);
    SHOW(H5LTread_dataset_int(image, "ints", back));
    show_ints("ints", back, 6);
    SHOW(H5Fclose(image));
    image = H5LTopen_file_image(bytes, (size_t)size, 0);
    SHOW(H5LTread_dataset_int(image, "ints", back));
    SHOW(H5Fclose(image));
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    lite();
    types();
    tables();
    scales();
    packets();
    images();
    direct();
    SHOW(H5Fclose(file));
    in_memory(argv[1]);
    return 0;
}
