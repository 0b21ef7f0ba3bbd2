/* SPDX-License-Identifier: MIT */
/* owner_policy.c — a small reader beside that of the config's option table. A list of folders in a
 * policy means "no more than these", so nothing has a default, and no error is tolerated. */
#include "owner/owner_policy.h"

#include "base/address.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "text/json_canonical.h"
#include "text/json_text.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER_BYTES 4096
#define NAME_BYTES 64
#define LISTEN_BYTES 64

static const char built_in[] = "{\n"
                               "  \"serve\": [\"/srv/www\"],\n"
                               "  \"secrets\": [\"/etc/farmstead\"],\n"
                               "  \"logs\": [\"/var/log/farmstead\"],\n"
                               "  \"runtime\": [\"/run/farmstead\", \"/var/cache/farmstead\"],\n"
                               "  \"listen\": [\"*:80\", \"*:443\", \"*:8080\", \"*:8081\"],\n"
                               "  \"adminBeyondLoopback\": false,\n"
                               "  \"users\": [\"farmstead\"],\n"
                               "  \"groups\": [],\n"
                               "  \"symlinksAny\": false\n"
                               "}\n";

static const char *const list_keys[OWNER_LIST_COUNT] = {
    [OWNER_SERVE] = "serve",     [OWNER_SECRETS] = "secrets", [OWNER_LOGS] = "logs",
    [OWNER_RUNTIME] = "runtime", [OWNER_USERS] = "users",     [OWNER_GROUPS] = "groups",
};
static const char listen_key[] = "listen";
static const char admin_key[] = "adminBeyondLoopback";
static const char symlinks_key[] = "symlinksAny";
static const char neighbours_key[] = "neighbours";

const char *owner_list_key(enum owner_list list)
{
    return list_keys[list];
}

static bool is_of_folders(enum owner_list list)
{
    return list != OWNER_USERS && list != OWNER_GROUPS;
}

/* --- reading --------------------------------------------------------------------------------- */

static void report(struct config_errors *errors, enum config_code code,
                   const struct json_value *value, const char *hint, const char *sentence)
{
    struct buf pointer;

    buf_init(&pointer);
    json_append_pointer(&pointer, value);
    config_errors_add(errors, code, value->span, pointer.len > 0 ? pointer.data : "", hint, "%s",
                      sentence);
    buf_fini(&pointer);
}

/* "/srv/www/" means "/srv/www". A folder with "." or ".." in it is refused, as it is not what it
 * seems. */
static char *read_folder(const struct json_value *value)
{
    size_t len = value->len;

    if (len == 0 || len > FOLDER_BYTES || value->bytes[0] != '/')
        return NULL;
    for (const char *at = value->bytes; *at != '\0'; at++) {
        size_t name = *at == '/' ? strcspn(at + 1, "/") : 1;
        bool is_last = at[0] == '/' && at[1] == '\0';
        if (*at == '/' && !is_last &&
            (name == 0 || (name == 1 && at[1] == '.') ||
             (name == 2 && at[1] == '.' && at[2] == '.')))
            return NULL;
    }
    while (len > 1 && value->bytes[len - 1] == '/')
        len--;
    return xstrndup(value->bytes, len);
}

static char *read_name(const struct json_value *value)
{
    if (value->len == 0 || value->len > NAME_BYTES || strpbrk(value->bytes, ":,/ \t\n") != NULL)
        return NULL;
    return xstrndup(value->bytes, value->len);
}

static void read_item(struct owner_policy *policy, enum owner_list list,
                      const struct json_value *value, struct config_errors *errors)
{
    bool folders = is_of_folders(list);
    char *item = NULL;

    if (value->kind == KIND_STRING)
        item = folders ? read_folder(value) : read_name(value);
    if (item != NULL)
        policy->lists[list].items[policy->lists[list].count++] = item;
    else if (folders)
        report(errors, CONFIG_CODE_INVALID_VALUE, value, "write \"/srv/www\"",
               "must be the absolute path of a folder, without \".\", \"..\" and empty names");
    else
        report(errors, CONFIG_CODE_INVALID_VALUE, value, NULL,
               "must be the name of an account of this machine");
}

