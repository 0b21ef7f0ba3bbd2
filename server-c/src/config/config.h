/* SPDX-License-Identifier: MIT */
/* config.h — the node's whole configuration as one immutable snapshot with a count of references.
 *
 * A config is read from text (JSON with comments) by config_parse(), fitted to the machine before
 * it is put in force (config_sizes.h), never changed after that, and replaced as a whole: a request
 * ends under the snapshot with which it began. Options, their types, defaults, ranges and help are
 * written once, in config_table.c; the parser, the schema and the reference page are made from that
 * table. Reading the text needs no file, port or user; config_check.h checks those. */
#ifndef FARMSTEAD_CONFIG_H
#define FARMSTEAD_CONFIG_H

#include "http/url_path.h"
#include "text/config_errors.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_DIGEST_LEN 71               /* "sha256:" and 64 hex digits */
#define CONFIG_AUTO 0                      /* value of an option set to "auto" */
#define CONFIG_AUTO_PER_ADDRESS UINT32_MAX /* the same for options in which 0 is "no limit" */

enum config_defer_accept { DEFER_ACCEPT_AUTO, DEFER_ACCEPT_ALWAYS, DEFER_ACCEPT_NEVER };

struct config_listen {
    char *address; /* numeric IPv4 or IPv6 */
    uint16_t port; /* 0: chosen by the kernel (for tests) */
    /* Path of a Unix socket, used in place of address and port; "": none. */
    char *socket;
    char *socket_mode;                     /* octal, "0660" */
    enum config_defer_accept defer_accept; /* for TCP only */
    bool tls;                              /* for TCP only */
    bool proxy_protocol;
};

enum config_cache_engine { STAT_CACHE_TTL, STAT_CACHE_INOTIFY, STAT_CACHE_OFF };
enum config_log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum config_header_action { HEADER_SET, HEADER_ADD, HEADER_REMOVE };
enum config_symlinks { SYMLINKS_NEVER, SYMLINKS_WITHIN_ROOT, SYMLINKS_SAME_OWNER, SYMLINKS_ANY };
enum config_etag { ETAG_BY_TIME, ETAG_BY_CONTENT };
enum config_expires_from { EXPIRES_FROM_ACCESS, EXPIRES_FROM_MODIFICATION };
enum config_proxy_field { PROXY_FIELD_X_FORWARDED_FOR, PROXY_FIELD_FORWARDED };
enum config_access_action { ACCESS_ALLOW, ACCESS_DENY };
enum config_satisfy { SATISFY_ALL, SATISFY_ANY };
enum config_maintenance_answer { MAINTENANCE_UNAVAILABLE, MAINTENANCE_GONE, MAINTENANCE_OPEN };
enum config_trailing_slash { SLASH_OF_FOLDERS, SLASH_ADD, SLASH_REMOVE, SLASH_KEEP };
enum config_security_preset { SECURITY_OFF, SECURITY_BASIC, SECURITY_STRICT };
enum config_frames { FRAMES_AS_PRESET, FRAMES_ANYWHERE, FRAMES_SAME_ORIGIN, FRAMES_NOWHERE };
enum config_tls_profile { TLS_PROFILE_INTERMEDIATE, TLS_PROFILE_MODERN };
enum config_client_certificates {
    CLIENT_CERTIFICATES_OFF,
    CLIENT_CERTIFICATES_OPTIONAL,
    CLIENT_CERTIFICATES_REQUIRED
};

/* Options that are lowered to what the machine has, unless the author gave them
 * (config_sizes.h). */
enum config_fit {
    FIT_NONE,
    FIT_CONNECTIONS,
    FIT_OPEN_FILES,
    FIT_CACHE_BYTES,
    FIT_CACHE_ENTRIES,
    FIT_COUNT
};

/* In all rules: `paths` are globs (glob.h), and a rule without any is for every path. `types` are
 * media types without parameters: "text/css", or "image/" and a star. Rules are in the order of the
 * config. */

struct config_header_rule {
    enum config_header_action action;
    char *name;
    char *value; /* "" for HEADER_REMOVE */
    char **paths;
    size_t path_count;
    char **types;
    size_t type_count;
    char **statuses; /* "404" or "4xx" */
    size_t status_count;
};

struct config_alias {
    char *path;   /* begins and ends with '/' */
    char *folder; /* an absolute path that replaces `path` */
};

struct config_redirect {
    char *match; /* PCRE2 on the decoded path */
    char *to;    /* url_rule.h */
    uint32_t status;
};

