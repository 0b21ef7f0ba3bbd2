/* SPDX-License-Identifier: MIT */
#include "check/config_check_bounds.c"

#include "check.h"
#include "check/config_check.h"
#include "shell.h"

#include <sys/stat.h>

static void test_clean_paths(void)
{
    static const struct {
        int line;
        const char *path, *want;
    } rows[] = {
        {__LINE__, "/srv/www", "/srv/www"},   {__LINE__, "/srv//www/", "/srv/www"},
        {__LINE__, "/srv/./www", "/srv/www"}, {__LINE__, "/srv/www/../../etc", "/etc"},
        {__LINE__, "/../../etc", "/etc"},     {__LINE__, "/", "/"},
        {__LINE__, "/srv/..", "/"},           {__LINE__, "/a/..b/.c", "/a/..b/.c"},
        {__LINE__, "/.../x", "/.../x"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *clean = clean_path(rows[i].path);
        CHECK_STR(rows[i].line, rows[i].path, clean, rows[i].want);
        free(clean);
    }
}

/* --- on a machine ---------------------------------------------------------------------------- */

static char folder[] = "/tmp/farmstead-bounds-XXXXXX";

static char *fill_in(const char *pattern)
{
    struct buf text;

    buf_init(&text);
    buf_append_str(&text, "");
    for (; *pattern != '\0'; pattern++)
        if (*pattern == '$')
            buf_append_str(&text, folder);
        else
            buf_append_char(&text, *pattern);
    return buf_take(&text);
}

static void set_policy(const char *pattern)
{
    struct config_errors errors = {0};
    char *text = fill_in(pattern), *state = fill_in("$/state");
    struct owner_policy *policy = owner_policy_parse(text, strlen(text), &errors);

    CHECK_TRUE(policy != NULL, "%s", text);
    bounds_set(policy, "", state);
    free(text);
    free(state);
}

/* "pointer code " of each finding. */
static void check_config(int line, const char *name, const char *pattern, bool by_text,
                         const char *want)
{
    struct config_errors errors = {0};
    char *text = fill_in(pattern);
    struct config *cfg = config_parse(text, strlen(text), &errors);
    struct check check = {.cfg = cfg, .errors = &errors, .jail = ""};
    struct buf got;

    CHECK_TRUE(cfg != NULL, "row %d: %s: %s", line, text,
               errors.count ? errors.items[0].message : "");
    buf_init(&got);
    buf_append_str(&got, "");
    if (cfg != NULL && by_text)
        config_check_bounds_text(cfg, &errors);
    else if (cfg != NULL)
        config_check_bounds(&check);
    for (size_t i = 0; i < errors.count; i++)
        buf_printf(&got, "%s %s ", errors.items[i].pointer, errors.items[i].code);
    CHECK_STR(line, name, got.data, want);
    buf_fini(&got);
    config_errors_fini(&errors);
    config_put(cfg);
    free(text);
}

#define LISTEN "\"listen\": [{\"address\": \"127.0.0.1\", \"port\": 8080}], "
#define SITE(more) "\"sites\": [{\"hosts\": [\"*\"], " more "}]}"
#define ROOT(root) "{" LISTEN SITE("\"root\": \"" root "\"")
#define WITH(more) "{" LISTEN more ", " SITE("\"root\": \"$/www\"")
#define IN_SITE(more) "{" LISTEN SITE("\"root\": \"$/www\", " more)

static const struct {
    int line;
    const char *name, *config;
    const char *here, *by_text; /* findings on this machine, and for the text alone */
} rows[] = {
    {__LINE__, "allowed", ROOT("$/www"), "", ""},
    {__LINE__, "beneath", ROOT("$/www/sub"), "", ""},
    {__LINE__, "the machine", ROOT("/"), "/sites/0/root exposed_file ",
     "/sites/0/root exposed_file "},
    {__LINE__, "another folder", ROOT("/etc"), "/sites/0/root policy ", "/sites/0/root policy "},
    {__LINE__, "up", ROOT("$/www/../etc"), "/sites/0/root policy ", "/sites/0/root policy "},
    {__LINE__, "not there yet", ROOT("$/www/none"), "", ""},
    {__LINE__, "a link that leads out", ROOT("$/www/out"), "/sites/0/root policy ", ""},
    {__LINE__, "a link that leads in", ROOT("$/in"), "", "/sites/0/root policy "},
    {__LINE__, "for all hosts", ROOT("$/www/{host}"), "", ""},
    {__LINE__, "for all hosts elsewhere", ROOT("/{host}"), "/sites/0/root exposed_file ",
     "/sites/0/root exposed_file "},
    {__LINE__, "the state folder", ROOT("$/state"), "/sites/0/root exposed_file ",
     "/sites/0/root exposed_file "},
    {__LINE__, "a folder in it", ROOT("$/state/x"), "/sites/0/root exposed_file ",
     "/sites/0/root exposed_file "},
    {__LINE__, "a link to it", ROOT("$/www/state"), "/sites/0/root exposed_file ", ""},
    {__LINE__, "an alias of it",
     IN_SITE("\"aliases\": [{\"path\": \"/s/\", \"folder\": \"$/state\"}]"),
     "/sites/0/aliases/0/folder exposed_file ", "/sites/0/aliases/0/folder exposed_file "},
    {__LINE__, "homes", IN_SITE("\"userDirs\": {\"folder\": \"p\", \"base\": \"/home\"}"),
     "/sites/0/userDirs/base policy ", "/sites/0/userDirs/base policy "},
    {__LINE__, "links", IN_SITE("\"symlinks\": \"any\""), "/sites/0/symlinks policy ",
     "/sites/0/symlinks policy "},
    {__LINE__, "links of the owner", IN_SITE("\"symlinks\": \"same-owner\""), "", ""},
    {__LINE__, "passwords", IN_SITE("\"auth\": [{\"realm\": \"r\", \"file\": \"$/keys/p\"}]"), "",
     ""},
    {__LINE__, "the system's passwords",
     IN_SITE("\"auth\": [{\"realm\": \"r\", \"file\": \"/etc/shadow\"}]"),
     "/sites/0/auth/0/file policy ", "/sites/0/auth/0/file policy "},
    {__LINE__, "the node's key as a key",
     IN_SITE("\"signedUrls\": [{\"secretFile\": \"$/state/identity.json\"}]"),
     "/sites/0/signedUrls/0/secretFile protected_file ",
     "/sites/0/signedUrls/0/secretFile protected_file "},
    {__LINE__, "logs", WITH("\"accessLog\": {\"path\": \"$/log/a\"}"), "", ""},
    {__LINE__, "logs of this machine",
     WITH("\"accessLog\": {\"path\": \"stdout\"}, \"errorLog\": {\"path\": \"syslog:/dev/log\"}"),
     "", ""},
    {__LINE__, "syslog over loopback",
     WITH("\"accessLog\": {\"path\": \"syslog:[::1]:514\"}, "
          "\"errorLog\": {\"path\": \"syslog:127.0.0.1:514\"}"),
     "", ""},
    {__LINE__, "syslog to another machine",
     WITH("\"accessLog\": {\"path\": \"syslog:192.0.2.7:514\"}"), "/accessLog/path policy ",
     "/accessLog/path policy "},
    {__LINE__, "the error log to another machine",
     WITH("\"errorLog\": {\"path\": \"syslog:[2001:db8::1]:514\"}"), "/errorLog/path policy ",
     "/errorLog/path policy "},
    {__LINE__, "a socket elsewhere", WITH("\"accessLog\": {\"path\": \"syslog:$/www/a\"}"),
     "/accessLog/path policy ", "/accessLog/path policy "},
    {__LINE__, "a log elsewhere", WITH("\"accessLog\": {\"path\": \"$/www/a\"}"),
     "/accessLog/path policy ", "/accessLog/path policy "},
    {__LINE__, "a log in the state folder", WITH("\"errorLog\": {\"path\": \"$/state/lock\"}"),
     "/errorLog/path protected_file ", "/errorLog/path protected_file "},
    {__LINE__, "a log by a link into it", WITH("\"errorLog\": {\"path\": \"$/log/s/lock\"}"),
     "/errorLog/path protected_file ", ""},
    {__LINE__, "a log over a key",
     "{" LISTEN "\"accessLog\": {\"path\": \"$/log/../keys/k\"}, " SITE(
         "\"root\": \"$/www\", \"signedUrls\": [{\"secretFile\": \"$/keys/k\"}]"),
     "/accessLog/path protected_file ", "/accessLog/path protected_file "},
    {__LINE__, "a pid file", WITH("\"process\": {\"pidFile\": \"$/run/p\"}"), "", ""},
    {__LINE__, "a pid file elsewhere", WITH("\"process\": {\"pidFile\": \"/etc/passwd\"}"),
     "/process/pidFile policy ", "/process/pidFile policy "},
    {__LINE__, "a socket elsewhere",
     "{\"listen\": [{\"socket\": \"/tmp/s\"}], " SITE("\"root\": \"$/www\""),
     "/listen/0/socket policy ", "/listen/0/socket policy "},
    {__LINE__, "a port",
     "{\"listen\": [{\"address\": \"127.0.0.1\", \"port\": 22}], " SITE("\"root\": \"$/www\""),
     "/listen/0/port policy ", "/listen/0/port policy "},
    {__LINE__, "an address",
     "{\"listen\": [{\"address\": \"0.0.0.0\", \"port\": 8080}], " SITE("\"root\": \"$/www\""),
     "/listen/0/port policy ", "/listen/0/port policy "},
    {__LINE__, "admin", WITH("\"admin\": {\"address\": \"127.0.0.1\", \"port\": 8081}"), "", ""},
    {__LINE__, "admin for all", WITH("\"admin\": {\"address\": \"::\", \"port\": 8082}"),
     "/admin/address policy ", "/admin/address policy "},
    {__LINE__, "a user", WITH("\"process\": {\"user\": \"www-data\"}"), "", ""},
    {__LINE__, "root", WITH("\"process\": {\"user\": \"root\"}"), "/process/user policy ",
     "/process/user policy "},
    {__LINE__, "a group", WITH("\"process\": {\"group\": \"shadow\"}"), "/process/group policy ",
     "/process/group policy "},
};

static void test_what_is_not_allowed(void)
{
    set_policy("{\"serve\": [\"$/www\"], \"secrets\": [\"$/keys\"], \"logs\": [\"$/log\"], "
               "\"runtime\": [\"$/run\"], \"listen\": [\"127.0.0.1:8080-8081\", \"*:8082\"], "
               "\"users\": [\"www-data\"]}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        check_config(rows[i].line, rows[i].name, rows[i].config, false, rows[i].here);
        check_config(rows[i].line, rows[i].name, rows[i].config, true, rows[i].by_text);
    }
}

/* The owner has written the config, so only the node's own files are out of bounds. */
static void test_without_a_policy(void)
{
    char *state = fill_in("$/state");

    bounds_set(NULL, "", state);
    check_config(__LINE__, "the machine", ROOT("/"), false, "/sites/0/root exposed_file ");
    check_config(__LINE__, "another folder", ROOT("/etc"), false, "");
    check_config(__LINE__, "links", IN_SITE("\"symlinks\": \"any\""), false, "");
    check_config(__LINE__, "the state", WITH("\"errorLog\": {\"path\": \"$/state/lock\"}"), false,
                 "/errorLog/path protected_file ");
    bounds_clear();
    check_config(__LINE__, "no state folder", ROOT("/"), false, "");
    free(state);
}

int main(void)
{
    test_clean_paths();
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    shell_in(folder, "mkdir -p www/sub state/x log run keys etc && ln -s /etc www/out && "
                     "ln -s www in && ln -s ../state www/state && ln -s ../state log/s && "
                     "touch keys/k keys/p state/lock");
    test_what_is_not_allowed();
    test_without_a_policy();
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("config_check_bounds");
}
