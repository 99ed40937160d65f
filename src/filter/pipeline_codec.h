/* The filter pipeline message; versions 1 and 2 also inside the header of a fractal heap.
 *
 * version 1: version 1 | filters 1 | reserved 6 | filters
 * version 2: version 1 | filters 1 | filters
 * version 3, of structured chunks: version 1 | filtered sections 1 | for each, ascending: section 1 | filters 1 |
 *            bytes of its filters 2 | filters as in version 2
 * filter: id 2 | name length 2 (version 2: only when id >= 256) | flags 2 | number of values 2 | name
 *         (version 1: padded to a multiple of 8) | values 4 each (version 1: 4 more bytes when their number is odd)
 */
#ifndef TS_FILTER_PIPELINE_CODEC_H
#define TS_FILTER_PIPELINE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "filter/pipeline.h"

struct ts_wr;

/* On success *out needs ts_pipeline_deinit. */
int ts_pipeline_decode_message(const uint8_t *buf, size_t size, struct ts_pipeline *out);
/* version 1 or 2. */
int ts_pipeline_encode_message(const struct ts_pipeline *p, unsigned version, struct ts_wr *w);

/* Version 3. On success *out needs ts_pipeline_sections_deinit. */
int ts_pipeline_sections_decode(const uint8_t *buf, size_t size, struct ts_pipeline_sections *out);
int ts_pipeline_sections_encode(const struct ts_pipeline_sections *p, struct ts_wr *w);

#endif
