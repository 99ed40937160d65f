/* Files for the tests of heaps and indexes: made by stock libhdf5 with make_files.py, described by its manifest. */
#ifndef TESTS_UNIT_INDEX_FIXTURE_H
#define TESTS_UNIT_INDEX_FIXTURE_H

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "api/api.h"
#include "driver/driver.h"
#include "file/file.h"
#include "meta/meta.h"
#include "unit/cmocka_all.h"

/* An open file without anything above meta/. */
static struct ts_file *fixture_wrap(struct ts_driver *driver)
{
    struct ts_file *f = ts_calloc(1, sizeof *f);
    assert_non_null(f);
    atomic_init(&f->refs, 1);
    f->driver = driver;
    f->name = ts_strdup("fixture");
    ts_api_init(); /* for the default lists */
    f->fapl = ts_plist_default(TS_PLIST_FILE_ACCESS);
    haddr_t eof;
    assert_int_equal(ts_driver_eof(driver, &eof), 0);
    f->end = eof;
    assert_int_equal(ts_meta_attach(f), 0);
    return f;
}

static inline struct ts_file *fixture_open(const char *path)
{
    struct ts_driver_config config = {.kind = TS_DRIVER_SEC2};
    struct ts_driver *driver;
    uint8_t head[TS_SUPERBLOCK_MAX];
    assert_int_equal(ts_driver_open(path, 0, &config, &driver), 0);
    struct ts_file *f = fixture_wrap(driver);
    size_t size = f->end < sizeof head ? (size_t)f->end : sizeof head;
    assert_int_equal(ts_driver_read(driver, 0, size, head), 0);
    assert_int_equal(ts_superblock_decode(head, size, &f->sb), 0);
    return f;
}

static inline struct ts_file *fixture_image(const void *image, size_t size)
{
    struct ts_driver_config config = {.kind = TS_DRIVER_CORE, .core = {.image = image, .image_size = size}};
    struct ts_driver *driver;
    assert_int_equal(ts_driver_open("image", 0, &config, &driver), 0);
    struct ts_file *f = fixture_wrap(driver);
    f->sb.addr_size = f->sb.len_size = 8;
    f->sb.chunk_k = 32;
    return f;
}

static inline void fixture_close(struct ts_file *f)
{
    ts_clients_drop(f);
    ts_driver_close(f->driver);
    ts_free(f->name);
    ts_free(f);
}

static char fixture_dir[] = "/tmp/tessera-index-XXXXXX";
static FILE *fixture_manifest;

/* Makes the files once per program; the manifest is then read from its start. */
static inline int fixture_make(void **state)
{
    (void)state;
    char command[512];
    const char *here = __FILE__;
    int folder = (int)(strrchr(here, '/') - here);
    if (!mkdtemp(fixture_dir))
        return -1;
    snprintf(command, sizeof command, "/usr/bin/python3 %.*s/make_files.py %s", folder, here, fixture_dir);
    if (system(command) != 0)
        return -1;
    snprintf(command, sizeof command, "%s/manifest.txt", fixture_dir);
    fixture_manifest = fopen(command, "r");
    return fixture_manifest ? 0 : -1;
}

static inline int fixture_remove(void **state)
{
    (void)state;
    char command[256];
    fclose(fixture_manifest);
    snprintf(command, sizeof command, "rm -r %s", fixture_dir);
    return system(command);
}

/* Goes to the next section of this kind; false when there is none. Words of other sections are skipped. */
static inline int fixture_next(const char *kind)
{
    char word[128];
    while (fscanf(fixture_manifest, "%127s", word) == 1)
        if (strcmp(word, kind) == 0)
            return 1;
    rewind(fixture_manifest);
    return 0;
}

/* A status that must not be an error; prints the stack when it is. */
static inline int fixture_ok(int status)
{
    struct ts_err_stack *stack = ts_err_current();
    for (unsigned i = 0; status < 0 && i < stack->depth; i++)
        print_error("%s: %s\n", stack->rec[i].func, stack->rec[i].text);
    assert_true(status >= 0);
    return status;
}

static inline uint64_t fixture_number(void)
{
    unsigned long long v;
    assert_int_equal(fscanf(fixture_manifest, "%llu", &v), 1);
    return v;
}

static inline void fixture_word(char *buf, size_t size)
{
    int c;
    size_t n = 0;
    while ((c = fgetc(fixture_manifest)) == ' ' || c == '\n')
        ;
    for (; c != EOF && c != ' ' && c != '\n'; c = fgetc(fixture_manifest)) {
        assert_true(n + 1 < size);
        buf[n++] = (char)c;
    }
    buf[n] = 0;
}

#endif
