/* SPDX-License-Identifier: MIT */
/* Any bytes as an answer of the control plane: a reader either fails with a sentence and leaves
 * nothing behind, or what it gives is within the protocol's ranges. */
#include "agent/agent_messages.h"
#include "agent/agent_keys.h"
#include "agent/agent_logs.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INTEGER 9007199254740991

static void require(int holds)
{
    if (!holds)
        abort();
}

static void require_sentence(const char why[AGENT_WHY_LEN])
{
    require(why[0] != '\0' && memchr(why, '\0', AGENT_WHY_LEN) != NULL);
}

/* Within the protocol's limits, and nothing in it ends a line of a request. */
static void require_probes(const struct agent_probe_order *order)
{
    struct agent_probe_pace pace;
    require(order->path_count <= AGENT_PROBE_PATHS_MAX);
    require((order->id[0] != '\0') == (order->path_count > 0));
    require(order->count <= AGENT_PROBE_COUNT_MAX);
    require(order->per_second <= AGENT_PROBE_PER_SECOND_MAX);
    for (size_t i = 0; i < order->path_count; i++) {
        const struct agent_probe_path *one = &order->paths[i];
        require(one->path[0] == '/' && !strpbrk(one->path, " \r\n"));
        require(strlen(one->path) <= AGENT_PROBE_PATH_LEN);
        require(!one->host || (one->host[0] && !strpbrk(one->host, " :\r\n")));
    }
    agent_probe_pace_begin(&pace, order, 0);
    require(agent_probe_pace_is_over(&pace, 0) == (order->path_count == 0));
}

static void fuzz_assignment(const char *body, size_t len)
{
    struct agent_assignment assignment;
    char why[AGENT_WHY_LEN] = "";
    if (agent_read_assignment(body, len, &assignment, why) != 0) {
        require_sentence(why);
        require(assignment.text == NULL && assignment.probes.path_count == 0);
        return;
    }
    if (assignment.request.id[0]) {
        require(strlen(assignment.request.id) == 34);
        require(assignment.request.lines >= 1 && assignment.request.lines <= AGENT_LOGS_MAX);
        free(agent_build_logs("", &assignment.request, "a\nb\n", 2));
    }
    require_probes(&assignment.probes);
    require(assignment.replaces_drift[0] == '\0' ||
            strlen(assignment.replaces_drift) == CONFIG_DIGEST_LEN);
    if (assignment.text) {
        require(assignment.text[assignment.text_len] == '\0');
        require(strlen(assignment.offer.version.digest) == CONFIG_DIGEST_LEN);
        require(strlen(assignment.offer.id) == 32);
        require(assignment.offer.version.generation >= 1 &&
                assignment.offer.version.generation <= MAX_INTEGER);
        require(assignment.epoch >= 1 && assignment.epoch <= MAX_INTEGER);
        /* What was read can be answered. */
        free(agent_build_ack(&assignment.offer));
    }
    agent_assignment_fini(&assignment);
}

/* PEM text, as far as that was looked at: it ends where its length says. */
static void require_text(const char *text)
{
    require(text != NULL && strlen(text) <= 64u << 10);
}

static void fuzz_identity(const char *body, size_t len)
{
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    char why[AGENT_WHY_LEN] = "", *certificates;
    if (agent_read_enrolled(body, len, &enrolled, &issued, why) != 0) {
        require_sentence(why);
        require(!issued.certificate && !issued.ca_certificates);
    } else if (issued.certificate) {
        require(enrolled.credential[0] == '\0');
        require_text(issued.ca_certificates);
    } else {
        require(strlen(enrolled.credential) >= 32 && !strpbrk(enrolled.credential, "\r\n "));
    }
    agent_issued_fini(&issued);
    why[0] = '\0';
    if (agent_read_issued(body, len, &issued, why) != 0) {
        require_sentence(why);
    } else {
        char *key = agent_key_new();
        require_text(issued.certificate);
        require(agent_certificate_check(issued.certificate, key, why, sizeof(why)) != 0);
        agent_secret_free(key);
        agent_issued_fini(&issued);
    }
    why[0] = '\0';
    if (agent_read_ca(body, len, &certificates, why) != 0) {
        require_sentence(why);
        return;
    }
    require_text(certificates);
    /* Nobody's fingerprint. */
    require(!agent_ca_pick(certificates, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
    if (agent_ca_check(certificates, why, sizeof(why)) != 0)
        require_sentence(why);
    free(certificates);
}

/* What becomes a part of a request ends no line of it, and leads to no other place. */
static void fuzz_neighbours(const char *body, size_t len)
{
    struct agent_neighbours named;
    char why[AGENT_WHY_LEN] = "";
    if (agent_neighbours_read(body, len, &named, why, sizeof(why)) != 0) {
        require_sentence(why);
        return;
    }
    require(named.count <= AGENT_NEIGHBOURS_MAX && named.wait_ms <= 20000);
    require(named.pass[strspn(named.pass, "0123456789abcdef.")] == '\0');
    require(named.count == 0 || named.pass[0] != '\0');
    for (size_t i = 0; i < named.count; i++) {
        require(!strpbrk(named.items[i].address, "/@?# \r\n"));
        require(strlen(named.items[i].key_sha256) == NEIGHBOUR_KEY_LEN);
    }
}

static void fuzz_the_rest(const char *body, size_t len)
{
    struct agent_session session;
    struct agent_confirmation confirmation;
    struct agent_problem problem;
    struct agent_taken taken;
    char why[AGENT_WHY_LEN] = "";
    if (agent_read_session(body, len, &session, why) != 0) {
        require_sentence(why);
        require(!session.ca_certificates);
    }
    agent_session_fini(&session);
    why[0] = '\0';
    if (agent_read_confirmation(body, len, &confirmation, why) != 0)
        require_sentence(why);
    why[0] = '\0';
    if (agent_read_taken(body, len, &taken, why) != 0) {
        require_sentence(why);
        require(!taken.desired.text);
    }
    agent_assignment_fini(&taken.desired);
    agent_read_problem(body, len, &problem);
    require(!strpbrk(problem.detail, "\r\n"));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    /* A copy with a NUL behind it and no slack: reading past the end is then seen. */
    char *body = malloc(len + 1);
    if (!body)
        return 0;
    if (len > 0)
        memcpy(body, data, len);
    body[len] = '\0';
    fuzz_assignment(body, len);
    fuzz_identity(body, len);
    fuzz_the_rest(body, len);
    fuzz_neighbours(body, len);
    free(body);
    return 0;
}
