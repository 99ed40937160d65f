/* Every combination of the facts, with sizes around every threshold, beside a table that was written down apart from
 * the rules: what holds first counts. */
#include "unit/cmocka_all.h"

#include "chunk/policy.h"

enum { MIB = 1 << 20 };

struct row {
    const char *when; /* words that must all hold; !word: must not */
    enum ts_sc_route route;
    const char *keep; /* kept when all of these hold; NULL: not kept */
};

static const struct row reading[] = {
    {"nowhere", TS_SC_FILL, NULL},
    {"set", TS_SC_LOAD, "!skip !large"},
    {"!straight coded", TS_SC_LOAD, "!skip !passing"},
    {"!straight", TS_SC_LOAD, "!skip !large"},
    {"scattered coded", TS_SC_LOAD, "!skip !passing"},
    {"scattered", TS_SC_LOAD, "!skip !large"},
    {"skip", TS_SC_DIRECT, NULL},
    {"coded", TS_SC_LOAD, "!passing"},
    {"large", TS_SC_DIRECT, NULL},
    {"eighth", TS_SC_DIRECT, NULL},
    {"quarter", TS_SC_DIRECT, NULL},
    {"unknown", TS_SC_ASK, NULL},
    {"once", TS_SC_DIRECT, NULL},
    {"", TS_SC_LOAD, ""},
};

static const struct row writing[] = {
    {"whole !straight", TS_SC_MAKE, "!skip !large !eighth"},
    {"extent", TS_SC_MAKE, "!skip !large !eighth"},
    {"nowhere !whole", TS_SC_MAKE, "!skip"},
    {"!whole !straight", TS_SC_LOAD, "!skip"},
    {"nowhere coded", TS_SC_MAKE, "!skip !large !eighth"},
    {"nowhere !plain", TS_SC_MAKE, "!skip !large !eighth"},
    {"nowhere skip", TS_SC_PLACE, NULL},
    {"skip", TS_SC_DIRECT, NULL},
    {"coded whole", TS_SC_MAKE, "!large !eighth"},
    {"coded", TS_SC_LOAD, ""},
    {"scattered whole", TS_SC_MAKE, "!large !eighth"},
    {"scattered", TS_SC_LOAD, ""},
    {"nowhere large", TS_SC_PLACE, NULL},
    {"nowhere eighth", TS_SC_PLACE, NULL},
    {"nowhere mebibyte", TS_SC_PLACE, NULL},
    {"nowhere bulk", TS_SC_PLACE, NULL},
    {"large", TS_SC_DIRECT, NULL},
    {"eighth", TS_SC_DIRECT, NULL},
    {"mebibyte", TS_SC_DIRECT, NULL},
    {"whole bulk", TS_SC_DIRECT, NULL},
    {"whole", TS_SC_MAKE, ""},
    {"unknown", TS_SC_ASK, NULL},
    {"once", TS_SC_DIRECT, NULL},
    {"", TS_SC_LOAD, ""},
};

static bool is_scattered(const struct ts_sc_facts *f)
{
    size_t each = f->write ? 2048 : 4096;
    return f->bytes <= 8 * MIB && f->pieces > 15 && f->pieces * each + each - 1 >= f->bytes &&
           f->elements < 128 * f->pieces;
}

static bool is(const struct ts_sc_facts *f, const char *word)
{
    const struct {
        const char *word;
        bool holds;
    } words[] = {
        {"nowhere", f->nowhere},
        {"coded", f->coded},
        {"straight", f->straight},
        {"plain", f->plain},
        {"skip", f->skip},
        {"large", f->large},
        {"bulk", f->bulk},
        {"set", f->by_set},
        {"whole", f->cover == TS_SC_WHOLE},
        {"extent", f->cover == TS_SC_EXTENT},
        {"unknown", f->again == TS_SC_UNKNOWN},
        {"once", f->again == TS_SC_ONCE},
        {"eighth", f->bytes >= f->budget / 8 + 1},
        {"mebibyte", f->bytes > MIB},
        {"scattered", is_scattered(f)},
        {"quarter", f->elements >= f->inside / 4},
        {"passing", f->large && f->cover != TS_SC_PART},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].holds;
    fail_msg("no word %s", word);
    return false;
}

static bool all_hold(const struct ts_sc_facts *f, const char *when)
{
    char text[80], *rest = text;
    assert_true(strlen(when) < sizeof text);
    strcpy(text, when);
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && (*word == '!' ? is(f, word + 1) : !is(f, word)))
            return false;
    return true;
}

static struct ts_sc_way by_table(const struct ts_sc_facts *f)
{
    const struct row *row = f->write ? writing : reading;
    while (!all_hold(f, row->when))
        row++;
    return (struct ts_sc_way){row->route, row->keep && all_hold(f, row->keep)};
}

static bool goes_straight(struct ts_sc_way way)
{
    return way.route == TS_SC_DIRECT || way.route == TS_SC_PLACE;
}

