/* Object headers that grow and shrink at random, against a model: in memory after every step, in the file now and then. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "file/alloc.h"
#include "file/change.h"
#include "hdf5.h"
#include "id/id.h"
#include "object/object.h"
#include "object/ohdr.h"

enum { MOST = 200 };

struct model_msg {
    unsigned type, tag;
    uint8_t flags;
    uint16_t order;
    size_t size;
};

struct model {
    const char *path;
    hid_t id;
    struct ts_fhandle *fh;
    struct ts_ohdr_create how;
    haddr_t addr;
    unsigned next_tag, seed;
    size_t n;
    struct model_msg msgs[MOST];
};

static unsigned rng(struct model *m, unsigned below)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (m->seed >> 8) % below;
}

static void fill(const struct model_msg *msg, uint8_t *buf)
{
    for (size_t i = 0; i < msg->size; i++)
        buf[i] = (uint8_t)(msg->tag >> (i < 4 ? 8 * i : 0)) ^ (uint8_t)(i < 4 ? 0 : i);
}

static unsigned tag_of(const struct ts_ohdr_msg *msg)
{
    return msg->body[0] | (unsigned)msg->body[1] << 8 | (unsigned)msg->body[2] << 16 | (unsigned)msg->body[3] << 24;
}

static const struct ts_ohdr_msg *find_tag(const struct ts_ohdr *oh, unsigned type, unsigned tag)
{
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (oh->msgs[i].type == type && tag_of(&oh->msgs[i]) == tag)
            return &oh->msgs[i];
    return NULL;
}

static void check_equal(const struct model *m, const struct ts_ohdr *oh)
{
    static uint8_t want[TS_OHDR_BODY_MAX];
    size_t others = 0;
    for (size_t i = 0; i < oh->n_msgs; i++)
        others += oh->msgs[i].type == TS_MSG_NIL || oh->msgs[i].type == TS_MSG_CONTINUATION;
    assert_int_equal(oh->n_msgs - others, m->n);
    for (size_t i = 0; i < m->n; i++) {
        const struct model_msg *msg = &m->msgs[i];
        const struct ts_ohdr_msg *got = find_tag(oh, msg->type, msg->tag);
        assert_non_null(got);
        assert_int_equal(got->flags, msg->flags);
        if (m->how.flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED)
            assert_int_equal(got->creation_index, msg->order);
        assert_int_equal(got->size, m->how.version == 1 ? (msg->size + 7) / 8 * 8 : msg->size);
        fill(msg, want);
        assert_memory_equal(got->body, want, msg->size);
    }
}

static void open_file(struct model *m)
{
    m->id = H5Fopen(m->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(m->id >= 0);
    m->fh = ts_id_pin(m->id, H5I_FILE);
}

static void close_file(struct model *m)
{
    ts_id_unpin(H5I_FILE, m->fh);
    assert_int_equal(H5Fclose(m->id), 0);
}

static size_t random_size(struct model *m)
{
    switch (rng(m, 40)) {
    case 0:
        return TS_OHDR_BODY_MAX;
    case 1:
        return 4 + rng(m, 20000);
    default:
        return 4 + rng(m, 4u << rng(m, 8));
    }
}

static int step(struct model *m, struct ts_ohdr *oh)
{
    static uint8_t body[TS_OHDR_BODY_MAX];
    static const unsigned types[] = {TS_MSG_ATTR, TS_MSG_LINK, TS_MSG_COMMENT, TS_MSG_FILL};
    unsigned what = rng(m, 10), victim = m->n ? rng(m, (unsigned)m->n) : 0;
    bool shrink = m->n > MOST - 10 || (m->next_tag / 300) % 2;
    struct model_msg *old = &m->msgs[victim];
    if (m->n == 0 || what < (shrink ? 2u : 5u)) {
        if (m->n == MOST)
            return 0;
        struct model_msg msg = {types[rng(m, 4)], m->next_tag++, (uint8_t)(rng(m, 2) * TS_MSG_FLAG_DONT_SHARE),
                                (uint16_t)rng(m, 65536), random_size(m)};
        fill(&msg, body);
        m->msgs[m->n++] = msg;
        struct ts_raw_msg raw = {msg.type, msg.flags, msg.order, body, msg.size};
        return ts_ohdr_add_raw(oh, &raw);
    }
    const struct ts_ohdr_msg *msg = find_tag(oh, old->type, old->tag);
    assert_non_null(msg);
    if (what < 7) {
        old->size = rng(m, 3) ? random_size(m) : old->size;
        old->tag = m->next_tag++;
        fill(old, body);
        return ts_ohdr_replace(oh, msg, body, old->size);
    }
    *old = m->msgs[--m->n];
    return ts_ohdr_remove(oh, msg);
}

/* Something stands behind the header, so that it cannot always grow where it is. */
static int block_the_way(struct model *m)
{
    haddr_t addr;
    return rng(m, 3) ? 0 : ts_file_alloc(m->fh->file, H5FD_MEM_OHDR, 8 + rng(m, 50), &addr);
}

