/* Variable-length elements and references of a file, for conversions. */
#ifndef TS_OBJECT_VL_SOURCE_H
#define TS_OBJECT_VL_SOURCE_H

#include "file/file.h"
#include "type/conv.h"

/* f must outlive the source. */
void ts_vl_source_init(struct ts_vl_source *source, struct ts_file *f);

#endif
