#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "watch.h"

static const char help[] =
    "usage: tessera watch [--json] [--interval SECONDS] [--count N] [--rows N] FILE/DATASET\n\n"
    "Follows a dataset that a SWMR writer lets grow, until Ctrl-C, or until the writer closes the file or dies: of "
    "each\n"
    "update the new rows, how many come in a second, and how long ago the file was written to.\n\n"
    "A row is what one step along the dimension that grows holds. Of rows the first values are shown, of frames "
    "(three\n"
    "dimensions and more) the least, the largest and the mean value; of sparse datasets those of the defined "
    "elements,\n"
    "and how many there are. Values that are written over are noticed in compressed and in sparse datasets.\n\n"
    "  -i, --interval SECONDS  how long to wait between two looks (1)\n"
    "  -c, --count N           stop after N updates\n"
    "  -n, --rows N            show at most N rows of an update, the last ones (10)\n"
    "  -j, --json              one JSON object a line, described in docs/swmr.md\n"
    "  -h, --help              this text\n";

struct request {
    bool json;
    double interval;
    hsize_t count, rows;
};

/* What the last line tells. */
struct sums {
    hsize_t updates, rows;
    double start, last; /* the time of the last update, or the start */
    const char *end;
};

static void print_dims(const hsize_t *dims, int rank, const char *between)
{
    for (int d = 0; d < rank; d++)
        printf("%s%llu", d ? between : "", (unsigned long long)dims[d]);
}

/* JSON has no number for what is none. */
static void json_number(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        fputs("null", stdout);
}

static void json_value(const struct watch *w, const char *element)
{
    double value = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print_element(out, w->type, element, w->file);
    fclose(out);
    if (!w->numbers)
        print_json_text(stdout, text);
    else if (H5Tget_class(w->type) == H5T_FLOAT && !isfinite(value = strtod(text, NULL)))
        json_number(value);
    else
        fputs(text, stdout);
    free(text);
}

static void print_first(const struct watch *w, const struct row *row, bool json)
{
    size_t width = H5Tget_size(w->type), n = row->n < FIRST_VALUES ? row->n : FIRST_VALUES;
    for (size_t i = 0; i < n; i++) {
        const char *element = (const char *)row->values + i * width;
        fputs(i ? ", " : "", stdout);
        if (json)
            json_value(w, element);
        else
            print_element(stdout, w->type, element, w->file);
    }
}

static bool shows_all(const struct watch *w, int dimension, const struct row *row)
{
    hsize_t all = 1;
    for (int d = 0; d < w->rank; d++)
        all *= d == dimension ? 1 : w->dims[d];
    return (w->sparse ? row->defined : all) <= FIRST_VALUES;
}

static void print_row(const struct watch *w, int dimension, const struct row *row)
{
    fputs("  [", stdout);
    for (int d = 0; d < dimension; d++)
        fputs(":,", stdout);
    printf("%llu]", (unsigned long long)row->index);
    if (w->sparse)
        printf("  %llu defined", (unsigned long long)row->defined);
    if (row->statistics) {
        printf("  min %g  max %g  mean %g\n", row->min, row->max, row->mean);
        return;
    }
    fputs(row->n ? "  " : "", stdout);
    print_first(w, row, false);
    fputs(row->n && !shows_all(w, dimension, row) ? ", …\n" : "\n", stdout);
}

static void json_row(const struct watch *w, const struct row *row)
{
    printf("{\"index\": %llu", (unsigned long long)row->index);
    if (w->sparse)
        printf(", \"defined\": %llu", (unsigned long long)row->defined);
    if (row->statistics) {
        const struct {
            const char *name;
            double value;
        } parts[] = {{"min", row->min}, {"max", row->max}, {"mean", row->mean}};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            printf(", \"%s\": ", parts[i].name);
            json_number(parts[i].value);
        }
    } else {
        fputs(", \"values\": [", stdout);
        print_first(w, row, true);
        fputc(']', stdout);
    }
    fputc('}', stdout);
}

/* The last of the new rows, as many as are wanted. */
static int show_rows(const struct watch *w, const struct change *change, const struct request *request)
{
    hsize_t to = w->dims[change->dimension], from = change->from;
    int status = 0;
    if (to - from > request->rows) {
        from = to - request->rows;
        if (!request->json)
            printf("  … %llu more\n", (unsigned long long)(from - change->from));
    }
    for (hsize_t i = from; i < to && status == 0; i++) {
        struct row row;
        status = watch_row(w, change->dimension, i, &row);
        if (status == 0 && request->json) {
            fputs(i > from ? ", " : "", stdout);
            json_row(w, &row);
        } else if (status == 0) {
            print_row(w, change->dimension, &row);
        }
        watch_row_free(w, &row);
    }
    return status;
}

static void print_change(const struct watch *w, const struct change *change, double rate)
{
    hsize_t now = w->dims[change->dimension];
    print_dims(w->dims, w->rank, " x ");
    if (change->grown)
        printf(": +%llu, %.4g/s", (unsigned long long)(now - change->from), rate);
    else if (change->from)
        printf(": -%llu", (unsigned long long)(change->from - now));
    else
        fputs(": values changed", stdout);
    if (change->counted)
        printf(", %llu defined", (unsigned long long)change->defined);
    printf(", file written %.3f s ago\n", change->age);
}

