/* SPDX-License-Identifier: MIT */
/* response_rules.h — a site's header rules and expiry rules, worked out once for all its responses.
 *
 * Conditions on the path are looked at once per request (response_rules_match); those on type and
 * status when the head is written. A site whose rules have no conditions pays for none: its lines
 * are ready. Rules are told apart by a bit each, so a site has at most RESPONSE_RULES_MAX of either
 * kind; the config's table says so, too. */
#ifndef FARMSTEAD_RESPONSE_RULES_H
#define FARMSTEAD_RESPONSE_RULES_H

#include "base/util.h"
#include "config/config.h"
#include "http/http_status.h"

#define RESPONSE_RULES_MAX 64

/* The headers we send ourselves and a site's rules may replace or remove. The others (framing,
 * Content-Range, Allow, Location, Date, Vary …) belong to the protocol: a rule for them is not
 * heeded, but for Vary, to which it can only add. */
enum own_header {
    OWN_SERVER,
    OWN_CONTENT_TYPE,
    OWN_LAST_MODIFIED,
    OWN_ETAG,
    OWN_ACCEPT_RANGES,
    OWN_CACHE_CONTROL,
    OWN_RETRY_AFTER,
    OWN_CONTENT_SECURITY_POLICY,
    OWN_HEADER_COUNT
};

struct response_rule;    /* a header rule */
struct response_expires; /* an expiry rule */

/* Immutable after init: any thread may use it. Refers to the site's config. */
struct response_rules {
    char *lines; /* "Name: value\r\n" … of rules without conditions; NULL when one has some */
    size_t lines_len;
    size_t most_len;  /* a head's rules never come to more */
    uint32_t dropped; /* bit per own_header that rules without conditions take away */
    bool has_paths;   /* any rule asks for a path */
    struct response_rule *items;
    size_t count;
    struct response_expires *expires;
    size_t expires_count;
};

void response_rules_init(struct response_rules *rules, const struct config_site *site);
void response_rules_fini(struct response_rules *rules);

/* Which rules a path is for, a bit each. A prepared head holds for one match of one site. */
struct response_match {
    uint64_t headers, expires;
};
/* `path` as url_path made it. */
struct response_match response_rules_match(const struct response_rules *rules, struct span path);

/* The rules of both. */
static inline struct response_match response_match_join(struct response_match a,
                                                        struct response_match b)
{
    return (struct response_match){a.headers | b.headers, a.expires | b.expires};
}

static inline bool response_match_equal(struct response_match a, struct response_match b)
{
    return a.headers == b.headers && a.expires == b.expires;
}

/* What decides about a response's headers besides its file. */
struct response_scope {
    const struct response_rules *rules; /* NULL: no site answers, so there are none */
    struct response_match match;        /* all zero where the path is not known */
};

/* The rules of a scope that hold for one head. */
struct response_choice {
    const struct response_rules *rules; /* NULL: none */
    uint64_t active;                    /* bit per item; unused while `rules->lines` are ready */
    uint32_t dropped;                   /* bit per own_header */
    bool skips_type;                    /* a rule's Content-Type is left out */
};
/* `type`: of the body, as mime_type names it; of a 304 the file's. */
struct response_choice response_rules_choose(const struct response_scope *scope,
                                             enum http_status status, const char *type);

/* The Content-Type that a rule of the choice sets; NULL when none does. */
const char *response_choice_type(const struct response_choice *choice);

struct response_head;
void response_choice_append(struct response_head *out, const struct response_choice *choice);

/* Where an expiry rule counts from when it does from the file's modification. */
struct response_clock {
    int64_t now;
    bool has_modified; /* false: those rules are passed over */
    int64_t modified;
};
/* Cache-Control as the first expiry rule for path and type wants it; nothing where none is for
 * them. Sets out->is_momentary when the line is right only now. */
void response_expires_append(struct response_head *out, const struct response_scope *scope,
                             const char *type, const struct response_clock *clock);

#endif
