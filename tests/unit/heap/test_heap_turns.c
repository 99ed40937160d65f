/* Heaps of one file changed by turns: by stock libhdf5 (links of a dense group, dense attributes) and here (objects of
 * no meaning to it). Each finds what it put there, and its free space books in order. */
#include "heap/fractal_heap.h"
#include "meta/meta.h"
#include "unit/index/writable.h"

enum { ROUNDS = 6, HEAPS = 3, OBJECTS = 300 };

struct object {
    bool there;
    uint8_t byte, id[8];
    size_t size;
};

static char path[64];

static void stock_turn(int n)
{
    char command[512];
    const char *here = __FILE__;
    snprintf(command, sizeof command, "/usr/bin/python3 %.*s/turns.py %s %d", (int)(strrchr(here, '/') - here), here,
             path, n);
    assert_int_equal(system(command), 0);
}

/* Heaps have a signature; it stands nowhere else in these files. */
static size_t find_heaps(haddr_t *addrs)
{
    FILE *file = fopen(path, "rb");
    static char buf[4000000];
    size_t size = fread(buf, 1, sizeof buf, file), n = 0;
    fclose(file);
    assert_true(size < sizeof buf);
    for (size_t i = 0; i + 4 < size; i++)
        if (memcmp(buf + i, "FRHP", 5) == 0 && n < HEAPS)
            addrs[n++] = i;
    return n;
}

static void check_object(struct ts_fheap *heap, const struct object *o)
{
    struct ts_wr out = {0};
    ok(ts_fheap_read(heap, o->id, ts_fheap_id_size(heap), &out));
    assert_int_equal(out.size, o->size);
    for (size_t i = 0; i < out.size; i++)
        assert_int_equal(out.data[i], o->byte);
    ts_wr_free(&out);
}

static void change_object(struct ts_fheap *heap, struct object *o, uint32_t *state)
{
    uint8_t data[6000];
    if (o->there) {
        check_object(heap, o);
        ok(ts_fheap_remove(heap, o->id, ts_fheap_id_size(heap)));
    } else {
        o->byte = (uint8_t)draw(state);
        o->size = 1 + draw(state) % (draw(state) % 20 ? 100 : sizeof data);
        memset(data, o->byte, o->size);
        ok(ts_fheap_insert(heap, data, o->size, o->id, ts_fheap_id_size(heap)));
    }
    o->there = !o->there;
}

static void our_turn(struct object (*objects)[OBJECTS], int round, uint32_t *state)
{
    struct ts_file *f;
    haddr_t addrs[HEAPS];
    assert_int_equal(find_heaps(addrs), HEAPS);
    ok(ts_file_open(path, H5F_ACC_RDWR, ts_plist_default(TS_PLIST_FILE_ACCESS), &f));
    ok(ts_meta_attach(f));
    for (size_t h = 0; h < HEAPS; h++) {
        struct ts_fheap *heap;
        ok(ts_change_begin(f));
        ok(ts_fheap_open(f, addrs[h], &heap));
        ok(ts_fheap_verify(heap));
        for (size_t i = 0; i < OBJECTS; i++)
            if (objects[h][i].there)
                check_object(heap, &objects[h][i]);
        for (size_t i = 0; i < 400; i++)
            change_object(heap, &objects[h][draw(state) % OBJECTS], state);
        /* At last all of ours go, so that what is left is stock's. */
        for (size_t i = 0; round == ROUNDS - 1 && i < OBJECTS; i++)
            if (objects[h][i].there)
                change_object(heap, &objects[h][i], state);
        ok(ts_fheap_verify(heap));
        ts_fheap_close(heap);
        ok(ts_change_end(f, 0));
    }
    unsigned owed = ts_err_owed();
    ts_file_unref(f);
    assert_int_equal(ts_err_owed(), owed);
}

static void turns(void **test)
{
    (void)test;
    static struct object objects[HEAPS][OBJECTS];
    uint32_t state = 77;
    ts_api_init();
    snprintf(path, sizeof path, "/tmp/tessera-turns-%d.h5", (int)getpid());
    for (int n = 0; n < ROUNDS; n++) {
        stock_turn(n);
        our_turn(objects, n, &state);
    }
    stock_turn(ROUNDS);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
