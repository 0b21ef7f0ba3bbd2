/* SPDX-License-Identifier: MIT */
/* log_text.h — text from elsewhere in a log. Whatever it contains, it stays on its line, no
 * terminal takes it for a command, and no reader sees its letters in another order than they have.
 *
 * Escaped are control characters (C0, DEL and C1), Unicode's line and paragraph separators,
 * characters that are invisible or change the direction of text, and bytes that are not UTF-8. */
#ifndef FARMSTEAD_LOG_TEXT_H
#define FARMSTEAD_LOG_TEXT_H

#include <stddef.h>

enum log_text_form {
    LOG_TEXT_ASCII,  /* "\"", "\\" and "\x0a"; all but ASCII is escaped */
    LOG_TEXT_JSON,   /* "\"", "\\" and "\u000a"; each byte that is not UTF-8 is "\ufffd" */
    LOG_TEXT_PLAIN,  /* "\\" and "\x0a"; quotes stay, as they may be ours */
    LOG_TEXT_QUOTED, /* the same, with quotes escaped: for text between our quotes */
    LOG_TEXT_SHOWN   /* "\x0a"; for a person at a terminal, not for a program */
};

#define LOG_TEXT_STEP_BYTES 16 /* a character takes no more, however it is escaped */

/* Writes the character at the beginning of bytes[len], which must not be empty. Returns how many
 * bytes it has; *out_len is how many were written. */
size_t log_text_step(char out[LOG_TEXT_STEP_BYTES], size_t *out_len, enum log_text_form form,
                     const char *bytes, size_t len);

/* Returns the number of bytes (1–4) of the character at the beginning of bytes[len]; 0 if it must
 * be escaped: not UTF-8, a control character, or hidden. */
size_t log_text_visible_len(const char *bytes, size_t len);

/* Returns how many bytes at the beginning of bytes[len] stand for themselves in every form. Spaces
 * do. */
size_t log_text_plain_len(const char *bytes, size_t len);

/* Writes as much of bytes[len] as fits with a NUL, in whole characters. Returns the length without
 * the NUL. */
size_t log_text_escape(char *out, size_t cap, enum log_text_form form, const char *bytes,
                       size_t len);

#endif
