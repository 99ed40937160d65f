/* What a SWMR writer may change. Its readers see each block of an object header by itself, so only headers with
 * checksums are changed; and objects, links and attributes come and go unless the access list of the file forbids it
 * (H5Pset_swmr_new_objects), for readers of stock libhdf5 that do not expect it. */
#ifndef TS_OBJECT_SWMR_H
#define TS_OBJECT_SWMR_H

#include "file/file.h"

/* ts_change_begin for a change of the object at addr, or of no object that is there yet with HADDR_UNDEF. */
int ts_swmr_change(struct ts_file *f, haddr_t addr);
/* The same for one that makes or removes objects, links or attributes; `what` is that in words: "create a link". */
int ts_swmr_change_names(struct ts_file *f, haddr_t addr, const char *what);
/* Fails where ts_swmr_change_names would, as it is at the moment, and begins nothing: for work of many changes. */
int ts_swmr_check_names(struct ts_file *f, const char *what);
/* The object at addr can be changed as far as its header is concerned. */
int ts_swmr_check_header(struct ts_file *f, haddr_t addr);

#endif
