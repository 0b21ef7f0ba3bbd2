/* SPDX-License-Identifier: MIT */
/* config_rules_headers.c — which response headers a site may change, and which directives of
 * Cache-Control it may set. */
#include "config/config_rules.h"
#include "config/config_rules_parts.h"

#include "config/config_hint.h"
#include "config/config_security.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HEADER_RULES_MAX 64
#define FRAMING "the server decides how a response is framed"
#define CONNECTION "it belongs to the connection, which the server manages"
#define VALIDATOR "the server compares it when a client asks again; it can only be removed"

/* Headers whose right value only the server knows, and what a rule may still do with them. */
static const struct server_header {
    const char *name, *reason;
    bool may_set, may_add, may_remove;
} server_headers[] = {
    {.name = "Accept-Ranges",
     .reason = "the server says itself what it can do; it can only be removed",
     .may_remove = true},
    {.name = "Allow", .reason = "the server says itself which methods it has"},
    {.name = "Connection", .reason = CONNECTION},
    {.name = "Content-Encoding", .reason = "the server says itself how a body is coded"},
    {.name = "Content-Length", .reason = FRAMING},
    {.name = "Content-Range", .reason = FRAMING},
    {.name = "Content-Type",
     .reason = "a response has one; set it here, or by suffix in mimeTypes",
     .may_set = true,
     .may_remove = true},
    {.name = "Date", .reason = "the server has the clock"},
    {.name = "ETag", .reason = VALIDATOR, .may_remove = true},
    {.name = "Keep-Alive", .reason = CONNECTION},
    {.name = "Last-Modified", .reason = VALIDATOR, .may_remove = true},
    {.name = "Location", .reason = "where to go is said in redirects"},
    {.name = "Proxy-Connection", .reason = CONNECTION},
    {.name = "TE", .reason = CONNECTION},
    {.name = "Trailer", .reason = FRAMING},
    {.name = "Transfer-Encoding", .reason = FRAMING},
    {.name = "Upgrade", .reason = CONNECTION},
    {.name = "Vary",
     .reason = "the server says itself what its answers depend on; take the action \"add\"",
     .may_add = true},
    {.name = "WWW-Authenticate", .reason = "who must log in is said in auth"},
};

static bool is_allowed(const struct server_header *header, enum config_header_action action)
{
    switch (action) {
    case HEADER_SET:
        return header->may_set;
    case HEADER_ADD:
        return header->may_add;
    case HEADER_REMOVE:
        return header->may_remove;
    }
    return false;
}

static const struct server_header *server_header_named(const char *name)
{
    for (size_t i = 0; i < sizeof(server_headers) / sizeof(*server_headers); i++)
        if (strcasecmp(server_headers[i].name, name) == 0)
            return &server_headers[i];
    return NULL;
}

bool config_header_is_the_servers(const char *name)
{
    const struct server_header *header = server_header_named(name);

    return header != NULL && !header->may_set && !header->may_add && !header->may_remove;
}

/* Returns NULL if the rule is allowed. */
static const char *refusal_of(const struct config_header_rule *rule)
{
    const struct server_header *header = server_header_named(rule->name);

    return header == NULL || is_allowed(header, rule->action) ? NULL : header->reason;
}

static void check_header(const struct rules *rules, const struct config_header_rule *rule,
                         const char *pointer)
{
    static const char *const verbs[] = {
        [HEADER_SET] = "set", [HEADER_ADD] = "added", [HEADER_REMOVE] = "removed"};
    const char *reason = rule->name != NULL ? refusal_of(rule) : NULL;
    char member[RULES_POINTER_LEN];

    if (reason != NULL) {
        snprintf(member, sizeof(member), "%s/name", pointer);
        config_rules_report(rules, CONFIG_CODE_RESERVED_HEADER, member, reason,
                            "the header %s can't be %s", rule->name, verbs[rule->action]);
    }
    if (rule->action == HEADER_REMOVE && rule->value != NULL && *rule->value != '\0') {
        snprintf(member, sizeof(member), "%s/value", pointer);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, member,
                            "leave the value out, or take the action \"set\"",
                            "\"value\" has no meaning with the action \"remove\"");
    }
}

