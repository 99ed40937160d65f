#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chunks.h"

static const char help[] =
    "usage: tessera chunks [--order ORDER] [--box BOX] [--json | --map OUT] FILE/DATASET\n"
    "       tessera chunks [--order ORDER] --json | --map OUT FILE[/GROUP]\n\n"
    "Lists the chunks of a dataset that are in the file: where each begins in the dataset and in the file, its bytes,\n"
    "and the filters that were not applied to it.\n\n"
    "  -o, --order ORDER  coord (row by row in the dataset, unless another is asked for), addr (as in the file),\n"
    "                     native (as in the index)\n"
    "  -b, --box BOX      only chunks that meet the box START:STOP,START:STOP,... of elements, START included and "
    "STOP\n"
    "                     not; a number left out is the first or the last\n"
    "  -j, --json         one JSON object in place of the table; it is described in docs/chunk-map.md\n"
    "  -m, --map OUT      the same to a file, if it says all that is needed to read the dataset without a library for\n"
    "                     HDF5; also of contiguous, compact and external datasets. Of a file or a group: of all "
    "datasets\n"
    "                     in it of which there can be one\n"
    "  -h, --help         this text\n\n"
    "The ratio is that of the bytes in the file to those of the chunk's elements; of a sparse dataset, to those of "
    "its\n"
    "defined elements.\n";

struct request {
    enum chunk_order order;
    const char *box, *map;
    bool json;
};

/* The columns: chunk, address, bytes, ratio; of sparse chunks: defined; of structured ones: sections; skipped filters.
 */
struct rows {
    struct table *table;
    size_t column; /* the next one in this row */
    struct chunk_sums sums;
};

static void start_row(struct rows *rows)
{
    table_row(rows->table);
    rows->column = 0;
}

static FILE *cell(struct rows *rows)
{
    return table_cell(rows->table, rows->column++);
}

static void put_text(struct rows *rows, const char *text)
{
    fputs(text, cell(rows));
    table_cell_end(rows->table);
}

static void put_number(struct rows *rows, unsigned long long number)
{
    fprintf(cell(rows), "%llu", number);
    table_cell_end(rows->table);
}

static void start_table(struct rows *rows, const struct chunk_view *view)
{
    rows->table = table_new();
    for (size_t column = 1; column <= (view->sparse ? 4 : 3); column++)
        table_right(rows->table, column);
    start_row(rows);
    put_text(rows, "chunk");
    put_text(rows, "address");
    put_text(rows, "bytes");
    put_text(rows, "ratio");
    if (view->sparse)
        put_text(rows, "defined");
    if (view->layout == H5D_STRUCT_CHUNK) {
        FILE *out = cell(rows);
        for (unsigned s = 0; s < view->sections; s++)
            fprintf(out, "%s%s", s ? " + " : "", section_name(view->types[s]));
        table_cell_end(rows->table);
    }
    put_text(rows, "skipped filters");
}

static void put_position(struct rows *rows, const struct chunk_view *view, const struct chunk *chunk)
{
    FILE *out = cell(rows);
    for (int d = 0; d < view->rank; d++)
        fprintf(out, "%c%llu", d ? ',' : '(', (unsigned long long)chunk->offset[d]);
    fputc(')', out);
    table_cell_end(rows->table);
}

static void print_ratio(FILE *out, hsize_t bytes, hsize_t plain)
{
    if (plain)
        fprintf(out, "%.2f", (double)bytes / (double)plain);
    else
        fputc('-', out);
}

/* With more than one section it is said whose filter it is. */
static void put_skipped(struct rows *rows, const struct chunk_view *view, const struct chunk *chunk)
{
    FILE *out = cell(rows);
    bool some = false;
    for (unsigned s = 0; s < view->sections; s++) {
        int n = 0;
        H5Pget_nfilters2(view->dcpl, s, &n);
        for (int i = 0; i < n; i++)
            if (chunk->masks[s] >> i & 1) {
                fputs(some ? ", " : "", out);
                describe_filter_name(out, view->dcpl, s, (unsigned)i);
                if (view->sections > 1)
                    fprintf(out, " (%s)", section_name(view->types[s]));
                some = true;
            }
    }
    fputs(some ? "" : "-", out);
    table_cell_end(rows->table);
}

static void put_row(const struct chunk_view *view, const struct chunk *chunk, void *ctx)
{
    struct rows *rows = ctx;
    if (!rows->table)
        start_table(rows, view);
    start_row(rows);
    put_position(rows, view, chunk);
    put_number(rows, chunk->address);
    put_number(rows, chunk->size);
    print_ratio(cell(rows), chunk->size, chunk_plain_bytes(view, chunk));
    table_cell_end(rows->table);
    if (view->sparse)
        put_number(rows, chunk->defined);
    if (view->layout == H5D_STRUCT_CHUNK) {
        FILE *out = cell(rows);
        for (unsigned s = 0; s < view->sections; s++)
            fprintf(out, "%s%zu", s ? " + " : "", chunk->stored[s]);
        table_cell_end(rows->table);
    }
    put_skipped(rows, view, chunk);
    chunk_sums_add(&rows->sums, view, chunk);
}

