/* SPDX-License-Identifier: MIT */
/* owner_policy.h — what the owner of a machine lets any config do there.
 *
 * Who may write configs is not thereby root on the machines: a file of the owner's, which no push can
 * change, says which folders may be served and written to, where one may listen and as whom. What it
 * does not name is not allowed. Here: its text and what it says, no file and no machine (bounds.h). */
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
#define OWNER_POLICY_ITEMS 64 /* of each list */
#define OWNER_POLICY_BYTES (1024 * 1024)

enum owner_list {
    OWNER_SERVE,   /* folders whose files may be served */
    OWNER_SECRETS, /* folders of password files and keys */
    OWNER_LOGS,    /* folders of logs */
    OWNER_RUNTIME, /* folders of Unix sockets and the pid file */
    OWNER_USERS, /* whom process.user may name; the first serves when root starts and it names nobody */
    OWNER_GROUPS, /* what process.group may name */
    OWNER_LIST_COUNT
};

struct owner_listen {
    char *text; /* as it is written */
    bool is_every_address;
    uint8_t address[ADDRESS_LEN]; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t first_port, last_port;
};

/* Immutable. */
struct owner_policy {
    struct {
        char *
            *items; /* folders are absolute, without "." and ".." and without a slash at the end */
        size_t count;
    } lists[OWNER_LIST_COUNT];
    struct owner_listen *listens;
    size_t listen_count;
    bool admin_beyond_loopback;
    bool symlinks_any;
    char digest[DIGEST_LEN + 1]; /* of owner_policy_json() in canonical form */
};

/* The policy that `text` (JSON with comments) says, or NULL with findings. The caller frees it. */
struct owner_policy *owner_policy_parse(const char *text, size_t len, struct config_errors *errors);
/* The tight one of a node whose owner has written none. */
struct owner_policy *owner_policy_built_in(void);
void owner_policy_free(struct owner_policy *policy); /* NULL is allowed */

/* All keys, in the form that owner_policy_parse() reads. A new reference. */
json_t *owner_policy_json(const struct owner_policy *policy);

const char *owner_list_key(enum owner_list list);

/* Whether `name` is in a list of names. */
bool owner_policy_names(const struct owner_policy *policy, enum owner_list list, const char *name);
/* Whether a numeric address and port may be listened on. Port 0 (the kernel chooses) is allowed where
 * all ports are. */
bool owner_policy_may_listen(const struct owner_policy *policy, const char *address, uint16_t port);

/* Whether the absolute `path` is `folder` or beneath it, by their text alone. */
bool owner_path_is_in(const char *path, const char *folder);

#endif
