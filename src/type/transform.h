/* Data transforms: arithmetic on the elements of a dataset between its conversion and the user's memory.
 *
 * expression := term {(+|-) term};  term := factor {(*|/) factor};  factor := [+|-] primary
 * primary    := integer | real | symbol | '(' expression ')';      symbol := letter {digit}
 *
 * Any symbol is the element. What programs see of the arithmetic is HDF5's:
 * - a sign stands before a number or a symbol, in parentheses or not, and nowhere else; it means 0 + or 0 -;
 * - constants meet in 64-bit integers as long as none is real, so 1/2 is 0;
 * - an element meets a constant in double, an element another in its own type as C would do it; every result is put
 *   into the element's type at once.
 * Not HDF5's: texts in which a sign or an operator lacks its operand are refused wherever that is, and so is an integer
 * constant divided by 0; elements that are integers and divided by an element 0 are an error of reading. */
#ifndef TS_TYPE_TRANSFORM_H
#define TS_TYPE_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "type/type.h"

struct ts_transform;
struct ts_transform_kernel;

int ts_transform_parse(const char *text, struct ts_transform **out);
void ts_transform_free(struct ts_transform *t); /* NULL is fine */
/* Just a letter, without as much as a blank: nothing to do, for elements of any type. */
bool ts_transform_is_identity(const struct ts_transform *t);

/* A transform for elements of one type, with the memory to work in: for one thread. */
struct ts_transform_work {
    const struct ts_transform *transform; /* borrowed */
    const struct ts_transform_kernel *kernel;
    size_t block; /* elements worked on together */
    uint8_t *slots;
};

/* An error unless the type is one of C's numbers, as it is in memory. */
int ts_transform_work_init(struct ts_transform_work *r, const struct ts_transform *t, const struct ts_type *type);
void ts_transform_work_deinit(struct ts_transform_work *r);
/* In place; the elements need no alignment. */
int ts_transform_apply(const struct ts_transform_work *r, size_t n, void *elements);

#endif
