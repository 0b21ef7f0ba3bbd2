/* SPDX-License-Identifier: MIT */
/* agent_http.c — libcurl's multi interface with one easy handle per slot. Connections are kept
 * open by libcurl; redirects are never followed, because a credential goes with every request. */
#include "agent_http.h"

#include "buf.h"
#include "mem.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWER_BYTES (4u << 20)
#define CONNECT_TIMEOUT_MS 10000L

struct slot {
    CURL *easy;
    bool busy;      /* posted and not yet replied */
    bool failed;    /* could not even begin */
    bool too_large; /* the answer was cut off at MAX_ANSWER_BYTES */
    char *body;     /* what is being sent */
    struct buf answer;
    char error[CURL_ERROR_SIZE];
};

struct agent_http {
    CURLM *multi;
    struct curl_slist *headers;
    char *base_url;
    struct slot slots[AGENT_SLOT_COUNT];
};

static size_t on_answer(char *bytes, size_t size, size_t count, void *arg)
{
    struct slot *slot = arg;
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
    if (!slot->easy)
        return false;
    limit_protocols(slot->easy);
    curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(slot->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(slot->easy, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A look-up of the name that is given up is not waited for: it can take half a minute, in which
     * neither a stop nor the timer of an unconfirmed config would be heeded. */
    curl_easy_setopt(slot->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl_easy_setopt(slot->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(slot->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(slot->easy, CURLOPT_ERRORBUFFER, slot->error);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    return true;
}

static void add_header(struct agent_http *http, const char *line)
{
    struct curl_slist *longer = curl_slist_append(http->headers, line);
    if (longer)
        http->headers = longer;
}

struct agent_http *agent_http_new(const char *base_url, const char *credential)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return NULL;
    struct agent_http *http = xcalloc(1, sizeof(*http));
    http->base_url = xstrdup(base_url);
    http->multi = curl_multi_init();
    add_header(http, "Content-Type: application/json");
    add_header(http, "Accept: application/json, application/problem+json");
    /* A large report would else wait for a "100 Continue" that few servers send. */
    add_header(http, "Expect:");
    add_header(http, "User-Agent: farmstead-node/" FARMSTEAD_VERSION);
    if (credential) {
        struct buf line;
        buf_init(&line);
        buf_printf(&line, "Authorization: Bearer %s", credential);
        add_header(http, line.data);
        buf_fini(&line);
    }
    bool ok = http->multi != NULL;
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
    free(http->base_url);
    free(http);
    curl_global_cleanup();
}

bool agent_http_busy(const struct agent_http *http, enum agent_slot slot)
{
    return http->slots[slot].busy;
}

void agent_http_post(struct agent_http *http, enum agent_slot which, const char *message,
                     char *body, uint32_t timeout_ms)
{
    struct slot *slot = &http->slots[which];
    struct buf url;
    buf_init(&url);
    buf_printf(&url, "%s/agent/v1/%s", http->base_url, message);
    free(slot->body);
    slot->body = body;
    slot->busy = true;
    slot->too_large = false;
    slot->error[0] = '\0';
    buf_clear(&slot->answer);
    bool ok = curl_easy_setopt(slot->easy, CURLOPT_URL, url.data) == CURLE_OK &&
              curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDS, body) == CURLE_OK &&
              curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body)) ==
                  CURLE_OK &&
              curl_easy_setopt(slot->easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
              curl_multi_add_handle(http->multi, slot->easy) == CURLM_OK;
    slot->failed = !ok;
    buf_fini(&url);
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
    reply->body = slot->answer.data;
    reply->len = slot->answer.len;
    if (slot->too_large)
        snprintf(reply->error, sizeof(reply->error), "the answer is longer than %u bytes",
                 MAX_ANSWER_BYTES);
    else if (status == 0)
        snprintf(reply->error, sizeof(reply->error), "%.255s",
                 slot->error[0] ? slot->error : curl_easy_strerror(result));
    slot->busy = false;
    slot->failed = false;
    free(slot->body);
    slot->body = NULL;
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

static bool part_is_absent(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    CURLUcode found = curl_url_get(url, part, &text, 0);
    curl_free(text);
    return found != CURLUE_OK;
}

int agent_http_check_url(const char *text, char *out, size_t size, bool *is_plain, char *why,
                         size_t why_len)
{
    CURLU *url = curl_url();
    char *scheme = NULL;
    int err = -1;
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '/')
        len--;
    if (!url || curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0))
        snprintf(why, why_len, "\"%.120s\" is no https:// or http:// address", text);
    else if (len >= size)
        snprintf(why, why_len, "the address is longer than %zu bytes", size - 1);
    else if (!part_is_absent(url, CURLUPART_USER) || !part_is_absent(url, CURLUPART_QUERY) ||
             !part_is_absent(url, CURLUPART_FRAGMENT))
        snprintf(why, why_len, "the address may have no user, \"?\" or \"#\" in it");
    else
        err = 0;
    if (!err) {
        memcpy(out, text, len);
        out[len] = '\0';
        *is_plain = strcmp(scheme, "http") == 0;
    }
    curl_free(scheme);
    curl_url_cleanup(url);
    return err;
}
