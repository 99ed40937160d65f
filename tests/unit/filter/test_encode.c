#include "unit/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes from_hex(const char *hex)
{
    struct bytes b = {.size = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2};
    b.data = malloc(b.size + 1);
    for (size_t i = 0; i < b.size; i++) {
        unsigned v;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &v), 1);
        b.data[i] = (uint8_t)v;
    }
    return b;
}

static void parse_filter(char *text, struct ts_pipeline *p)
{
    unsigned values[300];
    struct ts_filter f = {.values = values};
    char *rest;
    f.id = (H5Z_filter_t)strtol(text, &rest, 10);
    f.flags = (unsigned)strtoul(rest + 1, &rest, 10);
    for (rest++; *rest; rest += *rest == '.')
        values[f.n_values++] = (unsigned)strtoul(rest, &rest, 10);
    assert_int_equal(ts_pipeline_add(p, &f), 0);
}

static void parse_pipeline(char *text, struct ts_pipeline *p)
{
    *p = (struct ts_pipeline){0};
    char *save, *filter = strtok_r(text, "/", &save);
    for (; filter; filter = strtok_r(NULL, "/", &save))
        parse_filter(filter, p);
}

static struct ts_type *parse_type(const char *hex)
{
    struct bytes b = from_hex(hex);
    struct ts_type *t;
    size_t used;
    assert_int_equal(ts_type_decode(b.data, b.size, &used, &t), 0);
    free(b.data);
    assert_true(ts_type_set_loc(&t, TS_LOC_DISK, 8) >= 0);
    return t;
}

/* One line of stock_vectors.py. */
enum { TYPE, DIMS, FILL, ASKED, STORED, MASK, DATA, CHUNK, BACK, N_FIELDS };

/* Types behind which stock goes astray are stored whole, so their second parameter differs. */
static bool is_kept_whole(const struct ts_filter *ours, const struct ts_filter *stock)
{
    return ours->id == H5Z_FILTER_NBIT && ours->n_values > 1 && stock->n_values == ours->n_values && ours->values[1] &&
           !stock->values[1];
}

static bool same_parameters(const struct ts_pipeline *a, const struct ts_pipeline *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        const struct ts_filter *x = &a->filters[i], *y = &b->filters[i];
        if (is_kept_whole(x, y))
            x->values[1] = 0;
        same = x->id == y->id && x->flags == y->flags && x->n_values == y->n_values &&
               (!x->n_values || memcmp(x->values, y->values, x->n_values * sizeof *x->values) == 0);
    }
    return same;
}

static bool check_local(char **field, struct ts_pipeline *p)
{
    hsize_t dims[8];
    struct ts_type *type = parse_type(field[TYPE]);
    struct bytes fill = from_hex(strcmp(field[FILL], "undefined") == 0 ? "-" : field[FILL]);
    struct ts_filter_local local = {.type = type, .chunk_dims = dims, .has_fill = strcmp(field[FILL], "undefined") != 0,
                                    .fill = fill.size ? fill.data : NULL};
    for (char *at = field[DIMS]; *at; at += *at == ',')
        dims[local.rank++] = strtoull(at, &at, 10);
    bool wanted = strcmp(field[STORED], "-") != 0, good;
    struct ts_pipeline stored = {0};
    int status = ts_pipeline_set_local(p, &local);
    if (wanted) {
        parse_pipeline(field[STORED], &stored);
        good = status == 0 && same_parameters(p, &stored);
    } else {
        good = status < 0 && ts_err_current()->depth > 0;
    }
    ts_pipeline_deinit(&stored);
    ts_type_unref(type);
    free(fill.data);
    return good;
}

static bool decodes_to(const struct ts_pipeline *p, uint32_t mask, struct bytes stored, struct bytes wanted)
{
    void *buf = ts_memdup(stored.data, stored.size);
    size_t size = stored.size;
    bool good = ts_pipeline_decode(p, mask, &buf, &size, wanted.size) == 0 && size == wanted.size &&
                memcmp(buf, wanted.data, size) == 0;
    ts_free(buf);
    return good;
}

