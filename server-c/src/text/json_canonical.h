/* SPDX-License-Identifier: MIT */
/* json_canonical.h — the RFC 8785 (JCS) form of a tree: equal for texts that mean the same.
 *
 * The control plane makes the same bytes with the npm package "canonicalize"; both sides' tests
 * read config-corpus/digests.json. Numbers are integers within ±(2^53 - 1) only: no option takes
 * another, and it spares both sides the printing of floating point. */
#ifndef FARMSTEAD_JSON_CANONICAL_H
#define FARMSTEAD_JSON_CANONICAL_H

#include "base/buf.h"
#include "text/json_text.h"

/* Appends the canonical form of `value`. Returns NULL, or the first number that has none, after
 * which `out` holds only a part. The tree has no repeated keys. Any thread. */
const struct json_value *json_canonical(struct buf *out, const struct json_value *value);

#endif
