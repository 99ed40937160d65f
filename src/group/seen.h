/* Objects met on a way that may lead through several files. */
#ifndef TS_GROUP_SEEN_H
#define TS_GROUP_SEEN_H

#include "base/map.h"
#include "object/object.h"

struct ts_seen {
    size_t n, capacity;
    struct ts_seen_file *files; /* one, unless others are mounted */
};

void ts_seen_deinit(struct ts_seen *seen);
/* 1 when the object was there before, 0 when it was entered now, negative on error. */
int ts_seen_enter(struct ts_seen *seen, const struct ts_loc *loc);
bool ts_seen_has(const struct ts_seen *seen, const struct ts_loc *loc);

#endif
