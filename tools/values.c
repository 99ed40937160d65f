#include <ctype.h>
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

hid_t printable_type(hid_t file_type)
{
    hid_t native = H5Tget_native_type(file_type, H5T_DIR_ASCEND);
    /* Times have no native form: they are shown as the bytes they are. */
    return native < 0 ? H5Tcopy(file_type) : native;
}

void print_escaped(FILE *out, const char *text, size_t length, bool quotes)
{
    if (quotes)
        fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (quotes && (c == '"' || c == '\\'))
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\t')
            fputs("\\t", out);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    if (quotes)
        fputc('"', out);
}

void print_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void print_string(FILE *out, hid_t type, const char *element)
{
    if (H5Tis_variable_str(type) > 0) {
        const char *text;
        memcpy(&text, element, sizeof text);
        if (text)
            print_escaped(out, text, strlen(text), true);
        else
            fputs("NULL", out);
        return;
    }
    size_t length = strnlen(element, H5Tget_size(type));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
        while (length > 0 && element[length - 1] == ' ')
            length--;
    print_escaped(out, element, length, true);
}

static void print_hex(FILE *out, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void print_integer(FILE *out, hid_t type, const void *element)
{
    bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    int64_t s = 0;
    uint64_t u = 0;
    switch (H5Tget_size(type)) {
    case 1:
        s = *(const int8_t *)element;
        u = *(const uint8_t *)element;
        break;
    case 2: {
        int16_t v;
        memcpy(&v, element, 2);
        s = v;
        u = (uint16_t)v;
        break;
    }
    case 4: {
        int32_t v;
        memcpy(&v, element, 4);
        s = v;
        u = (uint32_t)v;
        break;
    }
    case 8:
        memcpy(&s, element, 8);
        u = (uint64_t)s;
        break;
    default:
        print_hex(out, element, H5Tget_size(type));
        return;
    }
    if (is_signed)
        fprintf(out, "%lld", (long long)s);
    else
        fprintf(out, "%llu", (unsigned long long)u);
}

/* The shortest decimal that reads back as the same number. */
static void print_double(FILE *out, double v)
{
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v || v != v)
            break;
    }
    fputs(text, out);
}

static void print_single(FILE *out, float v)
{
    char text[64];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)v);
        if (strtof(text, NULL) == v || v != v)
            break;
    }
    fputs(text, out);
}

static void print_float(FILE *out, hid_t type, const void *element)
{
    size_t size = H5Tget_size(type);
    if (size == sizeof(float)) {
        float v;
        memcpy(&v, element, sizeof v);
        print_single(out, v);
    } else if (size == sizeof(double)) {
        double v;
        memcpy(&v, element, sizeof v);
        print_double(out, v);
    } else if (size == sizeof(long double)) {
        long double v;
        memcpy(&v, element, sizeof v);
        fprintf(out, "%.21Lg", v);
    } else {
        print_hex(out, element, size);
    }
}

static void print_enum(FILE *out, hid_t type, const void *element)
{
    char name[256];
    if (H5Tenum_nameof(type, element, name, sizeof name) >= 0) {
        fputs(name, out);
        return;
    }
    hid_t base = H5Tget_super(type);
    print_integer(out, base, element);
    H5Tclose(base);
}

static void print_compound(FILE *out, hid_t type, const char *element, hid_t file)
{
    int n = H5Tget_nmembers(type);
    fputc('{', out);
    for (int i = 0; i < n; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        if (i)
            fputs(", ", out);
        print_element(out, member, element + H5Tget_member_offset(type, (unsigned)i), file);
        H5Tclose(member);
    }
    fputc('}', out);
}

static void print_list(FILE *out, hid_t base, const char *elements, size_t n, hid_t file)
{
    size_t width = H5Tget_size(base);
    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputs(", ", out);
        print_element(out, base, elements + i * width, file);
    }
    fputc(']', out);
}

/* 1.5-2i */
static void print_complex(FILE *out, hid_t type, const char *element)
{
    hid_t part = H5Tget_super(type);
    size_t size = H5Tget_size(part);
    char *imaginary = NULL;
    size_t n = 0;
    FILE *text = open_memstream(&imaginary, &n);
    print_float(out, part, element);
    if (text) {
        print_float(text, part, element + size);
        fclose(text);
        fprintf(out, "%s%si", *imaginary == '-' ? "" : "+", imaginary);
    }
    free(imaginary);
    H5Tclose(part);
}

static void print_array(FILE *out, hid_t type, const char *element, hid_t file)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank = H5Tget_array_dims2(type, dims);
    size_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= (size_t)dims[i];
    hid_t base = H5Tget_super(type);
    print_list(out, base, element, n, file);
    H5Tclose(base);
}

static void print_sequence(FILE *out, hid_t type, const void *element, hid_t file)
{
    hvl_t list;
    memcpy(&list, element, sizeof list);
    hid_t base = H5Tget_super(type);
    print_list(out, base, list.p, list.len, file);
    H5Tclose(base);
}

static void print_reference(FILE *out, hid_t type, const void *element, hid_t file)
{
    bool region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    char name[1024];
    ssize_t n = H5Rget_name(file, region ? H5R_DATASET_REGION : H5R_OBJECT, element, name, sizeof name);
    if (n <= 0) {
        fputs("null reference", out);
        return;
    }
    fprintf(out, "-> %s", name);
    if (region) {
        hid_t space = H5Rget_region(file, H5R_DATASET_REGION, element);
        fprintf(out, " (%lld elements)", (long long)H5Sget_select_npoints(space));
        H5Sclose(space);
    }
}

void print_element(FILE *out, hid_t type, const void *element, hid_t file)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        print_integer(out, type, element);
        break;
    case H5T_FLOAT:
        print_float(out, type, element);
        break;
    case H5T_COMPLEX:
        print_complex(out, type, element);
        break;
    case H5T_STRING:
        print_string(out, type, element);
        break;
    case H5T_ENUM:
        print_enum(out, type, element);
        break;
    case H5T_COMPOUND:
        print_compound(out, type, element, file);
        break;
    case H5T_ARRAY:
        print_array(out, type, element, file);
        break;
    case H5T_VLEN:
        print_sequence(out, type, element, file);
        break;
    case H5T_REFERENCE:
        print_reference(out, type, element, file);
        break;
    default:
        fputs("0x", out);
        print_hex(out, element, H5Tget_size(type));
    }
}