static bool check_chunk(char **field, const struct ts_pipeline *p)
{
    struct bytes data = from_hex(field[DATA]), chunk = from_hex(field[CHUNK]), back = from_hex(field[BACK]);
    void *buf = ts_memdup(data.data, data.size);
    size_t size = data.size;
    uint32_t mask = 0;
    int status = ts_pipeline_encode(p, &buf, &size, &mask, NULL);
    bool good;
    if (strcmp(field[MASK], "-") == 0) {
        good = status < 0 && ts_err_current()->depth > 0;
    } else {
        struct bytes ours = {buf, size};
        /* Another deflate makes other streams. */
        size_t known = size;
        /* In no bits per value there is only the byte behind them, which stock does not set. */
        if (p->filters[0].id == H5Z_FILTER_SCALEOFFSET && p->n == 1 && ours.data[0] == 0)
            known--;
        bool same = ts_pipeline_find(p, H5Z_FILTER_DEFLATE) || (size == chunk.size && memcmp(buf, chunk.data, known) == 0);
        good = status == 0 && mask == (uint32_t)strtoul(field[MASK], NULL, 10) && same && ts_err_current()->depth == 0 &&
               decodes_to(p, mask, chunk, back) && decodes_to(p, mask, ours, back);
    }
    ts_free(buf);
    free(data.data);
    free(chunk.data);
    free(back.data);
    return good;
}

static FILE *run_script(void)
{
    char command[4096];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(command, sizeof command, "/usr/bin/python3 %.*s/stock_vectors.py", (int)(slash - __FILE__), __FILE__);
    return popen(command, "r");
}

static void parameters_and_chunks_are_those_of_stock(void **state)
{
    (void)state;
    FILE *script = run_script();
    char *line = NULL;
    size_t capacity = 0, lines = 0, bad = 0, chunks = 0;
    while (getline(&line, &capacity, script) > 0) {
        char *field[N_FIELDS], *save, *copy = strdup(line);
        for (int i = 0; i < N_FIELDS; i++)
            assert_non_null(field[i] = strtok_r(i ? NULL : line, " \n", &save));
        struct ts_pipeline p;
        parse_pipeline(field[ASKED], &p);
        ts_err_clear();
        bool created = strcmp(field[STORED], "-") != 0, good = check_local(field, &p);
        ts_err_clear();
        if (good && created && strcmp(field[DATA], "-") != 0) {
            chunks++;
            good = check_chunk(field, &p);
        }
        if (!good && bad++ < 10)
            print_error("not as stock: %s", copy);
        ts_pipeline_deinit(&p);
        free(copy);
        lines++;
    }
    free(line);
    assert_int_equal(pclose(script), 0);
    assert_int_equal(bad, 0);
    assert_true(lines > 3000 && chunks > 2500);
    ts_err_clear();
}

static void fill_smooth(uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * i >> 9);
}

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

static void round_trip(const struct ts_filter *f, const uint8_t *data, size_t size)
{
    struct ts_pipeline p = {.n = 1, .filters = (struct ts_filter *)f};
    void *buf = ts_memdup(data, size);
    size_t stored = size;
    uint32_t mask = 7;
    assert_int_equal(ts_pipeline_encode(&p, &buf, &stored, &mask, NULL), 0);
    assert_int_equal(mask, 0);
    assert_int_equal(ts_pipeline_decode(&p, mask, &buf, &stored, size), 0);
    assert_int_equal(stored, size);
    assert_memory_equal(buf, data, size);
    ts_free(buf);
}

