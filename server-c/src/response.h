/* SPDX-License-Identifier: MIT */
/* response.h — (request, site's header rules, facts of the file) → status, head, which bytes.
 *
 * Pure: takes plain structs, writes into memory it is given, touches no file and no socket. */
#ifndef FARMSTEAD_RESPONSE_H
#define FARMSTEAD_RESPONSE_H

#include "config.h"
#include "http_date.h"
#include "http_parser.h"

#define ETAG_MAX 40

/* The headers we send ourselves and a site's rules may replace or remove. The others (framing,
 * Content-Range, Allow, Location, Date) belong to the protocol. */
enum own_header {
    OWN_SERVER,
    OWN_CONTENT_TYPE,
    OWN_LAST_MODIFIED,
    OWN_ETAG,
    OWN_ACCEPT_RANGES,
    OWN_HEADER_COUNT
};

/* A site's header rules, worked out once: the lines they add and which of ours they take away. */
struct response_rules {
    char *lines; /* "Name: value\r\n" … */
    size_t lines_len;
    uint32_t dropped; /* bit per own_header */
};
void response_rules_init(struct response_rules *rules, const struct config_header_rule *items,
                         size_t count);
void response_rules_fini(struct response_rules *rules);

/* What there is to know about a regular file, apart from its bytes. */
struct file_facts {
    uint64_t size;
    int64_t last_modified; /* seconds; never later than the look-up */
    uint8_t etag_len;
    char etag[ETAG_MAX]; /* "mtime-size" in hexadecimal, with its quotes: equal on every node that
                            got the file with its time; changes with either */
    char last_modified_text[HTTP_DATE_LEN + 1];
};
void file_facts_init(struct file_facts *facts, uint64_t size, int64_t mtime_seconds,
                     uint32_t mtime_ns, int64_t now);

/* Which answer, and which bytes of the file go with it. */
struct response_plan {
    enum http_status status;
    uint64_t offset, length; /* of the body; HEAD sends the same head and no body */
};
/* For GET or HEAD of a file that exists. `now` in seconds since 1970. */
void response_plan_file(struct response_plan *plan, const struct http_request *req,
                        const char *head, const struct file_facts *facts, int64_t now);

/* A head being written into memory of fixed size. What does not fit sets `overflow`. */
struct response_head {
    char *out;
    size_t cap, len;
    bool overflow;
};

enum response_connection { CONNECTION_DEFAULT, CONNECTION_CLOSE, CONNECTION_KEEP_ALIVE };

/* Status line, Server, Date, Connection. `rules` may be NULL. */
void response_head_start(struct response_head *out, enum http_status status,
                         const struct response_rules *rules, const char *date,
                         enum response_connection connection);
/* The rest of the head of a whole file (200), the same for each request: worth keeping. */
void response_head_whole_file(struct response_head *out, const struct response_rules *rules,
                              const struct file_facts *facts, const char *type);
/* The rest of the head for 206, 304, 412 and 416, as `plan` says. */
void response_head_file(struct response_head *out, const struct response_rules *rules,
                        const struct file_facts *facts, const char *type,
                        const struct response_plan *plan);
/* The rest of a head with a short HTML page as its body, which is appended unless `head_only`. */
struct response_page {
    enum http_status status;
    struct span location; /* for 301; encoded */
    bool head_only;
};
void response_head_page(struct response_head *out, const struct response_rules *rules,
                        const struct response_page *page);
/* The rest of the head that answers OPTIONS (204). */
void response_head_options(struct response_head *out, const struct response_rules *rules);

void response_append(struct response_head *out, const char *bytes, size_t len);

#endif
