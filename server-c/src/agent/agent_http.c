/* SPDX-License-Identifier: MIT */
/* agent_http.c — uses libcurl's multi interface with one easy handle per slot. libcurl keeps one
 * connection open, and opens others while that one is in use. Redirects are never followed, because each request carries a credential. */
#include "agent/agent_http.h"

#include "agent/agent_http_trust.h"
#include "agent/agent_keys.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "neighbours/neighbour_channel.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWER_BYTES (4u << 20)
#define CONNECT_TIMEOUT_MS 10000L
#define SILENCE_SECONDS 30L
/* Of a neighbour, beside which there are others. */
#define NEIGHBOUR_CONNECT_TIMEOUT_MS 3000L

struct slot {
    CURL *easy;
    bool busy;                         /* asked, and no reply yet */
    bool failed;                       /* could not be started */
    bool too_large;                    /* the answer was cut at MAX_ANSWER_BYTES */
    unsigned used;                     /* the `version` that this handle has been set up for */
    char *body;                        /* what is sent; NULL: a GET */
    const struct agent_stream *stream; /* NULL: the answer is kept */
    struct buf answer;
    char error[CURL_ERROR_SIZE];
};

struct agent_http {
    CURLM *multi;
    struct curl_slist *headers;
    char *root; /* what addresses begin with, "/agent/v1/" included */
    char *proxy;
    char *ca_certificates, *certificate, *key;
    bool believe_anybody, is_neighbour;
    unsigned version; /* of the three fields above, from 1 */
    struct slot slots[AGENT_SLOT_COUNT];
};

static size_t on_answer(char *bytes, size_t size, size_t count, void *arg)
{
    struct slot *slot = arg;
    long status = 0;
    if (slot->stream)
        curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == (slot->stream && slot->stream->from > 0 ? 206 : 200))
        return slot->stream->take(slot->stream->arg, bytes, size * count) ? size * count : 0;
    if (slot->answer.len + size * count > MAX_ANSWER_BYTES) {
        slot->too_large = true;
        return 0;
    }
    buf_append(&slot->answer, bytes, size * count);
    return size * count;
}

static void limit_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool slot_init(struct agent_http *http, struct slot *slot)
{
    buf_init(&slot->answer);
    slot->easy = curl_easy_init();
    if (!slot->easy || !(http->is_neighbour ? agent_http_trust_nodes(slot->easy)
                                            : agent_http_trust_control_plane(
                                                  slot->easy, http->believe_anybody, http->proxy)))
        return false;
    limit_protocols(slot->easy);
    curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(slot->easy, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Does not wait for the look-up of a name that has been given up. It can take half a minute, in
     * which neither a stop nor the timer of an unconfirmed config would be noticed. */
    curl_easy_setopt(slot->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl_easy_setopt(slot->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(slot->easy, CURLOPT_CONNECTTIMEOUT_MS,
                     http->is_neighbour ? NEIGHBOUR_CONNECT_TIMEOUT_MS : CONNECT_TIMEOUT_MS);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(slot->easy, CURLOPT_ERRORBUFFER, slot->error);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    return true;
}

/* The caller frees it. */
static char *text_of(const char *before, const char *text, const char *after)
{
    char *out = NULL;
    CHECK(asprintf(&out, "%s%s%s", before, text, after) >= 0);
    return out;
}

static void add_header(struct agent_http *http, const char *line)
{
    struct curl_slist *longer = curl_slist_append(http->headers, line);
    if (longer)
        http->headers = longer;
}

static void add_headers(struct agent_http *http, const char *credential)
{
    add_header(http, "Content-Type: application/json");
    add_header(http, "Accept: application/json, application/problem+json");
    /* Without this, libcurl would wait for "100 Continue" before a large report; few servers send
     * it. */
    add_header(http, "Expect:");
    add_header(http, "User-Agent: farmstead-node/" FARMSTEAD_VERSION);
    if (!credential)
        return;
    char *line = text_of("Authorization: Bearer ", credential, "");
    add_header(http, line);
    free(line);
}

static char *copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

void agent_http_use(struct agent_http *http, const char *ca_certificates, const char *certificate,
                    const char *key)
{
    free(http->ca_certificates);
    free(http->certificate);
    agent_secret_free(http->key);
    http->ca_certificates = copy(ca_certificates);
    http->certificate = copy(certificate);
    http->key = copy(key);
    http->version++;
}

struct agent_http *agent_http_new(const struct agent_http_peer *peer)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return NULL;
    struct agent_http *http = xcalloc(1, sizeof(*http));
    http->root = text_of("", peer->base_url, "/agent/v1/");
    http->proxy = copy(peer->proxy);
    http->believe_anybody = peer->believe_anybody;
    http->is_neighbour = peer->is_neighbour;
    agent_http_use(http, peer->ca_certificates, peer->certificate, peer->key);
    http->multi = curl_multi_init();
    add_headers(http, peer->credential);
    bool ok =
        http->multi != NULL && curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, 1L) == CURLM_OK;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        ok = slot_init(http, &http->slots[i]) && ok;
    if (!ok) {
        agent_http_free(http);
        return NULL;
    }
    return http;
}

void agent_http_free(struct agent_http *http)
{
    if (!http)
        return;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++) {
        struct slot *slot = &http->slots[i];
        if (slot->busy && !slot->failed)
            curl_multi_remove_handle(http->multi, slot->easy);
        curl_easy_cleanup(slot->easy);
        free(slot->body);
        buf_fini(&slot->answer);
    }
    curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    free(http->root);
    free(http->proxy);
    free(http->ca_certificates);
    free(http->certificate);
    agent_secret_free(http->key);
    free(http);
    curl_global_cleanup();
}