static void compressors_come_back(void **state)
{
    (void)state;
    static uint8_t data[200000];
    const struct {
        H5Z_filter_t id;
        unsigned values[3], n;
    } filters[] = {
        {H5Z_FILTER_DEFLATE, {0}, 1}, {H5Z_FILTER_DEFLATE, {1}, 1}, {H5Z_FILTER_DEFLATE, {9}, 1}, {TS_FILTER_ZSTD, {0}, 0},
        {TS_FILTER_ZSTD, {0}, 1},     {TS_FILTER_ZSTD, {9}, 1},     {TS_FILTER_ZSTD, {99}, 1},    {TS_FILTER_ZSTD, {-5u}, 1},
        {TS_FILTER_LZ4, {0}, 0},      {TS_FILTER_LZ4, {0}, 1},      {TS_FILTER_LZ4, {1}, 1},      {TS_FILTER_LZ4, {1000}, 1},
    };
    const size_t sizes[] = {1, 2, 17, 999, 1000, 1001, 70000, sizeof data};
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            struct ts_filter f = {.id = filters[i].id, .n_values = filters[i].n, .values = (unsigned *)filters[i].values};
            fill_smooth(data, sizes[j]);
            round_trip(&f, data, sizes[j]);
            for (size_t k = 0; k < sizes[j]; k++)
                data[k] = (uint8_t)next_random();
            round_trip(&f, data, sizes[j]);
        }
}

static void lz4_is_written_in_blocks(void **state)
{
    (void)state;
    unsigned block = 2;
    struct ts_filter f = {.id = TS_FILTER_LZ4, .n_values = 1, .values = &block};
    struct ts_pipeline p = {.n = 1, .filters = &f};
    void *buf = ts_memdup("abc", 3);
    size_t size = 3;
    uint32_t mask;
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, NULL), 0);
    assert_int_equal(size, 23);
    assert_memory_equal(buf, "\0\0\0\0\0\0\0\3\0\0\0\2\0\0\0\2ab\0\0\0\1c", 23);
    ts_free(buf);
}

/* Adds one to each byte, where it is. */
static size_t add_one(unsigned flags, size_t n_values, const unsigned *values, size_t size, size_t *capacity, void **buf)
{
    (void)n_values, (void)values, (void)capacity;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)*buf)[i] = (uint8_t)(((uint8_t *)*buf)[i] + (flags & H5Z_FLAG_REVERSE ? -1 : 1));
    return size;
}

static const H5Z_class2_t adder = {
    .version = H5Z_CLASS_T_VERS, .id = 301, .encoder_present = 1, .decoder_present = 1, .name = "adder", .filter = add_one};

static void expect_from(struct ts_pipeline *p, const char *stored, size_t n, uint32_t skipped)
{
    char data[] = "plain text";
    size_t size = 10;
    uint32_t mask;
    void *out;
    assert_int_equal(ts_pipeline_encode_from(p, data, &size, &out, &mask, NULL), 0);
    assert_string_equal(data, "plain text");
    assert_ptr_not_equal(out, data);
    assert_int_equal(size, n);
    assert_memory_equal(out, stored, n);
    assert_int_equal(mask, skipped);
    ts_free(out);
}

static void expect_no_growth(struct ts_pipeline *p, const char *data, size_t n, uint32_t skipped)
{
    const struct ts_filter_options options = {.no_growth = true};
    size_t size = n, from_size = n;
    uint32_t mask, from_mask;
    void *buf = ts_memdup(data, n), *from;
    assert_int_equal(ts_pipeline_encode(p, &buf, &size, &mask, &options), 0);
    assert_int_equal(ts_pipeline_encode_from(p, data, &from_size, &from, &from_mask, &options), 0);
    assert_int_equal(mask, skipped);
    assert_int_equal(from_mask, skipped);
    assert_int_equal(size, from_size);
    assert_memory_equal(buf, from, size);
    assert_int_equal(ts_pipeline_decode(p, mask, &buf, &size, n), 0);
    assert_int_equal(size, n);
    assert_memory_equal(buf, data, n);
    ts_free(buf);
    ts_free(from);
}

