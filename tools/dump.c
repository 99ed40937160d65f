#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* Values are read in pieces of about this many bytes, so that a dump of any size needs little memory. */
#define PIECE_BYTES ((size_t)1 << 20)

struct dump {
    hid_t file;
    const char *base;
    bool values;
    hsize_t limit; /* elements of a dataset or an attribute */
    unsigned objects;
    int status;
};

static const char help[] = "usage: tessera dump [-H] [-n N] FILE[/PATH]\n\n"
                           "Prints an object and everything below it: types, attributes, values.\n\n"
                           "  -H, --header   no values of datasets\n"
                           "  -n, --limit N  at most N elements of each dataset and attribute\n"
                           "  -h, --help     this text\n";

#define LINE_WIDTH 80
#define MOST_IN_LINE 10

/* How the elements of a dataset are laid out on lines. */
struct page {
    hid_t type, file;
    int rank;
    hsize_t dims[H5S_MAX_RANK];
    hsize_t per_line; /* 0: not known yet */
    int width;        /* of an element; 0: as wide as it is */
    int label;        /* width of the positions in front of the lines */
    FILE *scratch;    /* one element as text, in the two below */
    char *text;
    size_t size;
};

static int digits(hsize_t n)
{
    int count = 1;
    for (; n >= 10; n /= 10)
        count++;
    return count;
}

/* The element's text, without a NUL; its length is the result. */
static int render(struct page *page, const char *element)
{
    rewind(page->scratch);
    print_element(page->scratch, page->type, element, page->file);
    long length = ftell(page->scratch);
    fflush(page->scratch);
    return (int)length;
}

/* Numbers stand in columns, as wide as the widest among the first; anything else has a line of its own. */
static void lay_out(struct page *page, const char *buf, size_t n)
{
    H5T_class_t cls = H5Tget_class(page->type);
    size_t width = H5Tget_size(page->type);
    page->label = page->rank - 1;
    for (int d = 0; d < page->rank; d++)
        page->label += digits(page->dims[d] - 1);
    page->per_line = 1;
    if (cls != H5T_INTEGER && cls != H5T_FLOAT && cls != H5T_ENUM)
        return;
    for (size_t i = 0; i < n && i < 10000; i++) {
        int w = render(page, buf + i * width);
        page->width = w > page->width ? w : page->width;
    }
    page->per_line = (hsize_t)((LINE_WIDTH - page->label - 6) / (page->width + 2));
    if (page->per_line > MOST_IN_LINE)
        page->per_line = MOST_IN_LINE;
    if (page->per_line == 0)
        page->per_line = 1;
}

static void print_position(const struct page *page, hsize_t at)
{
    hsize_t index[H5S_MAX_RANK];
    int used = page->rank - 1;
    for (int d = page->rank - 1; d >= 0; d--) {
        index[d] = at % page->dims[d];
        at /= page->dims[d];
        used += digits(index[d]);
    }
    fputs("  (", stdout);
    for (int d = 0; d < page->rank; d++)
        printf("%s%llu", d ? "," : "", (unsigned long long)index[d]);
    printf(")%*s", page->label - used + 1, "");
}

static void print_aligned(struct page *page, const char *element)
{
    int length = render(page, element);
    if (page->width > length && H5Tget_class(page->type) != H5T_ENUM)
        printf("%*s", page->width - length, "");
    fwrite(page->text, 1, (size_t)length, stdout);
}

/* Elements that follow each other in the dataset, the first of them being number `first`. */
static void print_rows(struct page *page, const char *buf, hsize_t first, size_t n)
{
    size_t width = H5Tget_size(page->type);
    hsize_t row = page->dims[page->rank - 1];
    if (page->per_line == 0)
        lay_out(page, buf, n);
    for (size_t i = 0; i < n; i++) {
        hsize_t column = (first + i) % row;
        if (column % page->per_line == 0)
            print_position(page, first + i);
        print_aligned(page, buf + i * width);
        bool ends = column + 1 == row || (column + 1) % page->per_line == 0;
        fputs(ends || i + 1 == n ? "\n" : ", ", stdout);
    }
}

/* How a dataset is read: a block of `rows` along dimension `split`, whole behind it, one element in front of it. */
struct pieces {
    int split;
    hsize_t rows, per_row;
};

