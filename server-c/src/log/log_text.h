/* SPDX-License-Identifier: MIT */
/* log_text.h — foreign text in a log: whatever it holds, it stays on its line, no terminal takes it
 * for a command, and no reader sees its letters in another order than they are.
 *
 * Escaped are control characters (C0, DEL and C1), the line and paragraph separators of Unicode,
 * marks that nobody sees or that turn the direction of text, and bytes that are no UTF-8. */
#ifndef FARMSTEAD_LOG_TEXT_H
#define FARMSTEAD_LOG_TEXT_H

#include <stddef.h>

enum log_text_form {
    LOG_TEXT_ASCII, /* "\"", "\\" and "\x0a"; all that is not ASCII is escaped as well */
    LOG_TEXT_JSON, /* "\"", "\\" and "\u000a"; bytes that are no UTF-8 become "\ufffd", one by one */
    LOG_TEXT_PLAIN,  /* "\\" and "\x0a"; quotes are left: they may be ours */
    LOG_TEXT_QUOTED, /* the same for text between our quotes: they are escaped, too */
    LOG_TEXT_SHOWN   /* "\x0a"; for somebody at a terminal, not for a program */
};

#define LOG_TEXT_STEP_BYTES 16 /* one character takes no more, however it is escaped */

/* Writes the character that bytes[len], which is not empty, begins with. *out_len and the bytes of
 * it. */
size_t log_text_step(char out[LOG_TEXT_STEP_BYTES], size_t *out_len, enum log_text_form form,
                     const char *bytes, size_t len);

/* Bytes (1–4) of the character that bytes[len] begins with, or 0 when it is one to escape: no
 * UTF-8, a control character, or hidden. */
size_t log_text_visible_len(const char *bytes, size_t len);

/* The first bytes of bytes[len] that stand for themselves in every form; spaces are among them. */
size_t log_text_plain_len(const char *bytes, size_t len);

/* As much of bytes[len] as fits with a NUL, whole characters only. Returns the length without it.
 */
size_t log_text_escape(char *out, size_t cap, enum log_text_form form, const char *bytes,
                       size_t len);

#endif
