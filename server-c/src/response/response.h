/* SPDX-License-Identifier: MIT */
/* response.h — from a request, the site's rules and the facts about a file to the status, the bytes
 * and the head of the response.
 *
 * Pure: takes plain structs, writes into memory it is given, touches no file and no socket.
 * response_plan.c decides, response_head.c writes the heads of files, response_page.c all other
 * heads. */
#ifndef FARMSTEAD_RESPONSE_H
#define FARMSTEAD_RESPONSE_H

#include "http/http_date.h"
#include "http/http_parser.h"
#include "http/http_range.h"
#include "response/mime.h"
#include "response/response_rules.h"

#define ETAG_MAX 64

/* --- facts ----------------------------------------------------------------------------------- */

/* What is known about a regular file, apart from its bytes. */
struct file_facts {
    uint64_t size;
    /* Seconds since 1970; never later than the look-up (RFC 9110 section 8.8.2.1). */
    int64_t last_modified;
    /* false: Last-Modified is not sent, because other versions of the file may have the same
     * time. */
    bool has_date;
    /* 0: there is no tag. The file changed so recently that it could change again without a new
     * time (RFC 9110 section 8.8.1). */
    uint8_t etag_len;
    /* "mtime-size" in hexadecimal, with its quotes. It changes with either, and is equal on every
     * node where the file has the same time. Or, as the site wants it, a part of the bytes' hash. */
    char etag[ETAG_MAX];
    char last_modified_text[HTTP_DATE_LEN + 1];
};
void file_facts_init(struct file_facts *facts, uint64_t size, int64_t mtime_seconds,
                     uint32_t mtime_ns, int64_t now);
/* Is it a time that build tools give to all files of all releases, so that it can't tell versions
 * apart? Such are times before 1990, when nobody served files like these: 0 and 1 (Nix, Guix,
 * OSTree, Jib), 1980 (zip, buildpacks), 1984 and 1985 (yarn, npm). So is midnight at the start of a
 * year, which people like to choose. */
bool file_time_is_of_build(int64_t seconds, uint32_t ns);
/* For a file with such a time. Its tag is made from its ctime, which nobody can set, its size and
 * its inode, and Last-Modified is not sent. If the ctime is such a time too (SquashFS has no
 * other), the file gets no tag either. */
void file_facts_distrust_time(struct file_facts *facts, int64_t ctime_seconds, uint32_t ctime_ns,
                              uint64_t inode);
/* Adds the inode to the tag, which then changes when another file takes the name, and differs from
 * node to node. Call each of the two functions at most once, and the one for the coding last. */
void file_facts_add_inode(struct file_facts *facts, uint64_t inode);
/* The tag becomes the first 40 hexadecimal digits of the SHA-256 of the file's bytes: equal wherever
 * these are, whatever their times. No tag of times looks like it, since those have a '-' after 16
 * digits at most. */
void file_facts_tag_content(struct file_facts *facts, const unsigned char hash[32]);
/* Adds the content coding ("br") to the tag: each coding of a file needs its own (RFC 9110 section
 * 8.8.3.3). */
void file_facts_add_coding(struct file_facts *facts, const char *coding);

/* --- plan ------------------------------------------------------------------------------------ */

/* The status, and which bytes of the file are sent. */
struct response_plan {
    enum http_status status;
    bool is_multipart;         /* 206 with all of `ranges` */
    uint64_t offset, length;   /* else the body is these bytes of the file; HEAD sends none */
    struct http_ranges ranges; /* only when is_multipart */
};
/* For a GET or HEAD of a file that exists: 200, 206 or 304, whose heads the functions
 * response_head_… below write, or 412 or 416, which are pages (RFC 9110 sections 13.2.2 and 14.2).
 * `now` is in seconds since 1970. */
void response_plan_file(struct response_plan *plan, const struct http_request *req,
                        const char *head, const struct file_facts *facts, int64_t now);

/* --- heads ----------------------------------------------------------------------------------- */

/* A head that is being written into memory of fixed size. `overflow` is set when something does not
 * fit. */
struct response_head {
    char *out;
    size_t cap, len;
    /* How many of these bytes, at the end, are the body: a short page of our own. */
    size_t body_len;
    bool overflow;
    /* Something in it holds only now, so it must not be kept for later requests. */
    bool is_momentary;
};

