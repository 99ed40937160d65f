#include <stdlib.h>
#include <string.h>

#include "chunks.h"

#define MAP_VERSION 1

static void put_base64(FILE *out, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    fputc('"', out);
    for (size_t i = 0; i < n; i += 3) {
        unsigned left = n - i < 3 ? (unsigned)(n - i) : 3;
        unsigned bits = (unsigned)bytes[i] << 16;
        bits |= left > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        bits |= left > 2 ? bytes[i + 2] : 0;
        for (unsigned k = 0; k < 4; k++)
            fputc(k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
    }
    fputc('"', out);
}

static void put_numbers(FILE *out, const hsize_t *numbers, int n)
{
    fputc('[', out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%llu", i ? ", " : "", (unsigned long long)numbers[i]);
    fputc(']', out);
}

static bool put_dtype(FILE *out, hid_t type);

/* "<u4": order, kind and bytes as numpy writes them. */
static void put_simple(FILE *out, hid_t type, char kind)
{
    size_t size = H5Tget_size(type);
    bool ordered = size > 1 && kind != 'S' && kind != 'V';
    fprintf(out, "\"%c%c%zu\"", !ordered ? '|' : H5Tget_order(type) == H5T_ORDER_BE ? '>' : '<', kind, size);
}

/* All bits are in use, in a size and an order that numpy has. */
static bool is_plain_number(hid_t type)
{
    size_t size = H5Tget_size(type);
    H5T_order_t order = H5Tget_order(type);
    return (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size &&
           H5Tget_offset(type) == 0 && (order == H5T_ORDER_LE || order == H5T_ORDER_BE || size == 1);
}

static bool is_ieee(hid_t type)
{
    static const struct {
        size_t size, exponent, fraction;
    } forms[] = {{2, 5, 10}, {4, 8, 23}, {8, 11, 52}};
    size_t sign, epos, esize, mpos, msize, size = H5Tget_size(type);
    if (!is_plain_number(type) || H5Tget_fields(type, &sign, &epos, &esize, &mpos, &msize) < 0)
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (size == forms[i].size)
            return esize == forms[i].exponent && msize == forms[i].fraction && mpos == 0 && epos == msize &&
                   sign == 8 * size - 1 && H5Tget_ebias(type) == ((size_t)1 << (esize - 1)) - 1 &&
                   H5Tget_norm(type) == H5T_NORM_IMPLIED;
    return false;
}

static bool put_array(FILE *out, hid_t type)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank = H5Tget_array_dims2(type, dims);
    hid_t base = H5Tget_super(type);
    fputc('[', out);
    bool good = put_dtype(out, base);
    fputs(", ", out);
    put_numbers(out, dims, rank);
    fputc(']', out);
    H5Tclose(base);
    return good;
}

static void put_names(FILE *out, hid_t type, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char *name = H5Tget_member_name(type, i);
        fputs(i ? ", " : "", out);
        print_json_text(out, name ? name : "");
        H5free_memory(name);
    }
}

/* Numpy's form with offsets says every gap. */
static bool put_compound(FILE *out, hid_t type)
{
    unsigned n = (unsigned)H5Tget_nmembers(type);
    bool good = true;
    fputs("{\"names\": [", out);
    put_names(out, type, n);
    fputs("], \"formats\": [", out);
    for (unsigned i = 0; i < n && good; i++) {
        hid_t member = H5Tget_member_type(type, i);
        fputs(i ? ", " : "", out);
        good = put_dtype(out, member);
        H5Tclose(member);
    }
    fputs("], \"offsets\": [", out);
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%s%zu", i ? ", " : "", H5Tget_member_offset(type, i));
    fprintf(out, "], \"itemsize\": %zu}", H5Tget_size(type));
    return good;
}

static bool put_integer(FILE *out, hid_t type)
{
    put_simple(out, type, H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i');
    return is_plain_number(type);
}

/* Numpy has them of floats and doubles. */
static bool put_complex(FILE *out, hid_t type)
{
    hid_t part = H5Tget_super(type);
    bool good = is_ieee(part) && H5Tget_size(part) >= 4;
    put_simple(out, type, 'c');
    H5Tclose(part);
    return good;
}

static bool put_enum(FILE *out, hid_t type)
{
    hid_t base = H5Tget_super(type);
    bool good = put_integer(out, base);
    H5Tclose(base);
    return good;
}

/* Values that lie elsewhere in the file, and numbers that numpy does not have, cannot be said. */
static bool put_dtype(FILE *out, hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return put_integer(out, type);
    case H5T_ENUM:
        return put_enum(out, type);
    case H5T_BITFIELD:
        put_simple(out, type, 'u');
        return is_plain_number(type);
    case H5T_FLOAT:
        put_simple(out, type, 'f');
        return is_ieee(type);
    case H5T_COMPLEX:
        return put_complex(out, type);
    case H5T_STRING:
        put_simple(out, type, 'S');
        return H5Tis_variable_str(type) == 0;
    case H5T_OPAQUE:
        put_simple(out, type, 'V');
        return true;
    case H5T_ARRAY:
        return put_array(out, type);
    case H5T_COMPOUND:
        return put_compound(out, type);
    default:
        return false;
    }
}

static bool is_list(hid_t type)
{
    return H5Tget_class(type) == H5T_VLEN || H5Tis_variable_str(type) > 0;
}

/* A string or a list whose elements have a fixed size; members of compounds and lists in lists cannot be said. */
static bool put_list(FILE *out, hid_t type)
{
    if (H5Tis_variable_str(type) > 0) {
        fputs("{\"vlen\": \"S\"}", out);
        return true;
    }
    hid_t base = H5Tget_super(type);
    fputs("{\"vlen\": ", out);
    bool good = put_dtype(out, base);
    fputc('}', out);
    H5Tclose(base);
    return good;
}

/* The text of the type, which the caller frees; NULL when it cannot be said. */
static char *dtype_text(hid_t type)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = is_list(type) ? put_list(out, type) : put_dtype(out, type);
    fclose(out);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The bytes of the string or the list. */
static void put_list_value(FILE *out, hid_t type, void *value)
{
    hid_t one = H5Screate(H5S_SCALAR);
    if (H5Tget_class(type) == H5T_VLEN) {
        const hvl_t *list = value;
        hid_t base = H5Tget_super(type);
        put_base64(out, list->p, list->len * H5Tget_size(base));
        H5Tclose(base);
    } else {
        const char *text = *(char **)value;
        put_base64(out, (const unsigned char *)text, text ? strlen(text) : 0);
    }
    H5Dvlen_reclaim(type, one, H5P_DEFAULT, value);
    H5Sclose(one);
}

static void put_fill_value(FILE *out, const struct chunk_view *view)
{
    H5D_fill_value_t status = H5D_FILL_VALUE_UNDEFINED;
    size_t size = H5Tget_size(view->type);
    unsigned char *value = calloc(1, size);
    H5Pfill_value_defined(view->dcpl, &status);
    bool set = value && status != H5D_FILL_VALUE_UNDEFINED && H5Pget_fill_value(view->dcpl, view->type, value) >= 0;
    if (set && is_list(view->type))
        put_list_value(out, view->type, value);
    else if (set)
        put_base64(out, value, size);
    else
        fputs("null", out);
    free(value);
}

static void put_type(FILE *out, const struct chunk_view *view)
{
    char *text = dtype_text(view->type);
    fprintf(out, "  \"dtype\": %s,\n  \"fill_value\": ", text ? text : "null");
    if (text)
        put_fill_value(out, view);
    else
        fputs("null", out);
    fputs(",\n", out);
    free(text);
}

/* What is needed to find strings and lists in the heaps of the file; those of structured chunks are inside. */
static void put_heaps(FILE *out, const struct chunk_view *view)
{
    size_t offsets = 8, lengths = 8;
    hsize_t base = 0;
    if (!is_list(view->type) || view->layout == H5D_STRUCT_CHUNK)
        return;
    hid_t file = H5Iget_file_id(view->dset), fcpl = H5Fget_create_plist(file);
    H5Pget_sizes(fcpl, &offsets, &lengths);
    H5Pget_userblock(fcpl, &base);
    H5Pclose(fcpl);
    H5Fclose(file);
    fprintf(out, "  \"heaps\": {\"base\": %llu, \"offset_size\": %zu, \"length_size\": %zu},\n",
            (unsigned long long)base, offsets, lengths);
}

static void put_filter(FILE *out, hid_t dcpl, unsigned section, unsigned i)
{
    char name[256] = "";
    uint64_t flags;
    uint32_t values[256] = {0};
    size_t size = sizeof values;
    H5Z_filter_t id = H5Pget_filter3(dcpl, section, i, &flags, &size, values, sizeof name, name, NULL);
    fprintf(out, "{\"id\": %d, \"name\": ", (int)id);
    print_json_text(out, name);
    fputs(", \"values\": [", out);
    for (size_t k = 0; k < size / sizeof values[0] && k < sizeof values / sizeof values[0]; k++)
        fprintf(out, "%s%u", k ? ", " : "", values[k]);
    fputs("]}", out);
}

static void put_sections(FILE *out, const struct chunk_view *view)
{
    fputs("  \"sections\": [", out);
    for (unsigned s = 0; s < view->sections; s++) {
        int n = 0;
        if (chunk_view_chunked(view))
            H5Pget_nfilters2(view->dcpl, s, &n);
        fprintf(out, "%s{\"kind\": \"%s\", \"filters\": [", s ? ", " : "", section_name(view->types[s]));
        for (int i = 0; i < n; i++) {
            fputs(i ? ", " : "", out);
            put_filter(out, view->dcpl, s, (unsigned)i);
        }
        fputs("]}", out);
    }
    fputs("],\n", out);
}

static void put_head(FILE *out, const struct chunk_view *view)
{
    ssize_t length = H5Fget_name(view->dset, NULL, 0);
    char *name = calloc(1, (size_t)(length > 0 ? length : 0) + 1);
    H5Fget_name(view->dset, name, (size_t)length + 1);
    fprintf(out, "{\n  \"tessera_map\": %d,\n  \"file\": ", MAP_VERSION);
    print_json_text(out, name);
    fputs(",\n  \"dataset\": ", out);
    print_json_text(out, view->path);
    fprintf(out, ",\n  \"layout\": \"%s\",\n", chunk_view_layout(view));
    if (chunk_view_chunked(view))
        fprintf(out, "  \"index\": \"%s\",\n", chunk_view_index(view));
    fputs("  \"shape\": ", out);
    put_numbers(out, view->dims, view->rank);
    fputs(",\n  \"chunk_shape\": ", out);
    put_numbers(out, view->chunk, view->rank);
    fputs(",\n", out);
    free(name);
}

struct map {
    FILE *out;
    struct chunk_sums sums;
    int status;
};

static void put_data(struct map *map, const struct chunk_view *view, size_t size)
{
    unsigned char *bytes = malloc(size);
    if (!bytes || H5Dread(view->dset, view->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) {
        map->status = tool_error("%s: cannot read the values", view->path);
    } else {
        fputs(", \"data\": ", map->out);
        put_base64(map->out, bytes, size);
    }
    free(bytes);
}

/* The pieces of other files that the values are, one behind the other. */
static void put_parts(FILE *out, const struct chunk_view *view, hsize_t left)
{
    int n = H5Pget_external_count(view->dcpl);
    fputs(", \"parts\": [", out);
    for (int i = 0; i < n && left > 0; i++) {
        char name[4096] = "";
        off_t at = 0;
        hsize_t size = 0;
        H5Pget_external(view->dcpl, (unsigned)i, sizeof name - 1, name, &at, &size);
        size = size < left ? size : left;
        fprintf(out, "%s{\"file\": ", i ? ", " : "");
        print_json_text(out, name);
        fprintf(out, ", \"address\": %llu, \"size\": %llu}", (unsigned long long)at, (unsigned long long)size);
        left -= size;
    }
    fputc(']', out);
}

static void put_chunk_sections(FILE *out, const struct chunk_view *view, const struct chunk *chunk)
{
    hsize_t at = 0;
    if (view->sparse)
        fprintf(out, ", \"defined\": %llu", (unsigned long long)chunk->defined);
    fputs(", \"sections\": [", out);
    for (unsigned s = 0; s < view->sections; s++) {
        fprintf(out, "%s{\"offset\": %llu, \"size\": %zu, \"plain_size\": %zu}", s ? ", " : "", (unsigned long long)at,
                chunk->stored[s], chunk->plain[s]);
        at += chunk->stored[s];
    }
    fputc(']', out);
}

static void put_masks(FILE *out, const struct chunk_view *view, const struct chunk *chunk)
{
    fputs(", \"masks\": [", out);
    for (unsigned s = 0; s < view->sections; s++)
        fprintf(out, "%s%u", s ? ", " : "", chunk->masks[s]);
    fputc(']', out);
}

static void put_chunk(const struct chunk_view *view, const struct chunk *chunk, void *ctx)
{
    struct map *map = ctx;
    fprintf(map->out, "%s\n    {\"offset\": ", map->sums.chunks ? "," : "");
    put_numbers(map->out, chunk->offset, view->rank);
    if (chunk->address != HADDR_UNDEF)
        fprintf(map->out, ", \"address\": %llu", (unsigned long long)chunk->address);
    fprintf(map->out, ", \"size\": %llu", (unsigned long long)chunk->size);
    put_masks(map->out, view, chunk);
    if (view->layout == H5D_STRUCT_CHUNK)
        put_chunk_sections(map->out, view, chunk);
    if (chunk_view_external(view))
        put_parts(map->out, view, chunk->size);
    if (view->layout == H5D_COMPACT && !is_list(view->type))
        put_data(map, view, (size_t)chunk_plain_bytes(view, chunk));
    fputc('}', map->out);
    chunk_sums_add(&map->sums, view, chunk);
}

static void put_box(FILE *out, const struct chunk_view *view)
{
    fputs("  \"box\": [", out);
    for (int d = 0; d < view->rank; d++)
        fprintf(out, "%s[%llu, %llu]", d ? ", " : "", (unsigned long long)view->start[d],
                (unsigned long long)view->stop[d]);
    fputs("],\n", out);
}

static void put_sums(FILE *out, const struct chunk_view *view, const struct chunk_sums *sums)
{
    fprintf(out, "  \"summary\": {\"chunks\": %llu, \"possible\": %llu, \"bytes\": %llu, \"plain_bytes\": %llu",
            (unsigned long long)sums->chunks, (unsigned long long)chunk_view_possible(view),
            (unsigned long long)sums->bytes, (unsigned long long)sums->plain);
    if (view->sparse)
        fprintf(out, ", \"defined\": %llu", (unsigned long long)sums->defined);
    fputs("}\n}", out);
}

int print_map(FILE *out, const struct chunk_view *view, enum chunk_order order)
{
    struct map map = {.out = out};
    put_head(out, view);
    put_type(out, view);
    put_heaps(out, view);
    put_sections(out, view);
    if (view->boxed)
        put_box(out, view);
    fputs("  \"chunks\": [", out);
    int status = chunk_view_each(view, order, put_chunk, &map);
    fputs(map.sums.chunks ? "\n  ],\n" : "],\n", out);
    put_sums(out, view, &map.sums);
    return status | map.status;
}

char *map_lacks(const struct chunk_view *view)
{
    char *text = NULL, *dtype = dtype_text(view->type);
    size_t size;
    bool known = dtype && !(is_list(view->type) && view->layout == H5D_COMPACT), placed = view->layout != H5D_VIRTUAL;
    free(dtype);
    if (known && placed)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (placed) {
        fputs("no map can say what its values are: ", out);
        describe_type(out, view->type);
    } else {
        fprintf(out, "its layout is %s, the values are not in this file", chunk_view_layout(view));
    }
    fclose(out);
    return text;
}