static void what_makes_more_of_it_may_be_skipped(void **state)
{
    (void)state;
    unsigned four = 4, level = 6;
    struct ts_filter f[] = {
        {.id = H5Z_FILTER_SHUFFLE, .flags = H5Z_FLAG_OPTIONAL, .n_values = 1, .values = &four},
        {.id = H5Z_FILTER_DEFLATE, .flags = H5Z_FLAG_OPTIONAL, .n_values = 1, .values = &level},
        {.id = 301, .flags = H5Z_FLAG_OPTIONAL},
    };
    const char zeros[400] = {0};
    assert_int_equal(ts_filter_register(&adder), 0);
    expect_no_growth(&(struct ts_pipeline){.n = 3, .filters = f}, zeros, sizeof zeros, 0);
    expect_no_growth(&(struct ts_pipeline){.n = 3, .filters = f}, "plain text!!", 12, 2);
    expect_no_growth(&(struct ts_pipeline){.n = 1, .filters = f + 1}, "plain text!!", 12, 1);
    f[1].flags = 0;
    expect_no_growth(&(struct ts_pipeline){.n = 3, .filters = f}, "plain text!!", 12, 0);
    /* A checksum is no attempt to compress. */
    struct ts_filter sum = {.id = H5Z_FILTER_FLETCHER32, .flags = H5Z_FLAG_OPTIONAL};
    expect_no_growth(&(struct ts_pipeline){.n = 1, .filters = &sum}, "plain text!!", 12, 0);
    assert_int_equal(ts_filter_unregister(301), 0);
}

static void encoding_may_leave_its_source_alone(void **state)
{
    (void)state;
    unsigned five = 5, level = 77;
    struct ts_filter f[] = {
        {.id = H5Z_FILTER_SHUFFLE, .n_values = 1, .values = &five},
        {.id = 301},
        {.id = H5Z_FILTER_DEFLATE, .flags = H5Z_FLAG_OPTIONAL, .n_values = 1, .values = &level},
    };
    assert_int_equal(ts_filter_register(&adder), 0);
    expect_from(&(struct ts_pipeline){0}, "plain text", 10, 0);
    expect_from(&(struct ts_pipeline){.n = 1, .filters = f}, "p ltaeixnt", 10, 0);
    expect_from(&(struct ts_pipeline){.n = 1, .filters = f + 1}, "qmbjo!ufyu", 10, 0);
    expect_from(&(struct ts_pipeline){.n = 1, .filters = f + 2}, "plain text", 10, 1);
    expect_from(&(struct ts_pipeline){.n = 3, .filters = f}, "q!mubfjyou", 10, 4);

    /* A failure behind filters that made blocks, and before any did. */
    f[2].flags = 0;
    for (size_t first = 0; first < 3; first++) {
        void *out = f;
        size_t size = 10;
        uint32_t mask;
        ts_err_clear();
        struct ts_pipeline p = {.n = 3 - first, .filters = f + first};
        assert_int_equal(ts_pipeline_encode_from(&p, "plain text", &size, &out, &mask, NULL), -1);
        assert_null(out);
    }
    ts_err_clear();
    for (unsigned long n = 1; n < 3; n++) {
        void *out;
        size_t size = 10;
        uint32_t mask;
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        assert_int_equal(ts_pipeline_encode_from(&(struct ts_pipeline){.n = 2 - (n == 1), .filters = f + (n == 1)}, "plain text",
                                                 &size, &out, &mask, NULL), n == 1 ? -1 : 0);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_free(out);
        ts_err_clear();
    }
    assert_int_equal(ts_filter_unregister(301), 0);
}

