/* SPDX-License-Identifier: MIT */
/* body.c — goes through the pieces of a body: their texts, and bytes that are in memory.
 * body_file.c finds the bytes of files. */
#include "body/body.h"

#include "body/body_file.h"
#include "body/body_read.h"

#include <stdlib.h>

/* --- begin and end --------------------------------------------------------------------------- */

static struct body_text text_of(char *bytes, size_t len)
{
    if (len > 0)
        return (struct body_text){bytes, 0, len};
    free(bytes);
    return (struct body_text){0};
}

void body_begin(struct body *body, const struct body_part *part)
{
    bool has_ranges = part->entry && (part->len > 0 || part->pieces);

    body->entry = has_ranges ? file_cache_get(part->entry) : NULL;
    body->from_memory = part->from_memory;
    if (has_ranges && !part->from_memory)
        file_entry_hold_descriptor(body->entry);
    body->by_copy = body->was_read_ahead = body->was_touched = body->has_begun = false;
    body->unsure_since_ns = 0;
    body->was_just_checked = true;
    body->text = text_of(part->text, part->text_len);
    body->offset = part->offset;
    body->remaining = has_ranges ? part->len : 0;
    body->taken = 0;
    body->pieces = part->pieces;
    body->next_piece = 0;
}

void body_part_fini(struct body_part *part)
{
    free(part->text);
    if (part->pieces)
        part->pieces->free(part->pieces);
    part->text = NULL;
    part->pieces = NULL;
    part->text_len = 0;
}

static void drop_text(struct body_text *text)
{
    free(text->bytes);
    *text = (struct body_text){0};
}

void body_end(struct body *body, struct loop *loop)
{
    body_read_forget(body);
    drop_text(&body->text);
    drop_text(&body->chunk);
    body->remaining = 0;
    if (body->pieces)
        body->pieces->free(body->pieces);
    body->pieces = NULL;
    body->next_piece = 0;
    if (!body->entry)
        return;
    if (!body->from_memory)
        file_entry_release_descriptor(body->entry);
    file_cache_put(&loop->files, body->entry);
    body->entry = NULL;
}

/* --- what comes next ------------------------------------------------------------------------- */

static bool begin_next_piece(struct body *body)
{
    struct body_piece piece = {0};

    if (!body->pieces->make(body->pieces, body->next_piece, &piece))
        return false;
    body->next_piece++;
    body->text = text_of(piece.text, piece.text_len);
    body->offset = piece.offset;
    body->remaining = piece.len;
    return true;
}

static void add_text(struct body_slice *slice, const struct body_text *text)
{
    if (text->bytes)
        slice->bytes[slice->count++] =
            (struct iovec){text->bytes + text->pos, text->len - text->pos};
}

enum body_step body_next(struct body *body, struct loop *loop, const struct body_want *want,
                         struct body_slice *slice)
{
    while (body_piece_is_spent(body) && body_has_more_pieces(body))
        if (!begin_next_piece(body))
            return BODY_FAILED;
    slice->count = 0;
    slice->len = 0;
    slice->ends_turn = false;
    slice->has_more = body_has_more_pieces(body);
    slice->is_last = !slice->has_more;
    add_text(slice, &body->text);
    add_text(slice, &body->chunk);
    if (body->remaining == 0)
        return BODY_BYTES;
    if (!body->from_memory)
        return body_file_next(body, loop, want, slice);
    slice->bytes[slice->count++] =
        (struct iovec){body->entry->body + body->offset, body->remaining};
    return BODY_BYTES;
}

static size_t take_of(struct body_text *text, size_t n)
{
    size_t left = text->len - text->pos;

    if (n < left) {
        text->pos += n;
        return n;
    }
    drop_text(text);
    return left;
}

void body_took(struct body *body, size_t n)
{
    body->has_begun = true;
    body->taken += n;
    if (body->text.bytes)
        n -= take_of(&body->text, n);
    if (body->chunk.bytes)
        n -= take_of(&body->chunk, n);
    body->offset += n;
    body->remaining -= n;
}
