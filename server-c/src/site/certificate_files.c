/* SPDX-License-Identifier: MIT */
/* certificate_files.c — reads PEM files whole. */
#include "site/certificate_files.h"

#include "base/buf.h"
#include "base/mem.h"
#include "files/file_read.h"
#include "owner/bounds.h"

#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

static char *in_state_folder(const char *name, const char *file)
{
    struct buf path;

    buf_init(&path);
    buf_printf(&path, "%s/" CERTIFICATES "/%s/%s", bounds_state_dir(), name, file);
    return buf_take(&path);
}

void certificate_paths_of(struct certificate_paths *paths, const struct config_certificate *cfg)
{
    bool has_name = cfg->name[0] != '\0';

    paths->chain =
        has_name ? in_state_folder(cfg->name, CERTIFICATE_CHAIN) : xstrdup(cfg->chain_file);
    paths->key = has_name ? in_state_folder(cfg->name, CERTIFICATE_KEY) : xstrdup(cfg->key_file);
}

void certificate_paths_fini(struct certificate_paths *paths)
{
    free(paths->chain);
    free(paths->key);
}

int certificate_file_read(struct certificate_file *file, const char *path)
{
    struct stat st = {0};
    int fd = file_open_regular(path, &st);
    ssize_t len;

    *file = (struct certificate_file){0};
    if (fd < 0)
        return fd;
    file->bytes = xmalloc(CERTIFICATE_FILE_MAX + 1);
    len = file_read_fully(fd, file->bytes, CERTIFICATE_FILE_MAX + 1, 0);
    close(fd);
    file->len = len > 0 ? (size_t)len : 0;
    file->is_exposed = (st.st_mode & S_IROTH) != 0;
    if (len >= 0 && len <= CERTIFICATE_FILE_MAX)
        return 0;
    certificate_file_wipe(file);
    return len < 0 ? (int)len : UV_EFBIG;
}

void certificate_file_wipe(struct certificate_file *file)
{
    if (file->bytes)
        explicit_bzero(file->bytes, file->len);
    free(file->bytes);
    *file = (struct certificate_file){0};
}
