/* SPDX-License-Identifier: MIT */
/* content_hash.c — the file is read in pieces, so that a large one does not keep the lane from others,
 * and it is looked at before each of them, and once more when all is read. */
#include "files/content_hash.h"

#include "files/content_list.h"
#include "files/file_read.h"

#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP_BYTES 262144         /* after each it is asked whether the piece is over */
#define PIECE_NS (50 * NS_PER_MS) /* how long one takes at least, if there is so much to read */

/* Bytes in memory have no descriptor. If the file has been rewritten and given its old time since it was
 * looked up, they may be those of another state than the key's, which another loop may still have. */
static bool is_unchanged(const struct content_work *work)
{
    struct stat st;
    bool is_there;
    int root;

    if (work->fd >= 0)
        return fstat(work->fd, &st) == 0 && content_key_is_of(&work->key, &st);
    if (!work->place)
        return true;
    root = file_place_open(work->place, work->variable);
    if (root < 0)
        return false;
    is_there = content_list_is_there(work, root, work->place->site->symlinks);
    close(root);
    return is_there;
}

/* Takes the next bytes of the file. CONTENT_GOES_ON: that went well. */
static enum content_end take_step(struct content_work *work, char *room)
{
    size_t step = (size_t)smaller_of(work->key.size - work->at, STEP_BYTES);
    const char *bytes = work->bytes ? work->bytes + work->at : room;

    if (!work->bytes) {
        ssize_t n = file_read_fully(work->fd, room, step, work->at);

        if (n < 0)
            return CONTENT_UNREADABLE;
        if ((size_t)n < step)
            return CONTENT_CHANGED;
    }
    work->at += step;
    return EVP_DigestUpdate(work->sum, bytes, step) == 1 ? CONTENT_GOES_ON : CONTENT_UNREADABLE;
}

static enum content_end take_piece(struct content_table *table, struct content_work *work,
                                   char *room)
{
    enum content_end end = CONTENT_GOES_ON;
    uint64_t began_ns = monotonic_ns();

    while (end == CONTENT_GOES_ON && work->at < work->key.size) {
        if (content_table_is_stopping(table))
            return CONTENT_STOPPED;
        if (monotonic_ns() - began_ns >= PIECE_NS)
            return CONTENT_GOES_ON;
        end = take_step(work, room);
    }
    if (end != CONTENT_GOES_ON)
        return end;
    if (!is_unchanged(work))
        return CONTENT_CHANGED;
    return EVP_DigestFinal_ex(work->sum, work->hash, NULL) == 1 ? CONTENT_HASHED
                                                                : CONTENT_UNREADABLE;
}

static enum content_end hash_piece(struct content_table *table, struct content_work *work)
{
    char *room = work->bytes ? NULL : malloc(STEP_BYTES);
    enum content_end end = CONTENT_UNREADABLE;

    if (!is_unchanged(work))
        end = CONTENT_CHANGED;
    else if (room || work->bytes)
        end = take_piece(table, work, room);
    free(room);
    return end;
}

static bool begin_sum(struct content_work *work)
{
    work->sum = EVP_MD_CTX_new();
    return work->sum && EVP_DigestInit_ex(work->sum, EVP_sha256(), NULL) == 1;
}

static enum content_end begin(struct checksum_store *store, struct content_work *work)
{
    switch (content_list_ask(store, work)) {
    case CONTENT_LIST_SAYS:
        return CONTENT_HASHED;
    case CONTENT_LIST_YOUNG:
        return CONTENT_LATER;
    case CONTENT_LIST_NONE:
        break;
    }
    return begin_sum(work) ? CONTENT_GOES_ON : CONTENT_UNREADABLE;
}

void content_hash_make(struct content_table *table, struct checksum_store *store,
                       struct content_work *work)
{
    work->end = work->sum ? CONTENT_GOES_ON : begin(store, work);
    if (work->end == CONTENT_GOES_ON)
        work->end = hash_piece(table, work);
    if (work->end == CONTENT_GOES_ON)
        return;
    EVP_MD_CTX_free(work->sum);
    work->sum = NULL;
}