/* Each rule of a site has its bit in a mask (response_rules.h). */
static void check_header_count(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    struct config_security security;
    char pointer[RULES_POINTER_LEN];

    config_security_init(&security, checked);
    if (checked->header_count + security.count > HEADER_RULES_MAX) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/headers", site);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "leave some out",
                            "besides the %zu of \"securityHeaders\" there can be %zu header rules",
                            security.count, HEADER_RULES_MAX - security.count);
    }
    config_security_fini(&security);
}

void config_rules_check_headers(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];

    for (size_t i = 0; i < checked->header_count; i++) {
        char pointer[RULES_POINTER_LEN - 16];

        snprintf(pointer, sizeof(pointer), "/sites/%zu/headers/%zu", site, i);
        check_header(rules, &checked->headers[i], pointer);
    }
    check_header_count(rules, site);
}

/* Directives that a response may have besides max-age (RFC 9111 section 5.2.2, RFC 5861 sections 3
 * and 4, RFC 8246 section 2), and in the same order whether each takes a number of seconds. */
static const char *const directives[] = {
    "public",
    "private",
    "no-cache",
    "no-store",
    "no-transform",
    "must-revalidate",
    "immutable",
    "proxy-revalidate",
    "must-understand",
    "s-maxage",
    "stale-while-revalidate",
    "stale-if-error",
    NULL,
};
#define FIRST_WITH_SECONDS 9

static int find_directive(const char *name, size_t len)
{
    for (int i = 0; directives[i] != NULL; i++)
        if (strlen(directives[i]) == len && memcmp(directives[i], name, len) == 0)
            return i;
    return -1;
}

static void report_unknown(const struct rules *rules, const char *pointer, size_t byte,
                           const char *name)
{
    struct buf hint;

    buf_init(&hint);
    if (strcmp(name, "max-age") == 0)
        buf_append_str(&hint, "maxAgeSeconds says that");
    else
        config_hint_word(&hint, directives, name);
    config_rules_report_in(rules, CONFIG_CODE_INVALID_VALUE, pointer, byte, hint.data,
                           "\"directives\": \"%s\" %s", name,
                           strcmp(name, "max-age") == 0 ? "stands in Cache-Control already"
                                                        : "is no directive of Cache-Control");
    buf_fini(&hint);
}

static void check_directive(const struct rules *rules, const char *pointer, const char *all,
                            const char *directive, unsigned *seen)
{
    size_t len = strspn(directive, "abcdefghijklmnopqrstuvwxyz-"), byte = (size_t)(directive - all);
    int found = find_directive(directive, len);
    char name[256];

    snprintf(name, sizeof(name), "%.*s", (int)len, directive);
    if (found < 0) {
        report_unknown(rules, pointer, byte, name);
        return;
    }
    if ((directive[len] == '=') != (found >= FIRST_WITH_SECONDS))
        config_rules_report_in(
            rules, CONFIG_CODE_INVALID_VALUE, pointer, byte, NULL, "\"directives\": \"%s\" %s",
            name, found >= FIRST_WITH_SECONDS ? "needs a number of seconds" : "takes no number");
    if (*seen & 1U << found)
        config_rules_report_in(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer, byte,
                               "remove one of the two", "\"directives\": \"%s\" stands twice",
                               name);
    *seen |= 1U << found;
}

/* The pattern in the table has passed, so there are names and numbers, with commas and blanks
 * between them. */
static void check_directives(const struct rules *rules, const char *pointer, const char *all)
{
    unsigned seen = 0;

    for (const char *at = all; *at != '\0';) {
        at += strspn(at, " ,");
        check_directive(rules, pointer, all, at, &seen);
        at += strcspn(at, ",");
    }
    if (seen & 1U << 0 && seen & 1U << 1)
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "keep one of the two",
                            "\"directives\": a response is \"public\" or \"private\", not both");
}

void config_rules_check_expires(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];

    for (size_t i = 0; i < checked->expires_count; i++) {
        char pointer[RULES_POINTER_LEN];

        snprintf(pointer, sizeof(pointer), "/sites/%zu/expires/%zu/directives", site, i);
        if (checked->expires[i].directives != NULL)
            check_directives(rules, pointer, checked->expires[i].directives);
    }
}
