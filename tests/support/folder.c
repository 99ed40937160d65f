#include "support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

bool folder_make(void)
{
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/tessera.XXXXXX" : "/tmp/tessera.XXXXXX");
    return mkdtemp(folder) != NULL;
}

bool folder_remove(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0;
}

const char *folder_file(char out[FOLDER_PATH], const char *name)
{
    snprintf(out, FOLDER_PATH, "%s/%s", folder, name);
    return out;
}
