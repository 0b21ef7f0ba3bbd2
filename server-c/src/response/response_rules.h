/* SPDX-License-Identifier: MIT */
/* response_rules.h — a site's header rules and expiry rules, prepared once for all its responses.
 *
 * Conditions on the path are evaluated once per request (response_rules_match), those on type and
 * status when the head is written. A site whose rules have no conditions pays for none: its lines
 * are ready. Each rule has a bit in a mask, so a site has at most RESPONSE_RULES_MAX rules of each
 * kind; the config's table enforces that limit. */
#ifndef FARMSTEAD_RESPONSE_RULES_H
#define FARMSTEAD_RESPONSE_RULES_H

#include "base/util.h"
#include "config/config_security.h"
#include "http/http_status.h"

#define RESPONSE_RULES_MAX 64

/* The headers that we send ourselves and that a site's rules may replace or remove. The others
 * (framing, Content-Range, Allow, Location, Date …) belong to the protocol, and rules for them are
 * ignored. To Vary a rule can only add. */
enum own_header {
    OWN_SERVER,
    OWN_CONTENT_TYPE,
    OWN_LAST_MODIFIED,
    OWN_ETAG,
    OWN_ACCEPT_RANGES,
    OWN_CACHE_CONTROL,
    OWN_RETRY_AFTER,
    OWN_CONTENT_SECURITY_POLICY,
    OWN_CONTENT_DISPOSITION,
    OWN_LINK,
    OWN_HEADER_COUNT
};

struct response_rule;    /* a header rule */
struct response_expires; /* an expiry rule */

/* Immutable after init: any thread may use it. Refers to the site's config. */
struct response_rules {
    char *lines; /* "Name: value\r\n" …, ready if no rule has a condition; else NULL */
    size_t lines_len;
    size_t most_len;  /* upper bound for what rules add to a head, in bytes */
    uint32_t dropped; /* one bit per own_header that rules without conditions replace or remove */
    const struct config_site *site;
    struct config_security security;
    bool has_policy;       /* a preset gives pages a policy, which our own pages do without */
    bool has_paths;        /* some rule has a condition on the path */
    bool has_no_transform; /* some rule adds "no-transform" to Cache-Control */
    bool has_private;      /* or what says that not everybody may have it */
    struct response_rule *items;
    size_t count;
    struct response_expires *expires;
    size_t expires_count;
    struct span *preloads; /* the lines of each of the site's rules of that name */
};

void response_rules_init(struct response_rules *rules, const struct config_site *site);
void response_rules_fini(struct response_rules *rules);

/* Which rules match a path: one bit per rule, or, where the first that fits decides, its number from 1
 * (0: none). A prepared head is valid for one match of one
 * site. */
struct response_match {
    uint64_t headers, expires;
    uint8_t download, stored_coding, preload;
};
/* `path` is decoded and normalised, see url_path.h. */
struct response_match response_rules_match(const struct response_rules *rules, struct span path);

/* The rules that match in either. */
static inline struct response_match response_match_join(struct response_match a,
                                                        struct response_match b)
{
    return (struct response_match){
        a.headers | b.headers, a.expires | b.expires, a.download ? a.download : b.download,
        a.stored_coding ? a.stored_coding : b.stored_coding, a.preload ? a.preload : b.preload};
}

static inline bool response_match_equal(struct response_match a, struct response_match b)
{
    return a.headers == b.headers && a.expires == b.expires && a.download == b.download &&
           a.stored_coding == b.stored_coding && a.preload == b.preload;
}

/* How the file is stored, or NULL: as it is. */
static inline const struct config_stored_coding *
response_stored_coding(const struct response_rules *rules, struct response_match match)
{
    return match.stored_coding ? &rules->site->stored_codings[match.stored_coding - 1] : NULL;
}

/* What determines a response's headers, apart from the file. */
struct response_scope {
    const struct response_rules *rules; /* NULL: no site answers, so there are no rules */
    struct response_match match;        /* all zero if the path is not known */
};

/* The rules that apply to one head. */
struct response_choice {
    const struct response_rules *rules; /* NULL: there is none */
    uint64_t active;                    /* one bit per item; unused if `rules->lines` is ready */
    uint32_t dropped;                   /* one bit per own_header */
    bool skips_type;                    /* leave out a Content-Type that a rule sets */
    bool skips_policy;                  /* leave out a preset's Content-Security-Policy */
};
/* `type` is that of the body, as mime_type() returns it; for a 304, that of the file. */
struct response_choice response_rules_choose(const struct response_scope *scope,
                                             enum http_status status, const char *type);

/* Do the rules forbid to change how a 200 with a file of this type is coded (Cache-Control:
 * no-transform, RFC 9111 section 5.2.2.6)? */
bool response_rules_keep_coding(const struct response_scope *scope, const char *type);
/* Do the rules say that such a 200 is for one user alone, or not to be kept (Cache-Control: private and no-store, RFC
 * 9111 sections 5.2.2.7 and 5.2.2.5)? */
bool response_rules_are_private(const struct response_scope *scope, const char *type);

/* The Content-Type that a rule sets, or NULL. */
const char *response_choice_type(const struct response_choice *choice);

struct response_head;
/* Upper bound for Content-Disposition, in bytes: a name of 255 bytes as it is and encoded. */
#define DOWNLOAD_MAX 1200
/* Writes Content-Disposition for the file at `path`. */
void response_download_append(struct response_head *out, const struct config_download *rule,
                              struct span path);

/* Writes the lines of Link for each of the site's rules. Returns the length of the longest. */
size_t response_preload_init(struct response_rules *rules);
void response_preload_fini(struct response_rules *rules);
uint8_t response_preload_find(const struct config_site *site, struct span path);
/* The lines for an answer with a body of this type; empty: there are none. */
struct span response_preload_lines(const struct response_choice *choice,
                                   struct response_match match, const char *type);

void response_choice_append(struct response_head *out, const struct response_choice *choice);

/* The times that expiry rules count from, in seconds since 1970. */
struct response_clock {
    int64_t now;
    bool has_modified; /* false: rules that count from the modification are skipped */
    int64_t modified;
};
/* Writes Cache-Control with max-age (RFC 9111 section 5.2.2.1) as the first expiry rule that
 * matches path and type asks for, or nothing if none matches. Sets out->is_momentary if the line is
 * right only now. */
void response_expires_append(struct response_head *out, const struct response_scope *scope,
                             const char *type, const struct response_clock *clock);

#endif
