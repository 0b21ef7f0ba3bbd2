/* SPDX-License-Identifier: MIT */
/* proto.c — varints, tags and lengths: https://protobuf.dev/programming-guides/encoding/. */
#include "measure/proto.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_BYTES = 2 };

void proto_append_varint(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_append_char(out, (char)(value | 0x80));
    buf_append_char(out, (char)value);
}

void proto_append_signed(struct buf *out, int64_t value)
{
    proto_append_varint(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void append_tag(struct buf *out, unsigned field, enum wire_type type)
{
    proto_append_varint(out, field << 3 | (unsigned)type);
}

void proto_uint(struct buf *out, unsigned field, uint64_t value)
{
    append_tag(out, field, WIRE_VARINT);
    proto_append_varint(out, value);
}

void proto_sint(struct buf *out, unsigned field, int64_t value)
{
    append_tag(out, field, WIRE_VARINT);
    proto_append_signed(out, value);
}

void proto_double(struct buf *out, unsigned field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    append_tag(out, field, WIRE_64_BITS);
    for (int shift = 0; shift < 64; shift += 8) /* the least significant byte comes first */
        buf_append_char(out, (char)(bits >> shift));
}

static void append_counted(struct buf *out, unsigned field, const char *bytes, size_t len)
{
    append_tag(out, field, WIRE_BYTES);
    proto_append_varint(out, len);
    buf_append(out, bytes, len);
}

void proto_string(struct buf *out, unsigned field, const char *text)
{
    append_counted(out, field, text, strlen(text));
}

void proto_bytes(struct buf *out, unsigned field, const struct buf *bytes)
{
    append_counted(out, field, bytes->data, bytes->len);
}
