/* SPDX-License-Identifier: MIT */
/* htpasswd.c — cuts the text into lines in place; the users point into it. */
#include "auth/htpasswd.h"

#include "auth/auth_hash.h"
#include "base/utf8.h"
#include "files/file_read.h"
#include "http/http_auth.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define FIRST_USERS 16
#define READ_ATTEMPTS 3 /* for a file that changes while it is read */

static int fail(struct htpasswd_problem *problem, int err, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail(struct htpasswd_problem *problem, int err, uint32_t line, const char *format, ...)
{
    va_list args;

    problem->line = line;
    va_start(args, format);
    vsnprintf(problem->text, sizeof(problem->text), format, args);
    va_end(args);
    return err;
}

/* --- lines ----------------------------------------------------------------------------------- */

static int add_user(struct htpasswd *file, size_t *room, struct htpasswd_user user,
                    struct htpasswd_problem *problem)
{
    if (file->count == HTPASSWD_USERS_MAX)
        return fail(problem, UV_EINVAL, user.line, "there are more than %d users",
                    HTPASSWD_USERS_MAX);
    if (file->count == *room) {
        size_t count = *room ? *room * 2 : FIRST_USERS;
        struct htpasswd_user *grown = reallocarray(file->users, count, sizeof(*grown));

        if (!grown)
            return fail(problem, UV_ENOMEM, 0, "there is no memory for the users");
        file->users = grown;
        *room = count;
    }
    file->users[file->count++] = user;
    return 0;
}

static const char *refuse_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0)
        return "there is no user before the colon";
    if (len > HTTP_AUTH_USER_MAX)
        return "the user's name is longer than 255 bytes";
    for (size_t at = 0; at < len;) {
        size_t step = utf8_sequence_len(name + at, len - at);

        if (step == 0)
            return "the user's name is not UTF-8";
        if ((unsigned char)name[at] < 0x20 || name[at] == 0x7f)
            return "the user's name has a control character";
        at += step;
    }
    return NULL;
}

/* What follows a second colon is a comment, as in nginx; Apache's tools write none. */
static void end_hash(char *hash)
{
    size_t len = strcspn(hash, ":");

    while (len > 0 && (hash[len - 1] == ' ' || hash[len - 1] == '\t'))
        len--;
    hash[len] = '\0';
}

static int parse_line(struct htpasswd *file, size_t *room, char *text, uint32_t line,
                      struct htpasswd_problem *problem)
{
    char *colon;
    const char *reason;

    if (text[strspn(text, " \t")] == '\0' || text[0] == '#')
        return 0;
    colon = strchr(text, ':');
    if (!colon)
        return fail(problem, UV_EINVAL, line, "a line is \"user:hash\", and this one has no colon");
    *colon = '\0';
    end_hash(colon + 1);
    reason = refuse_name(text);
    if (!reason)
        reason = auth_hash_refusal(colon + 1);
    if (reason)
        return fail(problem, UV_EINVAL, line, "%s", reason);
    return add_user(file, room, (struct htpasswd_user){text, colon + 1, line}, problem);
}

static char *end_line(char *text, char *end)
{
    char *newline = memchr(text, '\n', (size_t)(end - text));

    if (!newline)
        return end;
    *newline = '\0';
    if (newline > text && newline[-1] == '\r')
        newline[-1] = '\0';
    return newline + 1;
}

static int parse_lines(struct htpasswd *file, struct htpasswd_problem *problem)
{
    char *text = file->text, *end = file->text + file->text_len;
    size_t room = 0;
    int err = 0;

    if (memchr(text, '\0', file->text_len))
        return fail(problem, UV_EINVAL, 0, "it has a NUL byte: this is no text");
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        return fail(problem, UV_EINVAL, 1, "it begins with a byte order mark: save it without");
    for (uint32_t line = 1; text < end && !err; line++) {
        char *next = end_line(text, end);

        err = parse_line(file, &room, text, line, problem);
        text = next;
    }
    return err;
}

/* --- the table ------------------------------------------------------------------------------- */