/* What must hold whatever the thresholds are. */
static void check_rules(const struct ts_sc_facts *f, struct ts_sc_way way)
{
    assert_true(way.route < TS_SC_ROUTES);
    assert_true(!way.keep || way.route == TS_SC_MAKE || way.route == TS_SC_LOAD);
    assert_false(way.keep && f->skip);
    /* Filtered bytes hold no elements that could be moved; only a layout that knows better takes those of chunks that
     * are not to be kept. */
    assert_false(f->coded && !f->skip && goes_straight(way));
    assert_false(!f->straight && (goes_straight(way) || way.route == TS_SC_ASK));
    assert_int_equal(way.route == TS_SC_FILL, !f->write && f->nowhere);
    assert_false(way.route == TS_SC_ASK && f->again != TS_SC_UNKNOWN);
    if (!f->write) {
        assert_true(way.route != TS_SC_MAKE && way.route != TS_SC_PLACE);
        return;
    }
    /* What is written whole is not read first, nor is what is nowhere. */
    assert_false(f->cover != TS_SC_PART && way.route == TS_SC_LOAD);
    assert_false(f->nowhere && (way.route == TS_SC_LOAD || way.route == TS_SC_DIRECT));
    assert_false(!f->nowhere && way.route == TS_SC_PLACE);
    /* A new place gets all its bytes, as they are in memory. */
    assert_false(way.route == TS_SC_PLACE && (f->cover != TS_SC_WHOLE || f->coded || !f->plain));
    assert_false(way.route == TS_SC_MAKE && f->cover == TS_SC_PART && !f->nowhere);
}

/* An operation that has more chunks leaves no more of them in the cache. */
static void check_large(struct ts_sc_facts f, struct ts_sc_way way)
{
    if (f.large)
        return;
    f.large = true;
    struct ts_sc_way more = ts_sc_way_of(&f);
    assert_false(more.keep && !way.keep && way.route != TS_SC_ASK);
    assert_false(goes_straight(way) && !goes_straight(more));
}

static unsigned long tried, seen[2][TS_SC_ROUTES][2];

static void try_one(const struct ts_sc_facts *f)
{
    struct ts_sc_way way = ts_sc_way_of(f), wanted = by_table(f);
    if (way.route != wanted.route || way.keep != wanted.keep)
        fail_msg("route %d, keep %d; the table says %d, %d: write %d nowhere %d coded %d straight %d plain %d skip %d "
                 "large %d bulk %d set %d cover %d again %d bytes %zu of %zu, %llu of %llu elements in %zu pieces",
                 way.route, way.keep, wanted.route, wanted.keep, f->write, f->nowhere, f->coded, f->straight, f->plain,
                 f->skip, f->large, f->bulk, f->by_set, f->cover, f->again, f->bytes, f->budget,
                 (unsigned long long)f->elements, (unsigned long long)f->inside, f->pieces);
    check_rules(f, way);
    check_large(*f, way);
    seen[f->write][way.route][way.keep]++;
    tried++;
}

static void try_all_words(struct ts_sc_facts f)
{
    for (unsigned bits = 0; bits < 1 << 9; bits++) {
        f.write = bits & 1;
        f.nowhere = bits & 2;
        f.coded = bits & 4;
        f.straight = bits & 8;
        f.plain = bits & 16;
        f.skip = bits & 32;
        f.large = bits & 64;
        f.bulk = bits & 128;
        f.by_set = bits & 256;
        if (f.write && f.by_set)
            continue;
        for (f.cover = TS_SC_PART; f.cover <= TS_SC_WHOLE; f.cover++)
            for (f.again = TS_SC_UNKNOWN; f.again <= TS_SC_AGAIN; f.again++)
                try_one(&f);
    }
}

static void every_combination(void **state)
{
    (void)state;
    static const size_t budgets[] = {0, 256 << 10, 4 * MIB, 64 * MIB, SIZE_MAX};
    static const size_t sizes[] = {1, 4096, 65536, 81920, 524288, 524289, MIB - 1, MIB, MIB + 1, 8 * MIB, 8 * MIB + 1};
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t bytes = sizes[s], inside = bytes / 4 > 0 ? bytes / 4 : 1, few = bytes / 4096, more = bytes / 2048;
            const size_t elements[] = {1, inside / 4 - (inside >= 8), inside / 4, inside / 4 + 1, inside};
            const size_t pieces[] = {1,
                                     15,
                                     16,
                                     few > 1 ? few - 1 : 1,
                                     few > 0 ? few : 1,
                                     few + 1,
                                     more > 1 ? more - 1 : 1,
                                     more > 0 ? more : 1,
                                     more + 1};
            for (size_t e = 0; e < 5; e++)
                for (size_t p = 0; p < 9; p++)
                    if (elements[e] >= pieces[p])
                        try_all_words((struct ts_sc_facts){.bytes = bytes,
                                                           .budget = budgets[b],
                                                           .elements = elements[e],
                                                           .inside = inside,
                                                           .pieces = pieces[p]});
        }
    print_message("%lu combinations\n", tried);
    /* Every way is one that something takes. */
    static const struct ts_sc_way ways[2][7] = {
        {{TS_SC_FILL, 0}, {TS_SC_DIRECT, 0}, {TS_SC_ASK, 0}, {TS_SC_LOAD, 0}, {TS_SC_LOAD, 1}},
        {{TS_SC_PLACE, 0},
         {TS_SC_DIRECT, 0},
         {TS_SC_ASK, 0},
         {TS_SC_LOAD, 0},
         {TS_SC_LOAD, 1},
         {TS_SC_MAKE, 0},
         {TS_SC_MAKE, 1}}};
    for (int write = 0; write < 2; write++)
        for (int i = 0; i < (write ? 7 : 5); i++)
            assert_true(seen[write][ways[write][i].route][ways[write][i].keep] > 0);
}