static void workers_run_the_librarys_filters_only(void **state)
{
    (void)state;
    struct ts_filter f[] = {{.id = H5Z_FILTER_SHUFFLE}, {.id = TS_FILTER_ZSTD}, {.id = 301}, {.id = H5Z_FILTER_DEFLATE}};
    assert_true(ts_pipeline_any_thread(&(struct ts_pipeline){0}));
    assert_true(ts_pipeline_any_thread(&(struct ts_pipeline){.n = 2, .filters = f}));
    assert_false(ts_pipeline_any_thread(&(struct ts_pipeline){.n = 3, .filters = f}));
    assert_int_equal(ts_filter_register(&adder), 0);
    assert_false(ts_pipeline_any_thread(&(struct ts_pipeline){.n = 3, .filters = f}));
    assert_int_equal(ts_filter_unregister(301), 0);
    /* One of the application's in the place of a built-in one. */
    H5Z_class2_t other = adder;
    other.id = H5Z_FILTER_DEFLATE;
    assert_true(ts_pipeline_any_thread(&(struct ts_pipeline){.n = 1, .filters = f + 3}));
    assert_int_equal(ts_filter_register(&other), 0);
    assert_false(ts_pipeline_any_thread(&(struct ts_pipeline){.n = 1, .filters = f + 3}));
    assert_int_equal(ts_filter_unregister(H5Z_FILTER_DEFLATE), 0);
}

static H5Z_cb_return_t answer(H5Z_filter_t filter, void *buf, size_t size, void *data)
{
    int *calls = data;
    assert_int_equal(filter, H5Z_FILTER_SHUFFLE);
    assert_int_equal(size, 5);
    assert_memory_equal(buf, "plain", 5);
    return ++*calls == 1 ? H5Z_CB_CONT : H5Z_CB_FAIL;
}

static void a_failing_filter_may_be_skipped(void **state)
{
    (void)state;
    /* shuffle without its parameter fails. */
    struct ts_filter f[] = {{.id = H5Z_FILTER_FLETCHER32}, {.id = H5Z_FILTER_SHUFFLE}};
    struct ts_pipeline p = {.n = 1, .filters = f + 1};
    int calls = 0;
    struct ts_filter_options options = {.on_fail = answer, .on_fail_data = &calls};
    void *buf = ts_memdup("plain", 5);
    size_t size = 5;
    uint32_t mask;
    ts_err_clear();
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, NULL), -1);
    assert_true(ts_err_current()->depth > 0);
    ts_err_clear();
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, &options), 0);
    assert_int_equal(mask, 1);
    assert_int_equal(ts_err_current()->depth, 0);
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, &options), -1);
    assert_int_equal(calls, 2);
    ts_err_clear();
    /* An optional filter is skipped without asking. */
    p = (struct ts_pipeline){.n = 2, .filters = f};
    f[1].flags = H5Z_FLAG_OPTIONAL;
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, &options), 0);
    assert_int_equal(calls, 2);
    assert_int_equal(mask, 2);
    assert_int_equal(size, 9);
    assert_memory_equal(buf, "plain", 5);
    ts_free(buf);
}

static size_t add_key(unsigned flags, size_t n, const unsigned *values, size_t size, size_t *capacity, void **buf)
{
    (void)capacity;
    assert_int_equal(flags, H5Z_FLAG_OPTIONAL);
    assert_int_equal(n, 1);
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)*buf)[i] = (uint8_t)(((uint8_t *)*buf)[i] + values[0]);
    return size;
}

static htri_t not_called(hid_t a, hid_t b, hid_t c)
{
    (void)a, (void)b, (void)c;
    fail();
    return -1;
}

/* What the layer of ids would do for a class. */
struct script {
    char log[64];
    int can, set;
};

static int say_can(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local)
{
    struct script *s = context;
    (void)local;
    snprintf(s->log + strlen(s->log), sizeof s->log - strlen(s->log), "can%d ", cls->id);
    return s->can;
}

static int say_set(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local, struct ts_pipeline *p)
{
    struct script *s = context;
    unsigned key = 1;
    (void)local;
    snprintf(s->log + strlen(s->log), sizeof s->log - strlen(s->log), "set%d ", cls->id);
    return s->set < 0 ? s->set : ts_filter_set_values(ts_pipeline_find(p, cls->id), 1, &key);
}

