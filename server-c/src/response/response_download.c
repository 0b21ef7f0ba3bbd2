/* SPDX-License-Identifier: MIT */
/* response_download.c — Content-Disposition (RFC 6266): the name under which a browser saves a file. */
#include "response/response_parts.h"

#include "base/utf8.h"

/* What may stand in a quoted string without a backslash, which programs read in different ways, and
 * without a percent sign, which some take for the beginning of an encoded byte (RFC 6266 appendix D). */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '%';
}

/* attr-char (RFC 8187 section 3.2.1). */
static bool is_attribute_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && c < 0x7f && strchr("!#$&+-.^_`|~", c) != NULL);
}

static bool is_utf8(struct span name)
{
    size_t len = 0;

    while (name.len > 0 && (len = utf8_sequence_len(name.ptr, name.len)) > 0)
        name = (struct span){name.ptr + len, name.len - len};
    return name.len == 0;
}

/* Each character, not each byte, that can't be sent becomes one "_". Returns whether any did. */
static bool append_plain(struct response_head *out, struct span name)
{
    bool has_other = false;

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (is_plain(c))
            response_append(out, name.ptr + i, 1);
        else if ((c & 0xc0) != 0x80)
            APPEND(out, "_");
        has_other |= !is_plain(c);
    }
    return has_other;
}

static void append_encoded(struct response_head *out, struct span name)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        char encoded[] = {'%', digits[c >> 4], digits[c & 15]};
        if (is_attribute_char(c))
            response_append(out, name.ptr + i, 1);
        else
            response_append(out, encoded, sizeof(encoded));
    }
}

void response_download_append(struct response_head *out, const struct config_download *rule,
                              struct span path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);
    struct span name = path;

    if (slash)
        name = (struct span){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)};
    if (rule->file_name[0] != '\0')
        name = (struct span){rule->file_name, strlen(rule->file_name)};
    APPEND(out, "Content-Disposition: ");
    append_text(out, rule->is_inline ? "inline" : "attachment");
    APPEND(out, "; filename=\"");
    if (append_plain(out, name) && is_utf8(name)) {
        APPEND(out, "\"; filename*=UTF-8''");
        append_encoded(out, name);
        APPEND(out, "\r\n");
        return;
    }
    APPEND(out, "\"\r\n");
}
