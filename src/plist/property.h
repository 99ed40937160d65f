/* Typed access to properties. The header of a class says once what type each of its properties has, and what
 * applications call it:
 *
 *     TS_PROPERTY(fapl, libver_low, H5F_libver_t, "libver_low_bound");
 *
 * makes these, of which a wrong type is an error of the compiler:
 *
 *     int ts_fapl_libver_low(const struct ts_plist *pl, H5F_libver_t *out);
 *     int ts_fapl_set_libver_low(struct ts_plist *pl, H5F_libver_t value);
 *
 * TS_PROPERTY_STRUCT and TS_PROPERTY_ARRAY take the value by its address. TS_PROPERTY_TEXT is a string: get makes a
 * copy, NULL when none is set, and set takes one. Of TS_PROPERTY_OWNER the value owns memory: peek shows it as it is,
 * what it points at is the list's, so nobody who shares the list may look for long while another thread may set the
 * property; give makes all of it the list's own.
 *
 * Each has besides: hold and edit, the value itself under the list's lock until ts_plist_release, which edit makes the
 * list's own first, and touch, which does only that. Between them and the release nothing may call back into the list.
 *
 * All fail when the list has no such property, for applications may remove those of the library, or one of another
 * size, where it is for them to insert it. They fail without a word when the list is NULL: whoever looked for it has
 * said why. */
#ifndef TS_PLIST_PROPERTY_H
#define TS_PLIST_PROPERTY_H

#include "plist/plist.h"

/* For the macros below. */
int ts_property_get(const struct ts_plist *pl, const char *name, void *out, size_t size);
int ts_property_set(struct ts_plist *pl, const char *name, const void *value, size_t size);
/* What an untouched list has, for good; NULL, without an error, when it must be looked for otherwise. */
const void *ts_property_default(const struct ts_plist *pl, const char *name, size_t size);
const void *ts_property_hold(const struct ts_plist *pl, const char *name, size_t size);
void *ts_property_edit(struct ts_plist *pl, const char *name, size_t size);
int ts_property_text(struct ts_plist *pl, const char *name, char **out);
int ts_property_set_text(struct ts_plist *pl, const char *name, const char *text);

/* For the definition of the class: engine.h. */
#define TS_PROPERTY_NAME(list, property) ts_##list##_##property##_name_
#define TS_PROPERTY_TYPE(list, property) __typeof__(ts_##list##_##property##_type_)

#define TS_PROPERTY_OF_ANY_(list, property, key)                                                                       \
    static const char TS_PROPERTY_NAME(list, property)[] __attribute__((unused)) = key;                                \
    static inline const TS_PROPERTY_TYPE(list, property) * ts_##list##_hold_##property(const struct ts_plist *pl)      \
    {                                                                                                                  \
        return ts_property_hold(pl, TS_PROPERTY_NAME(list, property), sizeof(TS_PROPERTY_TYPE(list, property)));       \
    }                                                                                                                  \
    static inline TS_PROPERTY_TYPE(list, property) * ts_##list##_edit_##property(struct ts_plist *pl)                  \
    {                                                                                                                  \
        return ts_property_edit(pl, TS_PROPERTY_NAME(list, property), sizeof(TS_PROPERTY_TYPE(list, property)));       \
    }                                                                                                                  \
    static inline int ts_##list##_touch_##property(struct ts_plist *pl)                                                \
    {                                                                                                                  \
        const void *value = ts_##list##_edit_##property(pl);                                                           \
        if (value)                                                                                                     \
            ts_plist_release(pl);                                                                                      \
        return value ? 0 : -1;                                                                                         \
    }

#define TS_PROPERTY_PAIR_(list, getter, setter, property, key)                                                         \
    TS_PROPERTY_OF_ANY_(list, property, key)                                                                           \
    static inline int getter(const struct ts_plist *pl, TS_PROPERTY_TYPE(list, property) * out)                        \
    {                                                                                                                  \
        return ts_property_get(pl, TS_PROPERTY_NAME(list, property), out, sizeof *out);                                \
    }                                                                                                                  \
    static inline int setter(struct ts_plist *pl, const TS_PROPERTY_TYPE(list, property) * value)                      \
    {                                                                                                                  \
        return ts_property_set(pl, TS_PROPERTY_NAME(list, property), value, sizeof *value);                            \
    }

#define TS_PROPERTY(list, property, type, key)                                                                         \
    extern type ts_##list##_##property##_type_;                                                                        \
    TS_PROPERTY_OF_ANY_(list, property, key)                                                                           \
    static inline int ts_##list##_##property(const struct ts_plist *pl, type *out)                                     \
    {                                                                                                                  \
        return ts_property_get(pl, TS_PROPERTY_NAME(list, property), out, sizeof *out);                                \
    }                                                                                                                  \
    static inline int ts_##list##_set_##property(struct ts_plist *pl, type value)                                      \
    {                                                                                                                  \
        return ts_property_set(pl, TS_PROPERTY_NAME(list, property), &value, sizeof value);                            \
    }                                                                                                                  \
    extern type ts_##list##_##property##_type_

#define TS_PROPERTY_STRUCT(list, property, type, key)                                                                  \
    extern type ts_##list##_##property##_type_;                                                                        \
    TS_PROPERTY_PAIR_(list, ts_##list##_##property, ts_##list##_set_##property, property, key)                         \
    extern type ts_##list##_##property##_type_

#define TS_PROPERTY_OWNER(list, property, type, key)                                                                   \
    extern type ts_##list##_##property##_type_;                                                                        \
    TS_PROPERTY_PAIR_(list, ts_##list##_peek_##property, ts_##list##_give_##property, property, key)                   \
    extern type ts_##list##_##property##_type_

#define TS_PROPERTY_ARRAY(list, property, element, n, key)                                                             \
    extern element ts_##list##_##property##_type_[n];                                                                  \
    TS_PROPERTY_OF_ANY_(list, property, key)                                                                           \
    static inline int ts_##list##_##property(const struct ts_plist *pl, element out[n])                                \
    {                                                                                                                  \
        return ts_property_get(pl, TS_PROPERTY_NAME(list, property), out, (n) * sizeof *out);                          \
    }                                                                                                                  \
    static inline int ts_##list##_set_##property(struct ts_plist *pl, const element value[n])                          \
    {                                                                                                                  \
        return ts_property_set(pl, TS_PROPERTY_NAME(list, property), value, (n) * sizeof *value);                      \
    }                                                                                                                  \
    extern element ts_##list##_##property##_type_[n]

#define TS_PROPERTY_TEXT(list, property, key)                                                                          \
    extern char *ts_##list##_##property##_type_;                                                                       \
    TS_PROPERTY_OF_ANY_(list, property, key)                                                                           \
    static inline int ts_##list##_##property(struct ts_plist *pl, char **out)                                          \
    {                                                                                                                  \
        return ts_property_text(pl, TS_PROPERTY_NAME(list, property), out);                                            \
    }                                                                                                                  \
    static inline int ts_##list##_set_##property(struct ts_plist *pl, const char *text)                                \
    {                                                                                                                  \
        return ts_property_set_text(pl, TS_PROPERTY_NAME(list, property), text);                                       \
    }                                                                                                                  \
    extern char *ts_##list##_##property##_type_

#endif
