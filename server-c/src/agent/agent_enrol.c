/* SPDX-License-Identifier: MIT */
/* agent_enrol.c — the CA is requested without knowing who answers, so nothing secret is sent with
 * that request. A certificate is believed only if it has the fingerprint in the token, and the
 * token is sent only to a server with such a certificate. */
#include "agent/agent_enrol.h"

#include "agent/agent.h"
#include "agent/agent_http.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 30000
#define SECRET_MIN 16

bool agent_token_read(const char *text, struct agent_token *out)
{
    size_t len = strlen(text);
    const char *dot = strrchr(text, '.');
    memset(out, 0, sizeof(*out));
    if (dot) {
        if (!agent_fingerprint_is_one(dot + 1))
            return false;
        memcpy(out->fingerprint, dot + 1, AGENT_FINGERPRINT_LEN);
        len = (size_t)(dot - text);
    }
    if (len < SECRET_MIN || len > AGENT_SECRET_LEN)
        return false;
    memcpy(out->secret, text, len);
    return true;
}

/* Makes a node's name from the host name: up to the first dot, and changed to fit. */
static void name_from_host(const char *hostname, char out[AGENT_NAME_LEN + 1])
{
    size_t len = 0;
    for (const char *p = hostname; *p && *p != '.' && len < AGENT_NAME_LEN; p++) {
        unsigned char c = (unsigned char)*p;
        out[len++] = (char)(c < 0x80 && isalnum(c) ? tolower(c) : '-');
    }
    while (len > 0 && out[len - 1] == '-')
        len--;
    out[len] = '\0';
    size_t dashes = strspn(out, "-");
    memmove(out, out + dashes, len - dashes + 1);
    if (!out[0])
        snprintf(out, AGENT_NAME_LEN + 1, "node");
}

/* --- requests -------------------------------------------------------------------------------- */

static struct agent_http *open_http(const struct agent_identity *identity, bool believe_anybody)
{
    struct agent_http_peer peer = {
        .base_url = identity->control_plane_url,
        .proxy = identity->proxy[0] ? identity->proxy : NULL,
        .ca_certificates = identity->ca_certificates,
        .believe_anybody = believe_anybody,
    };
    return agent_http_new(&peer);
}

static void explain(const struct agent_identity *identity, const struct agent_reply *reply,
                    char why[AGENT_ENROL_WHY_LEN])
{
    struct agent_problem problem;
    if (reply->status == 0) {
        snprintf(why, AGENT_ENROL_WHY_LEN, "no control plane at %s: %s",
                 identity->control_plane_url, reply->error);
        return;
    }
    agent_read_problem(reply->body, reply->len, &problem);
    if (problem.code[0])
        snprintf(why, AGENT_ENROL_WHY_LEN, "the control plane refuses (%s): %s", problem.code,
                 problem.detail);
    else
        snprintf(why, AGENT_ENROL_WHY_LEN,
                 "%s answers HTTP %d and speaks no agent protocol: is it the agent listener's "
                 "address, and not the console's?",
                 identity->control_plane_url, reply->status);
}

/* 0 and a reply with success, or -1. */
static int await(struct agent_http *http, const struct agent_identity *identity,
                 struct agent_reply *reply, char why[AGENT_ENROL_WHY_LEN])
{
    while (!agent_http_next(http, TIMEOUT_MS, reply))
        continue;
    if (reply->status >= 200 && reply->status <= 299)
        return 0;
    explain(identity, reply, why);
    return -1;
}

static int no_libcurl(char why[AGENT_ENROL_WHY_LEN])
{
    snprintf(why, AGENT_ENROL_WHY_LEN, "libcurl or OpenSSL cannot start");
    return -1;
}

/* --- the control plane's CA --- */

static int pick_ca(const struct agent_reply *reply, const char *fingerprint,
                   struct agent_identity *identity, char why[AGENT_ENROL_WHY_LEN])
{
    char *offered = NULL;
    if (agent_read_ca(reply->body, reply->len, &offered, why) != 0)
        return -1;
    /* Others are dropped: whoever sits in between could have added some. */
    identity->ca_certificates = agent_ca_pick(offered, fingerprint);
    free(offered);
    if (identity->ca_certificates)
        return 0;
    snprintf(why, AGENT_ENROL_WHY_LEN,
             "%s is not the control plane that made this token: its CA has another fingerprint. "
             "The token was not sent. Check the address, and make a new token if the CA was "
             "replaced",
             identity->control_plane_url);
    return -1;
}

