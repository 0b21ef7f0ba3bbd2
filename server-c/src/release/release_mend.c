/* SPDX-License-Identifier: MIT */
/* release_mend.c — the wrong one stays where it is until the right one is whole and on the disk. */
#include "release/release_mend.h"

#include "base/util.h"
#include "release/release_content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mend {
    struct release_content content;
    int err; /* of the disk; 0: none */
};

static bool take_bytes(void *arg, const char *bytes, size_t len)
{
    struct mend *mend = arg;

    if (release_content_put(&mend->content, bytes, len) == 0)
        return true;
    mend->err = errno;
    return false;
}

static enum release_end fail_disk(int err, char why[RELEASE_WHY_LEN])
{
    snprintf(why, RELEASE_WHY_LEN, "the disk of the state folder: %s", strerror(err));
    return RELEASE_NO_ROOM;
}

static enum release_end get(struct mend *mend, struct release_store *store,
                            const struct release_source *source, const char *sha256,
                            char why[RELEASE_WHY_LEN])
{
    char names[1][RELEASE_SHA256_LEN + 1];
    enum release_end end = source->one(source->arg, false, (struct release_wanted){sha256, NULL, 0},
                                       mend->content.done, take_bytes, mend, why);

    if (mend->err != 0)
        return fail_disk(mend->err, why);
    if (end != RELEASE_STANDS)
        return end;
    if (!release_content_end(&mend->content, store)) {
        if (mend->content.goes_on) {
            snprintf(why, RELEASE_WHY_LEN, "what an earlier try has left of it was wrong");
            return RELEASE_UNREACHED;
        }
        snprintf(why, RELEASE_WHY_LEN, "the bytes that came have another SHA-256, too");
        return RELEASE_WRONG;
    }
    snprintf(names[0], sizeof(names[0]), "%s", sha256);
    return release_content_publish(store, names, 1) == 0 ? RELEASE_STANDS : fail_disk(errno, why);
}

enum release_end release_mend(struct release_store *store, const struct release_source *source,
                              const char *sha256, char why[RELEASE_WHY_LEN])
{
    struct mend mend = {.content = {.fd = -1}};
    char name[RELEASE_CONTENT_LEN + 1];
    enum release_end end;
    struct stat st;

    why[0] = '\0';
    release_content_name(name, sha256, "");
    if (release_store_size(store, sha256) >= 0 ||
        fstatat(store->contents_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return RELEASE_STANDS; /* a release that came has brought it, or needs it no more */
    if (st.st_nlink == 1) {    /* in no tree: nobody serves it, and who needs it gets it anew */
        if (unlinkat(store->contents_fd, name, 0) != 0)
            return fail_disk(errno, why);
        store->used_bytes -= smaller_of(store->used_bytes, (uint64_t)st.st_size);
        return RELEASE_STANDS;
    }
    if (release_store_disk_room(store, (uint64_t)st.st_size, why, RELEASE_WHY_LEN) != 0)
        return RELEASE_NO_ROOM;
    if (release_content_go_on(&mend.content, store, sha256, INT64_MAX) != 0)
        return fail_disk(errno, why);
    end = get(&mend, store, source, sha256, why);
    if (end == RELEASE_UNREACHED || end == RELEASE_STOPPED)
        release_content_leave(&mend.content, store);
    else
        release_content_drop(&mend.content, store);
    return end;
}
