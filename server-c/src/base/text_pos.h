/* SPDX-License-Identifier: MIT */
/* text_pos.h — a place in a text as editors count: lines and columns from 1, columns in UTF-16
 * units, lines ended by LF, CR LF or CR. */
#ifndef FARMSTEAD_TEXT_POS_H
#define FARMSTEAD_TEXT_POS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_pos {
    size_t offset; /* in bytes, from 0 */
    uint32_t line;
    uint32_t column;
};

struct text_span {
    struct text_pos start;
    struct text_pos end; /* after the last character */
};

#define TEXT_POS_START ((struct text_pos){.offset = 0, .line = 1, .column = 1})

/* Moves past the character at `pos`. False, without moving, at the end or if the bytes are not
 * UTF-8. Any thread. */
bool text_pos_step(struct text_pos *pos, const char *text, size_t len);

#endif
