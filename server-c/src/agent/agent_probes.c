/* SPDX-License-Identifier: MIT */
/* agent_probes.c — the thread starts with the first order, as most nodes never get one. It owns the
 * order that it works on. */
#include "agent/agent_probes.h"

#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Then a new connection is made, which the kernel may give to another loop. */
#define REQUESTS_PER_CONNECTION 10
/* Of a longer answer the rest is not fetched, and the request counts as ended early. */
#define ANSWER_BYTES_MAX (8u << 20)
#define BYTES_PER_SECOND_MAX (32u << 20)

struct agent_probes {
    struct server *server;
    pthread_t thread;
    bool has_thread;
    char last_id[AGENT_PROBE_ID_LEN + 1]; /* used by the agent's thread only */

    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t changed;
    bool is_ending, is_changed; /* is_changed: `next` replaces the order under way */
    struct agent_probe_order next;
    struct agent_probed probed; /* what has not been said yet */
};

/* An order under way. Used by the thread only. */
struct visit {
    struct agent_probes *probes;
    const struct agent_probe_order *order;
    struct agent_probe_pace pace;
    const struct agent_probe_target *target;
    CURL *easy;
    struct curl_slist *connect_to;
    size_t asked, answered;
    struct agent_probe_reading reading; /* of the answer that comes now */
    struct agent_probed probed;         /* so far */
};

/* --- one request --- */

static bool is_interrupted(struct agent_probes *probes)
{
    pthread_mutex_lock(&probes->lock);
    bool interrupted = probes->is_ending || probes->is_changed;
    pthread_mutex_unlock(&probes->lock);
    return interrupted;
}

/* libcurl calls this once a second, and more often while bytes arrive. */
static int on_progress(void *arg, curl_off_t total_down, curl_off_t down, curl_off_t total_up,
                       curl_off_t up)
{
    struct visit *visit = arg;
    (void)total_down;
    (void)down;
    (void)total_up;
    (void)up;
    return is_interrupted(visit->probes) || agent_probe_pace_is_over(&visit->pace, monotonic_ns());
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct visit *visit = arg;
    agent_probe_reading_add(&visit->reading, bytes, size * count);
    return visit->reading.bytes > ANSWER_BYTES_MAX ? 0 : size * count;
}

/* A site is chosen by the name in the handshake, so over TLS the URL has to have it. */
static CURLcode set_url(struct visit *visit, const char *host)
{
    const struct agent_probe_target *target = visit->target;
    char url[sizeof("https://:65535") + AGENT_PROBE_HOST_LEN];
    if (!target->speaks_tls || !host)
        return curl_easy_setopt(visit->easy, CURLOPT_URL, target->url);
    snprintf(url, sizeof(url), "https://%s:%u", host, target->port);
    return curl_easy_setopt(visit->easy, CURLOPT_URL, url);
}

static bool perform(struct visit *visit, const struct agent_probe_path *path)
{
    return set_url(visit, path->host) == CURLE_OK && curl_easy_perform(visit->easy) == CURLE_OK;
}

