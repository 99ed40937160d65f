/* A file of the corpus, opened below the API. */
#ifndef TESTS_UNIT_GROUP_CORPUS_H
#define TESTS_UNIT_GROUP_CORPUS_H

#include <stdio.h>

#include "api/api.h"
#include "container/setup.h"
#include "file/file.h"

static inline int corpus_open(const char *name, struct ts_fhandle **out)
{
    char path[4096];
    struct ts_file *f;
    const char *dir = getenv("TESSERA_CORPUS");
    ts_api_init();
    snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", name);
    if (ts_file_open(path, H5F_ACC_RDONLY, ts_plist_default(TS_PLIST_FILE_ACCESS), &f) < 0)
        return -1;
    if (ts_container_setup(f) < 0) {
        ts_file_unref(f);
        return -1;
    }
    return ts_fhandle_new(f, path, H5F_ACC_RDONLY, out);
}

/* A copy that may be changed. */
static inline void corpus_copy(const char *name, const char *to)
{
    char path[4096], bytes[65536];
    const char *dir = getenv("TESSERA_CORPUS");
    snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", name);
    FILE *in = fopen(path, "rb"), *out = fopen(to, "wb");
    size_t n;
    while (in && out && (n = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, n, out);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
}

#endif
