/* The parameters of nbit: how many there are; 1 when the data is stored as it is; elements in the chunk; the type:
 *   1 atomic:   size, order (0 little, 1 big), precision, offset
 *   2 array:    size, the base type
 *   3 compound: size, members, then for each its offset and type
 *   4 bytes:    size (stored whole)
 * No type is there when the whole of it is of class 4. */
#ifndef TS_FILTER_NBIT_H
#define TS_FILTER_NBIT_H

enum { TS_NBIT_COUNT, TS_NBIT_WHOLE, TS_NBIT_ELEMENTS, TS_NBIT_TYPE };
enum { TS_NBIT_ATOMIC = 1, TS_NBIT_ARRAY, TS_NBIT_COMPOUND, TS_NBIT_BYTES };

#endif
