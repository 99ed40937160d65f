/* Who writes a file, told by the bytes of the file itself: the library would show the file repaired. */
#ifndef TOOLS_MARK_H
#define TOOLS_MARK_H

#include <stdbool.h>

#define MARK_WRITING 1u
#define MARK_LIFE 2u /* the SWMR writer is one of Tessera, and holds a lock while it lives */
#define MARK_SWMR 4u

/* The consistency flags of the superblock; 0 when it has none. */
unsigned read_mark(int fd);

/* The superblock says that the file is longer than its `size` bytes: a commit was writing it. */
bool is_half_written(int fd, long size);

/* CLOSED: no SWMR writer has it. That a writer of stock libhdf5 died cannot be known. */
enum writer { WRITER_LIVES, WRITER_CLOSED, WRITER_DIED };
enum writer look_for_writer(int fd);

#endif