static void print_sums(const struct chunk_view *view, const struct chunk_sums *sums)
{
    printf("%llu of %llu chunks of ", (unsigned long long)sums->chunks, (unsigned long long)chunk_view_possible(view));
    for (int d = 0; d < view->rank; d++)
        printf("%s%llu", d ? " x " : "", (unsigned long long)view->chunk[d]);
    fputs("; ", stdout);
    describe_bytes(stdout, sums->bytes);
    fputs(" stored", stdout);
    if (view->sparse)
        printf(" for %llu defined element%s of", (unsigned long long)sums->defined, sums->defined == 1 ? "" : "s");
    else if (sums->plain)
        fputs(" for", stdout);
    if (sums->plain) {
        fputc(' ', stdout);
        describe_bytes(stdout, sums->plain);
        fputs(", ratio ", stdout);
        print_ratio(stdout, sums->bytes, sums->plain);
    }
    printf("; %s\n", chunk_view_index(view));
}

static int print_table(const struct chunk_view *view, enum chunk_order order)
{
    struct rows rows = {0};
    if (!chunk_view_chunked(view))
        return tool_error("%s has no chunks: its layout is %s", view->path, chunk_view_layout(view));
    int status = chunk_view_each(view, order, put_row, &rows);
    if (rows.table)
        table_free(rows.table);
    if (status == 0)
        print_sums(view, &rows.sums);
    return status;
}

/* What cannot be finished is not left; a device stays. */
static void remove_file(const char *name)
{
    struct stat st;
    if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
        remove(name);
}

/* Of a dataset, or of all in a group. */
struct wanted {
    const struct target *target;
    const struct chunk_view *view; /* NULL: a group */
    enum chunk_order order;
};

static int put_map(FILE *out, const struct wanted *w)
{
    if (!w->view)
        return print_file_map(out, w->target, w->order);
    int status = print_map(out, w->view, w->order);
    fputc('\n', out);
    return status;
}

static int write_map(const struct wanted *w, const char *name)
{
    FILE *out = fopen(name, "w");
    int status = out ? put_map(out, w) : 0;
    bool failed = out && (fflush(out) != 0 || ferror(out));
    if (out && fclose(out) != 0)
        failed = true;
    if (!out || failed)
        fprintf(stderr, "tessera: %s: %s\n", name, strerror(errno));
    if (out && (failed || status != 0))
        remove_file(name);
    return status != 0 || !out || failed;
}

/* A map says all, the object of --json where all is. */
static int check_lacks(const struct chunk_view *view, const struct request *request)
{
    char *lacks = map_lacks(view);
    int status = lacks && (request->map || view->layout == H5D_VIRTUAL) ? tool_error("%s: %s", view->path, lacks) : 0;
    free(lacks);
    return status;
}

static int answer_dataset(const struct target *target, const struct request *request)
{
    struct chunk_view view;
    struct wanted w = {.target = target, .view = &view, .order = request->order};
    int status = chunk_view_init(&view, target, request->box);
    if (status == 0 && (request->json || request->map))
        status = check_lacks(&view, request);
    if (status == 0 && request->map)
        status = write_map(&w, request->map);
    else if (status == 0 && request->json)
        status = put_map(stdout, &w);
    else if (status == 0)
        status = print_table(&view, request->order);
    chunk_view_deinit(&view);
    return status;
}

static int answer(const struct target *target, void *ctx)
{
    const struct request *request = ctx;
    struct wanted w = {.target = target, .order = request->order};
    if (H5Iget_type(target->obj) != H5I_GROUP || request->box || (!request->json && !request->map))
        return answer_dataset(target, request);
    return request->map ? write_map(&w, request->map) : put_map(stdout, &w);
}

static bool read_order(const char *text, enum chunk_order *order)
{
    static const char *const names[] = {[ORDER_NATIVE] = "native", [ORDER_COORD] = "coord", [ORDER_ADDR] = "addr"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            *order = (enum chunk_order)i;
            return true;
        }
    fprintf(stderr, "tessera: no order '%s': native, coord or addr\n", text);
    return false;
}

int tool_chunks(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},        {"map", required_argument, NULL, 'm'},
        {"order", required_argument, NULL, 'o'}, {"box", required_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    struct request request = {.order = ORDER_COORD};
    for (int option; (option = getopt_long(argc, argv, "jm:o:b:h", options, NULL)) != -1;)
        switch (option) {
        case 'j':
            request.json = true;
            break;
        case 'm':
            request.map = optarg;
            break;
        case 'o':
            if (!read_order(optarg, &request.order))
                return 2;
            break;
        case 'b':
            request.box = optarg;
            break;
        default:
            return tool_help(help, option == 'h');
        }
    if (optind + 1 != argc || (request.json && request.map))
        return tool_help(help, false);
    if (request.map && request.box) {
        fputs("tessera: a map is of the whole dataset: --map goes without --box\n", stderr);
        return 2;
    }
    return tool_use(argv[optind], answer, &request);
}