struct config_rewrite {
    char *match, *to;
    bool goes_on; /* later rules see the new path; false: the first match is the last */
};

struct config_try_files {
    char **paths;
    size_t path_count;
    char **candidates; /* site_try.h */
    size_t candidate_count;
};

struct config_expires {
    char **paths;
    size_t path_count;
    char **types;
    size_t type_count;
    enum config_expires_from from;
    uint32_t max_age_seconds;
    char *directives; /* further directives for Cache-Control: "public, immutable"; may be "" */
};

struct config_error_page {
    char *status; /* "404" or "4xx" */
    char *path;   /* below the site's root, begins with '/' */
};

struct config_error_rule {
    char **paths;
    size_t path_count;
    char **languages; /* of its pages, such as "de"; none: for everybody */
    size_t language_count;
    struct config_error_page *pages;
    size_t page_count;
};

struct config_access {
    enum config_access_action action;
    char **paths;
    size_t path_count;
    char **addresses; /* "192.0.2.7", "2001:db8::/32"; none: every client */
    size_t address_count;
};

struct config_auth {
    char **paths;
    size_t path_count;
    char *realm;
    char *file;   /* absolute path of a file in htpasswd format */
    char **users; /* only these users of the file; none: all users */
    size_t user_count;
    /* Of the rule and those for addresses. */
    enum config_satisfy satisfy;
};

struct config_maintenance {
    enum config_maintenance_answer answer;
    char **paths;
    size_t path_count;
    char **except; /* addresses that see the site as ever */
    size_t except_count;
    uint32_t retry_seconds;
};

struct config_request_limit {
    char **paths;
    size_t path_count;
    uint32_t requests, per_seconds; /* of one address */
    uint32_t burst;                 /* at once */
};

struct config_signed_url {
    char **paths;
    size_t path_count;
    char *secret_file; /* absolute path; the file's bytes without a final line end are the key */
};

struct config_hotlink {
    char **paths;
    size_t path_count;
    /* Lower case; hosts whose pages may link here, besides the site's own. */
    char **hosts;
    size_t host_count;
    bool allow_empty; /* requests without Referer are let in, too */
};

struct config_cors {
    char **paths;
    size_t path_count;
    char **origins; /* as browsers write them; "*" alone: every one; "null" */
    size_t origin_count;
    char **methods;
    size_t method_count;
    char **headers; /* that requests may have */
    size_t header_count;
    char **exposed_headers; /* of answers, that a page may read */
    size_t exposed_header_count;
    bool credentials;
    uint32_t max_age_seconds; /* of a browser's asking first */
};

struct config_download {
    char **paths;
    size_t path_count;
    char *file_name; /* "": the file's own */
    bool is_inline;
};

struct config_preload {
    char **paths;
    size_t path_count;
    char **links; /* values of Link, one each */
    size_t link_count;
};

struct config_stored_coding {
    char **paths;
    size_t path_count;
    char *coding; /* "br", "zstd" or "gzip" */
    char *type;   /* of what is inside; "": by the name without the coding's suffix */
    bool refuses; /* 406 to clients that don't take the coding */
};

/* Either a name, or two files. */
struct config_certificate {
    char *name;                  /* of a certificate that the control plane keeps; "": none */
    char *chain_file, *key_file; /* absolute paths; "": none */
};

/* Of the node, or of a site: then a `path` of "" means the node's. */
struct config_access_log {
    char *path;   /* log_target.h; "" or "none": off */
    char *format; /* access_format.h */
    bool mask_addresses;
    char **paths; /* only what was asked for there; none: everything */
    size_t path_count;
    char **except_paths;
    size_t except_path_count;
    char **statuses; /* "404" or "4xx"; none: each */
    size_t status_count;
};

#define CONFIG_ACCESS_LOGS 64 /* access logs of a config that go to different places */

