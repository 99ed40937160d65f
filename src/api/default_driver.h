/* HDF5_DRIVER in the environment, since 1.14: the driver of file access lists in which nobody sets another. */
#ifndef TS_API_DEFAULT_DRIVER_H
#define TS_API_DEFAULT_DRIVER_H

struct ts_plist;

/* While the library starts, when all else is there. */
void ts_default_driver_init(void);
/* To a list that is new; lists of other classes are left alone. */
int ts_default_driver_apply(struct ts_plist *pl);

#endif