/* Parses "8080" or "1024-65535". */
static bool read_ports(const char *text, struct owner_listen *out)
{
    char *end;
    unsigned long first, last;

    if (*text < '0' || *text > '9')
        return false;
    first = last = strtoul(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        last = strtoul(end + 1, &end, 10);
    if (*end != '\0' || first > last || last > UINT16_MAX)
        return false;
    out->first_port = (uint16_t)first;
    out->last_port = (uint16_t)last;
    return true;
}

/* Parses "*", "127.0.0.1" or "[::1]", at most LISTEN_BYTES of it. */
static bool read_address(const char *text, size_t len, struct owner_listen *out)
{
    char address[LISTEN_BYTES + 1];
    struct address_block block;

    if (len == 1 && *text == '*') {
        out->is_every_address = true;
        return true;
    }
    if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
        if (memchr(text, ':', len) == NULL)
            return false;
    } else if (memchr(text, ':', len) != NULL) {
        return false;
    }
    memcpy(address, text, len);
    address[len] = '\0';
    if (strchr(address, '/') != NULL || address_block_parse(&block, address) != NULL)
        return false;
    memcpy(out->address, block.bytes, sizeof(out->address));
    return true;
}

static void read_listen(struct owner_policy *policy, const struct json_value *value,
                        struct config_errors *errors)
{
    struct owner_listen listen = {0};
    const char *colon = value->kind == KIND_STRING ? strrchr(value->bytes, ':') : NULL;

    if (colon == NULL || value->len > LISTEN_BYTES ||
        !read_address(value->bytes, (size_t)(colon - value->bytes), &listen) ||
        !read_ports(colon + 1, &listen)) {
        report(errors, CONFIG_CODE_INVALID_VALUE, value,
               "\"*:80\", \"127.0.0.1:8081\", \"[::1]:8081\", \"*:1024-65535\"",
               "must be an address and a port, or a range of them; IPv6 in brackets");
        return;
    }
    listen.text = xstrdup(value->bytes);
    policy->listens[policy->listen_count++] = listen;
}

/* "*", "0.0.0.0" and "[::]" mean the same. */
static bool is_every(const struct owner_listen *listen)
{
    static const uint8_t none[ADDRESS_LEN];
    const uint8_t *v4 = address_v4(listen->address);

    return listen->is_every_address || memcmp(listen->address, none, sizeof(none)) == 0 ||
           (v4 != NULL && memcmp(v4, none, ADDRESS_LEN - ADDRESS_V4_AT) == 0);
}

/* One address and one port, which is not the kernel's to choose: others are told of it. */
static void read_place(struct owner_listen *out, const struct json_value *value, bool may_be_every,
                       struct config_errors *errors)
{
    const char *colon = value->kind == KIND_STRING ? strrchr(value->bytes, ':') : NULL;
    struct owner_listen place = {0};

    if (colon == NULL || value->len > LISTEN_BYTES ||
        !read_address(value->bytes, (size_t)(colon - value->bytes), &place) ||
        !read_ports(colon + 1, &place) || place.first_port != place.last_port ||
        place.first_port == 0 || (is_every(&place) && !may_be_every)) {
        report(
            errors, CONFIG_CODE_INVALID_VALUE, value, "\"10.0.0.7:8444\", \"[2001:db8::7]:8444\"",
            may_be_every ? "must be an address and a port; IPv6 in brackets"
                         : "must be the address and port at which other nodes reach this one; IPv6 "
                           "in brackets");
        return;
    }
    place.text = xstrdup(value->bytes);
    free(out->text);
    *out = place;
}

static void read_neighbours(struct owner_policy *policy, const struct json_value *value,
                            struct config_errors *errors)
{
    const struct json_value *listen = NULL, *announce = NULL;

