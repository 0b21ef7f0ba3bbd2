/* SPDX-License-Identifier: MIT */
/* admin_answer.c — a foreign page in an operator's browser must not be able to read this by having
 * its own host name point to this machine (DNS rebinding). So only requests for hosts are answered
 * that such a page can't have. */
#include "admin/admin_answer.h"

#include "admin/admin_data.h"
#include "base/util.h"
#include "http/http_accept.h"
#include "server/server.h"
#include "site/site_host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* What fill_body() decides, besides the body. */
struct answer {
    enum http_status status;
    const char *type;
    const char *reason; /* of a refusal; NULL: the usual sentence for its status */
    bool varies;        /* depends on Accept, so Vary says so (RFC 9110 section 12.5.5) */
};

/* --- for which host -------------------------------------------------------------------------- */

void admin_answerer_init(struct admin_answerer *answerer, struct server *server)
{
    *answerer = (struct admin_answerer){.server = server};
    if (gethostname(answerer->host, sizeof(answerer->host) - 1) != 0)
        answerer->host[0] = '\0';
}

static bool is_name(struct span host, const char *name)
{
    if (host.len > 0 && host.ptr[host.len - 1] == '.')
        host.len--;
    return name[0] && host.len == strlen(name) && strncasecmp(host.ptr, name, host.len) == 0;
}

/* Is it this machine, by an address, as localhost or by its own name? A request of HTTP/1.0 need
 * not have a Host (RFC 9112 section 3.2); browsers send HTTP/1.1. */
static bool is_our_host(const struct admin_answerer *answerer, struct span host)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];

    if (host.len == 0 || is_name(host, "localhost") || is_name(host, answerer->host))
        return true;
    if (host.len > 2 && host.ptr[0] == '[')
        host = (struct span){host.ptr + 1, host.len - 2};
    if (host.len >= sizeof(text))
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

/* The config lists names that, in the operator's word, no foreign page has. */
static bool is_named(const struct admin_answerer *answerer, struct span host)
{
    struct config *cfg = server_config(answerer->server);
    bool named = cfg && site_host_in(cfg->admin.hosts, cfg->admin.host_count, host);

    config_put(cfg);
    return named;
}

/* --- the body -------------------------------------------------------------------------------- */

/* The richest form first: a client that accepts several equally gets the native histograms. */
static const struct http_form metrics_forms[] = {
    [ADMIN_METRICS_PROTOBUF] = {"application/vnd.google.protobuf",
                                {{"proto", "io.prometheus.client.metricfamily", true},
                                 {"encoding", "delimited", true}}},
    [ADMIN_METRICS_OPENMETRICS] = {"application/openmetrics-text", {{"version", "1.0.0", false}}},
    [ADMIN_METRICS_TEXT] = {"text/plain", {{"version", "0.0.4", false}}},
};
#define PROTOBUF_TYPE                                                                              \
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
static const char *const metrics_types[] = {
    [ADMIN_METRICS_PROTOBUF] = PROTOBUF_TYPE,
    [ADMIN_METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
    [ADMIN_METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
};

static void answer_metrics(struct admin_answerer *answerer, struct buf *body,
                           const struct http_request *req, const char *head, struct answer *answer)
{
    size_t form = http_accept_choose(req, head, metrics_forms, ARRAY_LEN(metrics_forms));

    answer->type = metrics_types[form];
    answer->varies = true;
    admin_append_metrics(body, answerer->server, (enum admin_metrics_form)form);
}

static void answer_samples(struct admin_answerer *answerer, struct buf *body, struct span query,
                           struct answer *answer)
{
    if (!admin_append_samples(body, answerer->server, query, &answer->reason))
        answer->status = HTTP_BAD_REQUEST;
    else
        answer->type = "application/json";
}

static bool is_path(const struct http_request *req, const char *head, const char *path)
{
    return span_is(http_slice_of(head, req->path), path);
}

static void answer_path(struct admin_answerer *answerer, struct buf *body,
                        const struct http_request *req, const char *head, struct answer *answer)
{
    answer->status = HTTP_OK;
    if (is_path(req, head, "/")) {
        answer->type = "text/html; charset=utf-8";
        admin_append_page(body, answerer->server, &answerer->last_look);
    } else if (is_path(req, head, "/status")) {
        answer->type = "application/json";
        admin_append_status(body, answerer->server);
    } else if (is_path(req, head, "/samples")) {
        answer_samples(answerer, body, http_slice_of(head, req->query), answer);
    } else if (is_path(req, head, "/metrics")) {
        answer_metrics(answerer, body, req, head, answer);
    } else {
        answer->status = HTTP_NOT_FOUND;
    }
}

static void decide(struct admin_answerer *answerer, struct buf *body,
                   const struct http_request *req, const char *head, struct answer *answer)
{
    struct span host = http_slice_of(head, req->host);

    if (!is_our_host(answerer, host) && !is_named(answerer, host))
        answer->status = HTTP_MISDIRECTED_REQUEST;
    else if (req->method == HTTP_OTHER_METHOD)
        answer->status = HTTP_NOT_IMPLEMENTED;
    else if (req->method != HTTP_GET && req->method != HTTP_HEAD)
        answer->status = HTTP_METHOD_NOT_ALLOWED;
    else
        answer_path(answerer, body, req, head, answer);
}

static void append_refusal(struct buf *body, const struct answer *answer)
{
    const char *reason = answer->reason;

    if (!reason)
        reason =
            answer->status == HTTP_MISDIRECTED_REQUEST
                ? "Ask by an IP address, as localhost or by the machine's own name; the config "
                  "takes others in admin.hosts."
                : "Here are /, /status, /samples and /metrics.";
    buf_printf(body, "%d %s. %s\n", (int)answer->status, http_status_text(answer->status), reason);
}

void admin_answer(struct admin_answerer *answerer, struct buf *out, const struct http_request *req,
                  const char *head, enum parse parsed)
{
    struct answer answer = {.status = req->status, .type = "text/plain; charset=utf-8"};
    struct buf body;

    buf_init(&body);
    if (parsed != PARSE_BAD)
        decide(answerer, &body, req, head, &answer);
    if (answer.status != HTTP_OK)
        append_refusal(&body, &answer);
    buf_printf(out,
               "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
               "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
               "Referrer-Policy: no-referrer\r\nConnection: close\r\n%s%s\r\n",
               (int)answer.status, http_status_text(answer.status), answer.type, body.len,
               answer.varies ? "Vary: Accept\r\n" : "",
               answer.status == HTTP_METHOD_NOT_ALLOWED ? "Allow: GET, HEAD\r\n" : "");
    if (req->method != HTTP_HEAD)
        buf_append(out, body.data, body.len);
    buf_fini(&body);
}
