/* SPDX-License-Identifier: MIT */
/* join_policy.c — turns the flags into the text of a policy, so that the same reader checks them
 * and a file. */
#include "owner/join_policy.h"

#include "base/mem.h"
#include "owner/owner_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct join_policy {
    const char *path; /* NULL: the usual place */
    json_t *rules;
    json_t *replaced; /* lists that a flag has set: their defaults are gone */
    bool is_asked_for;
};

/* The keys that belong to the flags, from JOIN_SERVE on. */
static const char *const keys[] = {"serve",      "secrets", "logs",   "runtime",
                                   "users",      "groups",  "listen", "adminBeyondLoopback",
                                   "symlinksAny"};

struct join_policy *join_policy_new(void)
{
    struct join_policy *join = xcalloc(1, sizeof(*join));
    struct owner_policy *built_in = owner_policy_built_in();

    join->rules = owner_policy_json(built_in);
    join->replaced = json_object();
    owner_policy_free(built_in);
    return join;
}

void join_policy_free(struct join_policy *join)
{
    json_decref(join->rules);
    json_decref(join->replaced);
    free(join);
}

static void add(struct join_policy *join, const char *key, const char *value)
{
    if (json_object_get(join->replaced, key) == NULL) {
        json_object_set_new(join->replaced, key, json_true());
        json_object_set_new(join->rules, key, json_array());
    }
    json_array_append_new(json_object_get(join->rules, key), json_string(value));
}

bool join_policy_take(struct join_policy *join, int flag, const char *value)
{
    if (flag < JOIN_SERVE || flag > JOIN_POLICY_FILE)
        return false;
    if (flag == JOIN_POLICY_FILE) {
        join->path = value;
        return true;
    }
    join->is_asked_for = true;
    if (flag <= JOIN_LISTEN)
        add(join, keys[flag - JOIN_SERVE], value);
    else
        json_object_set_new(join->rules, keys[flag - JOIN_SERVE], json_true());
    return true;
}

/* Makes the policy from the flags. NULL with a sentence. */
static struct owner_policy *make_policy(const struct join_policy *join, struct buf *said)
{
    struct config_errors errors = {0};
    char *text = json_dumps(join->rules, 0);
    struct owner_policy *policy = text ? owner_policy_parse(text, strlen(text), &errors) : NULL;

    if (!policy)
        buf_printf(said, "the policy's %s: %s (%s)",
                   errors.count ? errors.items[0].pointer : "text",
                   errors.count ? errors.items[0].message : "is not UTF-8",
                   errors.count ? errors.items[0].hint : "");
    config_errors_fini(&errors);
    free(text);
    return policy;
}

int join_policy_write(const struct join_policy *join, struct buf *said)
{
    const char *path = join->path ? join->path : OWNER_POLICY_PATH;
    struct owner_policy *policy = make_policy(join, said);
    int err = policy ? owner_file_write(path, policy, said) : -1;

    owner_policy_free(policy);
    if (err == 0) {
        buf_printf(said, "wrote %s: what configs may do on this machine", path);
    } else if (err > 0 && join->is_asked_for) {
        buf_printf(said, "%s is there already: change it by hand, or leave out the flags for it",
                   path);
        return -1;
    } else if (err < 0 && policy && !join->is_asked_for && !join->path && geteuid() != 0) {
        /* Nobody has asked for a policy, and the user who joins is not the machine's owner. */
        buf_printf(said,
                   "; the tight built-in policy holds: serve from /srv/www, or let root write it");
        return 0;
    }
    return err < 0 ? -1 : 0;
}