    for (const struct json_value *member = value->first; member != NULL; member = member->next)
        if (strcmp(member->key->bytes, listen_key) == 0)
            read_place(&policy->neighbours_listen, listen = member, true, errors);
        else if (strcmp(member->key->bytes, "announce") == 0)
            read_place(&policy->neighbours_announce, announce = member, false, errors);
        else
            report(errors, CONFIG_CODE_UNKNOWN_KEY, member, "listen, announce",
                   "\"neighbours\" has no such key");
    if (listen == NULL)
        report(errors, CONFIG_CODE_MISSING_KEY, value, "\"listen\": \"10.0.0.7:8444\"",
               "\"neighbours\" must say where to listen");
    else if (policy->neighbours_listen.text != NULL && is_every(&policy->neighbours_listen) &&
             announce == NULL)
        report(errors, CONFIG_CODE_INVALID_VALUE, listen, "\"announce\": \"10.0.0.7:8444\"",
               "with every address, \"announce\" must say at which one other nodes reach this one");
}

/* False if it is not a list, or too long. */
static bool is_list(const struct json_value *value, struct config_errors *errors)
{
    if (value->kind != KIND_ARRAY)
        report(errors, CONFIG_CODE_WRONG_TYPE, value, NULL, "must be a list");
    else if (value->count > OWNER_POLICY_ITEMS)
        report(errors, CONFIG_CODE_WRONG_LENGTH, value, "name a folder around them",
               "has more than 64 entries");
    else
        return true;
    return false;
}

static bool read_list(struct owner_policy *policy, const struct json_value *member,
                      struct config_errors *errors)
{
    for (enum owner_list list = 0; list < OWNER_LIST_COUNT; list++) {
        if (strcmp(member->key->bytes, list_keys[list]) != 0)
            continue;
        if (policy->lists[list].items != NULL || !is_list(member, errors))
            return true; /* a repeated key is reported elsewhere */
        policy->lists[list].items = xcalloc(member->count + 1, sizeof(char *));
        for (const struct json_value *item = member->first; item != NULL; item = item->next)
            read_item(policy, list, item, errors);
        return true;
    }
    return false;
}

static bool read_listens(struct owner_policy *policy, const struct json_value *member,
                         struct config_errors *errors)
{
    if (strcmp(member->key->bytes, listen_key) != 0)
        return false;
    if (policy->listens != NULL || !is_list(member, errors))
        return true;
    policy->listens = xcalloc(member->count + 1, sizeof(*policy->listens));
    for (const struct json_value *item = member->first; item != NULL; item = item->next)
        read_listen(policy, item, errors);
    return true;
}

static bool read_flag(const struct json_value *member, const char *key, bool *flag,
                      struct config_errors *errors)
{
    if (strcmp(member->key->bytes, key) != 0)
        return false;
    if (member->kind == KIND_BOOLEAN)
        *flag = member->is_true;
    else
        report(errors, CONFIG_CODE_WRONG_TYPE, member, NULL, "must be true or false");
    return true;
}

static void read_member(struct owner_policy *policy, const struct json_value *member,
                        struct config_errors *errors)
{
    if (strcmp(member->key->bytes, neighbours_key) == 0) {
        if (member->kind == KIND_OBJECT)
            read_neighbours(policy, member, errors);
        else
            report(errors, CONFIG_CODE_WRONG_TYPE, member, NULL, "must be an object");
        return;
    }
    if (read_list(policy, member, errors) || read_listens(policy, member, errors) ||
        read_flag(member, admin_key, &policy->admin_beyond_loopback, errors) ||
        read_flag(member, symlinks_key, &policy->symlinks_any, errors))
        return;
    report(
        errors, CONFIG_CODE_UNKNOWN_KEY, member,
        "serve, secrets, logs, runtime, listen, adminBeyondLoopback, users, groups, symlinksAny, "
        "neighbours",
        "a policy has no such key");
}

