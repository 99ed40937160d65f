/* What event.c and promise.c share. */
#ifndef TS_EVENT_INTERNAL_H
#define TS_EVENT_INTERNAL_H

#include "base/lock.h"
#include "event/event.h"

/* One lock for all sets and promises: it is held for moments, while operations take longer. */
extern struct ts_mutex ts_event_lock;
/* An operation is done, or a promise resolved. */
extern pthread_cond_t ts_event_news;

/* An error when the set is that of another process. The lock need not be held. */
int ts_event_check_process(uint64_t process);
/* Whose thread somebody waits for who waits for this: NULL when it is over, even if that was not noticed yet. */
typedef struct ts_event_set *ts_event_whom_fn(const void *what);
/* This thread is about to wait: an error when that whom it waits for waits, through others or not, for this one. To be
 * followed by ts_event_waited. */
int ts_event_may_wait(ts_event_whom_fn *whom, const void *what);
void ts_event_waited(void);

#endif
