/* SPDX-License-Identifier: MIT */
/* What a person and a program get from `farmstead-node check`, with files as they would use
 * them. */
#include "cmd/cmd_check.c"

#include "check.h"

#define GOOD SOURCE_DIR "/config-corpus/good/minimal.jsonc"
#define BAD SOURCE_DIR "/config-corpus/bad/host-in-two-sites.jsonc"

struct outcome {
    int code;
    struct buf out, err;
};

/* The standard input of the next command. NULL: nothing. */
static const char *input;

static FILE *divert(FILE *stream, int *saved)
{
    FILE *file = tmpfile();

    fflush(stream);
    *saved = dup(fileno(stream));
    dup2(fileno(file), fileno(stream));
    return file;
}

static void restore(FILE *stream, int saved, FILE *file, struct buf *text)
{
    size_t got;

    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    buf_init(text);
    rewind(file);
    while ((got = fread(buf_reserve(text, 4096), 1, 4096, file)) > 0)
        buf_advance(text, got);
    fclose(file);
}

static void run(struct outcome *outcome, const char *first, const char *second, const char *third)
{
    char name[] = "check";
    char *argv[] = {name, (char *)(uintptr_t)first, (char *)(uintptr_t)second,
                    (char *)(uintptr_t)third, NULL};
    int argc = 1, out_saved, err_saved;
    FILE *in = tmpfile(), *out, *err;

    while (argv[argc] != NULL)
        argc++;
    if (input != NULL)
        fputs(input, in);
    fflush(in);
    lseek(fileno(in), 0, SEEK_SET);
    dup2(fileno(in), STDIN_FILENO);
    out = divert(stdout, &out_saved);
    err = divert(stderr, &err_saved);
    outcome->code = cmd_check(argc, argv);
    restore(stdout, out_saved, out, &outcome->out);
    restore(stderr, err_saved, err, &outcome->err);
    fclose(in);
}

static void finish(struct outcome *outcome)
{
    buf_fini(&outcome->out);
    buf_fini(&outcome->err);
}

