#include "crash/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/mutation.h"
#include "support/recorder.h"
#include "unit/cmocka_all.h"

static void note(struct work *w, bool flushed)
{
    struct model *m = w->ctx;
    model_add(m, w->world, w->file, flushed);
    recorder_mark(m->n);
}

static void set_rules(unsigned rules)
{
#ifdef TS_MUTATIONS
    ts_mutations = rules;
#else
    (void)rules;
#endif
}

static void load_world(const char *path, struct world *world)
{
    char name[256];
    snprintf(name, sizeof name, "%s.world", path);
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    assert_int_equal(fread(world, sizeof *world, 1, in), 1);
    fclose(in);
    remove(name);
}

static void begin_with_stock(const struct run *r, const char *path, struct world *world)
{
    char command[512];
    snprintf(command, sizeof command, "%s '%s' %u 60 %u", getenv("CRASH_START"), path, r->seed, r->how & ~WORK_SMALL_CACHE);
    assert_int_equal(system(command), 0);
    load_world(path, world);
}

void run_record(const struct run *r, const char *path, struct model *m, struct world *world)
{
    memset(world, 0, sizeof *world);
    struct work w = {.world = world, .path = path, .how = r->how, .settled = note, .ctx = m};
    world->random = r->seed * 2654435761u + 88172645463325252u;
    m->world = world;
    m->mixed = (r->how & WORK_SMALL_CACHE) != 0;
    if (r->stock)
        begin_with_stock(r, path, world);
    recorder_start(path);
    set_rules(r->rules);
    if (r->stock) {
        work_open(&w);
        note(&w, true);
    } else {
        work_create(&w);
    }
    work_run(&w, r->operations);
    work_close(&w);
    set_rules(0);
}
