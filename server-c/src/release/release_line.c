/* SPDX-License-Identifier: MIT */
/* release_line.c — reads the two forms that a line can have, member by member. */
#include "release/release_line.h"

#include "base/utf8.h"
#include "base/util.h"

#include <string.h>

static const char not_canonical[] = "is not in canonical form (RFC 8785)";

struct reading {
    const char *at, *end;
};

static bool skip(struct reading *reading, const char *text)
{
    size_t len = strlen(text);

    if ((size_t)(reading->end - reading->at) < len || memcmp(reading->at, text, len) != 0)
        return false;
    reading->at += len;
    return true;
}

/* The byte that "\x" or "\u00xy" stands for, where RFC 8785 writes it so; -1: it does not. */
static int read_escape(struct reading *reading)
{
    static const char letters[] = "\"\\bfnrt", bytes[] = "\"\\\b\f\n\r\t";
    const char *letter;
    int high, low;

    if (reading->at == reading->end)
        return -1;
    letter = memchr(letters, *reading->at, sizeof(letters) - 1);
    if (letter) {
        reading->at++;
        return bytes[letter - letters];
    }
    if (!skip(reading, "u00") || reading->end - reading->at < 2)
        return -1;
    high = hex_digit(reading->at[0]), low = hex_digit(reading->at[1]);
    if (high < 0 || high > 1 || low < 0 || (reading->at[1] >= 'A' && reading->at[1] <= 'F') ||
        memchr(bytes, high * 16 + low, sizeof(bytes) - 1))
        return -1;
    reading->at += 2;
    return high * 16 + low;
}

/* NULL, or what is wrong. */
static const char *read_string(struct reading *reading, char out[RELEASE_PATH_LEN + 1])
{
    size_t len = 0;

    if (!skip(reading, "\""))
        return not_canonical;
    while (reading->at < reading->end && *reading->at != '"') {
        size_t step = utf8_sequence_len(reading->at, (size_t)(reading->end - reading->at));
        int escaped;

        out[len] = '\0'; /* it is quoted if something is wrong with the rest */
        if (step == 0)
            return "is not UTF-8";
        if (len + step > RELEASE_PATH_LEN)
            return "has a path or target of more than 4095 bytes";
        if (*reading->at == '\\') {
            reading->at++;
            escaped = read_escape(reading);
            if (escaped < 0)
                return not_canonical;
            if (escaped == 0)
                return "has a NUL in its path or target";
            out[len++] = (char)escaped;
            continue;
        }
        if ((unsigned char)*reading->at < ' ')
            return not_canonical;
        memcpy(out + len, reading->at, step);
        reading->at += step;
        len += step;
    }
    out[len] = '\0';
    return skip(reading, "\"") ? NULL : not_canonical;
}

static bool read_number(struct reading *reading, uint64_t *out)
{
    const char *begin = reading->at;

    *out = 0;
    while (reading->at < reading->end && *reading->at >= '0' && *reading->at <= '9') {
        *out = *out * 10 + (uint64_t)(*reading->at++ - '0');
        if (*out > UINT64_C(9007199254740991))
            return false;
    }
    return reading->at > begin && (*begin != '0' || reading->at == begin + 1);
}

static bool read_mode(struct reading *reading)
{
    for (int i = 0; i < 3; i++, reading->at++)
        if (reading->at == reading->end || *reading->at < '0' || *reading->at > '7')
            return false;
    return true;
}

bool release_is_sha256(const char *text)
{
    return strspn(text, "0123456789abcdef") == RELEASE_SHA256_LEN &&
           text[RELEASE_SHA256_LEN] == '\0';
}

static bool read_sha256(struct reading *reading, char out[RELEASE_SHA256_LEN + 1])
{
    if (reading->end - reading->at < RELEASE_SHA256_LEN)
        return false;
    memcpy(out, reading->at, RELEASE_SHA256_LEN);
    out[RELEASE_SHA256_LEN] = '\0';
    reading->at += RELEASE_SHA256_LEN;
    return release_is_sha256(out);
}

/* --- what may be made below a folder --- */

static bool is_dots(const char *part, size_t len)
{
    return (len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.');
}

const char *release_path_fault(const char *path)
{
    int parts = 0;

    for (const char *part = path;; part += strcspn(part, "/") + 1) {
        size_t len = strcspn(part, "/");

        if (len == 0)
            return "has a path that is empty, absolute or has an empty part";
        if (is_dots(part, len))
            return "has a path with \".\" or \"..\"";
        if (len > RELEASE_PART_LEN)
            return "has a name of more than 255 bytes";
        if (++parts > RELEASE_PARTS)
            return "lies more than 100 folders deep";
        if (part[len] == '\0')
            return NULL;
    }
}

/* Upward at its beginning only, so that where it leads hangs on no other link. */
static const char *fault_of_target(const char *path, const char *target)
{
    int depth = 0;
    bool is_down = false;

    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
        depth++;
    for (const char *part = target;; part += strcspn(part, "/") + 1) {
        size_t len = strcspn(part, "/");
        bool is_up = len == 2 && memcmp(part, "..", 2) == 0;

        if (len == 0)
            return "is a link to nothing, to an absolute path, or with an empty part";
        if (len > RELEASE_PART_LEN)
            return "is a link to a name of more than 255 bytes";
        if (is_dots(part, len) && (!is_up || is_down))
            return "is a link with \".\", or with \"..\" behind a name";
        if (is_up && --depth < 0)
            return "is a link out of the tree";
        is_down = !is_up;
        if (part[len] == '\0')
            return NULL;
    }
}

/* --- the two forms --- */

static const char *read_file(struct reading *reading, struct release_line *out)
{
    const char *wrong;

    if (!read_mode(reading) || !skip(reading, "\",\"path\":"))
        return not_canonical;
    wrong = read_string(reading, out->path);
    if (wrong)
        return wrong;
    if (!skip(reading, ",\"sha256\":\"") || !read_sha256(reading, out->sha256) ||
        !skip(reading, "\",\"size\":") || !read_number(reading, &out->size) ||
        !skip(reading, ",\"type\":\"file\"}") || reading->at != reading->end)
        return not_canonical;
    return release_path_fault(out->path);
}

static const char *read_link(struct reading *reading, struct release_line *out)
{
    const char *wrong = read_string(reading, out->path);

    if (wrong)
        return wrong;
    if (!skip(reading, ",\"target\":"))
        return not_canonical;
    wrong = read_string(reading, out->target);
    if (wrong)
        return wrong;
    if (!skip(reading, ",\"type\":\"link\"}") || reading->at != reading->end)
        return not_canonical;
    wrong = release_path_fault(out->path);
    return wrong ? wrong : fault_of_target(out->path, out->target);
}

const char *release_line_read(struct release_line *out, const char *line, size_t len)
{
    struct reading reading = {line, line + len};

    out->path[0] = out->target[0] = out->sha256[0] = '\0';
    out->size = 0;
    out->is_link = false;
    if (skip(&reading, "{\"mode\":\""))
        return read_file(&reading, out);
    out->is_link = true;
    return skip(&reading, "{\"path\":") ? read_link(&reading, out) : not_canonical;
}

static int rank(char c)
{
    return c == '\0' ? -1 : c == '/' ? 0 : (unsigned char)c;
}

int release_path_compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return rank(*a) - rank(*b);
}
