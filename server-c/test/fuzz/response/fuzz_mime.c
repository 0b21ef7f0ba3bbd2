/* SPDX-License-Identifier: MIT */
/* Any path: the type is the one a plain search finds, whatever the case and the folders before. */
#include "response/mime.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SUFFIX_MAX 31
#define DEFAULT_TYPE "application/x-default"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct {
    const char *suffix, *type;
} builtin[] = {
#define X(suffix, type) {suffix, type},
#include "response/mime.def"
#undef X
};

/* Sorted, as a config has them. */
static struct config_mime configured[] = {
    {(char *)(uintptr_t) ".a.b", (char *)(uintptr_t) "x/a-b"},
    {(char *)(uintptr_t) ".css", (char *)(uintptr_t) "x/css"},
    {(char *)(uintptr_t) ".tar", (char *)(uintptr_t) "x/tar"},
};

static const char *find_plainly(const char *suffix)
{
    for (size_t i = 0; i < ARRAY_LEN(configured); i++)
        if (strcasecmp(suffix, configured[i].suffix) == 0)
            return configured[i].type;
    for (size_t i = 0; i < ARRAY_LEN(builtin); i++)
        if (strcasecmp(suffix, builtin[i].suffix) == 0)
            return builtin[i].type;
    return NULL;
}

static const char *type_of(const char *name)
{
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *type = strlen(dot) <= SUFFIX_MAX ? find_plainly(dot) : NULL;
        if (type)
            return type;
    }
    return DEFAULT_TYPE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct config cfg = {.default_type = (char *)(uintptr_t)DEFAULT_TYPE,
                         .charset = (char *)(uintptr_t) "utf-8",
                         .mimes = configured,
                         .mime_count = ARRAY_LEN(configured)};
    struct mime_type type;
    const char *slash;
    char *path;

    if (memchr(data, '\0', len)) /* url_path lets none through */
        return 0;
    path = strndup((const char *)data, len);
    if (!path)
        return 0;
    slash = strrchr(path, '/');
    type = mime_type(&cfg, (struct span){(const char *)data, len});
    CHECK(strcmp(type.name, type_of(slash ? slash + 1 : path)) == 0);
    CHECK(!type.charset || strncmp(type.name, "text/", 5) == 0);
    free(path);
    return 0;
}
