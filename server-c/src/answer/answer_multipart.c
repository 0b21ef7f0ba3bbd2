/* SPDX-License-Identifier: MIT */
/* answer_multipart.c — several ranges of a file as one response (RFC 9110 section 14.6). While it
 * is being sent only the ranges are held in memory, 16 bytes each: the text before each range is
 * made when its turn comes. */
#include "answer/answer.h"
#include "response/response.h"

#include <stdlib.h>
#include <string.h>

/* Fits a boundary, a type (also a rule's) and three numbers of 20 digits. */
#define PART_HEAD_MAX 5120

struct parts {
    struct body_pieces pieces; /* all ranges but the first, and the text that ends the body */
    struct response_multipart multipart;
    char boundary[RESPONSE_BOUNDARY_MAX + 1];
    struct http_byte_range ranges[];
};

static char *part_text(const struct response_multipart *multipart, size_t i, size_t *len)
{
    char bytes[PART_HEAD_MAX];
    struct response_head text = {.out = bytes, .cap = sizeof(bytes)};
    char *copy;

    response_multipart_text(&text, multipart, i);
    copy = text.overflow ? NULL : malloc(text.len);
    if (copy)
        memcpy(copy, bytes, text.len);
    *len = text.len;
    return copy;
}

static bool make_piece(struct body_pieces *pieces, size_t i, struct body_piece *piece)
{
    const struct response_multipart *multipart =
        &container_of(pieces, struct parts, pieces)->multipart;
    size_t part = i + 1;

    piece->text = part_text(multipart, part, &piece->text_len);
    if (part < multipart->count) {
        piece->offset = multipart->ranges[part].offset;
        piece->len = multipart->ranges[part].length;
    }
    return piece->text != NULL;
}

static void free_parts(struct body_pieces *pieces)
{
    free(container_of(pieces, struct parts, pieces));
}

/* Points to the texts of the type, which belong to the config; the exchange holds it until its body
 * has ended. NULL: no memory. */
static struct parts *new_parts(struct exchange *ex, const struct response_file *file,
                               const struct response_plan *plan)
{
    size_t bytes = plan->ranges.count * sizeof(struct http_byte_range);
    struct parts *parts = malloc(sizeof(*parts) + bytes);

    if (!parts)
        return NULL;
    parts->pieces = (struct body_pieces){plan->ranges.count, make_piece, free_parts};
    loop_boundary(ex->loop, parts->boundary, sizeof(parts->boundary));
    response_multipart_init(&parts->multipart, plan, &ex->scope, file, parts->boundary);
    memcpy(parts->ranges, plan->ranges.items, bytes);
    parts->multipart.ranges = parts->ranges;
    return parts;
}

/* The first range is a part of the body like any other, already fetched; the others follow as
 * pieces. */
void answer_multipart(struct exchange *ex, struct file_entry *entry,
                      const struct response_file *file, const struct response_plan *plan,
                      bool from_memory)
{
    struct response_head head = answer_start_head(ex, HTTP_PARTIAL_CONTENT);
    struct body_part part = {.entry = entry,
                             .from_memory = from_memory,
                             .offset = plan->ranges.items[0].offset,
                             .len = plan->ranges.items[0].length};
    struct parts *parts = new_parts(ex, file, plan);

    if (!parts) {
        carrier_fail(ex->carrier);
        return;
    }
    if (answer_has_digest(ex, entry))
        answer_append_digest(&head, entry);
    part.pieces = &parts->pieces;
    part.text = part_text(&parts->multipart, 0, &part.text_len);
    if (!part.text) {
        body_part_fini(&part);
        carrier_fail(ex->carrier);
        return;
    }
    response_head_multipart(&head, &ex->scope, file, &parts->multipart, ex->loop->date_second);
    answer_send(ex, &head, &part);
}
