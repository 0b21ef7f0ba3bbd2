/* SPDX-License-Identifier: MIT */
/* json_canonical.h — the canonical form of a tree (RFC 8785, JCS), which is equal for texts with
 * the same meaning.
 *
 * The control plane makes the same bytes with the npm package "canonicalize"; the tests of both
 * read config-corpus/digests.json. Numbers must be integers within ±(2^53 - 1): no option takes
 * others, and so neither side has to print floating-point numbers. */
#ifndef FARMSTEAD_JSON_CANONICAL_H
#define FARMSTEAD_JSON_CANONICAL_H

#include "base/buf.h"
#include "text/json_text.h"

/* Appends the canonical form of `value`. Returns NULL, or the first number that has no canonical
 * form; `out` then holds only a part. The tree must have no repeated keys. Any thread. */
const struct json_value *json_canonical(struct buf *out, const struct json_value *value);

#endif
