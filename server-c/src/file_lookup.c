/* SPDX-License-Identifier: MIT */
/* file_lookup.c — open, stat, and for a folder its index names in their order. Only regular files
 * are given out; a FIFO or a device is closed again and looks like nothing. */
#include "file_lookup.h"

#include "confined_open.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static enum http_status refusal_of(int err)
{
    switch (err) {
    case -EACCES:
    case -EPERM:
        return HTTP_FORBIDDEN;
    case -EMFILE:
    case -ENFILE:
    case -EAGAIN: /* renamed all the while, or leased to a writer: no word about the name */
    case -EINTR:
    case -ENOMEM:
        return HTTP_UNAVAILABLE;
    case -EIO:
        return HTTP_INTERNAL_ERROR;
    default: /* no such name, or one that leads out of the root */
        return HTTP_NOT_FOUND;
    }
}

/* HTTP_OK with found->fd open and found->st filled, of whatever kind. */
static enum http_status open_path(struct file_found *found, const char *root, const char *path)
{
    found->fd = confined_open(root, path);
    if (found->fd < 0)
        return refusal_of(found->fd);
    if (fstat(found->fd, &found->st) == 0)
        return HTTP_OK;
    close(found->fd);
    return HTTP_INTERNAL_ERROR;
}

static enum http_status take_regular(struct file_found *found)
{
    if (S_ISREG(found->st.st_mode))
        return HTTP_OK;
    close(found->fd);
    return HTTP_NOT_FOUND;
}

static enum http_status find_index(struct file_found *found, const struct config_site *site,
                                   const char *folder, size_t folder_len)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < site->index_count; i++) {
        size_t name_len = strlen(site->index[i]);
        enum http_status status;

        if (folder_len + name_len >= sizeof(path))
            continue;
        memcpy(path, folder, folder_len);
        memcpy(path + folder_len, site->index[i], name_len + 1);
        status = open_path(found, site->root, path);
        if (status == HTTP_OK)
            status = take_regular(found);
        found->index = i;
        if (status != HTTP_NOT_FOUND)
            return status;
    }
    return HTTP_NOT_FOUND;
}

static enum http_status look_up(struct file_found *found, const struct config_site *site,
                                const char *path, size_t len)
{
    enum http_status status;

    found->index = site->index_count;
    if (path[len - 1] == '/')
        return find_index(found, site, path, len);
    status = open_path(found, site->root, path);
    if (status != HTTP_OK)
        return status;
    if (!S_ISDIR(found->st.st_mode))
        return take_regular(found);
    close(found->fd);
    return HTTP_MOVED_PERMANENTLY;
}

void file_lookup_run(struct file_found *found, const struct config_site *site, const char *path,
                     size_t path_len)
{
    found->status = look_up(found, site, path, path_len);
    if (found->status != HTTP_OK)
        found->fd = -1;
}
