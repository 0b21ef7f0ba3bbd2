/* SPDX-License-Identifier: MIT */
/* owner_policy.h — what the owner of a machine allows any config to do there.
 *
 * People who may write configs need not be root on the machines. So a file of the owner, which no
 * push can change, says which folders may be served and written to, on which addresses the node may
 * listen, and as which users it may run. What the file does not name is not allowed. This is about
 * the text and its meaning, without files and machine (bounds.h). */
#ifndef FARMSTEAD_OWNER_POLICY_H
#define FARMSTEAD_OWNER_POLICY_H

#include "base/digest.h"
#include "match/address_block.h"
#include "text/config_errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWNER_POLICY_PATH "/etc/farmstead/policy.json"
#define OWNER_POLICY_ITEMS 64 /* in each list */
#define OWNER_POLICY_BYTES (1024 * 1024)

enum owner_list {
    OWNER_SERVE,   /* folders whose files may be served */
    OWNER_SECRETS, /* folders of password files and keys */
    OWNER_LOGS,    /* folders of logs */
    OWNER_RUNTIME, /* folders of Unix sockets, the pid file and compressed copies */
    /* Names for process.user. The first one serves if root starts the node and process.user is not
     * set. */
    OWNER_USERS,
    OWNER_GROUPS, /* names for process.group */
    OWNER_LIST_COUNT
};

struct owner_listen {
    char *text; /* as it was written */
    bool is_every_address;
    uint8_t address[ADDRESS_LEN]; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t first_port, last_port;
};

/* Immutable. */
struct owner_policy {
    struct {
        /* Folders are absolute paths without ".", ".." and final slash. */
        char **items;
        size_t count;
    } lists[OWNER_LIST_COUNT];
    struct owner_listen *listens;
    size_t listen_count;
    bool admin_beyond_loopback;
    bool symlinks_any;
    /* Where other nodes of the farm get releases from this one, and as what it is told to them; the texts are NULL:
     * nothing is given. */
    struct owner_listen neighbours_listen, neighbours_announce;
    char digest[DIGEST_LEN + 1]; /* that of owner_policy_json() in canonical form */
};

/* Returns the policy in `text` (JSON with comments), or NULL with findings. The caller frees it. */
struct owner_policy *owner_policy_parse(const char *text, size_t len, struct config_errors *errors);
/* Returns the tight policy of a node whose owner has written none. */
struct owner_policy *owner_policy_built_in(void);
void owner_policy_free(struct owner_policy *policy); /* NULL is allowed */

/* Returns all keys in the form that owner_policy_parse() reads, as a new reference; but for "neighbours", which is
 * nothing that a config is held against. */
json_t *owner_policy_json(const struct owner_policy *policy);

const char *owner_list_key(enum owner_list list);

/* Is `name` in a list of names? */
bool owner_policy_names(const struct owner_policy *policy, enum owner_list list, const char *name);
/* May the node listen on a numeric address and port? Port 0 (chosen by the kernel) is allowed if
 * all ports are. */
bool owner_policy_may_listen(const struct owner_policy *policy, const char *address, uint16_t port);

/* Is the absolute `path` the same as `folder`, or below it? Compares only the texts. */
bool owner_path_is_in(const char *path, const char *folder);

#endif