bool agent_http_ask_neighbour(struct agent_http *http, const char *address, const char *key_sha256,
                              const char *pass, uint64_t from)
{
    CURL *easy = http->slots[AGENT_SLOT_FETCH].easy;
    char *line = text_of("Farmstead-Pass: ", pass, "");
    char range[40];
    curl_slist_free_all(http->headers);
    http->headers = NULL;
    add_header(http, "Content-Type: text/plain");
    add_header(http, "Expect:");
    add_header(http, line);
    free(line);
    if (from > 0) { /* libcurl's own option says Content-Range with a body */
        snprintf(range, sizeof(range), "Range: bytes=%" PRIu64 "-", from);
        add_header(http, range);
    }
    free(http->root);
    http->root = text_of("https://", address, "/neighbour/v1/");
    return agent_http_trust_key(easy, key_sha256) &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK;
}

/* Nothing is asked in it any more. */
static void rest(struct slot *slot)
{
    slot->busy = slot->failed = false;
    free(slot->body);
    slot->body = NULL;
}

void agent_http_drop(struct agent_http *http, enum agent_slot which)
{
    struct slot *slot = &http->slots[which];
    if (slot->busy && !slot->failed)
        curl_multi_remove_handle(http->multi, slot->easy);
    rest(slot);
}

bool agent_http_busy(const struct agent_http *http, enum agent_slot slot)
{
    return http->slots[slot].busy;
}

static bool set_blob(CURL *easy, CURLoption option, char *text)
{
    struct curl_blob blob = {text, text ? strlen(text) : 0, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, text ? &blob : NULL) == CURLE_OK;
}

static bool set_tls(struct agent_http *http, struct slot *slot)
{
    bool is_https = strncmp(http->root, "https:", strlen("https:")) == 0;
    if (is_https && !http->ca_certificates && !http->believe_anybody)
        return false;
    if (slot->used == http->version)
        return true;
    bool ok = set_blob(slot->easy, CURLOPT_CAINFO_BLOB, http->ca_certificates) &&
              set_blob(slot->easy, CURLOPT_SSLCERT_BLOB, http->certificate) &&
              set_blob(slot->easy, CURLOPT_SSLKEY_BLOB, http->key);
    slot->used = ok ? http->version : 0;
    return ok;
}

static bool set_method(struct slot *slot)
{
    if (!slot->body)
        return curl_easy_setopt(slot->easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    return curl_easy_setopt(slot->easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDS, slot->body) == CURLE_OK &&
           curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                            (curl_off_t)strlen(slot->body)) == CURLE_OK;
}

/* A slot is used for streams, or for answers that are kept: what is set here stays. */
static bool set_stream(const struct agent_http *http, struct slot *slot)
{
    char range[32];
    const struct agent_stream *stream = slot->stream;
    if (!stream)
        return true;
    bool has_range = stream->from > 0 && !http->is_neighbour;
    long least = http->is_neighbour ? (long)NEIGHBOUR_SLOW_BYTES_PER_SECOND : 1;
    snprintf(range, sizeof(range), "%" PRIu64 "-", stream->from);
    return curl_easy_setopt(slot->easy, CURLOPT_RANGE, has_range ? range : NULL) == CURLE_OK &&
           curl_easy_setopt(slot->easy, CURLOPT_LOW_SPEED_LIMIT, least) == CURLE_OK &&
           curl_easy_setopt(slot->easy, CURLOPT_LOW_SPEED_TIME,
                            http->is_neighbour ? (long)NEIGHBOUR_SLOW_SECONDS : SILENCE_SECONDS) ==
               CURLE_OK;
}

