/* H5Oflush and the like. */
#ifndef TS_API_FLUSH_H
#define TS_API_FLUSH_H

#include "api/api.h"
#include "file/file.h"

/* Brings the file up to date, all of it: an object is of no use without what leads to it. Then the function of
 * H5Pset_object_flush_cb is called with the id. Nothing to do in files that are open for reading. */
int ts_api_flush_object(hid_t id, struct ts_file *f);
/* An object of the file is closed. What waits in memory waits on, but where room is short it is brought to the file, so
 * that it is this call that tells when there is none: a failure is owed (ts_err_owe). */
void ts_api_object_closes(struct ts_file *f);
/* Data that wait in memory get their places, so that they count in what the file tells of its space. */
int ts_api_write_waiting(struct ts_file *f);

#endif
