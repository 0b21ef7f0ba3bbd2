/* SPDX-License-Identifier: MIT */
/* Bodies made of texts and ranges, with the bytes that must be received: rows for unit tests of
 * those who pull or send them. */
#ifndef FARMSTEAD_BODY_PIECES_H
#define FARMSTEAD_BODY_PIECES_H

#include "body_fixture.h"

static char received[2 * FILE_BYTES];
static size_t received_len;
static char wanted[2 * FILE_BYTES];
static size_t wanted_len;

static void want_bytes(const char *bytes, size_t len)
{
    memcpy(wanted + wanted_len, bytes, len);
    wanted_len += len;
}

/* Returns `text` repeated `times`, on the heap, and adds it to what must be received. */
static char *repeated(const char *text, size_t times, size_t *len)
{
    size_t one = strlen(text);
    char *bytes = malloc(one * times + 1);

    for (size_t i = 0; i < times; i++)
        memcpy(bytes + i * one, text, one);
    *len = one * times;
    want_bytes(bytes, *len);
    return bytes;
}

struct piece_row {
    const char *name, *text; /* before the first range; NULL: none */
    size_t times;
    uint64_t first[2];
    struct {
        const char *text;
        uint64_t range[2];
    } pieces[4];
    size_t piece_count;
};

static const struct piece_row piece_rows[] = {
    {"a head alone", NULL, 0, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a short text", "<ul></ul>", 1, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a text longer than the socket's buffer", "0123456789", 50000, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a text and a range", "text", 1, {1000, 120000}, {{NULL, {0, 0}}}, 0},
    {"two ranges and an end",
     "--b 1",
     1,
     {10, 20},
     {{"--b 2", {200000, 100000}}, {"--b--", {0, 0}}},
     2},
    {"ranges that overlap and go back",
     "--b 1",
     1,
     {299999, 1},
     {{"--b 2", {0, 70000}}, {"--b 3", {100, 65536}}, {"--b--", {0, 0}}},
     3},
    {"pieces without a text", NULL, 0, {0, 5}, {{NULL, {5, 5}}, {NULL, {10, 299990}}}, 2},
    {"only pieces", NULL, 0, {0, 0}, {{"a", {0, 1}}, {"b", {1, 1}}, {"c", {0, 0}}}, 3},
    {"empty pieces", NULL, 0, {0, 0}, {{NULL, {0, 0}}, {"x", {0, 0}}, {NULL, {0, 0}}}, 3},
};

struct row_pieces {
    struct body_pieces base;
    struct body_piece items[4];
};

static int pieces_made, make_fails_at = -1;

static bool make_piece(struct body_pieces *base, size_t i, struct body_piece *piece)
{
    struct row_pieces *pieces = container_of(base, struct row_pieces, base);

    if ((int)i == make_fails_at)
        return false;
    pieces_made++;
    *piece = pieces->items[i];
    pieces->items[i].text = NULL; /* it belongs to the body now */
    return true;
}

static void free_pieces(struct body_pieces *base)
{
    struct row_pieces *pieces = container_of(base, struct row_pieces, base);

    for (size_t i = 0; i < base->count; i++)
        free(pieces->items[i].text);
    free(pieces);
}

static struct body_pieces *new_pieces(const struct piece_row *row)
{
    struct row_pieces *pieces = calloc(1, sizeof(*pieces));

    pieces->base = (struct body_pieces){row->piece_count, make_piece, free_pieces};
    for (size_t i = 0; i < row->piece_count; i++) {
        struct body_piece *piece = &pieces->items[i];
        piece->offset = row->pieces[i].range[0];
        piece->len = row->pieces[i].range[1];
        if (row->pieces[i].text)
            piece->text = repeated(row->pieces[i].text, 1, &piece->text_len);
        want_bytes(content + piece->offset, piece->len);
    }
    return &pieces->base;
}

static struct body_part make_part(const struct piece_row *row)
{
    struct body_part part = {.offset = row->first[0], .len = row->first[1]};

    wanted_len = 0;
    if (row->text)
        part.text = repeated(row->text, row->times, &part.text_len);
    want_bytes(content + part.offset, part.len);
    part.pieces = row->piece_count ? new_pieces(row) : NULL;
    return part;
}

#endif