static void json_change(const struct watch *w, const struct change *change, double rate, double time)
{
    hsize_t now = w->dims[change->dimension];
    printf("{\"event\": \"%s\", \"time\": %.6f, \"shape\": [",
           change->grown  ? "grown"
           : change->from ? "shrunk"
                          : "changed",
           time);
    print_dims(w->dims, w->rank, ", ");
    fputc(']', stdout);
    if (change->grown)
        printf(", \"dimension\": %d, \"from\": %llu, \"new\": %llu, \"rate\": %.6g", change->dimension,
               (unsigned long long)change->from, (unsigned long long)(now - change->from), rate);
    if (change->counted)
        printf(", \"defined\": %llu", (unsigned long long)change->defined);
    printf(", \"age\": %.6f", change->age);
}

/* The line of an update is the last thing of it in text and the first in JSON. */
static int show(const struct watch *w, const struct change *change, const struct request *request, struct sums *sums)
{
    double time = watch_time(), took = time - sums->last;
    hsize_t rows = change->grown ? w->dims[change->dimension] - change->from : 0;
    double rate = took > 0 ? (double)rows / took : 0;
    int status = 0;
    sums->updates++;
    sums->rows += rows;
    sums->last = time;
    if (request->json) {
        json_change(w, change, rate, time);
        fputs(change->grown ? ", \"rows\": [" : "", stdout);
    }
    if (change->grown)
        status = show_rows(w, change, request);
    if (request->json)
        fputs(change->grown ? "]}\n" : "}\n", stdout);
    else if (status == 0)
        print_change(w, change, rate);
    fflush(stdout);
    return status;
}

static void print_start(const struct watch *w, bool json)
{
    hid_t type = H5Dget_type(w->dset), space = H5Dget_space(w->dset);
    if (json) {
        printf("{\"event\": \"start\", \"time\": %.6f, \"file\": ", watch_time());
        print_json_text(stdout, w->name);
        fputs(", \"dataset\": ", stdout);
        print_json_text(stdout, w->path);
        fputs(", \"shape\": [", stdout);
        print_dims(w->dims, w->rank, ", ");
        fputs("]}\n", stdout);
    } else {
        print_escaped(stdout, w->path, strlen(w->path), false);
        fputs("  ", stdout);
        describe_type(stdout, type);
        fputs("  ", stdout);
        describe_space(stdout, space);
        fputs(w->sparse ? "  sparse\n" : "\n", stdout);
    }
    H5Sclose(space);
    H5Tclose(type);
    fflush(stdout);
}

static void print_end(const struct sums *sums, bool json)
{
    double took = sums->last - sums->start, rate = took > 0 ? (double)sums->rows / took : 0;
    if (json) {
        printf("{\"event\": \"end\", \"time\": %.6f, \"why\": ", watch_time());
        print_json_text(stdout, sums->end);
        printf(", \"updates\": %llu, \"new\": %llu, \"rate\": %.6g}\n", (unsigned long long)sums->updates,
               (unsigned long long)sums->rows, rate);
    } else {
        printf("%llu update%s, %llu new, %.4g/s; %s\n", (unsigned long long)sums->updates,
               sums->updates == 1 ? "" : "s", (unsigned long long)sums->rows, rate, sums->end);
    }
    fflush(stdout);
}

/* Whether to go on: not when one of the signals came. */
static bool wait_for(const sigset_t *signals, double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    return sigtimedwait(signals, NULL, &t) < 0;
}

static int follow(struct watch *w, const struct request *request, const sigset_t *signals)
{
    struct sums sums = {.start = watch_time()};
    int status = 0;
    sums.last = sums.start;
    print_start(w, request->json);
    while (status == 0 && !sums.end) {
        struct change change;
        if (!wait_for(signals, request->interval)) {
            sums.end = "interrupted";
            break;
        }
        /* Asked before the look, which then sees all that the writer left. */
        enum writer writer = look_for_writer(w->fd);
        status = watch_look(w, request->interval + 1, &change);
        if (status == 0 && change.some)
            status = show(w, &change, request, &sums);
        if (request->count && sums.updates >= request->count)
            sums.end = "enough";
        else if (writer != WRITER_LIVES)
            sums.end = writer == WRITER_CLOSED ? "the writer closed the file" : "the writer died";
    }
    if (status == 0)
        print_end(&sums, request->json);
    return status;
}

static int watch(const char *argument, const struct request *request)
{
    struct watch w;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    /* Before the library starts its threads, which take this over. */
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int status = watch_open(&w, argument);
    if (status == 0)
        status = follow(&w, request, &signals);
    watch_close(&w);
    return status;
}

static bool read_count(const char *text, hsize_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    if (*text && *end == '\0' && *text != '-')
        return true;
    fprintf(stderr, "tessera: '%s' is no number\n", text);
    return false;
}

static bool read_interval(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (*text && *end == '\0' && *out >= 0 && *out <= 1e6)
        return true;
    fprintf(stderr, "tessera: '%s' is no number of seconds\n", text);
    return false;
}

int tool_watch(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},        {"interval", required_argument, NULL, 'i'},
        {"count", required_argument, NULL, 'c'}, {"rows", required_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    struct request request = {.interval = 1, .rows = 10};
    for (int option; (option = getopt_long(argc, argv, "ji:c:n:h", options, NULL)) != -1;) {
        bool good = true;
        switch (option) {
        case 'j':
            request.json = true;
            break;
        case 'i':
            good = read_interval(optarg, &request.interval);
            break;
        case 'c':
            good = read_count(optarg, &request.count);
            break;
        case 'n':
            good = read_count(optarg, &request.rows);
            break;
        default:
            return tool_help(help, option == 'h');
        }
        if (!good)
            return 2;
    }
    if (optind + 1 != argc)
        return tool_help(help, false);
    return watch(argv[optind], &request);
}
