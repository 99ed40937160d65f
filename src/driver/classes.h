/* The drivers' constructors, for ts_driver_open and for drivers that are made of others. */
#ifndef TS_DRIVER_CLASSES_H
#define TS_DRIVER_CLASSES_H

#include "driver/driver.h"

int ts_driver_open_member(const char *name, unsigned flags, const struct ts_driver_config *config,
                          struct ts_driver **out);
/* A part of a driver that is made of others; part NULL: sec2. */
int ts_driver_open_part(const char *name, unsigned flags, const struct ts_driver_config *part,
                        const struct ts_driver_config *whole, struct ts_driver **out);
int ts_driver_delete_part(const char *name, const struct ts_driver_config *part);
int ts_family_delete(const char *pattern, const struct ts_driver_config *config);
int ts_multi_delete(const char *name, const struct ts_driver_config *config);
int ts_splitter_delete(const char *name, const struct ts_driver_config *config);
int ts_user_delete(const char *name, const struct ts_driver_config *config);
int ts_sec2_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
int ts_log_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
int ts_core_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
int ts_family_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
/* For a family whose members somebody made anew: they are of this size, whatever the file says, and those that were
 * left short because they end in zeros become full. Open for writing. */
int ts_family_repart(struct ts_driver *d, hsize_t member_size);
int ts_multi_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
int ts_splitter_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);
int ts_user_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);

#endif
