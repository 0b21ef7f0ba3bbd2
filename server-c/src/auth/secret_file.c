/* SPDX-License-Identifier: MIT */
/* secret_file.c — reads a regular file as a whole, without the final line end. */
#include "auth/secret_file.h"

#include "files/file_read.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define LINE_END_MAX 2

static size_t without_line_end(const unsigned char *bytes, size_t len)
{
    if (len > 0 && bytes[len - 1] == '\n')
        len -= len > 1 && bytes[len - 2] == '\r' ? 2 : 1;
    return len;
}

static int take(struct secret *out, const unsigned char *bytes, size_t len)
{
    len = without_line_end(bytes, len);
    if (len < SECRET_FILE_MIN)
        return UV_EINVAL;
    if (len > SECRET_FILE_MAX)
        return UV_EFBIG;
    memcpy(out->bytes, bytes, len);
    out->len = len;
    return 0;
}

int secret_file_read(struct secret *out, const char *path)
{
    unsigned char bytes[SECRET_FILE_MAX + LINE_END_MAX + 1];
    struct stat st = {0};
    ssize_t len;
    int err, fd = file_open_regular(path, &st);

    memset(out, 0, sizeof(*out));
    if (fd < 0)
        return fd;
    len = file_read_fully(fd, (char *)bytes, sizeof(bytes), 0);
    close(fd);
    err = len < 0 ? (int)len : take(out, bytes, (size_t)len);
    if (!err)
        out->is_exposed = (st.st_mode & S_IROTH) != 0;
    explicit_bzero(bytes, sizeof(bytes));
    return err;
}

const char *secret_file_problem(int err)
{
    switch (err) {
    case UV_EINVAL:
        return "is too short for a key: put at least 16 random bytes into it, as "
               "`openssl rand -hex 32` prints them";
    case UV_EFBIG:
        return "is too long for a key: 4096 bytes are the most";
    case UV_EFTYPE:
        return "is not a regular file";
    case UV_ENOENT:
        return "does not exist on this machine";
    default:
        return uv_strerror(err);
    }
}

void secret_wipe(struct secret *secret)
{
    explicit_bzero(secret, sizeof(*secret));
}