static struct pieces cut(const struct page *page)
{
    struct pieces p = {.split = page->rank - 1, .per_row = 1};
    hsize_t fit = PIECE_BYTES / H5Tget_size(page->type);
    fit = fit ? fit : 1;
    while (p.split > 0 && p.per_row * page->dims[p.split] <= fit) {
        p.per_row *= page->dims[p.split];
        p.split--;
    }
    p.rows = fit / p.per_row;
    /* A piece ends where a line does: 2520 is a multiple of all numbers up to MOST_IN_LINE. */
    if (p.split == page->rank - 1 && p.rows > 2520)
        p.rows -= p.rows % 2520;
    if (p.rows == 0)
        p.rows = 1;
    if (p.rows > page->dims[p.split])
        p.rows = page->dims[p.split];
    return p;
}

/* Reads the piece that starts at element number `first`; the number of elements in *n. A failure is reported. */
static int read_piece(hid_t dset, const struct page *page, const struct pieces *p, hsize_t first, void *buf, size_t *n)
{
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK], rest = first;
    for (int d = page->rank - 1; d >= 0; d--) {
        start[d] = rest % page->dims[d];
        rest /= page->dims[d];
        count[d] = d > p->split ? page->dims[d] : 1;
    }
    count[p->split] =
        page->dims[p->split] - start[p->split] < p->rows ? page->dims[p->split] - start[p->split] : p->rows;
    *n = (size_t)(count[p->split] * p->per_row);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(page->rank, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    int status = 0;
    if (H5Dread(dset, page->type, mem, space, H5P_DEFAULT, buf) < 0)
        status = tool_error("cannot read the values");
    H5Sclose(mem);
    H5Sclose(space);
    return status;
}

static void reclaim(hid_t type, size_t n, void *buf)
{
    hsize_t dims = n;
    hid_t space = H5Screate_simple(1, &dims, NULL);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    H5Sclose(space);
}

static void print_more(hsize_t n)
{
    printf("  … %llu more\n", (unsigned long long)n);
}

static int print_simple(const struct dump *dump, hid_t dset, hid_t type, hid_t space)
{
    struct page page = {.type = type, .file = dump->file};
    page.rank = H5Sget_simple_extent_dims(space, page.dims, NULL);
    struct pieces pieces = cut(&page);
    hsize_t total = (hsize_t)H5Sget_simple_extent_npoints(space), wanted = total < dump->limit ? total : dump->limit;
    char *buf = calloc((size_t)(pieces.rows * pieces.per_row), H5Tget_size(type));
    if (!buf)
        return tool_error("no memory for %llu elements", (unsigned long long)(pieces.rows * pieces.per_row));
    page.scratch = open_memstream(&page.text, &page.size);
    int status = 0;
    size_t n;
    for (hsize_t at = 0; at < wanted && status == 0; at += n) {
        status = read_piece(dset, &page, &pieces, at, buf, &n);
        if (status == 0) {
            print_rows(&page, buf, at, wanted - at < n ? (size_t)(wanted - at) : n);
            reclaim(type, n, buf);
        }
    }
    if (status == 0 && wanted < total)
        print_more(total - wanted);
    fclose(page.scratch);
    free(page.text);
    free(buf);
    return status;
}

static int print_scalar(const struct dump *dump, hid_t dset, hid_t type)
{
    void *buf = calloc(1, H5Tget_size(type));
    if (H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) < 0) {
        free(buf);
        return tool_error("cannot read the value");
    }
    fputs("  ", stdout);
    print_element(stdout, type, buf, dump->file);
    fputc('\n', stdout);
    reclaim(type, 1, buf);
    free(buf);
    return 0;
}

static int print_values(const struct dump *dump, hid_t dset)
{
    hid_t file_type = H5Dget_type(dset), type = printable_type(file_type), space = H5Dget_space(dset);
    int status = 0;
    if (type < 0)
        status = tool_error("values of this type cannot be printed");
    else if (H5Sget_simple_extent_type(space) == H5S_SCALAR)
        status = print_scalar(dump, dset, type);
    else if (H5Sget_simple_extent_npoints(space) > 0)
        status = print_simple(dump, dset, type, space);
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(file_type);
    return status;
}