static int set_with(struct script *s, unsigned flags, struct ts_pipeline *p)
{
    static struct ts_filter f[2];
    struct ts_type *type;
    const hsize_t dims[1] = {3};
    assert_int_equal(ts_type_new_integer(1, H5T_ORDER_LE, H5T_SGN_NONE, &type), 0);
    struct ts_filter_calls calls = {say_can, say_set, s};
    struct ts_filter_local local = {.type = type, .rank = 1, .chunk_dims = dims, .calls = &calls};
    f[0] = (struct ts_filter){.id = 300, .flags = flags};
    f[1] = (struct ts_filter){.id = 301, .flags = flags};
    struct ts_pipeline asked = {.n = 2, .filters = f};
    assert_int_equal(ts_pipeline_copy(p, &asked), 0);
    s->log[0] = 0;
    int status = ts_pipeline_set_local(p, &local);
    ts_type_unref(type);
    ts_err_clear();
    return status;
}

static void filters_of_the_application_are_asked(void **state)
{
    (void)state;
    H5Z_class2_t cls = {H5Z_CLASS_T_VERS, 300, 1, 1, "add", not_called, not_called, add_key};
    struct ts_pipeline p;
    struct script s = {.can = 1};
    assert_int_equal(ts_filter_register(&cls), 0);
    cls.id = 301;
    assert_int_equal(ts_filter_register(&cls), 0);
    assert_int_equal(set_with(&s, H5Z_FLAG_OPTIONAL, &p), 0);
    assert_string_equal(s.log, "can300 can301 set300 set301 ");
    void *buf = ts_memdup("abc", 3);
    size_t size = 3;
    uint32_t mask;
    assert_int_equal(ts_pipeline_encode(&p, &buf, &size, &mask, NULL), 0);
    assert_memory_equal(buf, "cde", 3);
    ts_free(buf);
    ts_pipeline_deinit(&p);
    s.can = 0;
    assert_int_equal(set_with(&s, H5Z_FLAG_OPTIONAL, &p), 0);
    ts_pipeline_deinit(&p);
    assert_int_equal(set_with(&s, H5Z_FLAG_MANDATORY, &p), -1);
    assert_string_equal(s.log, "can300 ");
    ts_pipeline_deinit(&p);
    s.can = -1;
    assert_int_equal(set_with(&s, H5Z_FLAG_OPTIONAL, &p), -1);
    ts_pipeline_deinit(&p);
    s = (struct script){.can = 1, .set = -1};
    assert_int_equal(set_with(&s, H5Z_FLAG_OPTIONAL, &p), -1);
    assert_string_equal(s.log, "can300 can301 set300 ");
    ts_pipeline_deinit(&p);
    cls.encoder_present = 0;
    s.set = 0;
    assert_int_equal(ts_filter_register(&cls), 0);
    assert_int_equal(set_with(&s, H5Z_FLAG_OPTIONAL, &p), -1);
    ts_pipeline_deinit(&p);
    assert_int_equal(ts_filter_unregister(300), 0);
    assert_int_equal(ts_filter_unregister(301), 0);
}

/* One of the built-in filters on a chunk of n elements of the type; set up, there and back again. */
static void comes_back(struct ts_filter *f, struct ts_type *type, const void *data, hsize_t n)
{
    struct ts_filter_local local = {.type = type, .rank = 1, .chunk_dims = &n, .has_fill = true};
    struct ts_pipeline asked = {.n = 1, .filters = f}, p;
    assert_int_equal(ts_pipeline_copy(&p, &asked), 0);
    assert_int_equal(ts_pipeline_set_local(&p, &local), 0);
    round_trip(&p.filters[0], data, (size_t)n * type->size);
    ts_pipeline_deinit(&p);
}

