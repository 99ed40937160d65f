#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char *order_suffix(hid_t type)
{
    return H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "";
}

static void describe_integer(FILE *out, hid_t type)
{
    size_t bits = H5Tget_size(type) * 8, precision = H5Tget_precision(type);
    fprintf(out, "%sint%zu", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    if (precision != bits)
        fprintf(out, " (%zu bits at %d)", precision, H5Tget_offset(type));
    fputs(order_suffix(type), out);
}

static void describe_string(FILE *out, hid_t type)
{
    const char *cset = H5Tget_cset(type) == H5T_CSET_UTF8 ? "utf-8 " : "";
    if (H5Tis_variable_str(type) > 0)
        fprintf(out, "%sstring", cset);
    else
        fprintf(out, "%sstring of %zu bytes", cset, H5Tget_size(type));
}

static void describe_compound(FILE *out, hid_t type)
{
    int n = H5Tget_nmembers(type);
    fputc('{', out);
    for (int i = 0; i < n; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        fprintf(out, "%s%s: ", i ? ", " : "", name ? name : "?");
        describe_type(out, member);
        H5Tclose(member);
        H5free_memory(name);
    }
    fputc('}', out);
}

static void describe_enum(FILE *out, hid_t type)
{
    int n = H5Tget_nmembers(type);
    fputs("enum (", out);
    for (int i = 0; i < n && i < 8; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        fprintf(out, "%s%s", i ? ", " : "", name ? name : "?");
        H5free_memory(name);
    }
    fputs(n > 8 ? ", …)" : ")", out);
}

static void describe_array(FILE *out, hid_t type)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank = H5Tget_array_dims2(type, dims);
    hid_t base = H5Tget_super(type);
    describe_type(out, base);
    fputc('[', out);
    for (int i = 0; i < rank; i++)
        fprintf(out, "%s%llu", i ? " x " : "", (unsigned long long)dims[i]);
    fputc(']', out);
    H5Tclose(base);
}

static void describe_sequence(FILE *out, hid_t type)
{
    hid_t base = H5Tget_super(type);
    fputs("list of ", out);
    describe_type(out, base);
    H5Tclose(base);
}

static void describe_opaque(FILE *out, hid_t type)
{
    char *tag = H5Tget_tag(type);
    fprintf(out, "opaque %zu bytes", H5Tget_size(type));
    if (tag && *tag)
        fprintf(out, " '%s'", tag);
    H5free_memory(tag);
}

static void describe_reference(FILE *out, hid_t type)
{
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
        fputs("object reference", out);
    else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
        fputs("region reference", out);
    else
        fputs("reference", out);
}

void describe_type(FILE *out, hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        describe_integer(out, type);
        break;
    case H5T_FLOAT:
        fprintf(out, "float%zu%s", H5Tget_size(type) * 8, order_suffix(type));
        break;
    case H5T_COMPLEX:
        fprintf(out, "complex%zu%s", H5Tget_size(type) * 8, order_suffix(type));
        break;
    case H5T_STRING:
        describe_string(out, type);
        break;
    case H5T_BITFIELD:
        fprintf(out, "bits%zu%s", H5Tget_size(type) * 8, order_suffix(type));
        break;
    case H5T_OPAQUE:
        describe_opaque(out, type);
        break;
    case H5T_COMPOUND:
        describe_compound(out, type);
        break;
    case H5T_REFERENCE:
        describe_reference(out, type);
        break;
    case H5T_ENUM:
        describe_enum(out, type);
        break;
    case H5T_VLEN:
        describe_sequence(out, type);
        break;
    case H5T_ARRAY:
        describe_array(out, type);
        break;
    case H5T_TIME:
        fprintf(out, "time%zu", H5Tget_size(type) * 8);
        break;
    default:
        fputs("unknown type", out);
    }
}

