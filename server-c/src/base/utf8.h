/* SPDX-License-Identifier: MIT */
/* utf8.h — well-formed UTF-8 only: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef FARMSTEAD_UTF8_H
#define FARMSTEAD_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Any thread, all of them. */

/* Bytes (1–4) of the well-formed sequence that `bytes` begins with, or 0 when it is none. */
size_t utf8_sequence_len(const char *bytes, size_t len);

/* The code point of a sequence that utf8_sequence_len() found to be `sequence_len` bytes long. */
uint32_t utf8_decode(const char *bytes, size_t sequence_len);

/* Writes the code point, which is no surrogate, and returns the bytes written (1–4). */
size_t utf8_encode(char out[4], uint32_t code_point);

/* Code points in `len` bytes of well-formed UTF-8. */
size_t utf8_count(const char *bytes, size_t len);

/* The longest part, of at most `max` bytes, that ends with a whole character: of well-formed UTF-8. */
size_t utf8_cut(const char *bytes, size_t len, size_t max);

#endif
