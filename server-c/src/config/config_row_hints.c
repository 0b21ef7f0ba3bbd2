/* SPDX-License-Identifier: MIT */
/* config_row_hints.c — hints for texts that are nearly an address or a host name. */
#include "config/config_table_rows.h"

#include "base/buf.h"
#include "config/config_punycode.h"

#include <arpa/inet.h>
#include <string.h>

static bool is_v6(const char *text)
{
    unsigned char binary[sizeof(struct in6_addr)];

    return inet_pton(AF_INET6, text, binary) == 1;
}

static bool has_port(const char *text)
{
    const char *colon = strrchr(text, ':');

    return colon && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

static void hint_foreign_letters(struct buf *out, const char *text)
{
    struct buf name;

    buf_init(&name);
    if (config_punycode_host(&name, text))
        buf_printf(out, "write \"%s\", which is how browsers send this name", name.data);
    else
        buf_append_str(out,
                       "write it in punycode (\"xn--…\"), which is how browsers send such names");
    buf_fini(&name);
}

void config_row_hint_host(struct buf *out, const char *text)
{
    size_t len = strlen(text);

    if (is_v6(text))
        buf_printf(out, "write \"[%s]\": in a host an IPv6 address stands in brackets", text);
    else if (strstr(text, "://") != NULL)
        buf_append_str(out, "write the name alone, without \"http://\" and path");
    else if (!is_ascii(text))
        hint_foreign_letters(out, text);
    else if (has_port(text))
        buf_append_str(out, "leave the port out: a name counts on every port");
    else if (len > 1 && text[len - 1] == '.')
        buf_append_str(out, "leave out the dot at the end: it makes no difference");
}

static bool is_v6_in_brackets(const char *text, char inner[INET6_ADDRSTRLEN])
{
    size_t len = strlen(text);

    if (len < 4 || text[0] != '[' || text[len - 1] != ']' || len - 2 >= INET6_ADDRSTRLEN)
        return false;
    memcpy(inner, text + 1, len - 2);
    inner[len - 2] = '\0';
    return is_v6(inner);
}

void config_row_hint_address(struct buf *out, const char *text)
{
    char inner[INET6_ADDRSTRLEN];

    if (is_v6_in_brackets(text, inner))
        buf_printf(out, "write \"%s\": brackets are for hosts and URLs", inner);
    else if (strcmp(text, "localhost") == 0)
        buf_append_str(out, "write \"127.0.0.1\" or \"::1\": names are not looked up");
    else if (strcmp(text, "*") == 0)
        buf_append_str(out,
                       "write \"0.0.0.0\" for every IPv4 address, or \"::\" for every IPv6 one");
    else if (has_port(text))
        buf_append_str(out, "leave the port out: it has an option of its own");
    else if (strspn(text, "0123456789abcdefABCDEF:./") != strlen(text))
        buf_append_str(out, "names are not looked up: write the address in numbers");
}
