/* SPDX-License-Identifier: MIT */
/* config_check_bounds.c — compares each path of a config with the bounds, in the form to which the
 * kernel resolves it, so that a link can't hide where it leads. For something that does not exist
 * yet, the folder counts in which it would be created. The bounds are for the node as it is
 * started: paths in a chroot are seen from outside. */
#include "check/config_check_bounds.h"

#include "base/mem.h"
#include "base/path.h"
#include "check/config_check_parts.h"
#include "config/log_target.h"
#include "owner/bounds.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bounds_check {
    const struct check *check;
    const struct owner_policy *policy; /* NULL: there is none */
    bool resolves;                     /* paths are those of this machine */
};

/* --- paths ----------------------------------------------------------------------------------- */

/* Removes "//", "." and "..", as if no name in the path were a link. The caller frees the
 * result. */
static char *clean_path(const char *path)
{
    size_t len = 0;
    char *clean = xmalloc(strlen(path) + 2);

    for (const char *at = path; *at != '\0';) {
        size_t slashes = strspn(at, "/"), name = strcspn(at + slashes, "/");
        const char *begin = at + slashes;

        at = begin + name;
        if (name == 2 && begin[0] == '.' && begin[1] == '.') {
            while (len > 0 && clean[--len] != '/')
                ;
        } else if (name > 0 && !(name == 1 && begin[0] == '.')) {
            clean[len++] = '/';
            memcpy(clean + len, begin, name);
            len += name;
        }
    }
    if (len == 0)
        clean[len++] = '/';
    clean[len] = '\0';
    return clean;
}

/* Resolves the folder of a path that does not exist yet, or that will be replaced. */
static char *resolve_folder_of(const char *path)
{
    char *folder = path_folder(path), *real = realpath(folder, NULL);
    struct buf whole;

    buf_init(&whole);
    if (real != NULL)
        buf_printf(&whole, "%s%s", strcmp(real, "/") == 0 ? "" : real, strrchr(path, '/'));
    free(real);
    free(folder);
    return real != NULL ? buf_take(&whole) : clean_path(path);
}

/* Returns the kernel's form of `path`, even if it does not exist yet. The caller frees it. */
static char *real_path(const struct bounds_check *bounds, const char *path, size_t len)
{
    const struct config *running = bounds->check->running;
    const char *outside = bounds->check->is_jailed && running ? running->process.chroot : "";
    struct buf seen;
    char *real;

    buf_init(&seen);
    buf_append_str(&seen, bounds->check->jail);
    buf_append(&seen, path, len);
    real = bounds->resolves ? realpath(seen.data, NULL) : clean_path(seen.data);
    if (real == NULL)
        real = resolve_folder_of(seen.data);
    if (*outside != '\0') {
        buf_clear(&seen);
        buf_printf(&seen, "%s%s", outside, real);
        free(real);
        real = clean_path(seen.data);
    }
    buf_fini(&seen);
    return real;
}

static bool is_in_list(const struct bounds_check *bounds, enum owner_list list, const char *real)
{
    for (size_t i = 0; i < bounds->policy->lists[list].count; i++) {
        const char *folder = bounds->policy->lists[list].items[i];
        char *its = bounds->resolves ? realpath(folder, NULL) : NULL;
        bool holds = owner_path_is_in(real, its != NULL ? its : folder);

        free(its);
        if (holds)
            return true;
    }
    return false;
}

/* --- findings -------------------------------------------------------------------------------- */

/* Writes the list in the form: "/srv/www", "/data" and 3 more. */
static void append_list(struct buf *out, const struct owner_policy *policy, enum owner_list list)
{
    size_t count = policy->lists[list].count, shown = count < 3 ? count : 3;

    for (size_t i = 0; i < shown; i++)
        buf_printf(out, "%s\"%s\"", i > 0 ? ", " : "", policy->lists[list].items[i]);
    if (count > shown)
        buf_printf(out, " and %zu more", count - shown);
    if (count == 0)
        buf_append_str(out, "nothing");
}

