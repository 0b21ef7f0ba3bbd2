/* SPDX-License-Identifier: MIT */
/* Which headers of the PROXY protocol are believed, and that a client's first bytes are never taken for
 * one. */
#include "http/proxy_header.c"

#include "check.h"

struct row {
    int line;
    const char *bytes;
    size_t len;
    enum proxy_header_state state;
    const char *client; /* "": the proxy's own, or unknown */
    uint16_t port;
    size_t header_len;
};

#define ROW(bytes, state, client, port, header_len)                                                \
    {                                                                                              \
        __LINE__, bytes, sizeof(bytes) - 1, state, client, port, header_len                        \
    }
#define OK(bytes, client, port, header_len) ROW(bytes, PROXY_HEADER_OK, client, port, header_len)
#define BAD(bytes) ROW(bytes, PROXY_HEADER_BAD, "", 0, 0)
#define MORE(bytes) ROW(bytes, PROXY_HEADER_MORE, "", 0, 0)

#define V1 "PROXY TCP4 198.51.100.7 192.0.2.1 56324 443\r\n"
#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define ENDS_V4 "\xc6\x33\x64\x07\xc0\x00\x02\x01\xdc\x04\x01\xbb"
#define ADDRESS_V6 "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07"
#define LONGEST_V6 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"

static const struct row rows[] = {
    OK(V1, "198.51.100.7", 56324, 45),
    OK(V1 "GET / HTTP/1.1\r\n", "198.51.100.7", 56324, 45),
    OK("PROXY TCP6 2001:db8::7 ::1 1 0\r\n", "2001:db8::7", 1, 32),
    OK("PROXY TCP6 ::ffff:198.51.100.7 ::1 1 2\r\n", "198.51.100.7", 1, 40),
    OK("PROXY TCP6 " LONGEST_V6 " " LONGEST_V6 " 65535 65535\r\n", LONGEST_V6, 65535, 104),
    OK("PROXY UNKNOWN\r\n", "", 0, 15),
    OK("PROXY UNKNOWN " LONGEST_V6 " " LONGEST_V6 " 65535 65535\r\n", "", 0, 107),
    OK("PROXY UNKNOWN whatever  it says\r\n", "", 0, 33),
    MORE(""),
    MORE("P"),
    MORE("PROXY "),
    MORE("PROXY TCP4 198.51.100.7 192.0.2.1 56324 443\r"),
    BAD("GET / HTTP/1.1\r\n"),
    BAD("PRI * HTTP/2.0\r\n"),
    BAD("PUT / HTTP/1.1\r\n"),
    BAD("PROXY\r\n"),
    BAD("PROXY \r\n"),
    BAD("proxy TCP4 198.51.100.7 192.0.2.1 1 2\r\n"),
    BAD("PROXY tcp4 198.51.100.7 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP4\r\n"),
    BAD("PROXY TCP4 198.51.100.7\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 1\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 1 2 3\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 1 2 \r\n"),
    BAD("PROXY TCP4  198.51.100.7 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 1 2\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 65536 2\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 1 100000\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 01 2\r\n"),
    BAD("PROXY TCP4 198.51.100.7 192.0.2.1 -1 2\r\n"),
    BAD("PROXY TCP4 198.51.100.07 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP4 198.51.100 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP4 2001:db8::7 ::1 1 2\r\n"),
    BAD("PROXY TCP6 198.51.100.7 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n"),
    BAD("PROXY UDP4 198.51.100.7 192.0.2.1 1 2\r\n"),
    BAD("PROXY TCP4 198.51.100.7\0 192.0.2.1 1 2\r\n"),
    BAD("PROXY UNKNOWN " LONGEST_V6 " " LONGEST_V6 " 65535 65535 \r\n"),
    BAD("PROXY UNKNOWN                                                                        "
        "                         and no end"),

    OK(SIGNATURE "\x21\x11\0\x0c" ENDS_V4, "198.51.100.7", 56324, 28),
    OK(SIGNATURE "\x21\x21\0\x24" ADDRESS_V6 ADDRESS_V6 "\xdc\x04\x01\xbb", "2001:db8::7", 56324,
       52),
    /* A load balancer adds what it likes: here an identifier and padding. */
    OK(SIGNATURE "\x21\x11\0\x17" ENDS_V4 "\xea\0\x03\x01vp\x04\0\x02\0\0", "198.51.100.7", 56324,
       39),
    OK(SIGNATURE "\x20\x00\0\0", "", 0, 16),
    /* A health check with addresses that mean nothing, which has to be skipped all the same. */
    OK(SIGNATURE "\x20\x11\0\x0c" ENDS_V4 "GET /", "", 0, 28),
    OK(SIGNATURE "\x21\x00\0\0", "", 0, 16),
    OK(SIGNATURE "\x21\x00\0\x05what?", "", 0, 21),
    OK(SIGNATURE "\x21\x10\0\x0c" ENDS_V4, "", 0, 28),
    MORE("\r"),
    MORE("\r\n\r\n"),
    MORE(SIGNATURE),
    MORE(SIGNATURE "\x21\x11\0\x0c"
                   "\xc6\x33\x64\x07"),
    MORE(SIGNATURE "\x20\x11\0\x0c"),
    BAD("\r\n\r\nGET / HTTP/1.1\r\n"),
    BAD(SIGNATURE "\x22\x11\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x11\x11\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x21\x11\0\x0b\xc6\x33\x64\x07\xc0\x00\x02\x01\xdc\x04\x01"),
    BAD(SIGNATURE "\x21\x21\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x21\x12\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x21\x41\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x21\x31\0\x0c" ENDS_V4),
    BAD(SIGNATURE "\x21\x11\xff\xff" ENDS_V4),
    BAD(SIGNATURE "\x21\x11\0\x0e" ENDS_V4 "\x04\0"),
    BAD(SIGNATURE "\x21\x11\0\x0f" ENDS_V4 "\x04\0\x01"),
};

