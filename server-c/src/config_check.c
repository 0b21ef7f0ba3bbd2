/* SPDX-License-Identifier: MIT */
/* config_check.c — see config_check.h. */
#include "config_check.h"

#include "mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define POINTER_LEN 64
/* Standard streams, logs, event queues, wake-ups and the agent's connection. */
#define OTHER_DESCRIPTORS 64

struct check {
    const struct config *cfg;
    const struct config *running; /* NULL: nothing runs yet */
    struct config_errors *errors;
};

static enum config_code code_of_errno(int err)
{
    return err == EACCES || err == EPERM || err == EROFS ? CONFIG_CODE_PERMISSION
                                                         : CONFIG_CODE_MISSING_FILE;
}

static void report_path(const struct check *check, const char *pointer, const char *path, int err,
                        const char *verb, const char *hint)
{
    if (err == ENOENT)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer, hint,
                             "\"%s\" does not exist on this machine", path);
    else
        config_errors_add_at(check->errors, check->cfg, code_of_errno(err), pointer, hint,
                             "can't %s \"%s\": %s", verb, path, strerror(err));
}

static int access_effective(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

static void check_root(const struct check *check, const char *root, const char *pointer)
{
    static const char hint[] = "create it, or name a folder that exists on every node";
    struct stat st;
    int err;

    if (stat(root, &st) < 0) {
        report_path(check, pointer, root, errno, "look at", hint);
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer, hint,
                             "\"%s\" is not a folder", root);
        return;
    }
    err = access_effective(root, X_OK);
    if (err != 0)
        report_path(check, pointer, root, err, "enter", "let the node's user enter it");
}

/* The folder that the file would be created in. The caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

static void check_log(const struct check *check, const char *path, const char *pointer)
{
    struct stat st;
    char *folder;
    int err;

    if (*path == '\0')
        return;
    if (stat(path, &st) == 0) {
        err = S_ISDIR(st.st_mode) ? EISDIR : access_effective(path, W_OK);
        if (err != 0)
            report_path(check, pointer, path, err, "write to",
                        "name a file that the node's user may write");
        return;
    }
    folder = folder_of(path);
    err = errno == ENOENT ? access_effective(folder, W_OK | X_OK) : errno;
    if (err != 0)
        report_path(check, pointer, folder, err, "create the log in",
                    "create the folder and let the node's user write there");
    free(folder);
}

static bool is_any(const char *address)
{
    return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
}

/* Whether binding would only meet ourselves. */
static bool is_ours(const struct config *running, const char *address, uint16_t port)
{
    if (running == NULL)
        return false;
    if (running->admin.port == port && strcmp(running->admin.address, address) == 0)
        return true;
    for (size_t i = 0; i < running->listen_count; i++) {
        const struct config_listen *listen = &running->listens[i];

        if (listen->port == port &&
            (strcmp(listen->address, address) == 0 || is_any(address) || is_any(listen->address)))
            return true;
    }
    return false;
}

/* Returns 0 or an errno. */
static int try_bind(const char *address, uint16_t port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    int on = 1, err = 0, fd;

    if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1)
        return EADDRNOTAVAIL;
    fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    /* Connections of a server that has just ended don't hold its port; a listening one does. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (!is_v4)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, is_v4 ? (void *)&v4 : (void *)&v6, is_v4 ? sizeof(v4) : sizeof(v6)) < 0)
        err = errno;
    close(fd);
    return err;
}

static void check_port(const struct check *check, const char *address, uint16_t port,
                       const char *pointer)
{
    int err;

    if (*address == '\0' || port == 0 || is_ours(check->running, address, port))
        return;
    err = try_bind(address, port);
    if (err == EADDRINUSE)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PORT_IN_USE, pointer,
                             "stop what listens there, or choose another port",
                             "port %" PRIu16 " of %s is in use by another program", port, address);
    else if (err == EACCES || err == EPERM)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PERMISSION, pointer,
                             "choose a port from 1024 on, or give the node CAP_NET_BIND_SERVICE",
                             "the node may not listen on port %" PRIu16, port);
    else if (err == EADDRNOTAVAIL || err == EAFNOSUPPORT)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_ADDRESS_UNAVAILABLE, pointer,
                             "0.0.0.0 and :: mean every address the machine has",
                             "%s is not an address of this machine", address);
    else if (err != 0)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT, pointer, NULL,
                             "can't listen on port %" PRIu16 " of %s: %s", port, address,
                             strerror(err));
}

/* The hard limit: the server raises its own up to it. */
static void check_descriptors(const struct check *check)
{
    uint64_t needed = (uint64_t)check->cfg->limits.connections +
                      check->cfg->file_cache.max_open_files + OTHER_DESCRIPTORS;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max == RLIM_INFINITY ||
        needed <= limit.rlim_max)
        return;
    config_errors_add_at(
        check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT, "/limits/connections",
        "lower limits.connections or fileCache.maxOpenFiles, or raise the limit "
        "of open files",
        "connections and open files need %" PRIu64 " descriptors, this process may have %" PRIu64,
        needed, (uint64_t)limit.rlim_max);
}

int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors)
{
    struct check check = {.cfg = cfg, .running = running, .errors = errors};
    size_t first = errors->count, dropped = errors->dropped;
    char pointer[POINTER_LEN];

    for (size_t i = 0; i < cfg->listen_count; i++) {
        if (cfg->listens[i].socket[0]) /* the apply says what is wrong with it */
            continue;
        snprintf(pointer, sizeof(pointer), "/listen/%zu/port", i);
        check_port(&check, cfg->listens[i].address, cfg->listens[i].port, pointer);
    }
    check_port(&check, cfg->admin.address, cfg->admin.port, "/admin/port");
    for (size_t i = 0; i < cfg->site_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/root", i);
        check_root(&check, cfg->sites[i].root, pointer);
    }
    check_log(&check, cfg->access_log.path, "/accessLog/path");
    check_log(&check, cfg->error_log.path, "/errorLog/path");
    check_descriptors(&check);
    config_errors_sort(errors, first);
    return errors->count > first || errors->dropped > dropped ? -1 : 0;
}