static int fetch_ca(const struct agent_token *token, struct agent_identity *identity,
                    char why[AGENT_ENROL_WHY_LEN])
{
    struct agent_reply reply;
    struct agent_http *http = open_http(identity, true);
    if (!http)
        return no_libcurl(why);
    agent_http_get(http, AGENT_SLOT_TALK, "ca", TIMEOUT_MS);
    int err = await(http, identity, &reply, why);
    if (!err)
        err = pick_ca(&reply, token->fingerprint, identity, why);
    agent_http_free(http);
    return err;
}

/* --- enrolling --- */

/* Takes the issued certificate if it fits `key`. */
static int take_certificate(struct agent_identity *identity, const char *key,
                            struct agent_issued *issued, char why[AGENT_ENROL_WHY_LEN])
{
    if (!issued->certificate) {
        snprintf(why, AGENT_ENROL_WHY_LEN, "the control plane gave no certificate");
        return -1;
    }
    if (agent_certificate_check(issued->certificate, key, why, AGENT_ENROL_WHY_LEN) != 0 ||
        agent_ca_check(issued->ca_certificates, why, AGENT_ENROL_WHY_LEN) != 0)
        return -1;
    agent_identity_take(identity, xstrdup(key), issued);
    return 0;
}

static int take_enrolled(struct agent_identity *identity, const char *key,
                         const struct agent_reply *reply, char why[AGENT_ENROL_WHY_LEN])
{
    struct agent_issued issued;
    if (agent_read_enrolled(reply->body, reply->len, &identity->enrolled, &issued, why) != 0)
        return -1;
    int err = 0;
    if (key) {
        err = take_certificate(identity, key, &issued, why);
    } else if (!identity->enrolled.credential[0]) {
        snprintf(why, AGENT_ENROL_WHY_LEN, "the control plane gave no credential");
        err = -1;
    }
    agent_issued_fini(&issued);
    return err;
}

static enum agent_enrol_outcome say_enrol(struct agent_http *http,
                                          const struct agent_enrolment *enrolment, const char *key,
                                          struct agent_identity *identity,
                                          char why[AGENT_ENROL_WHY_LEN])
{
    struct agent_reply reply;
    agent_http_post(http, AGENT_SLOT_TALK, "enrol", agent_build_enrol(enrolment), TIMEOUT_MS);
    if (await(http, identity, &reply, why) == 0)
        return take_enrolled(identity, key, &reply, why) == 0 ? AGENT_ENROLLED
                                                              : AGENT_ENROL_REFUSED;
    bool may_be_done = reply.status >= 500 || (reply.status == 0 && reply.sent);
    return may_be_done ? AGENT_ENROL_UNANSWERED : AGENT_ENROL_REFUSED;
}

enum agent_enrol_outcome agent_enrol(const struct agent_token *token, const char *name,
                                     const char *key, struct agent_identity *identity,
                                     char why[AGENT_ENROL_WHY_LEN])
{
    char own_name[AGENT_NAME_LEN + 1], incarnation[33];
    struct agent_host host;
    if (key && fetch_ca(token, identity, why) != 0)
        return AGENT_ENROL_REFUSED;
    char *csr = key ? agent_key_request(key) : NULL;
    struct agent_http *http = !key || csr ? open_http(identity, false) : NULL;
    enum agent_enrol_outcome outcome = AGENT_ENROL_REFUSED;
    agent_host_read(&host);
    agent_random_id(incarnation);
    name_from_host(host.hostname, own_name);
    struct agent_enrolment enrolment = {token->secret, name ? name : own_name, incarnation, &host,
                                        csr};
    if (http)
        outcome = say_enrol(http, &enrolment, key, identity, why);
    else
        no_libcurl(why);
    agent_http_free(http);
    free(csr);
    return outcome;
}
