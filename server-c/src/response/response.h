/* SPDX-License-Identifier: MIT */
/* response.h — (request, site's rules, facts of the file) → status, which bytes, head.
 *
 * Pure: takes plain structs, writes into memory it is given, touches no file and no socket.
 * response_plan.c decides, response_head.c writes what goes with files, response_page.c the rest. */
#ifndef FARMSTEAD_RESPONSE_H
#define FARMSTEAD_RESPONSE_H

#include "http/http_date.h"
#include "http/http_parser.h"
#include "http/http_range.h"
#include "response/mime.h"
#include "response/response_rules.h"

#define ETAG_MAX 64

/* --- facts ----------------------------------------------------------------------------------- */

/* What there is to know about a regular file, apart from its bytes. */
struct file_facts {
    uint64_t size;
    int64_t last_modified; /* seconds; never later than the look-up */
    bool has_date;         /* false: not said, as it could be that of another version, too */
    uint8_t etag_len;      /* 0: changed a moment ago, so that nothing can tell its bytes yet */
    char etag[ETAG_MAX];   /* "mtime-size" in hexadecimal, with its quotes: equal on every node that
                              got the file with its time; changes with either */
    char last_modified_text[HTTP_DATE_LEN + 1];
};
void file_facts_init(struct file_facts *facts, uint64_t size, int64_t mtime_seconds,
                     uint32_t mtime_ns, int64_t now);
/* Is it a time that builds give to all files of all releases, so that it tells no version from another?
 * Those before 1990, when nobody served files like these: 0 and 1 (Nix, Guix, OSTree, Jib), 1980 (zip,
 * buildpacks), 1984, 1985 (yarn, npm). And any New Year's midnight, which people choose for such a time. */
bool file_time_is_of_build(int64_t seconds, uint32_t ns);
/* Of such a file: the tag is made of its ctime, which nobody can set, size and inode, and no date is told.
 * When the ctime is such a time as well (SquashFS has no other), there is no tag either. */
void file_facts_distrust_time(struct file_facts *facts, int64_t ctime_seconds, uint32_t ctime_ns,
                              uint64_t inode);
/* Makes the inode a part of the tag: it changes when another file takes the name, and differs from
 * node to node. Each at most once; the coding last. */
void file_facts_add_inode(struct file_facts *facts, uint64_t inode);
/* Makes the content coding ("br") a part of it (RFC 9110 section 8.8.3.3). */
void file_facts_add_coding(struct file_facts *facts, const char *coding);

/* --- plan ------------------------------------------------------------------------------------ */

/* Which answer, and which bytes of the file go with it. */
struct response_plan {
    enum http_status status;
    bool is_multipart;         /* 206 with all of `ranges` */
    uint64_t offset, length;   /* else: the file's bytes that are the body; HEAD sends none */
    struct http_ranges ranges; /* only when is_multipart */
};
/* For GET or HEAD of a file that exists: 200, 206 or 304, whose heads response_head_… below write,
 * or 412 or 416, which are pages. `now` in seconds since 1970. */
void response_plan_file(struct response_plan *plan, const struct http_request *req,
                        const char *head, const struct file_facts *facts, int64_t now);

/* --- heads ----------------------------------------------------------------------------------- */

/* A head being written into memory of fixed size. What does not fit sets `overflow`. */
struct response_head {
    char *out;
    size_t cap, len;
    size_t body_len; /* of these bytes, at their end: a short page of our own */
    bool overflow;
    bool is_momentary; /* it says something that is true only now: not worth keeping */
};

enum response_connection { CONNECTION_DEFAULT, CONNECTION_CLOSE, CONNECTION_KEEP_ALIVE };

#define RESPONSE_OK_DATE_AT (sizeof("HTTP/1.1 200 OK\r\nDate: ") - 1) /* in a 200's head */
/* Status line, Date, Connection. One of the functions below writes the rest, the empty line with
 * it. */
void response_head_start(struct response_head *out, enum http_status status, const char *date,
                         enum response_connection connection);

/* The file that is sent. */
struct response_file {
    const struct file_facts *facts;
    struct mime_type type;
    const char *coding; /* Content-Encoding of these bytes; NULL: none */
    bool varies;        /* the path has coded variants: what is sent depends on Accept-Encoding */
};
/* 200 with the whole file. The same for each request of the same match unless it is momentary:
 * worth keeping. */
void response_head_whole_file(struct response_head *out, const struct response_scope *scope,
                              const struct response_file *file, int64_t now);
/* 206 with one range, and 304, as `plan` says. */
void response_head_file(struct response_head *out, const struct response_scope *scope,
                        const struct response_file *file, const struct response_plan *plan,
                        int64_t now);

/* A 206 with several ranges: before each goes a text of its own, and one ends the body. Refers to
 * what it is made from. */
struct response_multipart {
    const struct http_byte_range *ranges;
    size_t count;
    uint64_t size;         /* of the file */
    struct mime_type type; /* of the file; its name is NULL when a rule removes it */
    const char *boundary;
};
#define RESPONSE_BOUNDARY_MAX 40
/* `boundary`: 24 to RESPONSE_BOUNDARY_MAX hexadecimal digits and a NUL, random, so that no file can
 * have them in it. */
void response_multipart_init(struct response_multipart *multipart, const struct response_plan *plan,
                             const struct response_scope *scope, const struct response_file *file,
                             const char *boundary);
/* The bytes of the whole body. */
uint64_t response_multipart_length(const struct response_multipart *multipart);
/* Appends the text before range `i`, or, with i == count, the one that ends the body. */
void response_multipart_text(struct response_head *out, const struct response_multipart *multipart,
                             size_t i);
void response_head_multipart(struct response_head *out, const struct response_scope *scope,
                             const struct response_file *file,
                             const struct response_multipart *multipart, int64_t now);

/* An answer that is no file asked for. What its status does not need is not looked at. */
struct response_page {
    enum http_status status;
    bool head_only;
    struct span location;     /* of 301, 302, 303, 307 and 308; encoded */
    struct span authenticate; /* of 401: the challenge, "Basic realm=…" */
    uint64_t file_size;       /* of 416: how long the file is */
    const char *coding;       /* Content-Encoding of the site's file; NULL: none */
};
/* With a short HTML page of our own as its body, which is appended unless `head_only`. */
void response_head_page(struct response_head *out, const struct response_scope *scope,
                        const struct response_page *page);
/* With a body that the caller sends: a file of the site that stands for such a page. */
void response_head_page_file(struct response_head *out, const struct response_scope *scope,
                             const struct response_page *page, struct mime_type type,
                             uint64_t length);
/* A listing that was made for this request: HTML or JSON, as Accept has it. */
struct response_listing {
    enum http_status status; /* 200, or 304: its client wants no body */
    struct mime_type type;
    uint64_t length;
    const char *policy; /* Content-Security-Policy; NULL: none */
};
void response_head_listing(struct response_head *out, const struct response_scope *scope,
                           const struct response_listing *listing, int64_t now);
/* 204 that answers OPTIONS. */
void response_head_options(struct response_head *out, const struct response_scope *scope);

void response_append(struct response_head *out, const char *bytes, size_t len);

#endif
