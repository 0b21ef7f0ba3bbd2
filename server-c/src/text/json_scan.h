/* SPDX-License-Identifier: MIT */
/* json_scan.h — a place moving through a JSON text: what json_text.c builds its tree with.
 *
 * What returns false has reported the syntax error that ends the parse. In every report `around` is
 * the value that the error is in, NULL for the root. */
#ifndef FARMSTEAD_JSON_SCAN_H
#define FARMSTEAD_JSON_SCAN_H

#include "text/json_text.h"

struct json_scan {
    const char *text; /* UTF-8; json_text.c has checked it */
    size_t len;
    struct text_pos at;
    struct config_errors *errors;
    size_t value_count;
};

/* Any thread, all of them. */

int json_scan_peek(const struct json_scan *scan); /* the byte here, -1 at the end */
void json_scan_step(struct json_scan *scan);      /* past the character here */

/* The character here, or nothing at the end of the text. */
struct text_span json_scan_here(const struct json_scan *scan);

/* The word that begins here, or the character when none does. */
struct text_span json_scan_word(const struct json_scan *scan);
bool json_scan_is_word_char(int c);

/* Past white space and comments. */
bool json_scan_blanks(struct json_scan *scan, const struct json_value *around);

/* Reads the string that begins here. `around` may be `string` itself. */
bool json_scan_string(struct json_scan *scan, struct json_value *string,
                      const struct json_value *around);

/* Reads true, false, null or a number, or says why this is no value. */
bool json_scan_scalar(struct json_scan *scan, struct json_value *value);

/* Reports; always false. */
bool json_scan_fail(struct json_scan *scan, enum config_code code, struct text_span span,
                    const struct json_value *around, const char *hint, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Reports the sentence `expected` with what was found here instead. */
bool json_scan_fail_found(struct json_scan *scan, const struct json_value *around, const char *hint,
                          const char *expected);

#endif
