/* What numbers look like as elements of every type. */
#include "ops.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER, REAL, TEXT, VTEXT, VLEN, ENUM, BITS, OPAQUE, ARRAY, PAIR, VPAIR, OBJECT, REGION };

struct pair {
    int a;
    double b;
};

struct vpair {
    int n;
    char *text;
};

struct kind kinds[MAX_KINDS];
int n_kinds;
static int class_of[MAX_KINDS];
static hid_t the_file = -1;
static const int enum_values[] = {0, 10, 20, -7};

static void add(int class, const char *name, hid_t file, hid_t mem)
{
    class_of[n_kinds] = class;
    kinds[n_kinds++] = (struct kind){name, file, mem, H5Tget_size(mem),
                                     class == VTEXT || class == VLEN || class == VPAIR};
}

static hid_t text_type(size_t size, H5T_str_t pad)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, size);
    H5Tset_strpad(t, pad);
    return t;
}

static hid_t enum_type(hid_t base)
{
    static const char *const names[] = {"NONE", "TEN", "TWENTY", "MINUS_SEVEN"};
    hid_t t = H5Tenum_create(base);
    for (int i = 0; i < 4; i++) {
        int value = enum_values[i];
        H5Tconvert(H5T_NATIVE_INT, base, 1, &value, NULL, H5P_DEFAULT);
        H5Tenum_insert(t, names[i], &value);
    }
    return t;
}

static hid_t pair_type(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, 14);
    H5Tinsert(t, "b", 1, H5T_IEEE_F64LE);
    H5Tinsert(t, "a", 9, H5T_STD_I32BE);
    return t;
}

static hid_t vpair_type(int in_memory)
{
    hid_t text = text_type(H5T_VARIABLE, H5T_STR_NULLTERM);
    hid_t t = H5Tcreate(H5T_COMPOUND, in_memory ? sizeof(struct vpair) : 4 + H5Tget_size(text));
    H5Tinsert(t, "n", 0, in_memory ? H5T_NATIVE_INT : H5T_STD_I32LE);
    H5Tinsert(t, "text", in_memory ? offsetof(struct vpair, text) : 4, text);
    H5Tclose(text);
    return t;
}

static hid_t opaque_type(void)
{
    hid_t t = H5Tcreate(H5T_OPAQUE, 7);
    H5Tset_tag(t, "seven bytes");
    return t;
}

static hid_t narrow_type(void)
{
    hid_t t = H5Tcopy(H5T_STD_I32LE);
    H5Tset_precision(t, 15);
    H5Tset_offset(t, 4);
    return t;
}

void kinds_init(void)
{
    hsize_t three = 3;
    add(NUMBER, "i8", H5T_STD_I8LE, H5T_NATIVE_INT);
    add(NUMBER, "i16be", H5T_STD_I16BE, H5T_NATIVE_INT);
    add(NUMBER, "i32le", H5T_STD_I32LE, H5T_NATIVE_INT);
    add(NUMBER, "i64be", H5T_STD_I64BE, H5T_NATIVE_INT);
    add(NUMBER, "u16le", H5T_STD_U16LE, H5T_NATIVE_INT);
    add(NUMBER, "narrow", narrow_type(), H5T_NATIVE_INT);
    add(REAL, "f32le", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE);
    add(REAL, "f64be", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE);
    add(TEXT, "text", text_type(9, H5T_STR_NULLTERM), text_type(16, H5T_STR_NULLTERM));
    add(TEXT, "padded", text_type(6, H5T_STR_NULLPAD), text_type(16, H5T_STR_NULLTERM));
    add(VTEXT, "vtext", text_type(H5T_VARIABLE, H5T_STR_NULLTERM), text_type(H5T_VARIABLE, H5T_STR_NULLTERM));
    add(VLEN, "vlen", H5Tvlen_create(H5T_STD_I16BE), H5Tvlen_create(H5T_NATIVE_INT));
    add(ENUM, "enum", enum_type(H5T_STD_I16BE), enum_type(H5T_NATIVE_INT));
    add(BITS, "bits", H5T_STD_B16LE, H5T_NATIVE_B32);
    add(OPAQUE, "opaque", opaque_type(), opaque_type());
    add(ARRAY, "array", H5Tarray_create2(H5T_STD_I16BE, 1, &three), H5Tarray_create2(H5T_NATIVE_INT, 1, &three));
    hid_t pair = H5Tcreate(H5T_COMPOUND, sizeof(struct pair));
    H5Tinsert(pair, "a", offsetof(struct pair, a), H5T_NATIVE_INT);
    H5Tinsert(pair, "b", offsetof(struct pair, b), H5T_NATIVE_DOUBLE);
    add(PAIR, "pair", pair_type(), pair);
    add(VPAIR, "vpair", vpair_type(0), vpair_type(1));
    add(OBJECT, "object", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ);
    add(REGION, "region", H5T_STD_REF_DSETREG, H5T_STD_REF_DSETREG);
}

