/* SPDX-License-Identifier: MIT */
/* utf8.h — well-formed UTF-8 only: no overlong forms, no surrogates, nothing beyond U+10FFFF (RFC
 * 3629 section 3). */
#ifndef FARMSTEAD_UTF8_H
#define FARMSTEAD_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* All of these: any thread. */

/* Returns the number of bytes (1–4) of the well-formed sequence at the beginning of `bytes`; 0 if
 * there is none. */
size_t utf8_sequence_len(const char *bytes, size_t len);

/* Returns the code point of a sequence for which utf8_sequence_len() returned `sequence_len`. */
uint32_t utf8_decode(const char *bytes, size_t sequence_len);

/* Writes a code point, which must not be a surrogate. Returns the number of bytes (1–4). */
size_t utf8_encode(char out[4], uint32_t code_point);

/* Returns the number of code points in `len` bytes of well-formed UTF-8. */
size_t utf8_count(const char *bytes, size_t len);

/* Returns the length of the longest part of well-formed UTF-8 that has at most `max` bytes and ends
 * with a whole character. */
size_t utf8_cut(const char *bytes, size_t len, size_t max);

#endif
