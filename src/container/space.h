/* What a file that is open for writing says about its space in the superblock's extension: free space that outlives the
 * closing of the file, and the lengths of the driver's members. */
#ifndef TS_CONTAINER_SPACE_H
#define TS_CONTAINER_SPACE_H

#include "file/file.h"

struct ts_extension;
struct ts_file_space;
struct ts_free_section;
struct ts_free_space;
struct ts_ohdr;

/* Of the message. Software that does not know it and changes the file marks it as no longer true. */
#define TS_FILE_SPACE_MSG_FLAGS (TS_MSG_FLAG_DONT_SHARE | TS_MSG_FLAG_MARK_IF_UNKNOWN)

/* Of files that say nothing. */
extern const struct ts_file_space ts_container_space_default;

/* What H5Fformat_convert asks for: a superblock and an extension that 1.8 reads. */
int ts_container_downgrade(struct ts_file *f);

/* A free space manager of the file. */
int ts_free_manager_read(struct ts_file *f, haddr_t addr, struct ts_free_space *out);
/* Its sections; *out is the caller's. */
int ts_free_manager_sections(struct ts_file *f, haddr_t addr, struct ts_free_section **out, size_t *n);

/* The file keeps what its extension says, and flushes it. */
void ts_container_space_attach(struct ts_file *f, struct ts_extension *ext);
/* The file's strategy, and the free space its managers know. The first change makes them undefined, so that a crash
 * never leaves any that are wrong; the space is lost then, not data. The same change writes a metadata cache image back
 * to where its parts belong. After the extension was read. */
int ts_container_space_load(struct ts_file *f);
/* Of a new file. */
void ts_container_space_set(struct ts_file *f, const struct ts_file_space *space);
/* From now on flushes keep the extension right. */
void ts_container_space_watch(struct ts_file *f);
/* The driver's information, for drivers that have some; inside a change. */
int ts_container_space_put_driver(struct ts_file *f, struct ts_ohdr *oh);

#endif