/* Where stock loses data. */
static void nothing_is_lost(void **state)
{
    (void)state;
    uint8_t data[63];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = i % 3 == 0 ? (uint8_t)(i / 3 % 7 + 1) : 0;
    unsigned blocks[] = {133, 8}, decimals[] = {0, 2};
    struct ts_filter szip = {.id = H5Z_FILTER_SZIP, .flags = 1, .n_values = 2, .values = blocks};
    struct ts_filter scale = {.id = H5Z_FILTER_SCALEOFFSET, .n_values = 2, .values = decimals};
    struct ts_filter nbit = {.id = H5Z_FILTER_NBIT};
    struct ts_type *type, *inner, *number, *outer;
    assert_int_equal(ts_type_new_integer(3, H5T_ORDER_LE, H5T_SGN_2, &type), 0);
    comes_back(&szip, type, data, 21);
    ts_type_unref(type);
    const float odd[] = {(float)NAN, 1, (float)NAN, 2, (float)-INFINITY};
    assert_int_equal(ts_type_new_float(4, H5T_ORDER_LE, &type), 0);
    for (size_t first = 0; first < 5; first++)
        comes_back(&scale, type, odd + first, 5 - first);
    ts_type_unref(type);
    /* A member behind an array of arrays. */
    const hsize_t dims[] = {2};
    assert_int_equal(ts_type_new_integer(2, H5T_ORDER_LE, H5T_SGN_NONE, &number), 0);
    assert_int_equal(ts_type_set_precision(number, 9), 0);
    assert_int_equal(ts_type_new_array(number, 1, dims, &inner), 0);
    assert_int_equal(ts_type_new_array(inner, 1, dims, &outer), 0);
    assert_int_equal(ts_type_new(H5T_COMPOUND, 10, &type), 0);
    assert_int_equal(ts_type_insert(type, "array", 0, outer), 0);
    assert_int_equal(ts_type_insert(type, "number", 8, number), 0);
    comes_back(&nbit, type, data, 6);
    ts_type_unref(type);
    ts_type_unref(outer);
    ts_type_unref(inner);
    ts_type_unref(number);
}

static void built_in_filters_do_both(void **state)
{
    (void)state;
    const H5Z_filter_t ids[] = {1, 2, 3, 4, 5, 6, TS_FILTER_LZF, TS_FILTER_LZ4, TS_FILTER_ZSTD};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        unsigned config = 0;
        assert_int_equal(ts_filter_info(ids[i], &config), 1);
        assert_int_equal(config, 3);
    }
}

/* The parameters come from a file when an old dataset is written to. */
static void hostile_parameters_do_no_harm(void **state)
{
    (void)state;
    static uint8_t data[256];
    static const unsigned seeds[][20] = {
        {4}, {141, 8, 32, 16}, {14, 0, 16, 3, 16, 2, 0, 1, 4, 0, 12, 3, 8, 4}, {10, 0, 16, 2, 16, 1, 4, 0, 12, 3},
        {2, 0, 64, 0, 4, 1, 0, 1, 7}, {0, 2, 32, 1, 8, 0, 1, 1, 7, 7}, {8, 0, 64, 1, 4, 0, 12, 3},
    };
    const unsigned odd[] = {0, 1, 2, 3, 4, 8, 16, 31, 32, 33, 64, 255, 256, 257, 4097, 65536, INT32_MAX, 0x80000000u, UINT32_MAX};
    const H5Z_filter_t ids[] = {1, 2, 3, 4, 5, 6, TS_FILTER_LZF, TS_FILTER_LZ4, TS_FILTER_ZSTD};
    fill_smooth(data, sizeof data);
    unsigned done = 0;
    for (unsigned round = 0; round < 30000; round++) {
        unsigned values[20];
        memcpy(values, seeds[next_random() % 7], sizeof values);
        struct ts_filter f = {.id = ids[next_random() % 9], .n_values = next_random() % 4 ? 20 : next_random() % 21, .values = values};
        for (unsigned k = next_random() % 4; k > 0; k--)
            values[next_random() % 20] = odd[next_random() % 19];
        if (f.id == H5Z_FILTER_NBIT)
            values[0] = (unsigned)f.n_values;
        /* The highest levels take their time. */
        if (f.id == TS_FILTER_ZSTD && values[0] > 9)
            continue;
        struct ts_pipeline p = {.n = 1, .filters = &f};
        size_t size = next_random() % 3 ? sizeof data : next_random() % sizeof data;
        void *buf = ts_memdup(data, size);
        uint32_t mask;
        done += ts_pipeline_encode(&p, &buf, &size, &mask, NULL) == 0;
        ts_free(buf);
        ts_err_clear();
    }
    assert_true(done > 1000);
}