struct config_site {
    char **hosts; /* lower case; "*" is the default site */
    size_t host_count;
    /* An absolute path; "{host}" in it stands for the host asked for, "{host1}" for its last label,
     * and so on. */
    char *root;    /* "": a version of `release`, which was not placed (config_place_release()) */
    char *release; /* a name; "": the site has a folder of its own */
    char **
        release_fallback; /* globs; what is missing there is looked for in versions that are kept */
    size_t release_fallback_count;
    char **release_dictionaries; /* paths with a "*", http_dictionary.h */
    size_t release_dictionary_count;
    char **index;
    size_t index_count;
    enum url_slash encoded_slash;
    bool hidden_files; /* serve names that begin with a dot */
    enum config_symlinks symlinks;
    enum config_etag etag;
    char *checksums; /* name of the lists of checksums that are believed; "": of none */
    bool etag_inode;
    struct {
        bool enabled;
        uint32_t max_entries;
        char **paths; /* globs; only folders with these paths are listed; none: all are */
        size_t path_count;
        char **except_paths; /* and of those not these */
        size_t except_path_count;
        char **header, **readme; /* names of files that are shown above and below the list */
        size_t header_count, readme_count;
    } listing;
    char **precompressed; /* "br", "zstd", "gzip"; of equally acceptable ones the first is sent */
    size_t precompressed_count;
    char **compress; /* the same for copies that the node makes itself */
    size_t compress_count;
    struct config_certificate *certificates; /* the first that fits name and client is shown */
    size_t certificate_count;
    struct {
        enum config_client_certificates mode;
        char *ca_file; /* absolute path; "": none */
    } client_certificates;
    bool redirect_to_https;
    struct {                      /* Strict-Transport-Security (RFC 6797) */
        uint32_t max_age_seconds; /* 0: the field is not sent */
        bool include_sub_domains, preload;
    } hsts;
    struct { /* config_security.h; "": as the preset says */
        enum config_security_preset preset;
        enum config_frames frames;
        char *policy, *referrer, *permissions;
    } security;
    struct config_alias *aliases;
    size_t alias_count;
    struct {
        char *folder; /* below the user's home; "": no user folders */
        char *base;   /* the folder that contains the homes */
        char **users; /* only these; none: all but `excluded` */
        size_t user_count;
        char **excluded;
        size_t excluded_count;
    } user_dirs;
    struct config_try_files *try_files;
    size_t try_files_count;
    enum config_trailing_slash trailing_slash;
    bool clean_urls;
    struct config_redirect *redirects;
    size_t redirect_count;
    char *redirect_file; /* absolute path; "": none */
    struct config_rewrite *rewrites;
    size_t rewrite_count;
    struct config_header_rule *headers;
    size_t header_count;
    struct config_expires *expires;
    size_t expires_count;
    struct config_error_page *error_pages;
    size_t error_page_count;
    struct config_error_rule *error_rules;
    size_t error_rule_count;
    struct config_access *access;
    size_t access_count;
    struct config_auth *auth;
    size_t auth_count;
    struct config_signed_url *signed_urls;
    size_t signed_url_count;
    struct config_hotlink *hotlink;
    size_t hotlink_count;
    struct config_download *downloads;
    size_t download_count;
    struct config_preload *preload;
    size_t preload_count;
    struct config_stored_coding *stored_codings;
    size_t stored_coding_count;
    struct config_cors *cors;
    size_t cors_count;
    struct config_maintenance *maintenance;
    size_t maintenance_count;
    struct config_request_limit *request_limits;
    size_t request_limit_count;
    struct config_access_log access_log;
    uint64_t bytes_per_second;            /* for all its connections together; 0: no limit */
    uint64_t connection_bytes_per_second; /* 0: no limit */
};

struct config_mime {
    char *suffix; /* ".html", lower case */
    char *type;
};

struct config {
    _Atomic uint32_t refs;
    uint32_t left_out; /* bits of enum config_fit */

    struct config_listen *listens;
    size_t listen_count;
    uint32_t workers; /* CONFIG_AUTO: as many as there are cores */
    bool http2;

    struct { /* "" for each: as it was at the start; used only at the start */
        char *user, *group, *chroot, *pid_file;
    } process;

    struct {
        uint32_t connections;
        uint32_t connections_per_address; /* 0: no limit; may be CONFIG_AUTO_PER_ADDRESS */
        uint32_t keep_alive_requests;
        uint32_t keep_alive_idle_seconds;
        uint32_t header_seconds;
        uint32_t write_seconds;
        /* A client that takes less is dropped; 0: any rate is fine. */
        uint32_t min_bytes_per_second;
        uint32_t head_bytes;
        uint32_t target_bytes;
        uint32_t body_bytes; /* a longer request body ends the connection */
        uint32_t http2_streams;
    } limits;

    struct {
        enum config_tls_profile profile;
    } tls;

    struct {
        enum config_cache_engine engine;
        uint32_t ttl_millis;
        uint32_t max_entries;
        uint32_t max_watches; /* folders to watch, for all loops together */
    } stat_cache;

    struct {
        uint64_t max_bytes;      /* for bodies kept in memory, for all loops together */
        uint32_t max_file_bytes; /* larger files are sent from their descriptor */
        uint32_t max_open_files;
    } file_cache;

