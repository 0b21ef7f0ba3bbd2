/* SPDX-License-Identifier: MIT */
/* mime.c — suffixes are tried from the first dot of the name on, so ".tar.gz" wins over ".gz". */
#include "response/mime.h"

#include "http/http_coding.h"

#include <string.h>
#include <strings.h>

#define SUFFIX_MAX 32 /* no table has a longer one */

/* For a config that does not set them. */
#define DEFAULT_TYPE "application/octet-stream"
#define DEFAULT_CHARSET "utf-8"

static const struct {
    const char *suffix, *type;
} builtin[] = {
#define X(suffix, type) {suffix, type},
#include "response/mime.def"
#undef X
};

static const char *find_builtin(const char *suffix)
{
    size_t low = 0, high = ARRAY_LEN(builtin);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(suffix, builtin[middle].suffix);
        if (order == 0)
            return builtin[middle].type;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const char *find_configured(const struct config *cfg, const char *suffix)
{
    size_t low = 0, high = cfg->mime_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(suffix, cfg->mimes[middle].suffix);
        if (order == 0)
            return cfg->mimes[middle].type;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool lower_case(char *out, struct span suffix)
{
    if (suffix.len >= SUFFIX_MAX)
        return false;
    for (size_t i = 0; i < suffix.len; i++) {
        char c = suffix.ptr[i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[suffix.len] = '\0';
    return true;
}

/* JSON is always UTF-8 (RFC 8259 section 8.1) and XML names its encoding itself (RFC 7303 section
 * 3), so a charset would say nothing there, or something wrong. */
static struct mime_type with_charset(const struct config *cfg, const char *name)
{
    const char *charset = cfg->charset ? cfg->charset : DEFAULT_CHARSET;

    if (charset[0] == '\0' || strncmp(name, "text/", 5) != 0)
        charset = NULL;
    return (struct mime_type){name, charset};
}

/* .svgz is the only suffix whose type is the type of the bytes before compression (SVG 1.1 section
 * 1.2). */
bool mime_is_coded(struct span path)
{
    static const char suffix[] = ".svgz";
    const size_t len = sizeof(suffix) - 1;

    return path.len > len && strncasecmp(path.ptr + path.len - len, suffix, len) == 0;
}

const char *mime_coding(struct mime_type type, struct span path)
{
    return mime_is_coded(path) && strcmp(type.name, "image/svg+xml") == 0 ? "gzip" : NULL;
}

struct mime_type mime_type(const struct config *cfg, struct span path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);
    struct span rest = path;
    char suffix[SUFFIX_MAX];
    const char *dot, *type;

    if (slash)
        rest = (struct span){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)};
    while (rest.len > 0 && (dot = memchr(rest.ptr, '.', rest.len)) != NULL) {
        rest.len -= (size_t)(dot - rest.ptr);
        rest.ptr = dot;
        if (lower_case(suffix, rest)) {
            type = find_configured(cfg, suffix);
            if (type)
                return (struct mime_type){type, NULL};
            type = find_builtin(suffix);
            if (type)
                return with_charset(cfg, type);
        }
        rest.ptr++, rest.len--;
    }
    return (struct mime_type){cfg->default_type ? cfg->default_type : DEFAULT_TYPE, NULL};
}

struct mime_type mime_type_inside(const struct config *cfg, struct span path,
                                  const struct config_stored_coding *stored)
{
    const char *suffix = http_coding_suffix(http_coding_named(stored->coding));
    size_t len = strlen(suffix);

    if (stored->type[0] != '\0')
        return (struct mime_type){stored->type, NULL};
    if (path.len > len && strncasecmp(path.ptr + path.len - len, suffix, len) == 0)
        path.len -= len;
    return mime_type(cfg, path);
}