static int compare_users(const void *a, const void *b)
{
    const struct htpasswd_user *left = a, *right = b;
    int order = strcmp(left->name, right->name);

    /* Equal names are sorted by line, so that the second one is reported. */
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static int sort_users(struct htpasswd *file, struct htpasswd_problem *problem)
{
    if (file->count > 1)
        qsort(file->users, file->count, sizeof(*file->users), compare_users);
    for (size_t i = 1; i < file->count; i++)
        if (strcmp(file->users[i - 1].name, file->users[i].name) == 0)
            return fail(problem, UV_EINVAL, file->users[i].line,
                        "line %" PRIu32 " has this user already", file->users[i - 1].line);
    return 0;
}

/* Takes over `text`, which ends with a NUL. */
static int parse_own(struct htpasswd **out, char *text, size_t len,
                     struct htpasswd_problem *problem)
{
    struct htpasswd *file = calloc(1, sizeof(*file));
    int err;

    if (!file) {
        explicit_bzero(text, len);
        free(text);
        return fail(problem, UV_ENOMEM, 0, "there is no memory for it");
    }
    atomic_init(&file->refs, 1);
    file->text = text;
    file->text_len = len;
    err = parse_lines(file, problem);
    if (!err)
        err = sort_users(file, problem);
    if (err)
        htpasswd_put(file);
    else
        *out = file;
    return err;
}

int htpasswd_parse(struct htpasswd **out, const char *text, size_t len,
                   struct htpasswd_problem *problem)
{
    char *copy;

    if (len > HTPASSWD_BYTES_MAX)
        return fail(problem, UV_EINVAL, 0, "it is larger than 1 MiB");
    copy = malloc(len + 1);
    if (!copy)
        return fail(problem, UV_ENOMEM, 0, "there is no memory for it");
    memcpy(copy, text, len);
    copy[len] = '\0';
    return parse_own(out, copy, len, problem);
}

struct htpasswd *htpasswd_get(struct htpasswd *file)
{
    atomic_fetch_add(&file->refs, 1);
    return file;
}

void htpasswd_put(struct htpasswd *file)
{
    if (!file || atomic_fetch_sub(&file->refs, 1) > 1)
        return;
    explicit_bzero(file->text, file->text_len);
    free(file->text);
    free(file->users);
    free(file);
}

const char *htpasswd_find(const struct htpasswd *file, struct span user)
{
    size_t low = 0, high = file->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *name = file->users[middle].name;
        int order = strncmp(name, user.ptr, user.len);

        if (order == 0 && name[user.len] == '\0')
            return file->users[middle].hash;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* --- the file -------------------------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Reads the bytes of `fd` as they were at one moment. UV_EAGAIN: they changed during that time. */
static int read_whole(int fd, const struct stat *st, char *text)
{
    struct stat after;
    size_t size = (size_t)st->st_size;
    ssize_t got = file_read_fully(fd, text, size, 0);

    if (got < 0)
        return (int)got;
    if (fstat(fd, &after) != 0)
        return -errno;
    text[size] = '\0';
    return (size_t)got == size && is_same(st, &after) ? 0 : UV_EAGAIN;
}

static int read_open(struct htpasswd **out, int fd, struct stat *st,
                     struct htpasswd_problem *problem)
{
    char *text;
    int err;

    if (fstat(fd, st) != 0)
        return fail(problem, -errno, 0, "it can't be read: %s", uv_strerror(-errno));
    if (!S_ISREG(st->st_mode))
        return fail(problem, UV_EINVAL, 0, "it is not a regular file");
    if (st->st_size > HTPASSWD_BYTES_MAX)
        return fail(problem, UV_EINVAL, 0, "it is larger than 1 MiB");
    text = malloc((size_t)st->st_size + 1);
    if (!text)
        return fail(problem, UV_ENOMEM, 0, "there is no memory for it");
    err = read_whole(fd, st, text);
    if (!err)
        return parse_own(out, text, (size_t)st->st_size, problem);
    explicit_bzero(text, (size_t)st->st_size);
    free(text);
    if (err == UV_EAGAIN)
        return fail(problem, err, 0, "it changes while it is read");
    return fail(problem, err, 0, "it can't be read: %s", uv_strerror(err));
}

int htpasswd_read(struct htpasswd **out, const char *path, struct stat *st,
                  struct htpasswd_problem *problem)
{
    struct stat own;
    int err = UV_EAGAIN;

    for (int i = 0; i < READ_ATTEMPTS && err == UV_EAGAIN; i++) {
        /* O_NONBLOCK: a FIFO must not hold us up before we see that it is not a regular file. */
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (fd < 0)
            return fail(problem, -errno, 0, "it can't be opened: %s", uv_strerror(-errno));
        err = read_open(out, fd, st ? st : &own, problem);
        close(fd);
    }
    return err;
}

int htpasswd_check(const char *path, struct htpasswd_problem *problem)
{
    struct htpasswd *file = NULL;
    int err = htpasswd_read(&file, path, NULL, problem);

    if (!err)
        htpasswd_put(file);
    return err;
}
