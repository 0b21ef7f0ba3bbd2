/* SPDX-License-Identifier: MIT */
/* access_format.h — the format of an access log, from text to a list of what is written.
 *
 * "json" is a form of its own. Everything else is text with fields in braces: "common", "combined" and
 * "vhost_combined" are names of such texts. Pure; any thread. */
#ifndef FARMSTEAD_ACCESS_FORMAT_H
#define FARMSTEAD_ACCESS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define ACCESS_FORMAT_ITEMS 40
#define ACCESS_FORMAT_CLIENT_FIELDS 8 /* so many texts of clients fit a line (access_line.h) */

enum access_field {
    ACCESS_END, /* nothing follows the literal */
#define F(name, text, is_client_text) ACCESS_##name,
#include "config/access_fields.def"
#undef F
    ACCESS_FIELD_COUNT
};

struct access_format_item {
    const char *literal; /* goes before the field */
    size_t literal_len;
    enum access_field field;
    bool is_quoted; /* a quote goes before it: spaces in it stay as they are */
};

struct access_format {
    bool is_json;
    bool has_time;
    size_t count;
    struct access_format_item items[ACCESS_FORMAT_ITEMS];
    char *text; /* where the literals are */
};

struct access_format_error {
    size_t offset; /* in bytes of the text */
    char message[240];
};

/* False: the text is wrong; then nothing is to be freed. */
bool access_format_init(struct access_format *format, const char *text,
                        struct access_format_error *error);
void access_format_fini(struct access_format *format);

#endif
