/* SPDX-License-Identifier: MIT */
/* agent_check.c — cheap checks with certain results come first: the fences, then the text, then the
 * digest, and only then what needs the machine. */
#include "agent/agent_check.h"

#include "check/config_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

bool agent_check_site_lacks_release(const struct config_site *site)
{
    struct stat st;
    return config_has_release(site) && (stat(site->root, &st) != 0 || !S_ISDIR(st.st_mode));
}

bool agent_check_lacks_release(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        if (agent_check_site_lacks_release(&cfg->sites[i]))
            return true;
    return false;
}

bool agent_check_lacks_version(const struct agent_release *item, const struct config *cfg)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        if (strcmp(cfg->sites[i].release, item->name) == 0)
            return agent_check_site_lacks_release(&cfg->sites[i]);
    return false;
}

/* They are fetched before it is taken, and then looked for again. */
static void pass_over_lacking(const struct config *cfg, struct config_errors *errors)
{
    char pointer[64];
    for (size_t i = 0; i < cfg->site_count; i++) {
        if (!agent_check_site_lacks_release(&cfg->sites[i]))
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/release", i);
        config_errors_drop(errors, pointer, "missing_file");
    }
}

int agent_check_machine(const struct config *cfg, struct server *server,
                        struct config_errors *errors)
{
    struct config *running = server_config(server);
    bool runs = running && config_is_same(running, cfg) && server_files_are_current(server);
    int err = runs ? 0 : config_check_machine(cfg, running, errors);
    config_put(running);
    return err;
}

static bool pass_machine(const struct agent_assignment *assignment, const struct config *cfg,
                         struct server *server, struct agent_nack *nack)
{
    struct config_errors errors = {0};
    int err = agent_check_machine(cfg, server, &errors);
    if (err != 0)
        pass_over_lacking(cfg, &errors);
    if (err == 0 || (errors.count == 0 && errors.dropped == 0)) {
        config_errors_fini(&errors);
        return true;
    }
    nack_findings(nack, assignment, code_of_machine(&errors), &errors);
    return false;
}

/* Places them, whether they are there or not. */
static bool pass_releases(const struct agent_assignment *assignment, struct config *cfg,
                          struct agent_nack *nack)
{
    struct agent_releases fitting;
    agent_releases_copy(&fitting, &assignment->releases);
    const char *missing = agent_releases_fit(&fitting, cfg);
    if (missing)
        agent_nack_init(nack, assignment, "release_content",
                        "the config names the release \"%.63s\", and no version of it is assigned",
                        missing);
    agent_releases_place(&fitting, cfg);
    agent_releases_fini(&fitting);
    return !missing;
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
    else if (pass_releases(assignment, cfg, nack) && pass_machine(assignment, cfg, server, nack))
        return cfg;
    config_put(cfg);
    return NULL;
}