/* Only what is asked for the first time is said. */
static void note_answer(struct visit *visit, bool is_whole)
{
    size_t place = visit->asked - 1;
    struct agent_probe_answer answer;
    char *type = NULL;
    long status = 0;
    curl_easy_getinfo(visit->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(visit->easy, CURLINFO_CONTENT_TYPE, &type);
    agent_probe_reading_end(&visit->reading, status, is_whole, type, &answer);
    if (!visit->order->wants_answers || place >= visit->order->path_count)
        return;
    visit->probed.answers[place] = answer;
    visit->probed.count = place + 1;
}

static void fetch(struct visit *visit)
{
    const struct agent_probe_path *path =
        &visit->order->paths[visit->asked % visit->order->path_count];
    struct curl_slist *headers = NULL;
    char host[sizeof("Host: ") + AGENT_PROBE_HOST_LEN];
    if (path->host) {
        snprintf(host, sizeof(host), "Host: %s", path->host);
        headers = curl_slist_append(NULL, host);
    }
    visit->asked++;
    agent_probe_reading_begin(&visit->reading, visit->order->wants_answers);
    curl_easy_setopt(visit->easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(visit->easy, CURLOPT_REQUEST_TARGET, path->path);
    curl_easy_setopt(visit->easy, CURLOPT_FORBID_REUSE,
                     visit->asked % REQUESTS_PER_CONNECTION == 0 ? 1L : 0L);
    bool is_whole = perform(visit, path);
    if (is_whole)
        visit->answered++;
    note_answer(visit, is_whole);
    curl_easy_setopt(visit->easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
}

/* --- one order --- */

/* This node's own certificates are not judged by this: who serves them does that. */
static bool set_tls(const struct visit *visit)
{
    return curl_easy_setopt(visit->easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK &&
           curl_easy_setopt(visit->easy, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK &&
           curl_easy_setopt(visit->easy, CURLOPT_CONNECT_TO, visit->connect_to) == CURLE_OK;
}

static bool open_visit(struct visit *visit, const struct agent_probe_target *target)
{
    CURL *easy = visit->easy = curl_easy_init();
    visit->target = target;
    visit->connect_to = curl_slist_append(NULL, target->connect_to);
    return easy && visit->connect_to && (!target->speaks_tls || set_tls(visit)) &&
           curl_easy_setopt(easy, CURLOPT_HAPROXYPROTOCOL, target->has_proxy_header ? 1L : 0L) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, target->socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, METRICS_PROBE_AGENT FARMSTEAD_VERSION) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_MAX_RECV_SPEED_LARGE, (curl_off_t)BYTES_PER_SECOND_MAX) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, visit) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_XFERINFODATA, visit) == CURLE_OK;
}

/* Waits until the next request is due. False: there is no further one. */
static bool await_due(struct visit *visit)
{
    struct agent_probes *probes = visit->probes;
    uint64_t due = visit->pace.due_ns;
    struct timespec until = {(time_t)(due / NS_PER_SECOND), (long)(due % NS_PER_SECOND)};
    pthread_mutex_lock(&probes->lock);
    while (!probes->is_ending && !probes->is_changed && monotonic_ns() < due)
        pthread_cond_clockwait(&probes->changed, &probes->lock, CLOCK_MONOTONIC, &until);
    bool interrupted = probes->is_ending || probes->is_changed;
    pthread_mutex_unlock(&probes->lock);
    return !interrupted && !agent_probe_pace_is_over(&visit->pace, monotonic_ns());
}

/* An order that ended early has nothing to say: whoever gave it asks again. */
static void keep_answers(struct visit *visit)
{
    struct agent_probes *probes = visit->probes;
    if (!visit->order->wants_answers || visit->probed.count < visit->order->path_count)
        return;
    memcpy(visit->probed.id, visit->order->id, sizeof(visit->probed.id));
    pthread_mutex_lock(&probes->lock);
    probes->probed = visit->probed;
    pthread_mutex_unlock(&probes->lock);
}

static void fetch_all(struct visit *visit)
{
    while (await_due(visit)) {
        fetch(visit);
        agent_probe_pace_step(&visit->pace, monotonic_ns());
    }
    keep_answers(visit);
    log_debug("agent: probes: %zu requests, %zu answered", visit->asked, visit->answered);
}

static void carry_out(struct agent_probes *probes, const struct agent_probe_order *order)
{
    struct visit visit = {.probes = probes, .order = order};
    struct agent_probe_target target;
    struct config *cfg = server_config(probes->server);
    agent_probe_pace_begin(&visit.pace, order, monotonic_ns());
    if (!agent_probe_target_of(cfg, &target))
        log_warn("agent: nothing is probed: there is no address to connect to");
    else if (open_visit(&visit, &target))
        fetch_all(&visit);
    curl_easy_cleanup(visit.easy);
    curl_slist_free_all(visit.connect_to);
    config_put(cfg);
}

static void *run(void *arg)
{
    struct agent_probes *probes = arg;
    pthread_setname_np(pthread_self(), "probes");
    pthread_mutex_lock(&probes->lock);
    while (!probes->is_ending) {
        if (!probes->is_changed) {
            pthread_cond_wait(&probes->changed, &probes->lock);
            continue;
        }
        struct agent_probe_order order = probes->next;
        memset(&probes->next, 0, sizeof(probes->next));
        probes->is_changed = false;
        pthread_mutex_unlock(&probes->lock);
        if (order.id[0])
            carry_out(probes, &order);
        agent_probe_order_fini(&order);
        pthread_mutex_lock(&probes->lock);
    }
    pthread_mutex_unlock(&probes->lock);
    return NULL;
}

/* --- the agent's side --- */

struct agent_probes *agent_probes_new(struct server *server)
{
    struct agent_probes *probes = xcalloc(1, sizeof(*probes));
    probes->server = server;
    pthread_mutex_init(&probes->lock, NULL);
    pthread_cond_init(&probes->changed, NULL);
    return probes;
}

/* Takes over `order`; an empty one ends the order under way. */
static void hand_over(struct agent_probes *probes, struct agent_probe_order *order)
{
    pthread_mutex_lock(&probes->lock);
    agent_probe_order_fini(&probes->next);
    probes->next = *order;
    probes->is_changed = true;
    pthread_cond_signal(&probes->changed);
    pthread_mutex_unlock(&probes->lock);
    memset(order, 0, sizeof(*order));
}

bool agent_probes_begin(struct agent_probes *probes, struct agent_probe_order *order)
{
    if (!order->id[0] || strcmp(order->id, probes->last_id) == 0)
        return false;
    memcpy(probes->last_id, order->id, sizeof(probes->last_id));
    if (!probes->has_thread)
        probes->has_thread = pthread_create(&probes->thread, NULL, run, probes) == 0;
    if (probes->has_thread)
        hand_over(probes, order);
    else
        log_warn("agent: nothing is probed: no thread is to be had");
    return true;
}

bool agent_probes_take(struct agent_probes *probes, struct agent_probed *out)
{
    pthread_mutex_lock(&probes->lock);
    *out = probes->probed;
    probes->probed.id[0] = '\0';
    pthread_mutex_unlock(&probes->lock);
    return out->id[0] != '\0';
}

void agent_probes_end(struct agent_probes *probes)
{
    struct agent_probe_order none = {0};
    if (probes->has_thread)
        hand_over(probes, &none);
}

void agent_probes_free(struct agent_probes *probes)
{
    if (!probes)
        return;
    pthread_mutex_lock(&probes->lock);
    probes->is_ending = true;
    pthread_cond_signal(&probes->changed);
    pthread_mutex_unlock(&probes->lock);
    if (probes->has_thread)
        pthread_join(probes->thread, NULL);
    agent_probe_order_fini(&probes->next);
    pthread_cond_destroy(&probes->changed);
    pthread_mutex_destroy(&probes->lock);
    free(probes);
}
