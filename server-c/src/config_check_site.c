/* SPDX-License-Identifier: MIT */
/* config_check_site.c — are a site's folders and files there, and may they be read? */
#include "config_check_parts.h"

#include "buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_MIN_BYTES 16

static void check_folder(const struct check *check, const char *path, int mode, const char *pointer)
{
    static const char hint[] = "create it, or name a folder that exists on every node";
    struct stat st;
    int err;

    if (stat(path, &st) < 0) {
        config_check_report_path(check, pointer, path, errno, "look at", hint);
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer, hint,
                             "\"%s\" is not a folder", path);
        return;
    }
    err = config_check_access(path, X_OK);
    if (err != 0) {
        config_check_report_path(check, pointer, path, err, "enter",
                                 "let the node's user enter it");
        return;
    }
    err = config_check_access(path, mode);
    if (err != 0)
        config_check_report_path(check, pointer, path, err, "list",
                                 "let the node's user read the folder, or leave its list off");
}

/* `path` up to its first variable is on every machine; behind it is what clients name. */
static void check_served(const struct check *check, const char *path, bool is_template, int mode,
                         const char *pointer)
{
    const char *variable = is_template ? strchr(path, '{') : NULL;
    size_t len = strlen(path);
    struct buf seen;

    if (variable != NULL) {
        for (len = (size_t)(variable - path); path[len] != '/'; len--)
            ;
        len = len > 0 ? len : 1;
        mode = X_OK;
    }
    buf_init(&seen);
    buf_append_str(&seen, check->jail);
    buf_append(&seen, path, len);
    check_folder(check, seen.data, mode, pointer);
    buf_fini(&seen);
}

static void check_folders(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    int mode = site->listing.enabled ? X_OK | R_OK : X_OK;
    char pointer[CHECK_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/root", index);
    check_served(check, site->root, true, mode, pointer);
    for (size_t i = 0; i < site->alias_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/aliases/%zu/folder", index, i);
        check_served(check, site->aliases[i].folder, false, mode, pointer);
    }
    snprintf(pointer, sizeof(pointer), "/sites/%zu/userDirs/base", index);
    if (*site->user_dirs.folder != '\0')
        check_served(check, site->user_dirs.base, false, X_OK, pointer);
}

/* Opens without waiting for the other end of a pipe. The descriptor, or a negative errno. */
static int open_regular(const char *path, off_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        err = errno;
    else if (!S_ISREG(st.st_mode))
        err = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (err == 0) {
        *size = st.st_size;
        return fd;
    }
    close(fd);
    return -err;
}

static void check_file(const struct check *check, const char *path, off_t min_bytes,
                       const char *pointer)
{
    off_t size = 0;
    struct buf seen;
    int fd;

    buf_init(&seen);
    buf_printf(&seen, "%s%s", check->jail, path);
    fd = open_regular(seen.data, &size);
    if (fd < 0)
        config_check_report_path(check, pointer, seen.data, -fd, "read",
                                 "name a file that the node's user may read");
    else if (size < min_bytes)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer,
                             "head -c 32 /dev/urandom | base64 makes a good one",
                             "the secret in \"%s\" is shorter than %d bytes", seen.data,
                             SECRET_MIN_BYTES);
    if (fd >= 0)
        close(fd);
    buf_fini(&seen);
}

void config_check_site(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    char pointer[CHECK_POINTER_LEN];

    check_folders(check, index);
    for (size_t i = 0; i < site->auth_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/auth/%zu/file", index, i);
        check_file(check, site->auth[i].file, 0, pointer);
    }
    for (size_t i = 0; i < site->signed_url_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/signedUrls/%zu/secretFile", index, i);
        check_file(check, site->signed_urls[i].secret_file, SECRET_MIN_BYTES, pointer);
    }
}