/* Everything that allocates, once for each allocation that can fail. Returns whether it went through. */
static bool encode_once(const uint8_t *data, size_t size, const struct ts_pipeline *asked, const struct ts_filter_local *local)
{
    struct ts_pipeline p = {0};
    void *buf = NULL;
    uint32_t mask = 0;
    bool good = ts_pipeline_copy(&p, asked) == 0 && ts_pipeline_set_local(&p, local) == 0 &&
                (buf = ts_memdup(data, size)) != NULL && ts_pipeline_encode(&p, &buf, &size, &mask, NULL) == 0;
    /* Memory that is short is no reason to skip a filter. */
    assert_true(!good || mask == 0);
    ts_free(buf);
    ts_pipeline_deinit(&p);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static uint8_t data[4096];
    unsigned szip[] = {141, 8}, scale[] = {2, 0}, level[] = {3};
    struct ts_filter f[] = {
        {.id = H5Z_FILTER_NBIT, .flags = 1},
        {.id = H5Z_FILTER_SCALEOFFSET, .flags = 1, .n_values = 2, .values = scale},
        {.id = H5Z_FILTER_SZIP, .flags = 1, .n_values = 2, .values = szip},
        {.id = H5Z_FILTER_SHUFFLE, .flags = 1},
        {.id = H5Z_FILTER_DEFLATE, .flags = 1, .n_values = 1, .values = level},
        {.id = TS_FILTER_LZF, .flags = 1},
        {.id = TS_FILTER_LZ4, .flags = 1},
        {.id = TS_FILTER_ZSTD, .flags = 1},
        {.id = H5Z_FILTER_FLETCHER32, .flags = 1},
    };
    struct ts_type *type;
    const hsize_t dims[1] = {1024};
    assert_int_equal(ts_type_new_integer(4, H5T_ORDER_LE, H5T_SGN_2, &type), 0);
    struct ts_filter_local local = {.type = type, .rank = 1, .chunk_dims = dims, .has_fill = true};
    for (size_t i = 0; i < sizeof f / sizeof f[0]; i++) {
        struct ts_pipeline p = {.n = 1, .filters = &f[i]};
        unsigned long n = 1;
        for (bool good = false; !good; n++) {
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            good = encode_once(data, sizeof data, &p, &local);
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            assert_true(good || ts_err_current()->depth > 0);
            ts_err_clear();
        }
        assert_true(n > 3);
    }
    ts_type_unref(type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_chunks_are_those_of_stock),
        cmocka_unit_test(compressors_come_back),
        cmocka_unit_test(lz4_is_written_in_blocks),
        cmocka_unit_test(encoding_may_leave_its_source_alone),
        cmocka_unit_test(workers_run_the_librarys_filters_only),
        cmocka_unit_test(a_failing_filter_may_be_skipped),
        cmocka_unit_test(filters_of_the_application_are_asked),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(built_in_filters_do_both),
        cmocka_unit_test(hostile_parameters_do_no_harm),
        cmocka_unit_test(what_makes_more_of_it_may_be_skipped),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
