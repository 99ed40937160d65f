/* HDF5_DRIVER and HDF5_DRIVER_CONFIG in the environment: the driver of lists in which none is set. */
#include <hdf5.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "later.h"

static const char *name_of(hid_t driver)
{
    return driver == H5FD_SEC2 ? "sec2" : driver == H5FD_CORE ? "core" : driver == H5FD_STDIO ? "stdio"
           : driver == H5FD_LOG ? "log" : driver == H5FD_FAMILY ? "family" : driver == H5FD_MULTI ? "multi" : "another";
}

static void files(void)
{
    struct dirent **list;
    int n = scandir(".", &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (strncmp(list[i]->d_name, "e_", 2) == 0) {
            printf("  %s\n", list[i]->d_name);
            unlink(list[i]->d_name);
        }
        free(list[i]);
    }
    free(list);
}

static void look(void)
{
    char text[32] = "none";
    begin();
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    printf("new list: %s, default list: %s\n", name_of(H5Pget_driver(fapl)), name_of(H5Pget_driver(H5P_FILE_ACCESS_DEFAULT)));
    SAY(H5Pget_driver_config_str(fapl, text, sizeof text));
    printf("  %s\n", text);
    SAY(H5Fclose(H5Fcreate("e_%d", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    SAY(H5Fclose(H5Fopen("e_%d", H5F_ACC_RDONLY, fapl)));
    files();
    SAY(H5Pset_fapl_sec2(fapl));
    printf("set: %s\n", name_of(H5Pget_driver(fapl)));
    SAY(H5Fclose(H5Fcreate("e_x", H5F_ACC_TRUNC, H5P_DEFAULT, fapl)));
    files();
    SAY(H5Pclose(fapl));
}

/* Before anything of the library runs. */
static void with(const char *driver, const char *config)
{
    printf("== driver %s, config %s\n", driver ? driver : "not said", config ? config : "not said");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (driver)
            setenv("HDF5_DRIVER", driver, 1);
        if (config)
            setenv("HDF5_DRIVER_CONFIG", config, 1);
        /* What the log driver writes is its own. */
        if (!freopen("/dev/null", "w", stderr))
            exit(1);
        look();
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("ended: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(void)
{
    with(NULL, NULL);
    with("", NULL);
    with("sec2", "of no use");
    with("stdio", NULL);
    with("core", "text");
    with("core_paged", NULL);
    with("family", NULL);
    with("multi", NULL);
    with("split", NULL);
    with("log", NULL);
    with("plugged", NULL);
    return 0;
}