static void change(struct model *m)
{
    struct ts_file *f = m->fh->file;
    struct ts_ohdr *oh;
    const char *reason;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_ohdr_open(f, m->addr, &oh), 0);
    assert_int_equal(step(m, oh), 0);
    assert_int_equal(block_the_way(m), 0);
    if (!ts_ohdr_verify(oh, &reason))
        fail_msg("%s", reason);
    check_equal(m, oh);
    ts_ohdr_close(oh);
    assert_int_equal(ts_change_end(f, 0), 0);
}

static void check_file(struct model *m)
{
    struct ts_ohdr *oh;
    const char *reason;
    assert_int_equal(ts_ohdr_open(m->fh->file, m->addr, &oh), 0);
    if (!ts_ohdr_verify(oh, &reason))
        fail_msg("%s", reason);
    check_equal(m, oh);
    ts_ohdr_close(oh);
}

static void run(struct ts_ohdr_create how, unsigned seed)
{
    char path[64];
    struct model m = {.how = how, .seed = seed, .next_tag = 1, .path = path};
    struct ts_ohdr *oh;
    snprintf(path, sizeof path, "ohdr_write_%ld.h5", (long)getpid());
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    assert_int_equal(H5Fclose(id), 0);
    open_file(&m);
    assert_int_equal(ts_change_begin(m.fh->file), 0);
    assert_int_equal(ts_ohdr_create(m.fh->file, &how, &oh), 0);
    m.addr = oh->addr;
    ts_ohdr_close(oh);
    assert_int_equal(ts_change_end(m.fh->file, 0), 0);
    for (int i = 0; i < 500; i++) {
        change(&m);
        if (rng(&m, 40) == 0)
            assert_int_equal(H5Fflush(m.id, H5F_SCOPE_GLOBAL), 0);
        if (rng(&m, 100) == 0) {
            close_file(&m);
            open_file(&m);
            check_file(&m);
        }
    }
    close_file(&m);
    unlink(path);
}

static void test_v1(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 4; seed++)
        run((struct ts_ohdr_create){.version = 1, .links = 1}, seed);
}

static void test_v2(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 4; seed++)
        run((struct ts_ohdr_create){.links = 1, .room = 40 * seed}, seed);
}

static void test_v2_all_fields(void **state)
{
    (void)state;
    run((struct ts_ohdr_create){.links = 1,
                                .flags = H5O_HDR_STORE_TIMES | H5O_HDR_ATTR_CRT_ORDER_TRACKED |
                                         H5O_HDR_ATTR_STORE_PHASE_CHANGE,
                                .max_compact = 3,
                                .min_dense = 2},
        7);
}

