/* SPDX-License-Identifier: MIT */
/* config.h — the node's whole configuration as one immutable, reference-counted snapshot.
 *
 * A config is read from text (JSON with comments) by config_parse(), never changed afterwards and
 * swapped whole: a request ends under the snapshot it began with. Which options exist, their types,
 * defaults, ranges and help are written once, in config_table.c; parser, schema and reference page
 * come from it. Reading the text touches no file, port or user: that is config_check.h. */
#ifndef FARMSTEAD_CONFIG_H
#define FARMSTEAD_CONFIG_H

#include "config_errors.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_DIGEST_LEN 71 /* "sha256:" + 64 hex digits */
#define CONFIG_AUTO 0        /* value of an option set to "auto" */

struct config_listen {
    char *address; /* numeric IPv4 or IPv6 */
    uint16_t port; /* 0: the kernel chooses (tests) */
};

enum config_cache_engine { STAT_CACHE_TTL, STAT_CACHE_OFF };
enum config_log_format { LOG_FORMAT_COMMON, LOG_FORMAT_COMBINED, LOG_FORMAT_JSON };
enum config_log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum config_header_action { HEADER_SET, HEADER_ADD, HEADER_REMOVE };

struct config_header_rule {
    enum config_header_action action;
    char *name;
    char *value; /* "" for HEADER_REMOVE */
};

struct config_site {
    char **hosts; /* lower case; "*" is the default site */
    size_t host_count;
    char *root; /* absolute path */
    char **index;
    size_t index_count;
    bool hidden_files; /* serve names that begin with a dot */
    struct config_header_rule *headers;
    size_t header_count;
};

struct config_mime {
    char *suffix; /* ".html", lower case */
    char *type;
};

struct config {
    _Atomic uint32_t refs;

    struct config_listen *listens;
    size_t listen_count;
    uint32_t workers; /* CONFIG_AUTO: one per core */

    struct {
        uint32_t connections;
        uint32_t keep_alive_requests;
        uint32_t keep_alive_idle_seconds;
        uint32_t header_seconds;
        uint32_t write_seconds;
        uint32_t head_bytes;
        uint32_t target_bytes;
    } limits;

    struct {
        enum config_cache_engine engine;
        uint32_t ttl_millis;
        uint32_t max_entries;
    } stat_cache;

    struct {
        uint64_t max_bytes;      /* bodies kept in memory, all loops together */
        uint32_t max_file_bytes; /* larger files are sent from their descriptor */
        uint32_t max_open_files;
    } file_cache;

    struct {
        uint32_t read_threads; /* CONFIG_AUTO */
        uint32_t stat_threads;
        uint32_t queue_length;
        uint32_t chunk_bytes;
    } io;

    struct {
        char *path; /* "": off */
        enum config_log_format format;
    } access_log;

    struct {
        char *path; /* "": standard error */
        enum config_log_level level;
    } error_log;

    struct {
        char *address; /* "": no admin listener */
        uint16_t port;
    } admin;

    struct config_mime *mimes; /* added to and overriding mime.def, sorted by suffix */
    size_t mime_count;

    struct config_site *sites;
    size_t site_count;

    char *text; /* the author's bytes */
    size_t text_len;
    char digest[CONFIG_DIGEST_LEN + 1]; /* of the RFC 8785 form of `text` */
};

/* The config that `text` describes, with one reference, or NULL with at least one error added.
 * Reports as many errors as it can find, not just the first. Any thread. */
struct config *config_parse(const char *text, size_t len, struct config_errors *errors);

/* Adds a finding about the value at `pointer`, placed where cfg's text has that value, or where it
 * has the nearest one around it when the option was left out. Any thread. */
void config_errors_add_at(struct config_errors *errors, const struct config *cfg,
                          enum config_code code, const char *pointer, const char *hint,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));

struct config *config_get(struct config *cfg); /* Any thread. Returns cfg. */
void config_put(struct config *cfg);           /* Any thread. NULL is allowed. */

#endif
