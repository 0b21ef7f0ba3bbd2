/* SPDX-License-Identifier: MIT */
/* agent_tickets.c — asks for the keys while the config has TLS. Without an answer nothing is lost but
 * the resumption of sessions between nodes, so a failure is only tried again. */
#include "agent/agent_tickets.h"

#include "agent/agent_json.h"
#include "log/log.h"
#include "site/site_tls.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE "ticket-keys"
#define TIMEOUT_MS 15000
#define RETRY_MS 60000
#define KEY_BYTES 80
#define KEY_TEXT 108 /* of 80 bytes in base64 */
#define HOUR_MS UINT64_C(3600000)

static bool is_wanted(struct server *server)
{
    struct config *cfg = server_config(server);
    bool is_wanted = cfg && site_tls_is_wanted(cfg);
    config_put(cfg);
    return is_wanted;
}

void agent_tickets_speak(struct agent_tickets *tickets, struct agent_http *http,
                         struct server *server, uint64_t now_ms)
{
    if (now_ms < tickets->due_ms || agent_http_busy(http, AGENT_SLOT_FETCH) || !is_wanted(server))
        return;
    agent_http_get(http, AGENT_SLOT_FETCH, MESSAGE, TIMEOUT_MS);
    tickets->is_asked = true;
}

/* --- the answer --- */

static bool read_key(const json_t *value, struct tls_ticket_key *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *text = json_string_value(value);
    unsigned char bytes[KEY_BYTES + 1];
    if (!text || json_string_length(value) != KEY_TEXT || strspn(text, digits) != KEY_TEXT - 1 ||
        text[KEY_TEXT - 1] != '=' ||
        EVP_DecodeBlock(bytes, (const unsigned char *)text, KEY_TEXT) != KEY_BYTES + 1)
        return false;
    memcpy(out->name, bytes, sizeof(out->name));
    memcpy(out->cipher, bytes + 16, sizeof(out->cipher));
    memcpy(out->mac, bytes + 48, sizeof(out->mac));
    explicit_bzero(bytes, sizeof(bytes));
    explicit_bzero((void *)(uintptr_t)text, KEY_TEXT);
    return true;
}

/* Returns how many there are, 0 after a failure. */
static size_t read_keys(struct agent_reader *reader, struct tls_ticket_key *keys)
{
    const json_t *array = json_object_get(reader->object, "keys");
    size_t count = json_array_size(array);
    bool ok = count > 0 && count <= TLS_TICKET_KEYS;
    for (size_t i = 0; i < count && ok; i++)
        ok = read_key(json_array_get(array, i), &keys[i]);
    if (!ok)
        agent_reader_fail(reader, "keys", "must be 1 to 8 texts, each of 80 bytes in base64");
    return ok ? count : 0;
}

static int take(struct agent_tickets *tickets, const struct agent_reply *reply,
                struct server *server, uint64_t now_ms)
{
    struct tls_ticket_key keys[TLS_TICKET_KEYS];
    char why[256];
    json_t *document = agent_json_load(reply->body, reply->len, why, sizeof(why));
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, sizeof(why), false};
    size_t count = read_keys(&reader, keys);
    uint64_t wait_ms = agent_read_integer(&reader, "refreshAfterMs", 1000, 24 * HOUR_MS);
    json_decref(document);
    if (!reader.failed) {
        server_use_ticket_keys(server, keys, count);
        tickets->given_ms = now_ms;
        tickets->due_ms = now_ms + wait_ms;
    }
    explicit_bzero(keys, sizeof(keys));
    return reader.failed ? -1 : 0;
}

void agent_tickets_hear(struct agent_tickets *tickets, const struct agent_reply *reply,
                        struct server *server, uint64_t now_ms)
{
    tickets->is_asked = false;
    tickets->due_ms = now_ms + RETRY_MS;
    /* What was wrong is not quoted: it may have keys in it. */
    if (reply->status != 200 || take(tickets, reply, server, now_ms) != 0)
        log_debug("agent: no keys of session tickets came (HTTP %d); asking again in %d s",
                  reply->status, RETRY_MS / 1000);
    if (reply->body)
        explicit_bzero(reply->body, reply->len);
}

void agent_tickets_on_time(struct agent_tickets *tickets, struct server *server, uint64_t now_ms)
{
    if (tickets->given_ms == 0 || now_ms - tickets->given_ms < AGENT_TICKETS_HOURS * HOUR_MS)
        return;
    tickets->given_ms = 0;
    server_use_ticket_keys(server, NULL, 0);
    log_warn("agent: no keys of session tickets came for %d hours; using keys of this node's own",
             AGENT_TICKETS_HOURS);
}