void kinds_set_file(hid_t file)
{
    the_file = file;
}

struct kind *kind_named(const char *name)
{
    for (int i = 0; i < n_kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fprintf(stderr, "no kind %s\n", name);
    exit(2);
}

struct kind *kind_of(hid_t type)
{
    for (int i = 0; i < n_kinds; i++)
        if (H5Tequal(type, kinds[i].file) > 0)
            return &kinds[i];
    return NULL;
}

hid_t kind_members(const struct kind *k, const char *members)
{
    if (!members || strcmp(members, "ab") == 0)
        return H5Tcopy(k->mem);
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(struct pair));
    if (*members == 'a')
        H5Tinsert(t, "a", offsetof(struct pair, a), H5T_NATIVE_INT);
    else
        H5Tinsert(t, "b", offsetof(struct pair, b), H5T_NATIVE_DOUBLE);
    return t;
}

static char *long_text(long value)
{
    size_t n = (size_t)(value % 60);
    char *text = malloc(n + 24);
    int at = snprintf(text, 24, "%ld:", value);
    memset(text + at, 'a' + (int)(value % 26), n);
    text[(size_t)at + n] = 0;
    return text;
}

static int put_reference(const struct kind *k, void *element, long value, const char *path)
{
    if (class_of[k - kinds] == OBJECT)
        return H5Rcreate(element, the_file, path, H5R_OBJECT, -1) < 0 ? -1 : 0;
    hid_t d = H5Dopen2(the_file, path, H5P_DEFAULT);
    if (d < 0)
        return -1;
    hid_t space = H5Dget_space(d);
    hsize_t start[2] = {(hsize_t)value % 5, (hsize_t)value % 3}, count[2] = {1 + (hsize_t)value % 2, 2};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t status = H5Rcreate(element, the_file, path, H5R_DATASET_REGION, space);
    H5Sclose(space);
    H5Dclose(d);
    return status < 0 ? -1 : 0;
}

static void put_vlen(hvl_t *element, long value)
{
    element->len = 1 + (size_t)value % 5;
    int *numbers = malloc(element->len * sizeof *numbers);
    for (size_t i = 0; i < element->len; i++)
        numbers[i] = (int)value + (int)i;
    element->p = numbers;
}

int kind_put(const struct kind *k, void *element, long value, const char *path)
{
    memset(element, 0, k->size);
    switch (class_of[k - kinds]) {
    case NUMBER: *(int *)element = (int)value; break;
    case REAL: *(double *)element = (double)value / 2; break;
    case TEXT: snprintf(element, k->size, "%ld", value); break;
    case VTEXT: *(char **)element = long_text(value); break;
    case VLEN: put_vlen(element, value); break;
    case ENUM: *(int *)element = enum_values[value % 4]; break;
    case BITS: *(unsigned *)element = (unsigned)value; break;
    case OPAQUE: snprintf(element, k->size, "%ld", value); break;
    case ARRAY:
        for (int i = 0; i < 3; i++)
            ((int *)element)[i] = (int)value + i;
        break;
    case PAIR: *(struct pair *)element = (struct pair){(int)value, (double)(value + 1)}; break;
    case VPAIR: *(struct vpair *)element = (struct vpair){(int)value, long_text(value)}; break;
    default: return put_reference(k, element, value, path);
    }
    return 0;
}

