/* SPDX-License-Identifier: MIT */
/* file_place.c — finds a place's folder, with the variable of a request filled in.
 *
 * The variable comes from a client. Whoever set it has checked it; but since it becomes the name of
 * a folder, anything that could name something other than one folder is refused here again. */
#include "files/file_place.h"

#include "files/confined_open.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

static bool names_one_folder(struct span variable)
{
    return variable.len > 0 && variable.ptr[0] != '.' && !memchr(variable.ptr, '/', variable.len) &&
           !memchr(variable.ptr, '\0', variable.len);
}

/* Returns label `number` of the variable, counted from the end, from 1; empty if there are not as
 * many. */
static struct span label_of(struct span variable, unsigned number)
{
    const char *end = variable.ptr + variable.len, *start = end;

    for (;;) {
        while (start > variable.ptr && start[-1] != '.')
            start--;
        if (--number == 0)
            return (struct span){start, (size_t)(end - start)};
        if (start == variable.ptr)
            return (struct span){0};
        end = --start;
    }
}

/* Finds the value of the "{…}" at `text`. Returns the length of the variable's name, or 0 if there
 * is no such variable. */
static size_t take_variable(const char *text, struct span variable, struct span *value,
                            bool *is_user)
{
    unsigned number = 0;
    const char *p;

    *is_user = strncmp(text, "{user}", 6) == 0;
    *value = variable;
    if (*is_user || strncmp(text, "{host}", 6) == 0)
        return 6;
    if (strncmp(text, "{host", 5) != 0)
        return 0;
    for (p = text + 5; *p >= '0' && *p <= '9' && number < 1000; p++)
        number = number * 10 + (unsigned)(*p - '0');
    if (number == 0 || *p != '}')
        return 0;
    *value = label_of(variable, number);
    return (size_t)(p + 1 - text);
}

static int expand_template(struct file_folder *folder, const char *text, struct span variable)
{
    size_t len = 0, used;
    bool is_user, is_users = false;
    struct span value;

    for (; *text; text += used) {
        used = *text == '{' ? take_variable(text, variable, &value, &is_user) : 0;
        if (used == 0) {
            if (is_users && *text == '/' && folder->trusted_len == 0)
                folder->trusted_len = len;
            value = (struct span){text, 1};
            used = 1;
        } else if (value.len == 0)
            return UV_ENOENT;
        else
            is_users = is_users || is_user;
        if (value.len >= sizeof(folder->path) - len)
            return UV_ENAMETOOLONG;
        memcpy(folder->path + len, value.ptr, value.len);
        len += value.len;
    }
    folder->path[len] = '\0';
    if (folder->trusted_len == 0)
        folder->trusted_len = len;
    return 0;
}

int file_place_expand(struct file_folder *folder, const struct file_place *place,
                      struct span variable)
{
    size_t len;

    folder->trusted_len = 0;
    if (place->is_template)
        return names_one_folder(variable) ? expand_template(folder, place->folder, variable)
                                          : UV_ENOENT;
    len = strlen(place->folder);
    if (len >= sizeof(folder->path))
        return UV_ENAMETOOLONG;
    memcpy(folder->path, place->folder, len + 1);
    folder->trusted_len = len;
    return 0;
}

int file_place_open(const struct file_place *place, struct span variable)
{
    struct file_folder folder;
    struct stat st;
    char *rest, first;
    int err = file_place_expand(&folder, place, variable), root, fd;

    if (err)
        return err;
    rest = folder.path + folder.trusted_len;
    first = *rest;
    *rest = '\0';
    root = confined_root(folder.path);
    *rest = first;
    if (root < 0 || first == '\0' || strcmp(rest, "/") == 0)
        return root;
    fd = confined_open(root, rest, place->site->symlinks, CONFINED_FOLDER, &st);
    close(root);
    return fd;
}

int file_place_open_cached(const struct file_place *place, struct span variable)
{
    struct file_folder folder;
    int err = file_place_expand(&folder, place, variable);
    const char *rest = folder.path + folder.trusted_len;

    if (err)
        return err;
    if (rest[0] != '\0' && strcmp(rest, "/") != 0)
        return UV_EAGAIN;
    return confined_root_cached(folder.path);
}
