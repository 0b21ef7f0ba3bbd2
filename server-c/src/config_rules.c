/* SPDX-License-Identifier: MIT */
/* config_rules.c — see config_rules.h. */
#include "config_rules.h"

#include "mem.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define POINTER_LEN 128

/* An address and port that two listeners must not share, with where it stands. */
struct endpoint {
    unsigned char binary[16];
    bool is_v6;
    uint16_t port;
    char pointer[POINTER_LEN];
};

#define FRAMING "the server decides how a response is framed"
#define CONNECTION "it belongs to the connection, which the server manages"
#define VALIDATOR "the server compares it when a client asks again; it can only be removed"

/* Headers that only the server can tell right, and what one may do with them all the same. */
static const struct {
    const char *name, *reason;
    bool may_set, may_remove;
} server_headers[] = {
    {"Accept-Ranges", "the server says itself what it can do; it can only be removed", false, true},
    {"Connection", CONNECTION, false, false},
    {"Content-Encoding", "the server says itself how a body is coded", false, false},
    {"Content-Length", FRAMING, false, false},
    {"Content-Range", FRAMING, false, false},
    {"Content-Type", "a response has one; set it here, or by suffix in mimeTypes", true, true},
    {"Date", "the server has the clock", false, false},
    {"ETag", VALIDATOR, false, true},
    {"Keep-Alive", CONNECTION, false, false},
    {"Last-Modified", VALIDATOR, false, true},
    {"Proxy-Connection", CONNECTION, false, false},
    {"TE", CONNECTION, false, false},
    {"Trailer", FRAMING, false, false},
    {"Transfer-Encoding", FRAMING, false, false},
    {"Upgrade", CONNECTION, false, false},
};

static struct text_span span_of(const struct json_value *root, const char *pointer)
{
    return json_nearest(root, pointer)->span;
}

static bool make_endpoint(struct endpoint *endpoint, const char *address, uint16_t port)
{
    if (address == NULL || port == 0)
        return false;
    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->port = port;
    endpoint->is_v6 = strchr(address, ':') != NULL;
    return inet_pton(endpoint->is_v6 ? AF_INET6 : AF_INET, address, endpoint->binary) == 1;
}

static bool is_any(const struct endpoint *endpoint)
{
    static const unsigned char any[sizeof(endpoint->binary)];

    return memcmp(endpoint->binary, any, sizeof(any)) == 0;
}

/* Whether the kernel would take both for one: the same, or one of them every address. */
static bool overlap(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && a->is_v6 == b->is_v6 &&
           (is_any(a) || is_any(b) || memcmp(a->binary, b->binary, sizeof(a->binary)) == 0);
}

static void check_endpoints(const struct config *cfg, const struct json_value *root,
                            struct config_errors *errors)
{
    struct endpoint *endpoints = xcalloc(cfg->listen_count + 1, sizeof(*endpoints));
    size_t count = 0;

    for (size_t i = 0; i < cfg->listen_count; i++) {
        struct endpoint *endpoint = &endpoints[count];

        if (!make_endpoint(endpoint, cfg->listens[i].address, cfg->listens[i].port))
            continue;
        snprintf(endpoint->pointer, POINTER_LEN, "/listen/%zu", i);
        count++;
    }
    if (make_endpoint(&endpoints[count], cfg->admin.address, cfg->admin.port))
        snprintf(endpoints[count++].pointer, POINTER_LEN, "/admin");
    for (size_t i = 1; i < count; i++) {
        size_t other = 0;

        while (other < i && !overlap(&endpoints[other], &endpoints[i]))
            other++;
        if (other < i)
            config_errors_add(errors, CONFIG_CODE_DUPLICATE_VALUE,
                              span_of(root, endpoints[i].pointer), endpoints[i].pointer,
                              "choose another port or address",
                              "port %" PRIu16 " is listened on twice: %s has it too",
                              endpoints[i].port, endpoints[other].pointer);
    }
    free(endpoints);
}

struct host {
    const char *name;
    size_t site, index;
};

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = a, *right = b;
    int order = strcasecmp(left->name, right->name);

    if (order != 0)
        return order;
    if (left->site != right->site)
        return left->site < right->site ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void report_host(const struct host *first, const struct host *again,
                        const struct json_value *root, struct config_errors *errors)
{
    char pointer[POINTER_LEN], first_pointer[POINTER_LEN];
    struct text_span first_span;

    snprintf(pointer, sizeof(pointer), "/sites/%zu/hosts/%zu", again->site, again->index);
    snprintf(first_pointer, sizeof(first_pointer), "/sites/%zu/hosts/%zu", first->site,
             first->index);
    first_span = span_of(root, first_pointer);
    config_errors_add(errors, CONFIG_CODE_DUPLICATE_VALUE, span_of(root, pointer), pointer,
                      strcmp(again->name, "*") == 0 ? "only one site can answer for all other names"
                                                    : "a name belongs to one site",
                      "the host \"%s\" is already on line %" PRIu32 " (%s)", again->name,
                      first_span.start.line, first_pointer);
}