/* Sizes of elements and pieces around what counts as scattered. */
static void scattered_pieces(void **state)
{
    (void)state;
    struct ts_sc_facts f = {
        .straight = true, .bytes = 256 << 10, .budget = 64 * MIB, .inside = MIB, .again = TS_SC_ONCE};
    for (f.pieces = 14; f.pieces < 140; f.pieces++)
        for (hsize_t each = 126; each < 131; each++) {
            f.elements = f.pieces * each;
            bool scattered = f.pieces >= 64 && each < 128;
            f.write = false;
            assert_int_equal(ts_sc_way_of(&f).route, scattered ? TS_SC_LOAD : TS_SC_DIRECT);
            f.write = true;
            assert_int_equal(ts_sc_way_of(&f).route, f.pieces >= 128 && each < 128 ? TS_SC_LOAD : TS_SC_DIRECT);
        }
}

static void floods_and_bulk(void **state)
{
    (void)state;
    assert_false(ts_sc_is_large(0, SIZE_MAX, 0));
    for (size_t budget = 0; budget < 40; budget += 2)
        for (hsize_t chunks = 1; chunks < 12; chunks++)
            for (size_t bytes = 1; bytes < 12; bytes++) {
                assert_int_equal(ts_sc_is_large(chunks, bytes, budget), chunks * bytes > budget / 2);
                assert_int_equal(ts_sc_is_bulk(chunks << 13, bytes), (chunks << 13) * bytes > 65536);
            }
    assert_true(ts_sc_is_large(HSIZE_UNDEF, SIZE_MAX, SIZE_MAX));
    assert_int_equal(ts_sc_uses_until_whole(16383), 0);
    assert_int_equal(ts_sc_uses_until_whole(1 << 20), 64);
}

/* A batch takes a quarter of the budget, but a chunk for each thread where half of it allows that, and never so little
 * that small chunks come one by one. */
static void sizes_of_batches(void **state)
{
    (void)state;
    assert_int_equal(ts_sc_batch_bytes(64 * MIB, 0, 4096), 16 * MIB);
    assert_int_equal(ts_sc_batch_bytes(64 * MIB, 3, 6 * MIB), 24 * MIB);
    assert_int_equal(ts_sc_batch_bytes(64 * MIB, 7, 6 * MIB), 32 * MIB);
    assert_int_equal(ts_sc_batch_bytes(64 * MIB, 7, SIZE_MAX), 32 * MIB);
    assert_int_equal(ts_sc_batch_bytes(0, 3, 4096), 256 << 10);
    assert_false(ts_sc_batch_counts_full(1023, 65535, 1));
    assert_true(ts_sc_batch_counts_full(1024, 0, 1));
    assert_false(ts_sc_batch_counts_full(3, 65536, 1));
    assert_true(ts_sc_batch_counts_full(4, 65536, 1));
    assert_true(ts_sc_batch_counts_full(1, TS_SC_MOST_PIECES, 1));
}

static void what_wakes_workers(void **state)
{
    (void)state;
    assert_int_equal(ts_sc_read_work(1000, 10), 2280);
    assert_int_equal(ts_sc_read_work(SIZE_MAX / 2, 0), 65536);
    assert_false(ts_sc_read_wakes(1, SIZE_MAX));
    assert_false(ts_sc_read_wakes(2, 65535));
    assert_true(ts_sc_read_wakes(2, 65536));
    assert_int_equal(ts_sc_write_work(100, 3, false), 400);
    assert_int_equal(ts_sc_write_work(100, 3, true), 25600);
    assert_false(ts_sc_write_wakes(1, UINT64_MAX));
    assert_false(ts_sc_write_wakes(2, MIB - 1));
    assert_true(ts_sc_write_wakes(2, MIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination), cmocka_unit_test(scattered_pieces),   cmocka_unit_test(floods_and_bulk),
        cmocka_unit_test(sizes_of_batches),  cmocka_unit_test(what_wakes_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
