/* Elements that refer to a structured chunk's heap, through a transfer: the environment of its conversion is that of the
 * chunk while the chunk's elements move. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "base/alloc.h"
#include "chunk/xfer.h"
#include "type/chunk_heap.h"
#include "type/reclaim.h"
#include "type/type.h"

enum { N = 300, CHUNKS = 2 };

struct chunk {
    struct ts_chunk_heap heap;
    uint8_t fixed[N * TS_TYPE_CHUNK_FIELD];
};

static void move(struct ts_xfer *x, struct chunk *c, const struct ts_piece *pieces, size_t n)
{
    struct ts_conv_env env = *x->env;
    const struct ts_conv_env *outer = x->env;
    env.chunk = &c->heap;
    x->env = &env;
    assert_int_equal(ts_xfer_memory(x, c->fixed, pieces, n), 0);
    assert_int_equal(ts_xfer_finish(x), 0);
    x->env = outer;
}

struct fixture {
    struct ts_type *mem, *stored;
    struct ts_conv_path *in, *out;
    struct ts_conv_env env;
    struct chunk chunks[CHUNKS];
    char *words[CHUNKS * N];
};

static void transfer(struct fixture *f, bool write, char **buf, const struct ts_piece *pieces, size_t n)
{
    struct ts_xfer x;
    struct ts_xfer_options options = {.write = write,
                                      .src_size = f->stored->size,
                                      .mem_size = f->mem->size,
                                      .path = write ? f->in : f->out,
                                      .env = &f->env};
    for (size_t i = 0; i < CHUNKS; i++) {
        ts_xfer_init(&x, buf + i * N, &options);
        move(&x, &f->chunks[i], pieces, n);
        ts_xfer_deinit(&x);
    }
}

static void check(struct fixture *f)
{
    struct ts_piece all = {.n = N, .count = 1}, singles = {.n = 1, .count = N, .src_step = 1, .mem_step = 1};
    struct ts_reclaim how = {0};
    for (int k = 0; k < 2; k++) {
        char *got[CHUNKS * N] = {0};
        transfer(f, false, got, k ? &singles : &all, 1);
        for (size_t i = 0; i < CHUNKS * N; i++)
            assert_string_equal(got[i], f->words[i]);
        ts_reclaim(f->mem, &how, CHUNKS * N, got);
    }
}

static void set_words(struct fixture *f, const char *word, size_t first, size_t step)
{
    char text[64];
    for (size_t i = 0; i < CHUNKS * N; i++) {
        if (i % N < first || (i % N - first) % step != 0)
            continue;
        ts_free(f->words[i]);
        snprintf(text, sizeof text, "%s %zu", word, i);
        f->words[i] = ts_strdup(text);
    }
}

static void long_and_short_runs(void **state)
{
    (void)state;
    static struct fixture f;
    struct ts_piece all = {.n = N, .count = 1};
    struct ts_piece some = {.src = 1, .mem = 1, .n = 1, .count = (N - 1 + 2) / 3, .src_step = 3, .mem_step = 3};
    assert_int_equal(ts_type_new_string(H5T_VARIABLE, H5T_CSET_ASCII, H5T_STR_NULLTERM, &f.mem), 0);
    f.stored = ts_type_ref(f.mem);
    assert_int_equal(ts_type_set_loc(&f.stored, TS_LOC_CHUNK, 8), 1);
    assert_int_equal(ts_conv_find(f.mem, f.stored, &f.in), 0);
    assert_int_equal(ts_conv_find(f.stored, f.mem, &f.out), 0);
    set_words(&f, "first", 0, 1);
    transfer(&f, true, f.words, &all, 1);
    check(&f);
    assert_int_equal(f.chunks[0].heap.unused, 0);
    set_words(&f, "a longer second", 1, 3);
    transfer(&f, true, f.words, &some, 1);
    check(&f);
    assert_true(f.chunks[0].heap.unused > 0);
    set_words(&f, "third", 0, 1);
    transfer(&f, true, f.words, &all, 1);
    check(&f);
    for (size_t i = 0; i < CHUNKS; i++) {
        const char *reason;
        assert_true(ts_chunk_heap_wants_repack(&f.chunks[i].heap));
        assert_true(ts_chunk_heap_verify(&f.chunks[i].heap, &reason));
        ts_chunk_heap_deinit(&f.chunks[i].heap);
    }
    for (size_t i = 0; i < CHUNKS * N; i++)
        ts_free(f.words[i]);
    ts_conv_path_unref(f.in);
    ts_conv_path_unref(f.out);
    ts_type_unref(f.mem);
    ts_type_unref(f.stored);
    ts_conv_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_and_short_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
