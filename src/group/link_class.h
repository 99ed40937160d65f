/* Kinds of user-defined links, and external links among them. */
#ifndef TS_GROUP_LINK_CLASS_H
#define TS_GROUP_LINK_CLASS_H

#include <stdbool.h>

#include "H5Lpublic.h"

/* A registered class as the application gave it. */
struct ts_link_class {
    bool builtin; /* the library's own external links */
    H5L_class_t cls;
};

int ts_link_class_register(const H5L_class_t *cls);
int ts_link_class_unregister(H5L_type_t id);
/* A copy in *out; false when there is no such class. */
bool ts_link_class_get(H5L_type_t id, struct ts_link_class *out);
/* Whether any wants to know when a link of it is deleted. Needs no lock. */
bool ts_link_classes_tell(void);
/* What was registered is forgotten: the library closes. */
void ts_link_class_reset(void);

#endif