/* What messages had that are gone is the file's again. */
static void give_back(unsigned version, unsigned behind)
{
    enum { MESSAGES = 40, SIZE = 2000 };
    static uint8_t body[SIZE];
    struct ts_ohdr_create how = {.version = version, .links = 1};
    struct ts_ohdr *oh;
    haddr_t addr, other;
    size_t used = 0;
    char path[64];
    snprintf(path, sizeof path, "ohdr_cut_%ld.h5", (long)getpid());
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    struct ts_fhandle *fh = ts_id_pin(id, H5I_FILE);
    struct ts_file *f = fh->file;
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_ohdr_create(f, &how, &oh), 0);
    addr = oh->addr;
    for (unsigned i = 0; i < MESSAGES; i++) {
        assert_int_equal(ts_ohdr_add(oh, TS_MSG_ATTR, 0, body, SIZE), 0);
        if (i == behind)
            assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 64, &other), 0);
    }
    ts_ohdr_close(oh);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(H5Fflush(id, H5F_SCOPE_GLOBAL), 0);

    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_ohdr_open(f, addr, &oh), 0);
    assert_int_equal(ts_ohdr_remove_all(oh, TS_MSG_ATTR), MESSAGES);
    for (size_t i = 0; i < oh->n_chunks; i++)
        used += oh->chunks[i].size;
    assert_in_range(used, 1, SIZE);
    ts_ohdr_close(oh);
    assert_int_equal(ts_change_end(f, 0), 0);

    /* Somebody else gets it. */
    assert_int_equal(H5Fflush(id, H5F_SCOPE_GLOBAL), 0);
    assert_int_equal(ts_change_begin(f), 0);
    assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 20000, &other), 0);
    assert_in_range(other, addr, addr + (haddr_t)2 * MESSAGES * SIZE);
    assert_int_equal(ts_change_end(f, 0), 0);
    assert_int_equal(ts_ohdr_open(f, addr, &oh), 0);
    const char *reason;
    assert_true(ts_ohdr_verify(oh, &reason));
    ts_ohdr_close(oh);
    ts_id_unpin(H5I_FILE, fh);
    assert_int_equal(H5Fclose(id), 0);
    unlink(path);
}

static void test_deleted(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 2; version++)
        for (unsigned behind = 0; behind <= 60; behind += 20)
            give_back(version, behind);
}

static void test_links(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "ohdr_links_%ld.h5", (long)getpid());
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    struct ts_fhandle *fh = ts_id_pin(id, H5I_FILE);
    struct ts_file *f = fh->file;
    for (unsigned version = 1; version <= 2; version++) {
        struct ts_ohdr_create how = {.version = version, .links = 1};
        struct ts_ohdr *oh;
        assert_int_equal(ts_change_begin(f), 0);
        assert_int_equal(ts_ohdr_create(f, &how, &oh), 0);
        haddr_t addr = oh->addr;
        ts_ohdr_close(oh);
        assert_int_equal(ts_object_link(f, addr, 1), 0);
        assert_int_equal(ts_object_link(f, addr, 1), 0);
        assert_int_equal(ts_object_link(f, addr, -1), 0);
        assert_int_equal(ts_change_end(f, 0), 0);
        assert_int_equal(ts_ohdr_open(f, addr, &oh), 0);
        assert_int_equal(oh->ref_count, 2);
        assert_int_equal(ts_ohdr_count(oh, TS_MSG_REF_COUNT), version == 2);
        ts_ohdr_close(oh);
        assert_int_equal(ts_change_begin(f), 0);
        assert_int_equal(ts_object_link(f, addr, -1), 0);
        assert_int_equal(ts_ohdr_open(f, addr, &oh), 0);
        assert_int_equal(ts_ohdr_count(oh, TS_MSG_REF_COUNT), 0);
        ts_ohdr_close(oh);
        /* The last one deletes the object: its space is given out again. */
        assert_int_equal(ts_object_link(f, addr, -1), 0);
        assert_int_equal(ts_change_end(f, 0), 0);
        assert_int_equal(ts_change_begin(f), 0);
        haddr_t again;
        assert_int_equal(ts_file_alloc(f, H5FD_MEM_OHDR, 64, &again), 0);
        assert_true(again <= addr);
        assert_int_equal(ts_change_end(f, 0), 0);
    }
    ts_id_unpin(H5I_FILE, fh);
    assert_int_equal(H5Fclose(id), 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_v1), cmocka_unit_test(test_v2),
                                       cmocka_unit_test(test_v2_all_fields), cmocka_unit_test(test_deleted), cmocka_unit_test(test_links)};
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