static void test_bad_usage(void)
{
    static const struct {
        int line;
        const char *first, *second;
    } rows[] = {
        {__LINE__, NULL, NULL}, {__LINE__, "--json", NULL}, {__LINE__, "--jsn", GOOD},
        {__LINE__, GOOD, GOOD}, {__LINE__, "-x", NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct outcome got;

        run(&got, rows[i].first, rows[i].second, NULL);
        CHECK_INT(rows[i].line, "exit code", got.code, 2);
        CHECK_STR(rows[i].line, "output", got.out.data, "");
        CHECK_TRUE(strchr(got.err.data, '\n') == got.err.data + got.err.len - 1, "one line: %s",
                   got.err.data);
        finish(&got);
    }
}

static void test_for_people(void)
{
    struct outcome got;

    run(&got, "--text-only", BAD, NULL);
    CHECK_INT(__LINE__, "exit code", got.code, 1);
    CHECK_STR(__LINE__, "sentence", got.err.data,
              BAD ":4:17: the host \"A.Example\" is already on line 3 (/sites/0/hosts/0) (a name "
                  "belongs to one site) [/sites/1/hosts/0, duplicate_value]\n");
    finish(&got);

    run(&got, "--text-only", GOOD, NULL);
    CHECK_INT(__LINE__, "exit code", got.code, 0);
    CHECK_STR(__LINE__, "silence", got.err.data, "");
    CHECK_TRUE(strstr(got.out.data, ": right, sha256:") != NULL, "%s", got.out.data);
    finish(&got);

    input = "{";
    run(&got, "-", NULL, NULL);
    CHECK_STR(__LINE__, "from standard input", got.err.data,
              "stdin:1:2: expected a key, found the end of the text [, syntax]\n");
    finish(&got);

    run(&got, "/nowhere/at/all", NULL, NULL);
    CHECK_INT(__LINE__, "exit code", got.code, 1);
    CHECK_STR(__LINE__, "no file", got.err.data,
              "farmstead-node: can't read /nowhere/at/all: No such file or directory\n");
    finish(&got);
}

static void test_for_programs(void)
{
    struct outcome got;
    json_t *answer;
    json_int_t line = 0, column = 0, end_line = 0, end_column = 0, dropped = -1;
    const char *pointer = "", *code = "", *message = "", *hint = "", *digest = "";
    int ok = -1;

    run(&got, "--json", "--text-only", BAD);
    CHECK_INT(__LINE__, "exit code", got.code, 1);
    CHECK_STR(__LINE__, "nothing else", got.err.data, "");
    answer = json_loads(got.out.data, 0, NULL);
    CHECK_INT(__LINE__, "form",
              json_unpack_ex(answer, NULL, JSON_STRICT,
                             "{sb sn s[{ss sI sI sI sI ss ss ss!}!] sI s[!]!}", "ok", &ok, "digest",
                             "errors", "pointer", &pointer, "line", &line, "column", &column,
                             "endLine", &end_line, "endColumn", &end_column, "code", &code,
                             "message", &message, "hint", &hint, "dropped", &dropped, "warnings"),
              0);
    CHECK_INT(__LINE__, "ok", ok, 0);
    CHECK_STR(__LINE__, "pointer", pointer, "/sites/1/hosts/0");
    CHECK_INT(__LINE__, "line", line, 4);
    CHECK_INT(__LINE__, "column", column, 17);
    CHECK_INT(__LINE__, "end column", end_column, 28);
    CHECK_STR(__LINE__, "code", code, "duplicate_value");
    CHECK_STR(__LINE__, "hint", hint, "a name belongs to one site");
    CHECK_INT(__LINE__, "dropped", dropped, 0);
    json_decref(answer);
    finish(&got);

    run(&got, "--json", "--text-only", GOOD);
    CHECK_INT(__LINE__, "exit code", got.code, 0);
    answer = json_loads(got.out.data, 0, NULL);
    CHECK_INT(__LINE__, "form",
              json_unpack(answer, "{sb ss s[!] sI s[!]!}", "ok", &ok, "digest", &digest, "errors",
                          "dropped", &dropped, "warnings"),
              0);
    CHECK_INT(__LINE__, "ok", ok, 1);
    CHECK_STR(__LINE__, "digest, as in digests.json", digest,
              "sha256:8ca7a120c29ff2ddabad182f34f73baf1f4d9a5ea679da2fcd94255d7b222bc4");
    json_decref(answer);
    finish(&got);
}

/* Without --text-only a valid text whose folder is missing is a failure, but has a digest. */
static void test_machine(void)
{
    struct outcome got;
    json_t *answer;

    input = "{\"listen\":[{\"port\":0}],\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/nowhere\"}]}";
    run(&got, "--json", "-", NULL);
    CHECK_INT(__LINE__, "exit code", got.code, 1);
    answer = json_loads(got.out.data, 0, NULL);
    CHECK_TRUE(json_is_false(json_object_get(answer, "ok")), "%s", got.out.data);
    CHECK_TRUE(json_is_string(json_object_get(answer, "digest")), "%s", got.out.data);
    CHECK_INT(__LINE__, "findings", json_array_size(json_object_get(answer, "errors")), 1);
    json_decref(answer);
    finish(&got);
}

static void test_more_errors_than_are_listed(void)
{
    struct outcome got;
    struct buf text;
    json_t *answer;

    buf_init(&text);
    buf_append_str(&text, "{\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/\"}]");
    for (int i = 0; i < 150; i++)
        buf_printf(&text, ",\"unknown%d\":1", i);
    buf_append_str(&text, "}");
    input = text.data;
    run(&got, "--json", "--text-only", "-");
    answer = json_loads(got.out.data, 0, NULL);
    CHECK_INT(__LINE__, "listed", json_array_size(json_object_get(answer, "errors")), 100);
    CHECK_INT(__LINE__, "said", json_integer_value(json_object_get(answer, "dropped")), 50);
    json_decref(answer);
    finish(&got);
    run(&got, "--text-only", "-", NULL);
    CHECK_TRUE(strstr(got.err.data, "stdin: and 50 more\n") != NULL, "%s", got.err.data);
    finish(&got);
    buf_fini(&text);
}

int main(void)
{
    test_bad_usage();
    test_for_people();
    test_for_programs();
    test_machine();
    test_more_errors_than_are_listed();
    return check_end("cmd_check");
}