void describe_space(FILE *out, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK];
    H5S_class_t cls = H5Sget_simple_extent_type(space);
    if (cls != H5S_SIMPLE) {
        fputs(cls == H5S_SCALAR ? "scalar" : "empty (null space)", out);
        return;
    }
    int rank = H5Sget_simple_extent_dims(space, dims, max);
    for (int i = 0; i < rank; i++) {
        fprintf(out, "%s%llu", i ? " x " : "", (unsigned long long)dims[i]);
        if (max[i] == H5S_UNLIMITED)
            fputs("/∞", out);
        else if (max[i] != dims[i])
            fprintf(out, "/%llu", (unsigned long long)max[i]);
    }
}

/* The filter's number; its name, which may be empty, and its first parameter. */
static H5Z_filter_t get_filter(hid_t dcpl, unsigned section, unsigned i, char name[64], uint32_t *first)
{
    size_t size = sizeof *first;
    *name = '\0';
    *first = 0;
    return H5Pget_filter3(dcpl, section, i, NULL, &size, first, 64, name, NULL);
}

void describe_filter_name(FILE *out, hid_t dcpl, unsigned section, unsigned i)
{
    char name[64];
    uint32_t first;
    H5Z_filter_t id = get_filter(dcpl, section, i, name, &first);
    if (*name)
        fputs(name, out);
    else
        fprintf(out, "filter %d", (int)id);
}

/* before: in front of the first one, if there is any. */
static void describe_filters(FILE *out, hid_t dcpl, unsigned section, const char *before)
{
    int n = 0;
    H5Pget_nfilters2(dcpl, section, &n);
    for (int i = 0; i < n; i++) {
        char name[64];
        uint32_t first;
        fputs(i ? ", " : before, out);
        describe_filter_name(out, dcpl, section, (unsigned)i);
        if (get_filter(dcpl, section, (unsigned)i, name, &first) == H5Z_FILTER_DEFLATE)
            fprintf(out, " %u", first);
    }
}

static void describe_chunk(FILE *out, const char *kind, const hsize_t *dims, int rank)
{
    fprintf(out, "%schunks of ", kind);
    for (int i = 0; i < rank; i++)
        fprintf(out, "%s%llu", i ? " x " : "", (unsigned long long)dims[i]);
}

static void describe_structured(FILE *out, hid_t dcpl)
{
    static const char *const before[] = {
        [H5_SECTION_SELECTION] = "; selection: ", [H5_SECTION_FIXED] = "; values: ", [H5_SECTION_VL] = "; heap: "};
    hsize_t dims[H5S_MAX_RANK];
    unsigned flags = 0, n = 0;
    H5_section_type_t types[H5_SECTION_NUM];
    int rank = H5Pget_struct_chunk(dcpl, H5S_MAX_RANK, dims, &flags);
    describe_chunk(out, flags & H5D_SPARSE_CHUNK ? "sparse " : "variable-length ", dims, rank);
    H5Pget_struct_chunk_sections(dcpl, &n, types);
    for (unsigned i = 0; i < n; i++)
        describe_filters(out, dcpl, i, before[types[i]]);
}

void describe_layout(FILE *out, hid_t dcpl)
{
    hsize_t dims[H5S_MAX_RANK];
    size_t count = 0;
    switch (H5Pget_layout(dcpl)) {
    case H5D_COMPACT:
        fputs("compact", out);
        break;
    case H5D_CONTIGUOUS:
        fputs(H5Pget_external_count(dcpl) > 0 ? "in external files" : "contiguous", out);
        break;
    case H5D_CHUNKED: {
        int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, dims);
        describe_chunk(out, "", dims, rank);
        describe_filters(out, dcpl, 0, ", ");
        break;
    }
    case H5D_STRUCT_CHUNK:
        describe_structured(out, dcpl);
        break;
    case H5D_VIRTUAL:
        H5Pget_virtual_count(dcpl, &count);
        fprintf(out, "virtual, %zu mapping%s", count, count == 1 ? "" : "s");
        break;
    default:
        fputs("unknown layout", out);
    }
}

void describe_bytes(FILE *out, unsigned long long bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    if (bytes < 1024) {
        fprintf(out, "%llu bytes", bytes);
        return;
    }
    int unit = -1;
    while (value >= 1024 && unit < 5) {
        value /= 1024;
        unit++;
    }
    fprintf(out, value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}
