/* Variable-length elements and references on their way into a file, for conversions.
 *
 * Writing elements: open the sink, convert with it (env.sink, and env.source for the same file), write the raw data,
 * then ts_vl_sink_remove_old removes what the overwritten elements referred to. Raw data that goes where elements of
 * the last commit stand goes there by ts_vl_write: else a crash leaves elements whose heap objects are not in the file,
 * or that are half old and half new. */
#ifndef TS_OBJECT_VL_SINK_H
#define TS_OBJECT_VL_SINK_H

#include "driver/driver.h"
#include "file/file.h"
#include "type/conv.h"

/* f must outlive the sink. */
int ts_vl_sink_open(struct ts_file *f, struct ts_vl_sink *sink);
/* The new elements are on file: the old ones' heap objects go. Fine when there are none. */
int ts_vl_sink_remove_old(struct ts_vl_sink *sink);
/* n elements on disk, packed, are no more, or will be soon: their heap objects go with the next removal. Nothing is
 * touched before. */
int ts_vl_sink_release(struct ts_vl_sink *sink, const struct ts_type *t, size_t n, const uint8_t *elements);
/* Forgets what was to be removed but is not yet. */
void ts_vl_sink_close(struct ts_vl_sink *sink);

/* Writes elements: at once where nothing on file names their place yet, else in one commit with what they refer to and
 * with all other metadata that is to be flushed. Call it without the file's lock. The first argument is the struct
 * ts_file. */
int ts_vl_write(void *file, const struct ts_io_out *v, size_t n);

#endif
