/* SPDX-License-Identifier: MIT */
/* Password files: what is accepted, and for everything else the line and the words of the
 * refusal. */
#include "auth/htpasswd.c"

#include "check.h"

#define BCRYPT "$2y$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq"
#define SHA "$5$abcdefgh$4PbtPZdUc33o7LmNsM4HTsjYbIhyCeh4aCe.rEbHkq1"

static char folder[] = "/tmp/farmstead-htpasswd-XXXXXX";
static char path[64];

static const struct {
    int line;
    const char *name, *text;
    int err;
    size_t count;      /* of users */
    uint32_t bad_line; /* of the problem */
    const char *words; /* in the problem */
} rows[] = {
    {__LINE__, "two users", "zoe:" BCRYPT "\nadam:" SHA "\n", 0, 2, 0, ""},
    {__LINE__, "no line end at the end", "zoe:" BCRYPT, 0, 1, 0, ""},
    {__LINE__, "line ends of Windows", "zoe:" BCRYPT "\r\nadam:" SHA "\r\n", 0, 2, 0, ""},
    {__LINE__, "comments and blank lines", "# who\n\n  \t\nzoe:" BCRYPT "\n#adam:x\n", 0, 1, 0, ""},
    {__LINE__, "a comment behind, as nginx has it", "zoe:" BCRYPT ":Zoe, room 4\n", 0, 1, 0, ""},
    {__LINE__, "blanks at a line's end", "zoe:" BCRYPT " \t\n", 0, 1, 0, ""},
    {__LINE__, "a name in UTF-8", "zo\xc3\xab:" BCRYPT "\n", 0, 1, 0, ""},
    {__LINE__, "empty", "", 0, 0, 0, ""},
    {__LINE__, "comments only", "# nobody yet\n", 0, 0, 0, ""},

    {__LINE__, "no colon", "zoe:" BCRYPT "\nadam\n", UV_EINVAL, 0, 2, "no colon"},
    {__LINE__, "no user", ":" BCRYPT "\n", UV_EINVAL, 0, 1, "no user"},
    {__LINE__, "no hash", "zoe:\n", UV_EINVAL, 0, 1, "plain text"},
    {__LINE__, "plain text", "#\n#\nzoe:sesame\n", UV_EINVAL, 0, 3, "htpasswd -B"},
    {__LINE__, "Apache's MD5", "zoe:$apr1$abcdefgh$GQVaHFsauSKl0cgw4bVFJ/\n", UV_EINVAL, 0, 1,
     "MD5"},
    {__LINE__, "too dear", "zoe:$2y$15$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq\n",
     UV_EINVAL, 0, 1, "costs too much"},
    {__LINE__, "a user twice", "zoe:" BCRYPT "\nadam:" SHA "\nzoe:" SHA "\n", UV_EINVAL, 0, 3,
     "line 1 has this user"},
    {__LINE__, "a user three times", "zoe:" BCRYPT "\nzoe:" SHA "\nzoe:" SHA "\n", UV_EINVAL, 0, 2,
     "line 1 has this user"},
    {__LINE__, "a name of other bytes", "zo\xeb:" BCRYPT "\n", UV_EINVAL, 0, 1, "UTF-8"},
    {__LINE__, "a control character", "zo\x01:" BCRYPT "\n", UV_EINVAL, 0, 1, "control"},
    {__LINE__, "a byte order mark", "\xef\xbb\xbfzoe:" BCRYPT "\n", UV_EINVAL, 0, 1, "byte order"},
};

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct htpasswd_problem problem = {0};
        struct htpasswd *file = NULL;
        int err = htpasswd_parse(&file, rows[i].text, strlen(rows[i].text), &problem);

        CHECK_INT(rows[i].line, rows[i].name, err, rows[i].err);
        CHECK_INT(rows[i].line, rows[i].name, problem.line, rows[i].bad_line);
        CHECK_TRUE(strstr(problem.text, rows[i].words), "row %d \"%s\": got \"%s\"", rows[i].line,
                   rows[i].name, problem.text);
        CHECK_INT(rows[i].line, rows[i].name, file ? file->count : 0, rows[i].count);
        CHECK_TRUE(!strstr(problem.text, "sesame"), "no password in a message");
        htpasswd_put(file);
    }
}

static const char *find(const struct htpasswd *file, const char *name)
{
    const char *hash = htpasswd_find(file, (struct span){name, strlen(name)});

    return hash ? hash : "";
}

