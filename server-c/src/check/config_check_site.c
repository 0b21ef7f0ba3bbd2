/* SPDX-License-Identifier: MIT */
/* config_check_site.c — do a site's folders and files exist, and can they be read? */
#include "check/config_check_parts.h"

#include "auth/htpasswd.h"
#include "auth/secret_file.h"
#include "base/path.h"
#include "site/redirect_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

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

/* `path` up to its first variable exists on every machine; what follows is named by clients. */
static void check_served(const struct check *check, const char *path, bool is_template, int mode,
                         const char *pointer)
{
    size_t len = is_template ? path_fixed_len(path) : strlen(path);
    struct buf seen;

    if (path[len] != '\0')
        mode = X_OK;
    buf_init(&seen);
    buf_append_str(&seen, check->jail);
    buf_append(&seen, path, len);
    check_folder(check, seen.data, mode, pointer);
    buf_fini(&seen);
}

/* The agent places it when the control plane has assigned a version, and all of that is here. */
static void check_release(const struct check *check, const struct config_site *site, size_t index)
{
    char pointer[CHECK_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/release", index);
    if (check->cfg->process.chroot[0] != '\0')
        config_errors_add_at(
            check->errors, check->cfg, CONFIG_CODE_CONFLICT, pointer,
            "leave out \"process.chroot\"",
            "releases lie in the node's state folder, which a node in a chroot does "
            "not see");
    else if (site->root[0] != '\0')
        check_served(check, site->root, false, X_OK, pointer);
    else
        config_errors_add_at(
            check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer,
            "versions of releases come from the control plane, with an assignment: "
            "join one, or give \"root\"",
            "no version of the release \"%s\" is on this machine", site->release);
}

static void check_folders(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    int mode = site->listing.enabled ? X_OK | R_OK : X_OK;
    char pointer[CHECK_POINTER_LEN];

    if (config_has_release(site)) {
        check_release(check, site, index);
    } else {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/root", index);
        check_served(check, site->root, true, mode, pointer);
    }
    for (size_t i = 0; i < site->alias_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/aliases/%zu/folder", index, i);
        check_served(check, site->aliases[i].folder, false, mode, pointer);
    }
    snprintf(pointer, sizeof(pointer), "/sites/%zu/userDirs/base", index);
    if (*site->user_dirs.folder != '\0')
        check_served(check, site->user_dirs.base, false, X_OK, pointer);
}

static const char readable_hint[] = "name a file that the node's user may read";

static void check_users(const struct check *check, const char *path, const char *pointer)
{
    struct htpasswd_problem problem = {0};
    int err = htpasswd_check(path, &problem);

    if (err == UV_EINVAL && problem.line > 0)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                             "htpasswd writes lines that are right", "\"%s\", line %" PRIu32 ": %s",
                             path, problem.line, problem.text);
    else if (err == UV_EINVAL)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                             "name a file that htpasswd wrote", "\"%s\": %s", path, problem.text);
    else if (err != 0)
        config_check_report_path(check, pointer, path, -err, "read", readable_hint);
}

static void check_secret(const struct check *check, const char *path, const char *pointer)
{
    struct secret secret;
    int err = secret_file_read(&secret, path);

    secret_wipe(&secret);
    if (err == UV_EINVAL || err == UV_EFBIG || err == UV_EFTYPE)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer, NULL,
                             "\"%s\" %s", path, secret_file_problem(err));
    else if (err != 0)
        config_check_report_path(check, pointer, path, -err, "read", readable_hint);
}

static void check_redirects(const struct check *check, const char *path, const char *pointer)
{
    struct redirect_list *list = NULL;
    struct redirect_problems problems;
    int err = redirect_file_read(&list, path, &problems);

    redirect_list_put(list);
    for (size_t i = 0; i < problems.count; i++)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer, NULL,
                             "\"%s\", line %" PRIu32 ", column %" PRIu32 ": %s", path,
                             problems.items[i].line, problems.items[i].column,
                             problems.items[i].text);
    if (problems.count > 0)
        return;
    if (err == UV_EPERM)
        return; /* config_check_bounds.c has said so */
    if (err == UV_EFBIG || err == UV_EFTYPE || err == UV_EAGAIN)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer, NULL,
                             "\"%s\" %s", path, redirect_file_problem(err));
    else if (err != 0)
        config_check_report_path(check, pointer, path, -err, "read", readable_hint);
}

/* One file may have the passwords for many paths: it is checked once. */
static bool is_named_before(const struct config_site *site, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(site->auth[i].file, site->auth[index].file) == 0)
            return true;
    return false;
}

void config_check_site(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    char pointer[CHECK_POINTER_LEN];
    struct buf seen;

    check_folders(check, index);
    buf_init(&seen);
    for (size_t i = 0; i < site->auth_count; i++) {
        if (is_named_before(site, i))
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/auth/%zu/file", index, i);
        config_check_see(&seen, check, site->auth[i].file);
        check_users(check, seen.data, pointer);
    }
    for (size_t i = 0; i < site->signed_url_count; i++) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/signedUrls/%zu/secretFile", index, i);
        config_check_see(&seen, check, site->signed_urls[i].secret_file);
        check_secret(check, seen.data, pointer);
    }
    if (config_has_redirect_file(site)) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/redirectFile", index);
        config_check_see(&seen, check, site->redirect_file);
        check_redirects(check, seen.data, pointer);
    }
    buf_fini(&seen);
}
