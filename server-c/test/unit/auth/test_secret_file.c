/* SPDX-License-Identifier: MIT */
/* Keys from real files: limits of length, line ends, and things that are not regular files. */
#include "auth/secret_file.c"

#include "base/util.h"
#include "check.h"

#include <stdlib.h>

static char folder[] = "/tmp/farmstead-secret-XXXXXX";
static char path[64];

static void write_file(const char *bytes, size_t len, mode_t mode)
{
    FILE *file = fopen(path, "w");

    fwrite(bytes, 1, len, file);
    fclose(file);
    chmod(path, mode);
}

static const struct {
    int line;
    const char *name, *text;
    int err;
    const char *key;
} rows[] = {
    {__LINE__, "the shortest", "0123456789abcdef", 0, "0123456789abcdef"},
    {__LINE__, "a line end", "0123456789abcdef\n", 0, "0123456789abcdef"},
    {__LINE__, "a line end of Windows", "0123456789abcdef\r\n", 0, "0123456789abcdef"},
    {__LINE__, "only one line end goes", "0123456789abcdef\n\n", 0, "0123456789abcdef\n"},
    {__LINE__, "a carriage return stays", "0123456789abcdef\r", 0, "0123456789abcdef\r"},
    {__LINE__, "blanks stay", " 0123456789abcdef ", 0, " 0123456789abcdef "},
    {__LINE__, "too short", "0123456789abcde", UV_EINVAL, ""},
    {__LINE__, "too short without its line end", "0123456789abcde\n", UV_EINVAL, ""},
    {__LINE__, "a line end only", "\n", UV_EINVAL, ""},
    {__LINE__, "empty", "", UV_EINVAL, ""},
};

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct secret secret;

        write_file(rows[i].text, strlen(rows[i].text), 0600);
        CHECK_INT(rows[i].line, rows[i].name, secret_file_read(&secret, path), rows[i].err);
        CHECK_STR(rows[i].line, rows[i].name, (char *)secret.bytes, rows[i].key);
        CHECK_INT(rows[i].line, rows[i].name, secret.len, strlen(rows[i].key));
        secret_wipe(&secret);
    }
}

static void test_long_ones(void)
{
    static char bytes[2 * SECRET_FILE_MAX];
    static const struct {
        size_t len;
        int err;
    } sizes[] = {{SECRET_FILE_MAX, 0},
                 {SECRET_FILE_MAX + 1, UV_EFBIG},
                 {SECRET_FILE_MAX + 2, UV_EFBIG},
                 {SECRET_FILE_MAX + 3, UV_EFBIG},
                 {2 * SECRET_FILE_MAX, UV_EFBIG}};

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct secret secret;

        write_file(bytes, sizes[i].len, 0600);
        CHECK_INT(__LINE__, "size", secret_file_read(&secret, path), sizes[i].err);
        CHECK_INT(__LINE__, "length", secret.len, sizes[i].err ? 0 : sizes[i].len);
    }
    bytes[SECRET_FILE_MAX] = '\r', bytes[SECRET_FILE_MAX + 1] = '\n';
    struct secret secret;
    write_file(bytes, SECRET_FILE_MAX + 2, 0600);
    CHECK_INT(__LINE__, "the longest with a line end", secret_file_read(&secret, path), 0);
    CHECK_INT(__LINE__, "zero bytes count", secret.len, SECRET_FILE_MAX);
}

static void test_modes(void)
{
    struct secret secret;

    write_file("0123456789abcdef", 16, 0640);
    CHECK_TRUE(secret_file_read(&secret, path) == 0 && !secret.is_exposed, "the group may read");
    write_file("0123456789abcdef", 16, 0644);
    CHECK_TRUE(secret_file_read(&secret, path) == 0 && secret.is_exposed, "all may read");
}

static void test_no_files(void)
{
    struct secret secret;
    char fifo[80];

    CHECK_INT(__LINE__, "a folder", secret_file_read(&secret, folder), UV_EISDIR);
    CHECK_INT(__LINE__, "missing", secret_file_read(&secret, "/no/such/file"), UV_ENOENT);
    snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
    mkfifo(fifo, 0600);
    CHECK_INT(__LINE__, "a FIFO does not hold us up", secret_file_read(&secret, fifo), UV_EFTYPE);
    CHECK_INT(__LINE__, "a device", secret_file_read(&secret, "/dev/zero"), UV_EFTYPE);
    CHECK_STR(__LINE__, "words", secret_file_problem(UV_ENOENT), "does not exist on this machine");
    CHECK_STR(__LINE__, "other words", secret_file_problem(UV_EACCES), "permission denied");
    remove(fifo);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/secret", folder);
    test_rows();
    test_long_ones();
    test_modes();
    test_no_files();
    remove(path);
    rmdir(folder);
    return check_end("secret_file");
}
