/* start FILE SEED OPERATIONS HOW: does the first operations of a workload on a new file, and leaves what the workload
 * knows in FILE.world. Built with stock libhdf5, so that files begin with another library.
 * start FILE: prints what the file holds. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "workload.h"

static int print(const char *path)
{
    struct dump d;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return 1;
    dump_file(&d, file);
    fputs(d.text, stdout);
    int status = d.errors > 0;
    dump_free(&d);
    return H5Fclose(file) < 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    static struct world world;
    char name[512];
    if (argc == 2)
        return print(argv[1]);
    if (argc != 5)
        return 2;
    struct work w = {.world = &world, .path = argv[1], .how = (unsigned)atoi(argv[4])};
    world.random = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252u;
    work_create(&w);
    work_run(&w, (unsigned)atoi(argv[3]));
    work_close(&w);
    snprintf(name, sizeof name, "%s.world", argv[1]);
    FILE *out = fopen(name, "wb");
    return out && fwrite(&world, sizeof world, 1, out) == 1 && fclose(out) == 0 ? 0 : 1;
}
