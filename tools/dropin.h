/* The library that stands in for libhdf5 in programs that were not built for Tessera: DROPIN_NAME,
 * libhdf5_serial.so.103 or what else this was built for. */
#ifndef TOOLS_DROPIN_H
#define TOOLS_DROPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* run.c: the folder it lies in, for the caller to free: beside this program's build, or where it was installed. NULL,
 * with the reason printed, when it is in neither. */
char *dropin_folder(void);
/* What LD_LIBRARY_PATH becomes when `folder` goes before all that is there; for the caller to free. */
char *dropin_path(const char *folder);
/* The file that a command means, as execvp finds it; for the caller to free, or NULL. */
char *dropin_find_program(const char *name);

/* elf.c: what an ELF file of this machine says of itself. */
struct elf {
    unsigned char *bytes;
    size_t size;
    const char *interpreter, *soname, *rpath, *runpath; /* NULL when it has none */
};
bool elf_open(struct elf *elf, const char *file);
void elf_close(struct elf *elf);
/* The text that an exported variable holds, or NULL. */
const char *elf_text(const struct elf *elf, const char *symbol);

#endif