static void test_finding(void)
{
    static const char text[] = "b:" BCRYPT "\nab:" SHA "\nabc:" BCRYPT ":note\na:" SHA "\n";
    struct htpasswd_problem problem;
    struct htpasswd *file;

    CHECK_INT(__LINE__, "parse", htpasswd_parse(&file, text, sizeof(text) - 1, &problem), 0);
    CHECK_STR(__LINE__, "a", find(file, "a"), SHA);
    CHECK_STR(__LINE__, "ab", find(file, "ab"), SHA);
    CHECK_STR(__LINE__, "abc", find(file, "abc"), BCRYPT);
    CHECK_STR(__LINE__, "b", find(file, "b"), BCRYPT);
    CHECK_STR(__LINE__, "abcd", find(file, "abcd"), "");
    CHECK_STR(__LINE__, "c", find(file, "c"), "");
    CHECK_STR(__LINE__, "A", find(file, "A"), "");
    CHECK_STR(__LINE__, "empty", find(file, ""), "");
    htpasswd_put(htpasswd_get(file));
    CHECK_STR(__LINE__, "still there", find(file, "b"), BCRYPT);
    htpasswd_put(file);
}

/* `count` lines of bcrypt, one user each. The caller frees them. */
static char *many(size_t count, size_t *len)
{
    char *text = malloc(count * 80 + 1);

    *len = 0;
    for (size_t i = 0; i < count; i++)
        *len += (size_t)sprintf(text + *len, "u%zu:%s\n", i, BCRYPT);
    return text;
}

static void test_bounds(void)
{
    struct htpasswd_problem problem;
    struct htpasswd *file;
    size_t len;
    char *text = many(HTPASSWD_USERS_MAX, &len);
    char name[400];

    CHECK_INT(__LINE__, "the most users", htpasswd_parse(&file, text, len, &problem), 0);
    CHECK_STR(__LINE__, "the last", find(file, "u9999"), BCRYPT);
    htpasswd_put(file);
    free(text);
    text = many(HTPASSWD_USERS_MAX + 1, &len);
    CHECK_INT(__LINE__, "one too many", htpasswd_parse(&file, text, len, &problem), UV_EINVAL);
    CHECK_INT(__LINE__, "its line", problem.line, HTPASSWD_USERS_MAX + 1);
    free(text);
    text = calloc(1, HTPASSWD_BYTES_MAX + 1);
    memset(text, '\n', HTPASSWD_BYTES_MAX + 1);
    CHECK_INT(__LINE__, "the most bytes", htpasswd_parse(&file, text, HTPASSWD_BYTES_MAX, &problem),
              0);
    htpasswd_put(file);
    CHECK_INT(__LINE__, "too many bytes",
              htpasswd_parse(&file, text, HTPASSWD_BYTES_MAX + 1, &problem), UV_EINVAL);
    text[5] = '\0';
    CHECK_INT(__LINE__, "a NUL", htpasswd_parse(&file, text, 10, &problem), UV_EINVAL);
    free(text);
    memset(name, 'n', 256);
    strcpy(name + 256, ":" SHA);
    CHECK_INT(__LINE__, "a name too long", htpasswd_parse(&file, name, strlen(name), &problem),
              UV_EINVAL);
    CHECK_INT(__LINE__, "the longest", htpasswd_parse(&file, name + 1, strlen(name + 1), &problem),
              0);
    htpasswd_put(file);
}

static void test_files(void)
{
    struct htpasswd_problem problem;
    struct htpasswd *users;
    struct stat st;
    FILE *file = fopen(path, "w");
    char fifo[80];

    fputs("zoe:" BCRYPT "\n", file);
    fclose(file);
    CHECK_INT(__LINE__, "check", htpasswd_check(path, &problem), 0);
    CHECK_INT(__LINE__, "read", htpasswd_read(&users, path, &st, &problem), 0);
    CHECK_STR(__LINE__, "found", find(users, "zoe"), BCRYPT);
    CHECK_INT(__LINE__, "its size", st.st_size, 4 + strlen(BCRYPT) + 1);
    htpasswd_put(users);
    CHECK_INT(__LINE__, "missing", htpasswd_check("/no/such/file", &problem), UV_ENOENT);
    CHECK_STR(__LINE__, "missing", problem.text, "it can't be opened: no such file or directory");
    CHECK_INT(__LINE__, "a folder", htpasswd_check(folder, &problem), UV_EINVAL);
    snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
    mkfifo(fifo, 0600);
    CHECK_INT(__LINE__, "a FIFO does not hold us up", htpasswd_check(fifo, &problem), UV_EINVAL);
    remove(fifo);
    CHECK_INT(__LINE__, "grow", truncate(path, HTPASSWD_BYTES_MAX + 1), 0);
    CHECK_INT(__LINE__, "too large", htpasswd_check(path, &problem), UV_EINVAL);
    remove(path);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/users", folder);
    test_rows();
    test_finding();
    test_bounds();
    test_files();
    rmdir(folder);
    return check_end("htpasswd");
}
