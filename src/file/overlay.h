/* Blocks that stand in for what the file has at their addresses: the entries of a metadata cache image, and in a file
 * that is only read those of a journal. */
#ifndef TS_FILE_OVERLAY_H
#define TS_FILE_OVERLAY_H

#include "file/file.h"
#include "file/journal.h"

/* Reads the cache image at addr; from now on reads see its blocks. Only while the file is being set up. */
int ts_file_overlay_image(struct ts_file *f, haddr_t addr, uint64_t size);
/* The same with the image as it was read, which it takes over, also on failure. */
int ts_overlay_add_image(struct ts_file *f, uint8_t *image, size_t size);
/* From now on reads see the blocks of the journal, which it takes over on success. */
int ts_file_overlay_journal(struct ts_file *f, struct ts_journal *j);

struct ts_overlay;
void ts_overlay_free(struct ts_overlay *o); /* NULL is fine */
/* Puts what covers [addr, addr + size) over what was read from there. */
void ts_overlay_apply(const struct ts_overlay *o, haddr_t addr, size_t size, void *buf);

struct ts_blocks;
/* Appends all its blocks. */
int ts_overlay_blocks(const struct ts_overlay *o, struct ts_blocks *out);

#endif