static void check_row(const struct row *row)
{
    struct proxy_header header = {0};
    char client[INET6_ADDRSTRLEN] = "";
    const uint8_t *v4 = address_v4(header.client);

    CHECK_INT(row->line, row->bytes,
              proxy_header_parse(&header, (const uint8_t *)row->bytes, row->len), row->state);
    if (row->state != PROXY_HEADER_OK)
        return;
    v4 = address_v4(header.client);
    if (header.has_client)
        inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? v4 : header.client, client, sizeof(client));
    CHECK_STR(row->line, row->bytes, client, row->client);
    CHECK_INT(row->line, row->bytes, header.has_client ? header.port : 0, row->port);
    CHECK_INT(row->line, row->bytes, header.len, row->header_len);
    /* It is whole with its last byte, and not before. */
    for (size_t len = 0; len < header.len; len++)
        CHECK_INT(row->line, row->bytes,
                  proxy_header_parse(&header, (const uint8_t *)row->bytes, len), PROXY_HEADER_MORE);
}

/* The specification's example has none; this one is of HAProxy's own, with its checksum. */
static void check_checksum(void)
{
    static const char text[] = "123456789";
    uint8_t bytes[] = SIGNATURE "\x21\x11\0\x13" ENDS_V4 "\x03\0\x04\0\0\0\0";
    size_t len = sizeof(bytes) - 1;
    struct proxy_header header;
    uint32_t sum;

    CHECK_INT(__LINE__, text, checksum((const uint8_t *)text, 9, (const uint8_t *)text + 9),
              0xe3069283); /* RFC 3720 appendix B.4 calls for this polynomial; its check value */
    CHECK_INT(__LINE__, "wrong", proxy_header_parse(&header, bytes, len), PROXY_HEADER_BAD);
    sum = checksum(bytes, len, bytes + len - 4);
    for (size_t i = 0; i < 4; i++)
        bytes[len - 4 + i] = (uint8_t)(sum >> (24 - 8 * i));
    CHECK_INT(__LINE__, "right", proxy_header_parse(&header, bytes, len), PROXY_HEADER_OK);
    bytes[16] ^= 1;
    CHECK_INT(__LINE__, "changed", proxy_header_parse(&header, bytes, len), PROXY_HEADER_BAD);
    bytes[16] ^= 1;
    bytes[len - 5] = 3;
    CHECK_INT(__LINE__, "short", proxy_header_parse(&header, bytes, len), PROXY_HEADER_BAD);
}

static bool is_secure(uint8_t client)
{
    uint8_t bytes[] = SIGNATURE "\x21\x11\0\x14" ENDS_V4 "\x20\0\x05?\0\0\0\0";
    struct proxy_header header;

    bytes[31] = client;
    CHECK_INT(__LINE__, "parse", proxy_header_parse(&header, bytes, sizeof(bytes) - 1),
              PROXY_HEADER_OK);
    return header.is_secure;
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_row(&rows[i]);
    check_checksum();
    CHECK_INT(__LINE__, "TLS", is_secure(0x01), true);
    CHECK_INT(__LINE__, "TLS, with a certificate", is_secure(0x07), true);
    CHECK_INT(__LINE__, "no TLS", is_secure(0x00), false);
    return check_end("proxy_header");
}
