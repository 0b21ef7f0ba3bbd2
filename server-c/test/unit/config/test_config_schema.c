/* SPDX-License-Identifier: MIT */
/* The committed schema and reference page are equal to the program's output. */
#include "config/config_schema.c"

#include "check.h"

static void check_committed(const char *path, char *printed, const char *command)
{
    FILE *file = fopen(path, "rb");
    struct buf committed;
    size_t got;

    buf_init(&committed);
    while (file != NULL && (got = fread(buf_reserve(&committed, 4096), 1, 4096, file)) > 0)
        buf_advance(&committed, got);
    if (file != NULL)
        fclose(file);
    CHECK_TRUE(strcmp(committed.data, printed) == 0,
               "%s differs from the option table; print it again: farmstead-node %s > %s", path,
               command, path);
    buf_fini(&committed);
    free(printed);
}

/* A rule of the design, for the sake of forms and error messages. */
static void test_no_one_of(void)
{
    char *schema = config_schema_json();

    CHECK_TRUE(strstr(schema, "oneOf") == NULL && strstr(schema, "anyOf") == NULL, "use a kind");
    free(schema);
}

static void test_digest_is_of_the_bytes(void)
{
    char got[DIGEST_LEN + 1], want[DIGEST_LEN + 1], *schema = config_schema_json();

    config_schema_digest(got);
    digest_sha256(want, schema, strlen(schema));
    CHECK_STR(__LINE__, "digest", got, want);
    free(schema);
}

int main(void)
{
    check_committed(SOURCE_DIR "/config.schema.json", config_schema_json(), "schema");
    check_committed(SOURCE_DIR "/../docs/configuration.md", config_schema_markdown(),
                    "schema --markdown");
    test_no_one_of();
    test_digest_is_of_the_bytes();
    return check_end("config_schema");
}