static void begin(struct agent_http *http, enum agent_slot which, const char *message, char *body,
                  const struct agent_stream *stream, uint32_t timeout_ms)
{
    struct slot *slot = &http->slots[which];
    struct buf url;
    buf_init(&url);
    buf_printf(&url, "%s%s", http->root, message);
    free(slot->body);
    slot->body = body;
    slot->stream = stream;
    slot->busy = true;
    slot->too_large = false;
    slot->error[0] = '\0';
    buf_clear(&slot->answer);
    bool ok = set_tls(http, slot) && set_method(slot) && set_stream(http, slot) &&
              curl_easy_setopt(slot->easy, CURLOPT_URL, url.data) == CURLE_OK &&
              curl_easy_setopt(slot->easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
              curl_multi_add_handle(http->multi, slot->easy) == CURLM_OK;
    slot->failed = !ok;
    buf_fini(&url);
}

void agent_http_post(struct agent_http *http, enum agent_slot slot, const char *message, char *body,
                     uint32_t timeout_ms)
{
    begin(http, slot, message, body, NULL, timeout_ms);
}

void agent_http_stream(struct agent_http *http, enum agent_slot slot, const char *message,
                       char *body, const struct agent_stream *stream)
{
    begin(http, slot, message, body, stream, 0);
}

void agent_http_get(struct agent_http *http, enum agent_slot slot, const char *message,
                    uint32_t timeout_ms)
{
    agent_http_post(http, slot, message, NULL, timeout_ms);
}

/* The usual reason is that this machine's clock is wrong. */
static const char *hint_of(const struct slot *slot)
{
    long verified = X509_V_OK;
    curl_easy_getinfo(slot->easy, CURLINFO_SSL_VERIFYRESULT, &verified);
    bool is_time =
        verified == X509_V_ERR_CERT_NOT_YET_VALID || verified == X509_V_ERR_CERT_HAS_EXPIRED;
    return is_time ? "; is this machine's clock right?" : "";
}

static void explain_silence(const struct slot *slot, CURLcode result, struct agent_reply *reply)
{
    curl_off_t sent = 0;
    const char *what = slot->error[0] ? slot->error : curl_easy_strerror(result);
    curl_easy_getinfo(slot->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    reply->sent = sent > 0;
    reply->untrusted = result == CURLE_PEER_FAILED_VERIFICATION;
    reply->timed_out = result == CURLE_OPERATION_TIMEDOUT;
    if (slot->too_large)
        snprintf(reply->error, sizeof(reply->error), "the answer is longer than %u bytes",
                 MAX_ANSWER_BYTES);
    else
        snprintf(reply->error, sizeof(reply->error), "%s%.180s%s",
                 result == CURLE_SSL_CONNECT_ERROR ? "TLS: " : "", what,
                 reply->untrusted ? hint_of(slot) : "");
}

static void fill_reply(struct agent_http *http, struct slot *slot, CURLcode result,
                       struct agent_reply *reply)
{
    long status = 0;
    memset(reply, 0, sizeof(*reply));
    reply->slot = (enum agent_slot)(slot - http->slots);
    if (result == CURLE_OK)
        curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    reply->status = (int)status;
    reply->stale = slot->used != http->version;
    reply->body = slot->answer.data;
    reply->len = slot->answer.len;
    if (status == 0)
        explain_silence(slot, result, reply);
    rest(slot);
}

static bool take_finished(struct agent_http *http, struct agent_reply *reply)
{
    int left;
    for (CURLMsg *msg = curl_multi_info_read(http->multi, &left); msg;
         msg = curl_multi_info_read(http->multi, &left)) {
        if (msg->msg != CURLMSG_DONE)
            continue;
        CURLcode result = msg->data.result;
        CURL *easy = msg->easy_handle;
        struct slot *slot = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &slot);
        curl_multi_remove_handle(http->multi, easy);
        fill_reply(http, slot, result, reply);
        return true;
    }
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        if (http->slots[i].failed) {
            fill_reply(http, &http->slots[i], CURLE_FAILED_INIT, reply);
            return true;
        }
    return false;
}

bool agent_http_next(struct agent_http *http, uint32_t wait_ms, struct agent_reply *reply)
{
    int running;
    curl_multi_perform(http->multi, &running);
    if (take_finished(http, reply))
        return true;
    curl_multi_poll(http->multi, NULL, 0, (int)wait_ms, NULL);
    curl_multi_perform(http->multi, &running);
    return take_finished(http, reply);
}

void agent_http_wake(struct agent_http *http)
{
    curl_multi_wakeup(http->multi);
}
