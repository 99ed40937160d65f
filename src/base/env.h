/* The environment, which whoever starts a program chooses. */
#ifndef TS_BASE_ENV_H
#define TS_BASE_ENV_H

/* NULL when the variable is not set, and in a program that has rights its user has not (setuid, capabilities):
 * variables name code and files, and switch off what keeps files whole. All of the library asks here. */
const char *ts_env(const char *name);

#endif
