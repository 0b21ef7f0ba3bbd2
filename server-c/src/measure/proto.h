/* SPDX-License-Identifier: MIT */
/* proto.h — writes protocol buffers: only the wire format, without a schema. Fields are written in
 * the order of the calls. A message within a message has to be written to a buffer of its own
 * first. */
#ifndef FARMSTEAD_PROTO_H
#define FARMSTEAD_PROTO_H

#include "base/buf.h"

#include <stdint.h>

void proto_append_varint(struct buf *out, uint64_t value);
/* The encoding of sint32 and sint64, in which small negative numbers are short, too. */
void proto_append_signed(struct buf *out, int64_t value);

/* A field of type uint32, uint64, int64 (not negative) or enum. */
void proto_uint(struct buf *out, unsigned field, uint64_t value);
void proto_sint(struct buf *out, unsigned field, int64_t value);
void proto_double(struct buf *out, unsigned field, double value);
void proto_string(struct buf *out, unsigned field, const char *text);
/* A message, or the packed values of a repeated field. */
void proto_bytes(struct buf *out, unsigned field, const struct buf *bytes);

#endif
