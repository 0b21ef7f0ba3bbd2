/* SPDX-License-Identifier: MIT */
/* Bytes compared with those in the documentation of the encoding, and its limits. */
#include "measure/proto.c"

#include "base/util.h"
#include "check.h"

static void check_bytes(int line, const char *name, const struct buf *out, const char *want)
{
    char hex[128] = "";

    for (size_t i = 0; i < out->len && i < 60; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)out->data[i]);
    CHECK_STR(line, name, hex, want);
}

static void test_varints(void)
{
    static const struct {
        int line;
        uint64_t value;
        const char *want;
    } rows[] = {
        {__LINE__, 0, "00"},
        {__LINE__, 1, "01"},
        {__LINE__, 127, "7f"},
        {__LINE__, 128, "8001"},
        {__LINE__, 150, "9601"},
        {__LINE__, 16383, "ff7f"},
        {__LINE__, 16384, "808001"},
        {__LINE__, UINT32_MAX, "ffffffff0f"},
        {__LINE__, UINT64_MAX, "ffffffffffffffffff01"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;
        buf_init(&out);
        proto_append_varint(&out, rows[i].value);
        check_bytes(rows[i].line, "varint", &out, rows[i].want);
        buf_fini(&out);
    }
}

static void test_signed(void)
{
    static const struct {
        int line;
        int64_t value;
        const char *want;
    } rows[] = {
        {__LINE__, 0, "00"},
        {__LINE__, -1, "01"},
        {__LINE__, 1, "02"},
        {__LINE__, -2, "03"},
        {__LINE__, 2147483647, "feffffff0f"},
        {__LINE__, -2147483647 - 1, "ffffffff0f"},
        {__LINE__, INT64_MAX, "feffffffffffffffff01"},
        {__LINE__, INT64_MIN, "ffffffffffffffffff01"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;
        buf_init(&out);
        proto_append_signed(&out, rows[i].value);
        check_bytes(rows[i].line, "zigzag", &out, rows[i].want);
        buf_fini(&out);
    }
}

static void test_fields(void)
{
    struct buf out, inner;

    buf_init(&out);
    buf_init(&inner);
    proto_uint(&out, 1, 150);
    check_bytes(__LINE__, "uint", &out, "089601");
    buf_clear(&out);
    proto_sint(&out, 5, 3);
    check_bytes(__LINE__, "sint", &out, "2806");
    buf_clear(&out);
    proto_string(&out, 2, "testing");
    check_bytes(__LINE__, "string", &out, "120774657374696e67");
    buf_clear(&out);
    proto_double(&out, 2, 1.0);
    check_bytes(__LINE__, "double", &out, "11000000000000f03f");
    buf_clear(&out);
    proto_uint(&inner, 1, 150);
    proto_bytes(&out, 3, &inner);
    check_bytes(__LINE__, "message", &out, "1a03089601");
    buf_clear(&out);
    buf_clear(&inner);
    proto_bytes(&out, 16, &inner);
    check_bytes(__LINE__, "empty, and a tag of two bytes", &out, "820100");
    buf_fini(&inner);
    buf_fini(&out);
}

int main(void)
{
    test_varints();
    test_signed();
    test_fields();
    return check_end("proto");
}
