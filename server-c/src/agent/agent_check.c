/* SPDX-License-Identifier: MIT */
/* agent_check.c — cheap checks with certain results come first: the fences, then the text, then the
 * digest, and only then what needs the machine. */
#include "agent/agent_check.h"

#include "check/config_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Findings that a JSON Schema can't express: the options are valid one by one, but not together. */
static const char *const semantic_codes[] = {"duplicate_value", "conflict", "reserved_header"};

void agent_nack_init(struct agent_nack *nack, const struct agent_assignment *assignment,
                     const char *code, const char *format, ...)
{
    va_list args;
    memset(nack, 0, sizeof(*nack));
    nack->offer = assignment->offer;
    snprintf(nack->code, sizeof(nack->code), "%s", code);
    va_start(args, format);
    vsnprintf(nack->message, sizeof(nack->message), format, args);
    va_end(args);
}

void agent_nack_fini(struct agent_nack *nack)
{
    config_errors_fini(&nack->errors);
    memset(nack, 0, sizeof(*nack));
}

void agent_findings_say(const struct config_errors *errors, char *out, size_t size)
{
    if (errors->count == 0) {
        snprintf(out, size, "no reason was given");
        return;
    }
    const struct config_error *first = &errors->items[0];
    size_t more = errors->count - 1 + errors->dropped;
    int len = snprintf(out, size, "%s%s%s", first->pointer, first->pointer[0] ? ": " : "",
                       first->message);
    if (more > 0 && len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, " (and %zu more)", more);
}

static bool is_semantic(const char *code)
{
    for (size_t i = 0; i < sizeof(semantic_codes) / sizeof(semantic_codes[0]); i++)
        if (strcmp(semantic_codes[i], code) == 0)
            return true;
    return false;
}

static const char *code_of_text(const struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        if (!is_semantic(errors->items[i].code))
            return "schema";
    return "semantic";
}

/* Findings about the machine have the names of the protocol's codes. One that does not is about how
 * the config's values fit this machine. */
static const char *code_of_machine(const struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        if (agent_nack_code_known(errors->items[i].code))
            return errors->items[i].code;
    return "semantic";
}

/* Moves the findings into the nack. */
static void nack_findings(struct agent_nack *nack, const struct agent_assignment *assignment,
                          const char *code, struct config_errors *errors)
{
    char message[AGENT_TEXT_LEN + 1];
    agent_findings_say(errors, message, sizeof(message));
    agent_nack_init(nack, assignment, code, "%s", message);
    nack->errors = *errors;
}

static bool pass_fences(const struct agent_assignment *assignment,
                        const struct agent_fences *fences, struct agent_nack *nack)
{
    const struct agent_version *offered = &assignment->offer.version;
    const struct agent_version *taken = &fences->max_taken;
    if (assignment->epoch < fences->max_epoch)
        agent_nack_init(nack, assignment, "epoch_fenced",
                        "epoch %" PRIu64 " is lower than %" PRIu64 ", which this node has seen",
                        assignment->epoch, fences->max_epoch);
    else if (offered->generation < taken->generation)
        agent_nack_init(nack, assignment, "stale_generation",
                        "generation %" PRIu64 " is lower than %" PRIu64
                        ", which this node has taken",
                        offered->generation, taken->generation);
    else if (offered->generation == taken->generation &&
             strcmp(offered->digest, taken->digest) != 0)
        agent_nack_init(nack, assignment, "stale_generation",
                        "generation %" PRIu64 " was another config when this node took it",
                        offered->generation);
    else
        return true;
    nack->fenced = true;
    nack->max_epoch = fences->max_epoch;
    nack->max_generation = taken->generation;
    return false;
}

int agent_check_machine(const struct config *cfg, struct server *server,
                        struct config_errors *errors)
{
    struct server_effective effective;
    server_effective(server, &effective);
    if (effective.serving && strcmp(effective.digest, cfg->digest) == 0 &&
        server_files_are_current(server))
        return 0;
    struct config *running = server_config(server);
    int err = config_check_machine(cfg, running, errors);
    config_put(running);
    return err;
}

static bool pass_machine(const struct agent_assignment *assignment, const struct config *cfg,
                         struct server *server, struct agent_nack *nack)
{
    struct config_errors errors = {0};
    if (agent_check_machine(cfg, server, &errors) == 0) {
        config_errors_fini(&errors);
        return true;
    }
    nack_findings(nack, assignment, code_of_machine(&errors), &errors);
    return false;
}

struct config *agent_check(const struct agent_assignment *assignment,
                           const struct agent_fences *fences, struct server *server,
                           struct agent_nack *nack)
{
    return pass_fences(assignment, fences, nack) ? agent_check_release(assignment, server, nack)
                                                 : NULL;
}

struct config *agent_check_release(const struct agent_assignment *assignment, struct server *server,
                                   struct agent_nack *nack)
{
    if (assignment->releases.count > 0) {
        agent_nack_init(nack, assignment, "content_missing",
                        "farmstead-node %s cannot fetch releases: assign a config without them",
                        FARMSTEAD_VERSION);
        return NULL;
    }
    struct config_errors errors = {0};
    struct config *cfg = config_parse(assignment->text, assignment->text_len, &errors);
    if (!cfg) {
        nack_findings(nack, assignment, code_of_text(&errors), &errors);
        return NULL;
    }
    config_errors_fini(&errors);
    if (strcmp(cfg->digest, assignment->offer.version.digest) != 0)
        agent_nack_init(nack, assignment, "digest_mismatch",
                        "the digest of the text is %s, the assignment says %s", cfg->digest,
                        assignment->offer.version.digest);
    else if (pass_machine(assignment, cfg, server, nack))
        return cfg;
    config_put(cfg);
    return NULL;
}