    struct {                /* compressed copies that the node makes itself */
        char *cache_folder; /* "": none are made */
        uint64_t max_bytes; /* of all copies together */
        char **types;
        size_t type_count;
        uint32_t min_file_bytes, max_file_bytes;
        struct {
            uint32_t br, zstd, gzip;
        } levels;
    } compression;

    struct {
        uint32_t read_threads; /* CONFIG_AUTO */
        uint32_t stat_threads;
        uint32_t queue_length;
        uint32_t chunk_bytes;
        uint32_t timeout_seconds; /* a request that waits longer for a disk is given up */
    } io;

    struct config_access_log access_log;

    struct {
        char *path; /* log_target.h; "": standard error */
        enum config_log_level level;
    } error_log;

    struct { /* requests that are kept one by one (samples.h) */
        /* One request in so many is kept on average; 0: only slow ones. */
        uint32_t every_requests;
        /* Each that takes at least so long is kept; 0: none for that. */
        uint32_t slower_than_millis;
        uint32_t keep;     /* how many of each kind, for all loops together */
        char **mask_paths; /* path_mask.h */
        size_t mask_path_count;
    } samples;

    struct {
        char *address; /* "": no admin listener */
        uint16_t port;
        char **hosts; /* host names it answers to, besides those of this machine */
        size_t host_count;
    } admin;

    struct { /* what the control plane assigns for the sites' releases */
        uint64_t store_max_bytes;
        uint32_t keep;                   /* versions of each, beside the confirmed one */
        uint64_t max_bytes_per_second;   /* while they come; 0: no limit */
        uint64_t scrub_bytes_per_second; /* 0: what lies on the disk is not read again */
        uint32_t scrub_every_seconds;    /* from the beginning of a round to that of the next */
    } releases;

    char **trusted_proxies; /* addresses and blocks, and "unix" */
    size_t trusted_proxy_count;
    enum config_proxy_field trusted_proxy_field;

    char *default_type;        /* for suffixes that are not known */
    char *charset;             /* for text types that name none; "": none */
    struct config_mime *mimes; /* added to mime.def and overriding it, sorted by suffix */
    size_t mime_count;

    struct config_site *sites;
    size_t site_count;

    /* Options that were left out have been fitted to this machine (config_sizes.h). */
    bool is_fitted;

    char *text; /* the author's bytes */
    size_t text_len;
    char digest[CONFIG_DIGEST_LEN + 1]; /* of the RFC 8785 form of `text` */
};

/* Reads a config. Returns it with one reference, or NULL after adding at least one error. Reports
 * as many errors as it can find, not only the first. Any thread. */
struct config *config_parse(const char *text, size_t len, struct config_errors *errors);

/* The same for the text of this machine's owner, in which "${NAME}" stands for the value of an
 * environment variable (config_variables.h). */
struct config *config_parse_with_variables(const char *text, size_t len,
                                           struct config_errors *errors);

/* Adds a finding about the value at `pointer`, placed where cfg's text has that value; if the
 * option was left out, where it has the innermost value around it. Any thread. */
void config_errors_add_at(struct config_errors *errors, const struct config *cfg,
                          enum config_code code, const char *pointer, const char *hint,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Whether anything is written to it. Of a site's: whether it is another than the node's. */
bool config_access_log_is_on(const struct config_access_log *log);

/* The access log with that number, counted over the node's (0) and its sites' (1 …), and where the config
 * has it, for whom `pointer` is not NULL. NULL: there are no more. */
const struct config_access_log *config_access_log_at(const struct config *cfg, size_t number,
                                                     char *pointer, size_t cap);

/* Files of passwords and of keys that the site names, one after the other; "": this one is in no
 * file of the config; NULL: no more. */
const char *config_site_secret(const struct config_site *site, size_t index);

static inline bool config_has_redirect_file(const struct config_site *site)
{
    return site->redirect_file && site->redirect_file[0] != '\0';
}

/* Makes `folder` the root of a site that names a release. Call it before anybody else reads `cfg`. */
void config_place_release(struct config *cfg, size_t site, const char *folder);

/* Is it the same text, with the same versions of releases? */
bool config_is_same(const struct config *a, const struct config *b);

static inline bool config_has_release(const struct config_site *site)
{
    return site->release && site->release[0] != '\0';
}

struct config *config_get(struct config *cfg); /* any thread; returns cfg */
void config_put(struct config *cfg);           /* any thread; NULL is allowed */

#endif