static herr_t print_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    (void)info;
    const struct dump *dump = data;
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT), file_type = H5Aget_type(attr), space = H5Aget_space(attr);
    hid_t type = printable_type(file_type);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t width = H5Tget_size(type);
    void *buf = n > 0 && type >= 0 ? calloc((size_t)n, width) : NULL;
    fputs("  @", stdout);
    print_escaped(stdout, name, strlen(name), false);
    fputs(" = ", stdout);
    if (!buf) {
        fputs("(empty)", stdout);
    } else if (H5Aread(attr, type, buf) < 0) {
        fputs("(cannot be read)", stdout);
    } else {
        for (hssize_t i = 0; i < n && (hsize_t)i < dump->limit; i++) {
            fputs(i ? ", " : "", stdout);
            print_element(stdout, type, (char *)buf + (size_t)i * width, dump->file);
        }
        if ((hsize_t)n > dump->limit)
            printf(", … %llu more", (unsigned long long)((hsize_t)n - dump->limit));
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    }
    fputc('\n', stdout);
    free(buf);
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(file_type);
    H5Aclose(attr);
    return 0;
}

static void dump_dataset(struct dump *dump, hid_t dset)
{
    hid_t type = H5Dget_type(dset), space = H5Dget_space(dset), dcpl = H5Dget_create_plist(dset);
    describe_type(stdout, type);
    fputs("  ", stdout);
    describe_space(stdout, space);
    fputs("  ", stdout);
    describe_layout(stdout, dcpl);
    fputc('\n', stdout);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
    H5Aiterate2(dset, H5_INDEX_NAME, H5_ITER_INC, NULL, print_attribute, dump);
    if (dump->values)
        dump->status |= print_values(dump, dset);
}

static void dump_object(struct dump *dump, const char *path, hid_t obj)
{
    H5I_type_t kind = H5Iget_type(obj);
    if (dump->objects++ > 0)
        fputc('\n', stdout);
    print_escaped(stdout, path, strlen(path), false);
    fputs("  ", stdout);
    if (kind == H5I_DATASET) {
        dump_dataset(dump, obj);
        return;
    }
    if (kind == H5I_DATATYPE) {
        fputs("datatype ", stdout);
        describe_type(stdout, obj);
        fputc('\n', stdout);
    } else {
        fputs("group\n", stdout);
    }
    H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_INC, NULL, print_attribute, dump);
}

static herr_t dump_visited(hid_t root, const char *name, const H5O_info2_t *info, void *data)
{
    (void)info;
    struct dump *dump = data;
    char path[4096];
    if (strcmp(name, ".") == 0)
        snprintf(path, sizeof path, "%s", dump->base);
    else
        snprintf(path, sizeof path, "%s%s%s", dump->base, strcmp(dump->base, "/") == 0 ? "" : "/", name);
    hid_t obj = H5Oopen(root, name, H5P_DEFAULT);
    if (obj < 0) {
        dump->status |= tool_error("cannot open %s", path);
        return 0;
    }
    dump_object(dump, path, obj);
    H5Oclose(obj);
    return 0;
}

static int dump_below(const struct target *target, void *ctx)
{
    struct dump *dump = ctx;
    dump->file = target->file;
    dump->base = target->path;
    if (H5Ovisit3(target->obj, H5_INDEX_NAME, H5_ITER_INC, dump_visited, dump, H5O_INFO_BASIC) < 0)
        dump->status |= tool_error("cannot walk %s", target->path);
    return dump->status;
}

static bool read_limit(const char *text, hsize_t *limit)
{
    char *end;
    *limit = strtoull(text, &end, 10);
    if (*text && *end == '\0' && *text != '-')
        return true;
    fprintf(stderr, "tessera: '%s' is no number of elements\n", text);
    return false;
}

int tool_dump(int argc, char **argv)
{
    static const struct option options[] = {{"header", no_argument, NULL, 'H'},
                                            {"limit", required_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct dump dump = {.values = true, .limit = HSIZE_UNDEF};
    for (int option; (option = getopt_long(argc, argv, "Hn:h", options, NULL)) != -1;)
        switch (option) {
        case 'H':
            dump.values = false;
            break;
        case 'n':
            if (!read_limit(optarg, &dump.limit))
                return 2;
            break;
        default:
            return tool_help(help, option == 'h');
        }
    if (optind + 1 != argc)
        return tool_help(help, false);
    return tool_use(argv[optind], dump_below, &dump);
}