enum response_connection { CONNECTION_DEFAULT, CONNECTION_CLOSE, CONNECTION_KEEP_ALIVE };

#define RESPONSE_OK_DATE_AT (sizeof("HTTP/1.1 200 OK\r\nDate: ") - 1) /* in a 200's head */
/* Writes the status line, Date (RFC 9110 section 6.6.1) and Connection (RFC 9112 section 9.6). One
 * of the functions below writes the rest, with the empty line. */
void response_head_start(struct response_head *out, enum http_status status, const char *date,
                         enum response_connection connection);

struct response_file {
    const struct file_facts *facts;
    struct mime_type type;
    const char *coding; /* Content-Encoding of these bytes; NULL: none */
    /* The path has coded variants, so Vary names Accept-Encoding (RFC 9110 section 12.5.5). */
    bool varies;
    /* It is compressed with dictionaries, too (RFC 9842 section 6.2); `varies` is then true. */
    bool varies_by_dictionary;
    struct span path; /* of the file, whose name a download may take */
};
/* Writes a 200 with the whole file. Unless the head is momentary it is the same for every request
 * with the same match, and worth keeping. */
void response_head_whole_file(struct response_head *out, const struct response_scope *scope,
                              const struct response_file *file, int64_t now);
/* Writes a 206 with one range, or a 304, as `plan` says. */
void response_head_file(struct response_head *out, const struct response_scope *scope,
                        const struct response_file *file, const struct response_plan *plan,
                        int64_t now);

/* A 206 with several ranges (RFC 9110 sections 14.6 and 15.3.7.2): a text of its own precedes each
 * range, and one ends the body. Points to the ranges, type and boundary it was made from, which
 * must outlive it. */
struct response_multipart {
    const struct http_byte_range *ranges;
    size_t count;
    uint64_t size;         /* of the file */
    struct mime_type type; /* of the file; its name is NULL when a rule removes it */
    const char *boundary;
};
#define RESPONSE_BOUNDARY_MAX 40
/* `boundary`: 24 to RESPONSE_BOUNDARY_MAX random hexadecimal digits and a NUL, so that no file can
 * be expected to contain it (RFC 2046 section 5.1.1). */
void response_multipart_init(struct response_multipart *multipart, const struct response_plan *plan,
                             const struct response_scope *scope, const struct response_file *file,
                             const char *boundary);
/* The length of the whole body in bytes. */
uint64_t response_multipart_length(const struct response_multipart *multipart);
/* Appends the text that precedes range `i`, or, when i == count, the one that ends the body. */
void response_multipart_text(struct response_head *out, const struct response_multipart *multipart,
                             size_t i);
void response_head_multipart(struct response_head *out, const struct response_scope *scope,
                             const struct response_file *file,
                             const struct response_multipart *multipart, int64_t now);

/* A response that is not the file asked for. Fields that the status does not need are ignored. */
struct response_page {
    enum http_status status;
    bool head_only;
    struct span location;     /* for 301, 302, 303, 307 and 308; percent-encoded */
    struct span authenticate; /* for 401: the challenge, "Basic realm=…" */
    uint64_t file_size;       /* for 416: the length of the file */
    const char *coding;       /* Content-Encoding of the site's own page; NULL: none */
    bool varies_by_language;  /* which of the site's pages it is depends on Accept-Language */
    uint32_t retry_seconds;   /* for 429 and 503: when to try again; 0: in a moment */
};
/* Writes the head and appends a short HTML page of our own as the body, unless `head_only`. */
void response_head_page(struct response_head *out, const struct response_scope *scope,
                        const struct response_page *page);
/* Writes the head for a body that the caller sends: a file of the site in place of our page. */
void response_head_page_file(struct response_head *out, const struct response_scope *scope,
                             const struct response_page *page, struct mime_type type,
                             uint64_t length);
/* A listing that was made for this request, in HTML or JSON as Accept asks. */
struct response_listing {
    enum http_status status; /* 200, or 304, which has no body */
    struct mime_type type;
    uint64_t length;
    const char *policy; /* Content-Security-Policy; NULL: none */
};
void response_head_listing(struct response_head *out, const struct response_scope *scope,
                           const struct response_listing *listing, int64_t now);
/* Writes the 204 that answers OPTIONS (RFC 9110 section 9.3.7). */
void response_head_options(struct response_head *out, const struct response_scope *scope);

void response_append(struct response_head *out, const char *bytes, size_t len);

#endif
