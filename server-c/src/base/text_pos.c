/* SPDX-License-Identifier: MIT */
/* text_pos.c — a step passes one whole character. CR LF is one line end, at its LF. */
#include "base/text_pos.h"

#include "base/utf8.h"

bool text_pos_step(struct text_pos *pos, const char *text, size_t len)
{
    size_t sequence_len = utf8_sequence_len(text + pos->offset, len - pos->offset);
    const char *at = text + pos->offset;
    bool is_line_end;

    if (sequence_len == 0)
        return false;
    is_line_end =
        *at == '\n' || (*at == '\r' && !(pos->offset + 1 < len && text[pos->offset + 1] == '\n'));
    pos->offset += sequence_len;
    if (is_line_end) {
        pos->line++;
        pos->column = 1;
    } else {
        pos->column += sequence_len == 4 ? 2 : 1; /* a surrogate pair in UTF-16 */
    }
    return true;
}
