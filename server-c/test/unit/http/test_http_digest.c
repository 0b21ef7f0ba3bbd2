/* SPDX-License-Identifier: MIT */
/* Who wants a digest, and what it looks like. */
#include "http/http_digest.c"

#include "check.h"

static void test_wants(void)
{
    static const struct {
        int line;
        const char *fields;
        bool want;
    } rows[] = {
        {__LINE__, "", false},
        {__LINE__, "Want-Repr-Digest:\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=10\r\n", true},
        {__LINE__, "want-repr-digest: sha-256=1\r\n", true},
        {__LINE__, "Want-Repr-Digest: sha-256=0\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-512=3, sha-256=10, unixsum=0\r\n", true},
        {__LINE__, "Want-Repr-Digest: sha-512=10\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-512=3\r\nWant-Repr-Digest: sha-256=1\r\n", true},
        {__LINE__, "Want-Repr-Digest: sha-256=5, sha-256=0\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=0, sha-256=5\r\n", true},
        {__LINE__, "Want-Repr-Digest: sha-256=5;a=1\r\n", true},
        {__LINE__, "Want-Repr-Digest: sha-256=11\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=100\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=-1\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=1.0\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256\r\n", false}, /* true, which is no weight */
        {__LINE__, "Want-Repr-Digest: SHA-256=1\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256 =1\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-2560=1\r\n", false},
        {__LINE__, "Want-Repr-Digest: xsha-256=1\r\n", false},
        {__LINE__, "Want-Repr-Digest: sha-256=1, sha-256=x\r\n", true},
        {__LINE__, "Want-Digest: sha-256=1\r\n", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[256];
        int len =
            snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", rows[i].fields);

        http_request_init(&req, 8192, 8192);
        CHECK_TRUE(http_parse_request(&req, head, (size_t)len) == PARSE_OK, "%s", rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_wants_digest(&req, head), rows[i].want);
    }
}

/* RFC 9530, appendix B.1: the digest of {"hello": "world"} and a newline. */
static void test_format(void)
{
    static const unsigned char hash[] = {0x44, 0xaf, 0xf4, 0xab, 0x2d, 0x7c, 0x32, 0x50,
                                         0x52, 0x56, 0x75, 0xa0, 0x8f, 0x0c, 0xfa, 0x95,
                                         0x91, 0x16, 0x8c, 0xff, 0xe5, 0x17, 0x91, 0xc5,
                                         0xf5, 0xbb, 0xc4, 0x17, 0xc1, 0x5a, 0x6c, 0x38};
    char text[HTTP_DIGEST_LEN + 1];

    http_digest_format(text, hash);
    CHECK_STR(__LINE__, "hello", text, "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:");
    CHECK_INT(__LINE__, "length", strlen(text), HTTP_DIGEST_LEN);
}

int main(void)
{
    test_wants();
    test_format();
    return check_end("http_digest");
}
