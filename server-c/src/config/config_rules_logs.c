/* SPDX-License-Identifier: MIT */
/* config_rules_logs.c — formats of access logs, and that no two of the files that the node writes are the
 * same. */
#include "config/access_format.h"
#include "config/config_rules_parts.h"
#include "config/log_target.h"

#include <stdio.h>
#include <string.h>

/* A file that the node writes, and where it is named. */
struct written {
    const char *path, *what, *pointer;
};

static bool is_same(const char *a, const char *b)
{
    return a != NULL && b != NULL && *a == '/' && strcmp(a, b) == 0;
}

/* Conflicts between two sockets are checked with the listeners. */
static void check_sockets(const struct rules *rules, const struct written *file)
{
    for (size_t i = 0; i < rules->cfg->listen_count; i++) {
        char pointer[RULES_POINTER_LEN];

        if (!is_same(rules->cfg->listens[i].socket, file->path))
            continue;
        snprintf(pointer, sizeof(pointer), "/listen/%zu/socket", i);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "choose another path",
                            "\"%s\" is %s already", file->path, file->what);
    }
}

static void check_pair(const struct rules *rules, const struct written *first,
                       const struct written *second)
{
    if (is_same(first->path, second->path))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, second->pointer,
                            "give each a file of its own", "\"%s\" is %s already", second->path,
                            first->what);
}

/* A format that was wrong by itself is NULL. */
static void check_format(const struct rules *rules, const struct config_access_log *log,
                         const char *pointer)
{
    struct access_format_error error;
    struct access_format format;
    char member[RULES_POINTER_LEN + 16];

    if (log->path == NULL || log->format == NULL)
        return;
    snprintf(member, sizeof(member), "%s/format", pointer);
    if (!access_format_init(&format, log->format, &error)) {
        config_rules_report_in(rules, CONFIG_CODE_INVALID_VALUE, member, error.offset, NULL,
                               "\"format\" at byte %zu: %s", error.offset, error.message);
        return;
    }
    if (!format.has_time && log_target_is_file(log->path))
        config_rules_report(
            rules, CONFIG_CODE_INVALID_VALUE, member,
            "by the time in its first line a file is known for an access log when it "
            "is opened again",
            "\"format\" has neither {time} nor {timeIso}, and the log is a file");
    access_format_fini(&format);
}

/* Does it go where none of those before it goes? */
static bool is_new_place(const struct rules *rules, const struct config_access_log *log,
                         size_t number)
{
    if (log->path == NULL || !config_access_log_is_on(log))
        return false;
    for (size_t i = 0; i < number; i++) {
        const struct config_access_log *earlier = config_access_log_at(rules->cfg, i, NULL, 0);
        if (earlier->path != NULL && strcmp(earlier->path, log->path) == 0)
            return false;
    }
    return true;
}

void config_rules_check_logs(const struct rules *rules)
{
    const struct written error = {rules->cfg->error_log.path, "the error log", "/errorLog/path"};
    const struct written pid = {rules->cfg->process.pid_file, "the PID file", "/process/pidFile"};
    const struct config_access_log *log;
    char pointer[RULES_POINTER_LEN], member[RULES_POINTER_LEN + 16];
    size_t places = 0;

    for (size_t i = 0;
         (log = config_access_log_at(rules->cfg, i, pointer, sizeof(pointer))) != NULL; i++) {
        struct written access = {log->path, i == 0 ? "the access log" : "an access log", member};

        check_format(rules, log, pointer);
        if (!is_new_place(rules, log, i))
            continue;
        snprintf(member, sizeof(member), "%s/path", pointer);
        check_pair(rules, &access, &error);
        check_pair(rules, &access, &pid);
        check_sockets(rules, &access);
        if (++places == CONFIG_ACCESS_LOGS + 1)
            config_rules_report(rules, CONFIG_CODE_INVALID_VALUE, member,
                                "let sites share a log whose format has {host}",
                                "this is access log %zu; a node has %d at most", places,
                                CONFIG_ACCESS_LOGS);
    }
    check_pair(rules, &error, &pid);
    check_sockets(rules, &error);
    check_sockets(rules, &pid);
}
