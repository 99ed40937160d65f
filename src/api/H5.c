/* H5: the library as a whole: opening and closing it, versions, memory. */
#include <stdio.h>
#include <stdlib.h>

#include "H5public.h"
#include "api/api.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/recycle.h"
#include "event/event.h"
#include "filter/filter.h"

/* What a program that looks at a loaded library knows Tessera by: under another library's name it gives that one's
 * version. */
H5_DLLVAR const char H5_TESSERA_VERSION_g[];
const char H5_TESSERA_VERSION_g[] = TESSERA_VERSION;

herr_t H5open(void)
{
    /* The error stack stays: predefined ids are looked at between a failure and its report. */
    ts_api_init();
    return 0;
}

/* The records of a failure stay on the stack for who looks at them: reporting them would start the library again. */
herr_t H5close(void)
{
    /* It would wait for its caller. */
    if (ts_event_own_set()) {
        TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
        return TS_API_ERR(-1, EVENTSET, CANTWAIT, "an operation of an event set cannot close the library");
    }
    return ts_api_close();
}

herr_t H5dont_atexit(void)
{
    /* Before the library starts, or it is too late. */
    return ts_api_no_atexit();
}

herr_t H5garbage_collect(void)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    ts_filter_free_contexts();
    ts_recycle_empty();
    return 0;
}

herr_t H5set_free_list_limits(int reg_global_lim, int reg_list_lim, int arr_global_lim, int arr_list_lim,
                              int blk_global_lim, int blk_list_lim)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    (void)reg_global_lim;
    (void)reg_list_lim;
    (void)arr_global_lim;
    (void)arr_list_lim;
    (void)blk_global_lim;
    (void)blk_list_lim;
    return 0;
}

/* There are no free lists of objects; large blocks of data that wait for their next use belong to none of these. */
herr_t H5get_free_list_sizes(size_t *reg_size, size_t *arr_size, size_t *blk_size, size_t *fac_size)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    size_t *const out[] = {reg_size, arr_size, blk_size, fac_size};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (out[i])
            *out[i] = 0;
    return 0;
}

herr_t H5get_alloc_stats(H5_alloc_stats_t *stats)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (stats)
        *stats = (H5_alloc_stats_t){0};
    return 0;
}

herr_t H5get_libversion(unsigned *majnum, unsigned *minnum, unsigned *relnum)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (majnum)
        *majnum = TS_ABI_MAJOR;
    if (minnum)
        *minnum = TS_ABI_MINOR;
    if (relnum)
        *relnum = TS_ABI_RELEASE;
    return 0;
}

/* HDF5_DISABLE_VERSION_CHECK: 1 warns and goes on, 2 says nothing, anything else stops the program. */
herr_t H5check_version(unsigned majnum, unsigned minnum, unsigned relnum)
{
    if (majnum == TS_ABI_MAJOR && minnum == TS_ABI_MINOR && TS_ABI_SERVES(relnum))
        return 0;
    const char *env = ts_env("HDF5_DISABLE_VERSION_CHECK");
    long level = env ? strtol(env, NULL, 0) : 0;
    if (level >= 2)
        return 0;
    fprintf(stderr,
            "The HDF5 headers of this program are of version %u.%u.%u, the library is of version %u.%u.%u.\n"
            "Structures may differ between them. Build the program again with the headers of this library%s\n",
            majnum, minnum, relnum, TS_ABI_MAJOR, TS_ABI_MINOR, TS_ABI_RELEASE,
            level == 1 ? "." : ",\nor set HDF5_DISABLE_VERSION_CHECK to 1 to go on at your own risk.");
    if (level == 1)
        return 0;
    fflush(NULL);
    abort();
}

herr_t H5is_library_threadsafe(hbool_t *is_ts)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!is_ts)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    *is_ts = true;
    return 0;
}

herr_t H5is_library_terminating(hbool_t *is_terminating)
{
    if (!is_terminating)
        return -1;
    *is_terminating = ts_api_closing();
    return 0;
}

herr_t H5atclose(H5_atclose_func_t func, void *ctx)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!func)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no function to call");
    return TS_API_RET(ts_api_at_close(func, ctx));
}

void *H5allocate_memory(size_t size, hbool_t clear)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (size == 0)
        return NULL;
    void *mem = clear ? ts_calloc(1, size) : ts_malloc(size);
    return mem ? mem : TS_API_FAIL(NULL);
}

void *H5resize_memory(void *mem, size_t size)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (size == 0) {
        ts_free(mem);
        return NULL;
    }
    void *resized = ts_realloc(mem, size);
    return resized ? resized : TS_API_FAIL(NULL);
}

herr_t H5free_memory(void *mem)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    ts_free(mem);
    return 0;
}
