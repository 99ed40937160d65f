/* One folder for the files of a test program that writes thousands: in memory where that is possible. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stdbool.h>

bool folder_make(void);
bool folder_remove(void);

/* The path of a file in it. Returns out. */
enum { FOLDER_PATH = 128 };
const char *folder_file(char out[FOLDER_PATH], const char *name);

#endif
