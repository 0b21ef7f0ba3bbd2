/* SPDX-License-Identifier: MIT */
/* proxy_header.c — strict, since whatever follows is taken for the client's: of a header that is
 * nearly right nothing is believed. */
#include "http/proxy_header.h"

#include "base/util.h"

#include <arpa/inet.h>
#include <string.h>

/* --- version 1 ------------------------------------------------------------------------------- */

#define LINE_MAX_BYTES 107 /* with CRLF */

struct words {
    char text[LINE_MAX_BYTES + 1];
    char *next;
};

/* The next word up to a single space, or the rest. NULL: there is none, or it is empty. */
static char *next_word(struct words *words)
{
    char *word = words->next, *space;

    if (!word || *word == '\0')
        return NULL;
    space = strchr(word, ' ');
    words->next = space ? space + 1 : NULL;
    if (space)
        *space = '\0';
    return *word ? word : NULL;
}

static bool read_port(const char *word, uint16_t *port)
{
    unsigned long value = 0;
    size_t len = strlen(word);

    if (len == 0 || len > 5 || (len > 1 && word[0] == '0'))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        value = value * 10 + (unsigned long)(word[i] - '0');
    }
    *port = (uint16_t)value;
    return value <= UINT16_MAX;
}

static bool read_address(const char *word, int family, uint8_t address[ADDRESS_LEN])
{
    if (!word)
        return false;
    return family == AF_INET ? inet_pton(AF_INET, word, address_begin_v4(address)) == 1
                             : inet_pton(AF_INET6, word, address) == 1;
}

/* "TCP4 source destination port port" */
static bool read_tcp(struct proxy_header *header, struct words *words, int family)
{
    uint8_t destination[ADDRESS_LEN];
    uint16_t destination_port;
    const char *word;

    if (!read_address(next_word(words), family, header->client) ||
        !read_address(next_word(words), family, destination))
        return false;
    word = next_word(words);
    if (!word || !read_port(word, &header->port))
        return false;
    word = next_word(words);
    header->has_client = true;
    return word && read_port(word, &destination_port) && !words->next;
}

static bool read_line(struct proxy_header *header, struct words *words)
{
    const char *word = next_word(words);

    if (!word || strcmp(word, "PROXY") != 0 || !(word = next_word(words)))
        return false;
    if (strcmp(word, "UNKNOWN") == 0) /* what follows is to be ignored */
        return true;
    if (strcmp(word, "TCP4") == 0)
        return read_tcp(header, words, AF_INET);
    return strcmp(word, "TCP6") == 0 && read_tcp(header, words, AF_INET6);
}

static enum proxy_header_state parse_line(struct proxy_header *header, const uint8_t *bytes,
                                          size_t len)
{
    size_t most = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES;
    const uint8_t *end = memchr(bytes, '\n', most);
    struct words words;

    if (!end)
        return len < LINE_MAX_BYTES ? PROXY_HEADER_MORE : PROXY_HEADER_BAD;
    if (end == bytes || end[-1] != '\r')
        return PROXY_HEADER_BAD;
    memcpy(words.text, bytes, (size_t)(end - 1 - bytes));
    words.text[end - 1 - bytes] = '\0';
    if (strlen(words.text) != (size_t)(end - 1 - bytes))
        return PROXY_HEADER_BAD;
    words.next = words.text;
    *header = (struct proxy_header){.len = (size_t)(end + 1 - bytes)};
    return read_line(header, &words) ? PROXY_HEADER_OK : PROXY_HEADER_BAD;
}

/* --- version 2 ------------------------------------------------------------------------------- */

static const uint8_t signature[] = "\r\n\r\n\0\r\nQUIT\n";
#define SIGNATURE_LEN (sizeof(signature) - 1)
#define FIXED_LEN 16 /* the signature, version and command, family and protocol, a length */

enum { LOCAL = 0x20, PROXY = 0x21 };                     /* version and command */
enum { FAMILY_NONE, FAMILY_V4, FAMILY_V6, FAMILY_UNIX }; /* the upper half of the byte */
enum { STREAM = 1 };                                     /* the lower half; 0: unspecified */
enum { TYPE_CRC32C = 0x03, TYPE_SSL = 0x20 };
#define CLIENT_SPOKE_TLS 0x01