void kind_drop(const struct kind *k, void *element)
{
    switch (class_of[k - kinds]) {
    case VTEXT: free(*(char **)element); break;
    case VLEN: free(((hvl_t *)element)->p); break;
    case VPAIR: free(((struct vpair *)element)->text); break;
    default: break;
    }
}

/* A number only if the whole of the text is as it was made of the number. */
static void print_long_text(const char *text)
{
    if (!text || !*text) {
        putchar('.');
        return;
    }
    long value = atol(text);
    char *want = long_text(value);
    if (strcmp(want, text) == 0)
        printf("%ld", value);
    else
        printf("?%.80s", text);
    free(want);
}

static void print_numbers(const int *numbers, size_t n)
{
    int right = n > 0;
    for (size_t i = 1; i < n; i++)
        right &= numbers[i] == numbers[0] + (int)i;
    if (right)
        printf("%d", numbers[0]);
    for (size_t i = 0; i < n && !right; i++)
        printf("?%d", numbers[i]);
}

static void print_vlen(const hvl_t *element)
{
    const int *numbers = element->p;
    if (element->len == 0)
        putchar('.');
    else if (element->len != 1 + (size_t)(unsigned)numbers[0] % 5)
        printf("?%zu:%d", element->len, numbers[0]);
    else
        print_numbers(numbers, element->len);
}

static void print_enum(int value)
{
    for (int i = 0; i < 4; i++)
        if (enum_values[i] == value) {
            printf("%d", i);
            return;
        }
    printf("?%d", value);
}

static void print_region(const void *element)
{
    static const unsigned char none[sizeof(hdset_reg_ref_t)];
    if (memcmp(element, none, sizeof none) == 0) {
        putchar('.');
        return;
    }
    hid_t d = H5Rdereference2(the_file, H5P_DEFAULT, H5R_DATASET_REGION, element);
    hid_t space = H5Rget_region(the_file, H5R_DATASET_REGION, element);
    hsize_t low[2] = {99, 99}, high[2] = {99, 99};
    H5O_info_t info;
    if (d < 0 || space < 0 || H5Oget_info(d, &info) < 0 || H5Sget_select_bounds(space, low, high) < 0)
        printf("?failed");
    else {
        const char *path = dump_path_of(info.addr);
        printf("%s[%d,%d,%d,%d]", path ? path : "?", (int)low[0], (int)low[1], (int)high[0], (int)high[1]);
    }
    H5Sclose(space);
    H5Dclose(d);
}

static void print_object(const hobj_ref_t *element)
{
    const char *path = *element ? dump_path_of(*element) : ".";
    printf("%s", path ? path : "gone");
}

void kind_print(const struct kind *k, const void *element)
{
    const struct pair *pair = element;
    const struct vpair *vpair = element;
    const int *numbers = element;
    switch (class_of[k - kinds]) {
    case NUMBER: printf("%d", *numbers); break;
    case REAL: printf("%.10g", *(const double *)element * 2); break;
    case TEXT:
    case OPAQUE: printf("%s", *(const char *)element ? (const char *)element : "."); break;
    case VTEXT: print_long_text(*(char *const *)element); break;
    case VLEN: print_vlen(element); break;
    case ENUM: print_enum(*numbers); break;
    case BITS: printf("%u", *(const unsigned *)element); break;
    case ARRAY:
        if (numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0)
            putchar('.');
        else
            print_numbers(numbers, 3);
        break;
    case PAIR: printf("%d/%.10g", pair->a, pair->b); break;
    case VPAIR:
        if (vpair->text && *vpair->text)
            print_long_text(vpair->text);
        if (!vpair->text || !*vpair->text || atol(vpair->text) != vpair->n)
            printf(vpair->n ? "?%d" : ".", vpair->n);
        break;
    case OBJECT: print_object(element); break;
    default: print_region(element);
    }
}