static void append_hint(struct buf *out, const char *key)
{
    if (*bounds_policy_path() != '\0')
        buf_printf(out, "stay in it, or let the machine's owner widen \"%s\" in %s", key,
                   bounds_policy_path());
    else
        buf_printf(out,
                   "this machine has no policy file, so that a tight one holds: stay in it, or let "
                   "the machine's owner write %s with \"%s\"",
                   OWNER_POLICY_PATH, key);
}

static void refuse(const struct bounds_check *bounds, const char *pointer, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
static void refuse(const struct bounds_check *bounds, const char *pointer, const char *key,
                   const char *format, ...)
{
    struct buf sentence, hint;
    va_list args;

    buf_init(&sentence);
    buf_init(&hint);
    va_start(args, format);
    buf_vprintf(&sentence, format, args);
    va_end(args);
    append_hint(&hint, key);
    config_errors_add_at(bounds->check->errors, bounds->check->cfg, CONFIG_CODE_POLICY, pointer,
                         hint.data, "%s", sentence.data);
    buf_fini(&hint);
    buf_fini(&sentence);
}

static void refuse_by_list(const struct bounds_check *bounds, const char *pointer,
                           enum owner_list list, const char *what)
{
    struct buf allowed;

    buf_init(&allowed);
    append_list(&allowed, bounds->policy, list);
    refuse(bounds, pointer, owner_list_key(list),
           "\"%s\" is not what this machine's policy allows (%s: %s)", what, owner_list_key(list),
           allowed.data);
    buf_fini(&allowed);
}

/* --- what is served -------------------------------------------------------------------------- */

static void report_own(const struct bounds_check *bounds, const char *pointer, const char *folder)
{
    config_errors_add_at(bounds->check->errors, bounds->check->cfg, CONFIG_CODE_EXPOSED_FILE,
                         pointer, "serve another folder",
                         "\"%s\" has files of the node's own in it (%s), its key among them",
                         folder, bounds_state_dir());
}

/* Is the state folder in what is served, or what is served in the state folder? */
static bool holds_own_files(const char *real)
{
    const char *state_dir = bounds_state_dir();

    return *state_dir != '\0' &&
           (owner_path_is_in(state_dir, real) || owner_path_is_in(real, state_dir));
}

static void check_served(const struct bounds_check *bounds, const char *path, size_t len,
                         const char *pointer)
{
    char *real = real_path(bounds, path, len);

    if (holds_own_files(real))
        report_own(bounds, pointer, path);
    else if (bounds->policy != NULL && !is_in_list(bounds, OWNER_SERVE, real))
        refuse_by_list(bounds, pointer, OWNER_SERVE, path);
    free(real);
}

/* Reads are bounded by `list`. What a file of redirects says is for everybody who asks, and `check`
 * quotes it: it may be read where files may be served, and not where secrets are. */
static void check_read(const struct bounds_check *bounds, const char *path, enum owner_list list,
                       const char *pointer)
{
    char *real;

    if (*path == '\0')
        return;
    real = real_path(bounds, path, strlen(path));
    if (bounds_is_own(real))
        config_errors_add_at(bounds->check->errors, bounds->check->cfg, CONFIG_CODE_PROTECTED_FILE,
                             pointer, "name a file of its own",
                             "\"%s\" is the node's own: no config may name it", path);
    else if (bounds->policy != NULL && !is_in_list(bounds, list, real))
        refuse_by_list(bounds, pointer, list, path);
    free(real);
}

static void check_site_files(const struct bounds_check *bounds, size_t index)
{
    const struct config *cfg = bounds->check->cfg;
    char pointer[CHECK_POINTER_LEN];
    const char *path;

    for (size_t i = 0; (path = config_check_secret(cfg, index, i, pointer)) != NULL; i++)
        check_read(bounds, path, OWNER_SECRETS, pointer);
    for (size_t i = 0; i < cfg->sites[index].certificate_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/certificates/%zu/chainFile", index, i);
        check_read(bounds, cfg->sites[index].certificates[i].chain_file, OWNER_SECRETS, pointer);
    }
    snprintf(pointer, sizeof(pointer), "/sites/%zu/clientCertificates/caFile", index);
    check_read(bounds, cfg->sites[index].client_certificates.ca_file, OWNER_SECRETS, pointer);
    snprintf(pointer, sizeof(pointer), "/sites/%zu/redirectFile", index);
    check_read(bounds, cfg->sites[index].redirect_file, OWNER_SERVE, pointer);
}

static void check_site(const struct bounds_check *bounds, size_t index)
{
    const struct config_site *site = &bounds->check->cfg->sites[index];
    const struct owner_policy *policy = bounds->policy;
    char pointer[CHECK_POINTER_LEN];

    /* No text can say where a release lies: the agent does, within its own folder (bounds.h). */
    snprintf(pointer, sizeof(pointer), "/sites/%zu/root", index);
    if (!config_has_release(site))
        check_served(bounds, site->root, path_fixed_len(site->root), pointer);
    for (size_t i = 0; i < site->alias_count; i++) {
        const char *folder = site->aliases[i].folder;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/aliases/%zu/folder", index, i);
        check_served(bounds, folder, strlen(folder), pointer);
    }
    snprintf(pointer, sizeof(pointer), "/sites/%zu/userDirs/base", index);
    if (*site->user_dirs.folder != '\0')
        check_served(bounds, site->user_dirs.base, strlen(site->user_dirs.base), pointer);
    snprintf(pointer, sizeof(pointer), "/sites/%zu/symlinks", index);
    if (policy != NULL && site->symlinks == SYMLINKS_ANY && !policy->symlinks_any)
        refuse(bounds, pointer, "symlinksAny",
               "links that lead anywhere are not what this machine's policy allows");
    check_site_files(bounds, index);
}

/* --- what is written ------------------------------------------------------------------------- */

static bool is_secret(const struct bounds_check *bounds, const char *real)
{
    const struct config *cfg = bounds->check->cfg;
    bool found = false;

    for (size_t i = 0; i < cfg->site_count && !found; i++) {
        const char *path;
        for (size_t j = 0; !found && (path = config_site_secret(&cfg->sites[i], j)) != NULL; j++) {
            char *its = *path != '\0' ? real_path(bounds, path, strlen(path)) : NULL;
            found = its && strcmp(its, real) == 0;
            free(its);
        }
    }
    return found;
}

static void check_written(const struct bounds_check *bounds, const char *path, enum owner_list list,
                          const char *pointer)
{
    char *real;

    if (*path == '\0')
        return;
    real = real_path(bounds, path, strlen(path));
    if (bounds_is_own(real) || is_secret(bounds, real))
        config_errors_add_at(
            bounds->check->errors, bounds->check->cfg, CONFIG_CODE_PROTECTED_FILE, pointer,
            "name a file of its own", "\"%s\" is %s: the node does not write there", path,
            bounds_is_own(real) ? "the node's own" : "a file with keys or passwords");
    else if (bounds->policy != NULL && !is_in_list(bounds, list, real))
        refuse_by_list(bounds, pointer, list, path);
    free(real);
}

/* Under a policy, what is logged stays on this machine: no config sends it to another one. */
static bool is_of_this_machine(const struct log_target *target)
{
    static const uint8_t loopback[ADDRESS_LEN] = {[ADDRESS_LEN - 1] = 1};
    const uint8_t *v4 = address_v4(target->address);

    return v4 ? v4[0] == 127 : memcmp(target->address, loopback, sizeof(loopback)) == 0;
}

static void check_log(const struct bounds_check *bounds, const char *path, const char *pointer)
{
    struct log_target target;

    if (!log_target_parse(&target, path))
        return;
    if (target.kind == LOG_TARGET_FILE)
        check_written(bounds, path, OWNER_LOGS, pointer);
    else if (target.kind == LOG_TARGET_SYSLOG_UNIX && strcmp(target.path, "/dev/log") != 0)
        check_written(bounds, target.path, OWNER_LOGS, pointer);
    else if (target.kind == LOG_TARGET_SYSLOG_UDP && bounds->policy != NULL &&
             !is_of_this_machine(&target))
        config_errors_add_at(bounds->check->errors, bounds->check->cfg, CONFIG_CODE_POLICY, pointer,
                             "send it to a log daemon on this machine, which may send it on",
                             "\"%s\" is another machine, and under this machine's policy logs "
                             "stay here",
                             path);
}

/* --- addresses and users --------------------------------------------------------------------- */

static void append_listens(struct buf *out, const struct owner_policy *policy)
{
    size_t shown = policy->listen_count < 4 ? policy->listen_count : 4;

    for (size_t i = 0; i < shown; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", policy->listens[i].text);
    if (policy->listen_count > shown)
        buf_printf(out, " and %zu more", policy->listen_count - shown);
    if (policy->listen_count == 0)
        buf_append_str(out, "nothing");
}

static void check_address(const struct bounds_check *bounds, const char *address, uint16_t port,
                          const char *pointer)
{
    struct buf allowed;

    if (bounds->policy == NULL || owner_policy_may_listen(bounds->policy, address, port))
        return;
    buf_init(&allowed);
    append_listens(&allowed, bounds->policy);
    refuse(bounds, pointer, "listen",
           "port %" PRIu16 " of %s is not what this machine's policy allows (listen: %s)", port,
           address, allowed.data);
    buf_fini(&allowed);
}

static void check_listens(const struct bounds_check *bounds)
{
    const struct config *cfg = bounds->check->cfg;
    char pointer[CHECK_POINTER_LEN];

    for (size_t i = 0; i < cfg->listen_count; i++) {
        const struct config_listen *listen = &cfg->listens[i];
        bool is_socket = *listen->socket != '\0';

        snprintf(pointer, sizeof(pointer), "/listen/%zu/%s", i, is_socket ? "socket" : "port");
        if (is_socket)
            check_written(bounds, listen->socket, OWNER_RUNTIME, pointer);
        else
            check_address(bounds, listen->address, listen->port, pointer);
    }
}

static bool is_loopback(const char *address)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, address, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static void check_admin(const struct bounds_check *bounds)
{
    const struct config *cfg = bounds->check->cfg;

    if (*cfg->admin.address == '\0')
        return;
    check_address(bounds, cfg->admin.address, cfg->admin.port, "/admin/port");
    if (bounds->policy != NULL && !bounds->policy->admin_beyond_loopback &&
        !is_loopback(cfg->admin.address))
        refuse(bounds, "/admin/address", "adminBeyondLoopback",
               "the admin page beyond loopback is not what this machine's policy allows");
}

static void check_account(const struct bounds_check *bounds, const char *name, enum owner_list list,
                          const char *pointer)
{
    if (bounds->policy != NULL && *name != '\0' && !owner_policy_names(bounds->policy, list, name))
        refuse_by_list(bounds, pointer, list, name);
}

static void check_all(const struct bounds_check *bounds)
{
    const struct config *cfg = bounds->check->cfg;
    const struct config_access_log *log;
    char pointer[CHECK_POINTER_LEN];

    check_listens(bounds);
    check_admin(bounds);
    check_account(bounds, cfg->process.user, OWNER_USERS, "/process/user");
    check_account(bounds, cfg->process.group, OWNER_GROUPS, "/process/group");
    check_written(bounds, cfg->process.pid_file, OWNER_RUNTIME, "/process/pidFile");
    check_written(bounds, cfg->compression.cache_folder, OWNER_RUNTIME, "/compression/cacheFolder");
    check_log(bounds, cfg->error_log.path, "/errorLog/path");
    for (size_t i = 0; (log = config_access_log_at(cfg, i, pointer, sizeof(pointer))); i++) {
        strcat(pointer, "/path");
        check_log(bounds, log->path, pointer);
    }
    for (size_t i = 0; i < cfg->site_count; i++)
        check_site(bounds, i);
}

void config_check_bounds(const struct check *check)
{
    struct bounds_check bounds = {check, bounds_policy(), true};

    check_all(&bounds);
}

void config_check_bounds_text(const struct config *cfg, struct config_errors *errors)
{
    struct check check = {.cfg = cfg, .errors = errors, .jail = cfg->process.chroot};
    struct bounds_check bounds = {&check, bounds_policy(), false};
    size_t first = errors->count;

    check_all(&bounds);
    config_errors_sort(errors, first);
}