static void set_digest(struct owner_policy *policy)
{
    json_t *rules = owner_policy_json(policy);
    char *text = json_dumps(rules, JSON_COMPACT | JSON_SORT_KEYS);

    digest_sha256(policy->digest, text, strlen(text));
    free(text);
    json_decref(rules);
}

struct owner_policy *owner_policy_parse(const char *text, size_t len, struct config_errors *errors)
{
    size_t first = errors->count, dropped = errors->dropped;
    struct json_value *root = json_text_parse(text, len, errors);
    struct owner_policy *policy;

    if (root == NULL)
        return NULL;
    policy = xcalloc(1, sizeof(*policy));
    if (root->kind != KIND_OBJECT)
        report(errors, CONFIG_CODE_WRONG_TYPE, root, NULL, "a policy is an object");
    else
        for (const struct json_value *member = root->first; member != NULL; member = member->next)
            read_member(policy, member, errors);
    json_free(root);
    if (errors->count == first && errors->dropped == dropped) {
        set_digest(policy);
        return policy;
    }
    config_errors_sort(errors, first);
    owner_policy_free(policy);
    return NULL;
}

struct owner_policy *owner_policy_built_in(void)
{
    struct config_errors errors = {0};
    struct owner_policy *policy = owner_policy_parse(built_in, strlen(built_in), &errors);

    CHECK(policy != NULL);
    return policy;
}

void owner_policy_free(struct owner_policy *policy)
{
    if (policy == NULL)
        return;
    for (enum owner_list list = 0; list < OWNER_LIST_COUNT; list++) {
        for (size_t i = 0; i < policy->lists[list].count; i++)
            free(policy->lists[list].items[i]);
        free(policy->lists[list].items);
    }
    for (size_t i = 0; i < policy->listen_count; i++)
        free(policy->listens[i].text);
    free(policy->listens);
    free(policy->neighbours_listen.text);
    free(policy->neighbours_announce.text);
    free(policy);
}

/* --- writing --------------------------------------------------------------------------------- */

json_t *owner_policy_json(const struct owner_policy *policy)
{
    json_t *object = json_object(), *listens = json_array();

    for (enum owner_list list = 0; list < OWNER_LIST_COUNT; list++) {
        json_t *items = json_array();
        for (size_t i = 0; i < policy->lists[list].count; i++)
            json_array_append_new(items, json_string(policy->lists[list].items[i]));
        json_object_set_new(object, list_keys[list], items);
    }
    for (size_t i = 0; i < policy->listen_count; i++)
        json_array_append_new(listens, json_string(policy->listens[i].text));
    json_object_set_new(object, listen_key, listens);
    json_object_set_new(object, admin_key, json_boolean(policy->admin_beyond_loopback));
    json_object_set_new(object, symlinks_key, json_boolean(policy->symlinks_any));
    return object;
}

/* --- questions ------------------------------------------------------------------------------- */

bool owner_policy_names(const struct owner_policy *policy, enum owner_list list, const char *name)
{
    for (size_t i = 0; i < policy->lists[list].count; i++)
        if (strcmp(policy->lists[list].items[i], name) == 0)
            return true;
    return false;
}

static bool holds_port(const struct owner_listen *listen, uint16_t port)
{
    if (port == 0)
        return listen->first_port <= 1 && listen->last_port == UINT16_MAX;
    return port >= listen->first_port && port <= listen->last_port;
}

bool owner_policy_may_listen(const struct owner_policy *policy, const char *address, uint16_t port)
{
    struct address_block wanted;

    if (address_block_parse(&wanted, address) != NULL)
        return false;
    for (size_t i = 0; i < policy->listen_count; i++) {
        const struct owner_listen *listen = &policy->listens[i];
        if (holds_port(listen, port) &&
            (listen->is_every_address ||
             memcmp(listen->address, wanted.bytes, sizeof(listen->address)) == 0))
            return true;
    }
    return false;
}

bool owner_path_is_in(const char *path, const char *folder)
{
    size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}
