#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin.h"

/* `count` structs of `size` bytes at `offset`, or NULL when the file ends before; files are aligned where it matters.
 */
static const void *part(const struct elf *elf, uint64_t offset, uint64_t count, uint64_t size)
{
    if (offset > elf->size || offset % 4 != 0 || count > (elf->size - offset) / size)
        return NULL;
    return elf->bytes + offset;
}

/* Text that ends within the file, or NULL. */
static const char *text_at(const struct elf *elf, uint64_t offset)
{
    if (offset >= elf->size || !memchr(elf->bytes + offset, '\0', elf->size - offset))
        return NULL;
    return (const char *)elf->bytes + offset;
}

static const Elf64_Phdr *segments(const struct elf *elf, size_t *count)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->bytes;
    const Elf64_Phdr *found = part(elf, head->e_phoff, head->e_phnum, sizeof *found);
    *count = found ? head->e_phnum : 0;
    return found;
}

/* Where in the file the byte is that is loaded at `address`; the size of the file when it is not in it. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
    size_t n;
    const Elf64_Phdr *segment = segments(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (segment[i].p_type == PT_LOAD && address >= segment[i].p_vaddr &&
            address - segment[i].p_vaddr < segment[i].p_filesz)
            return segment[i].p_offset + (address - segment[i].p_vaddr);
    return elf->size;
}

static void read_dynamic(struct elf *elf, const Elf64_Phdr *segment)
{
    size_t n = segment->p_filesz / sizeof(Elf64_Dyn);
    const Elf64_Dyn *entry = part(elf, segment->p_offset, n, sizeof *entry);
    uint64_t strings = elf->size;
    for (size_t i = 0; entry && i < n; i++)
        if (entry[i].d_tag == DT_STRTAB)
            strings = offset_of(elf, entry[i].d_un.d_ptr);
    for (size_t i = 0; entry && i < n && entry[i].d_tag != DT_NULL; i++) {
        const char *text = text_at(elf, strings + entry[i].d_un.d_val);
        if (entry[i].d_tag == DT_SONAME)
            elf->soname = text;
        else if (entry[i].d_tag == DT_RPATH)
            elf->rpath = text;
        else if (entry[i].d_tag == DT_RUNPATH)
            elf->runpath = text;
    }
}

bool elf_open(struct elf *elf, const char *file)
{
    struct stat st;
    *elf = (struct elf){0};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            elf->bytes = bytes;
            elf->size = (size_t)st.st_size;
        }
    }
    close(fd);
    if (!elf->bytes || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0 || elf->bytes[EI_CLASS] != ELFCLASS64) {
        elf_close(elf);
        return false;
    }
    size_t n;
    const Elf64_Phdr *segment = segments(elf, &n);
    for (size_t i = 0; i < n; i++) {
        if (segment[i].p_type == PT_INTERP)
            elf->interpreter = text_at(elf, segment[i].p_offset);
        else if (segment[i].p_type == PT_DYNAMIC)
            read_dynamic(elf, &segment[i]);
    }
    return true;
}

void elf_close(struct elf *elf)
{
    if (elf->bytes)
        munmap(elf->bytes, elf->size);
    *elf = (struct elf){0};
}

const char *elf_text(const struct elf *elf, const char *symbol)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->bytes;
    const Elf64_Shdr *section = part(elf, head->e_shoff, head->e_shnum, sizeof *section);
    for (size_t i = 0; section && i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_DYNSYM || section[i].sh_link >= head->e_shnum)
            continue;
        size_t n = section[i].sh_size / sizeof(Elf64_Sym);
        const Elf64_Sym *found = part(elf, section[i].sh_offset, n, sizeof *found);
        uint64_t names = section[section[i].sh_link].sh_offset;
        for (size_t j = 0; found && j < n; j++) {
            const char *name = found[j].st_shndx == SHN_UNDEF ? NULL : text_at(elf, names + found[j].st_name);
            if (name && strcmp(name, symbol) == 0)
                return text_at(elf, offset_of(elf, found[j].st_value));
        }
    }
    return NULL;
}