static void check_hosts(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors)
{
    size_t capacity = 0, count = 0, first = 0;
    struct host *hosts;

    for (size_t i = 0; i < cfg->site_count; i++)
        capacity += cfg->sites[i].host_count;
    hosts = xcalloc(capacity, sizeof(*hosts));
    for (size_t i = 0; i < cfg->site_count; i++)
        for (size_t j = 0; j < cfg->sites[i].host_count; j++)
            if (cfg->sites[i].hosts[j] != NULL)
                hosts[count++] = (struct host){cfg->sites[i].hosts[j], i, j};
    qsort(hosts, count, sizeof(*hosts), compare_hosts);
    for (size_t i = 1; i < count; i++) {
        if (strcasecmp(hosts[first].name, hosts[i].name) == 0)
            report_host(&hosts[first], &hosts[i], root, errors);
        else
            first = i;
    }
    free(hosts);
}

/* NULL when the rule may be. */
static const char *refusal_of(const struct config_header_rule *header)
{
    for (size_t i = 0; i < sizeof(server_headers) / sizeof(*server_headers); i++) {
        if (strcasecmp(server_headers[i].name, header->name) != 0)
            continue;
        if ((header->action == HEADER_SET && server_headers[i].may_set) ||
            (header->action == HEADER_REMOVE && server_headers[i].may_remove))
            return NULL;
        return server_headers[i].reason;
    }
    return NULL;
}

static void check_header(const struct config_header_rule *header, const char *pointer,
                         const struct json_value *root, struct config_errors *errors)
{
    static const char *const verbs[] = {
        [HEADER_SET] = "set", [HEADER_ADD] = "added", [HEADER_REMOVE] = "removed"};
    const char *reason = header->name != NULL ? refusal_of(header) : NULL;
    char member[POINTER_LEN];

    if (reason != NULL) {
        snprintf(member, sizeof(member), "%s/name", pointer);
        config_errors_add(errors, CONFIG_CODE_RESERVED_HEADER, span_of(root, member), member,
                          reason, "the header %s can't be %s", header->name, verbs[header->action]);
    }
    if (header->action == HEADER_REMOVE && header->value != NULL && *header->value != '\0') {
        snprintf(member, sizeof(member), "%s/value", pointer);
        config_errors_add(errors, CONFIG_CODE_CONFLICT, span_of(root, member), member,
                          "leave the value out, or take the action \"set\"",
                          "\"value\" has no meaning with the action \"remove\"");
    }
}

static void check_headers(const struct config *cfg, const struct json_value *root,
                          struct config_errors *errors)
{
    for (size_t i = 0; i < cfg->site_count; i++) {
        for (size_t j = 0; j < cfg->sites[i].header_count; j++) {
            char pointer[POINTER_LEN - 16];

            snprintf(pointer, sizeof(pointer), "/sites/%zu/headers/%zu", i, j);
            check_header(&cfg->sites[i].headers[j], pointer, root, errors);
        }
    }
}

/* Of two options in conflict, the first that the author gave: the other one may be a default. */
static const char *first_given(const struct json_value *root, const char *section,
                               const char *first, const char *second)
{
    const struct json_value *object = json_member(root, section);

    return object != NULL && json_member(object, strrchr(first, '/') + 1) != NULL ? first : second;
}

/* Zero stands for an option that was wrong by itself. */
static void check_sizes(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors)
{
    const char *pointer;

    if (cfg->limits.head_bytes != 0 && cfg->limits.target_bytes > cfg->limits.head_bytes) {
        pointer = first_given(root, "limits", "/limits/targetBytes", "/limits/headBytes");
        config_errors_add(errors, CONFIG_CODE_CONFLICT, span_of(root, pointer), pointer,
                          "the target is a part of the head",
                          "\"targetBytes\" (%" PRIu32 ") is larger than \"headBytes\" (%" PRIu32
                          ")",
                          cfg->limits.target_bytes, cfg->limits.head_bytes);
    }
    if (cfg->file_cache.max_bytes != 0 &&
        cfg->file_cache.max_file_bytes > cfg->file_cache.max_bytes) {
        pointer = first_given(root, "fileCache", "/fileCache/maxFileBytes", "/fileCache/maxBytes");
        config_errors_add(errors, CONFIG_CODE_CONFLICT, span_of(root, pointer), pointer,
                          "one file can't take more than all of them together",
                          "\"maxFileBytes\" (%" PRIu32 ") is larger than \"maxBytes\" (%" PRIu64
                          ")",
                          cfg->file_cache.max_file_bytes, cfg->file_cache.max_bytes);
    }
}

static void check_logs(const struct config *cfg, const struct json_value *root,
                       struct config_errors *errors)
{
    const char *access = cfg->access_log.path, *error = cfg->error_log.path;

    if (access == NULL || error == NULL || *access == '\0' || strcmp(access, error) != 0)
        return;
    config_errors_add(errors, CONFIG_CODE_CONFLICT, span_of(root, "/errorLog/path"),
                      "/errorLog/path", "give each log a file of its own",
                      "both logs are written to \"%s\"", error);
}

void config_check_rules(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors)
{
    check_endpoints(cfg, root, errors);
    check_hosts(cfg, root, errors);
    check_headers(cfg, root, errors);
    check_sizes(cfg, root, errors);
    check_logs(cfg, root, errors);
}
