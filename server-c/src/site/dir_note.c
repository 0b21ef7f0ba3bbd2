/* SPDX-License-Identifier: MIT */
/* dir_note.c — the file is opened and judged as one that is asked for. */
#include "site/dir_note.h"

#include "files/confined_open.h"
#include "files/served_file.h"
#include "site/site.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Whoever sees the list has signed in for the folder, by the folder's rule. */
static bool may_have(const struct dir_listing_order *order, struct span path)
{
    const struct site_policy *policy = order->policy;
    const uint8_t *address = order->has_address ? order->address : NULL;

    if (!policy)
        return true;
    return site_policy_access(policy, address, path) == HTTP_OK &&
           site_policy_auth(policy, address, path) ==
               site_policy_auth(policy, address, order->url_path) &&
           !site_policy_wants_signature(policy, path);
}

/* A path and a name behind it, with a NUL. False: they are too long. */
static bool join(char out[PATH_MAX], struct span folder, const char *name)
{
    size_t len = strlen(name);

    if (folder.len + len >= PATH_MAX)
        return false;
    memcpy(out, folder.ptr, folder.len);
    memcpy(out + folder.len, name, len + 1);
    return true;
}

static bool read_text(struct dir_note *note, int fd, off_t size)
{
    size_t want = size > DIR_NOTE_BYTES ? DIR_NOTE_BYTES : (size_t)size;

    note->text = malloc(want + 1);
    while (note->text && note->len < want) {
        ssize_t n = read(fd, note->text + note->len, want - note->len);
        if (n <= 0)
            break;
        note->len += (size_t)n;
    }
    note->is_cut = size > DIR_NOTE_BYTES;
    return note->text != NULL;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t len = strlen(name), suffix_len = strlen(suffix);

    return len > suffix_len && strcasecmp(name + len - suffix_len, suffix) == 0;
}

static bool read_file(struct dir_note *note, const struct dir_listing_order *order, int root,
                      const char *name)
{
    const struct config_site *site = order->place->site;
    char path[PATH_MAX];
    struct stat st;
    bool is_read = false;

    if ((name[0] == '.' && !site->hidden_files) || !join(path, order->url_path, name) ||
        !may_have(order, (struct span){path, strlen(path)}) ||
        !join(path, file_entry_path(order->entry), name))
        return false;
    int fd = confined_open(root, path, site->symlinks, CONFINED_READ, &st);
    if (fd < 0)
        return false;
    if (S_ISREG(st.st_mode) && served_file_is_allowed(order->set->kept, fd, &st))
        is_read = read_text(note, fd, st.st_size);
    close(fd);
    note->is_html = has_suffix(name, ".html") || has_suffix(name, ".htm");
    return is_read;
}

void dir_note_read(struct dir_note *note, const struct dir_listing_order *order, int root,
                   char *const *names, size_t count)
{
    *note = (struct dir_note){0};
    for (size_t i = 0; i < count; i++)
        if (read_file(note, order, root, names[i]))
            return;
}
