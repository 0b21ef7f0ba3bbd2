/* SPDX-License-Identifier: MIT */
/* json_scan.h — a position that moves through a JSON text; json_text.c uses it to build the tree.
 *
 * Functions that return false have reported the syntax error that ends the parse. In every report
 * `around` is the value that contains the error; NULL: the root. */
#ifndef FARMSTEAD_JSON_SCAN_H
#define FARMSTEAD_JSON_SCAN_H

#include "text/json_text.h"

struct json_scan {
    const char *text; /* valid UTF-8, as json_text.c has checked */
    size_t len;
    struct text_pos at;
    struct config_errors *errors;
    size_t value_count;
};

/* All of these: any thread. */

int json_scan_peek(const struct json_scan *scan); /* the byte at the position; -1 at the end */
void json_scan_step(struct json_scan *scan);      /* moves past the character at the position */

/* Returns the place of the character at the position; an empty place at the end of the text. */
struct text_span json_scan_here(const struct json_scan *scan);

/* Returns the place of the word that begins at the position, or of the character if no word
 * does. */
struct text_span json_scan_word(const struct json_scan *scan);
bool json_scan_is_word_char(int c);

/* Skips white space and comments. */
bool json_scan_blanks(struct json_scan *scan, const struct json_value *around);

/* Reads the string that begins at the position. `around` may be `string` itself. */
bool json_scan_string(struct json_scan *scan, struct json_value *string,
                      const struct json_value *around);

/* Reads true, false, null or a number, or reports why this is no value. */
bool json_scan_scalar(struct json_scan *scan, struct json_value *value);

/* Reports an error. Always returns false. */
bool json_scan_fail(struct json_scan *scan, enum config_code code, struct text_span span,
                    const struct json_value *around, const char *hint, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Reports the sentence `expected`, and what was found instead. */
bool json_scan_fail_found(struct json_scan *scan, const struct json_value *around, const char *hint,
                          const char *expected);

#endif