static size_t number16(const uint8_t *at)
{
    return (size_t)at[0] << 8 | at[1];
}

/* CRC-32C (RFC 9260 appendix A) of all of the header with the checksum itself as 0. A bit at a time: it is
 * a few hundred bytes, once for a connection, of proxies that send it. */
static uint32_t checksum(const uint8_t *bytes, size_t len, const uint8_t *itself)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        bool is_itself = bytes + i >= itself && bytes + i < itself + 4;
        crc ^= is_itself ? 0 : bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

static bool is_intact(const uint8_t *bytes, size_t len, const uint8_t *value, size_t value_len)
{
    return value_len == 4 &&
           checksum(bytes, len, value) == ((uint32_t)value[0] << 24 | (uint32_t)value[1] << 16 |
                                           (uint32_t)value[2] << 8 | value[3]);
}

/* What follows the addresses: each a type, a length of two bytes and a value. */
static bool read_additions(struct proxy_header *header, const uint8_t *bytes, size_t at)
{
    while (at < header->len) {
        size_t value_at = at + 3, value_len;
        if (value_at > header->len)
            return false;
        value_len = number16(bytes + at + 1);
        if (value_len > header->len - value_at)
            return false;
        if (bytes[at] == TYPE_CRC32C && !is_intact(bytes, header->len, bytes + value_at, value_len))
            return false;
        if (bytes[at] == TYPE_SSL)
            header->is_secure = value_len > 0 && (bytes[value_at] & CLIENT_SPOKE_TLS);
        at = value_at + value_len;
    }
    return true;
}

/* Two addresses, then two ports. */
static void read_client(struct proxy_header *header, const uint8_t *at, size_t address_len)
{
    memcpy(address_len == 4 ? address_begin_v4(header->client) : header->client, at, address_len);
    header->port = (uint16_t)number16(at + 2 * address_len);
    header->has_client = true;
}

static bool read_proxied(struct proxy_header *header, const uint8_t *bytes)
{
    static const size_t address_lens[] = {
        [FAMILY_NONE] = 0, [FAMILY_V4] = 4, [FAMILY_V6] = 16, [FAMILY_UNIX] = 0};
    unsigned family = bytes[13] >> 4, protocol = bytes[13] & 0xf;
    size_t addresses = family == FAMILY_V4     ? 12
                       : family == FAMILY_V6   ? 36
                       : family == FAMILY_UNIX ? 216
                                               : 0;

    if (family > FAMILY_UNIX || protocol > STREAM || FIXED_LEN + addresses > header->len)
        return false;
    if (address_lens[family] > 0 && protocol == STREAM)
        read_client(header, bytes + FIXED_LEN, address_lens[family]);
    /* Of what is unspecified nothing is known: not where additions begin either. */
    return family == FAMILY_NONE || read_additions(header, bytes, FIXED_LEN + addresses);
}

static enum proxy_header_state parse_bytes(struct proxy_header *header, const uint8_t *bytes,
                                           size_t len)
{
    if (len < FIXED_LEN)
        return PROXY_HEADER_MORE;
    *header = (struct proxy_header){.len = FIXED_LEN + number16(bytes + 14)};
    if (header->len > PROXY_HEADER_MAX || (bytes[12] != LOCAL && bytes[12] != PROXY))
        return PROXY_HEADER_BAD;
    if (len < header->len)
        return PROXY_HEADER_MORE;
    /* Of its own connections a proxy may send any addresses: they mean nothing. */
    if (bytes[12] == LOCAL)
        return PROXY_HEADER_OK;
    return read_proxied(header, bytes) ? PROXY_HEADER_OK : PROXY_HEADER_BAD;
}

/* --- which ----------------------------------------------------------------------------------- */

static bool begins(const uint8_t *bytes, size_t len, const void *with, size_t with_len)
{
    return memcmp(bytes, with, len < with_len ? len : with_len) == 0;
}

enum proxy_header_state proxy_header_parse(struct proxy_header *header, const uint8_t *bytes,
                                           size_t len)
{
    if (begins(bytes, len, signature, SIGNATURE_LEN))
        return parse_bytes(header, bytes, len);
    return begins(bytes, len, "PROXY ", 6) ? parse_line(header, bytes, len) : PROXY_HEADER_BAD;
}
