/* SPDX-License-Identifier: MIT */
/* access_logs.c — a list, since a config has few of them. Its lock is held while a file is opened or
 * written to its end, which takes limited time. */
#include "log/access_logs.h"

#include "base/mem.h"

#include <pthread.h>
#include <string.h>

struct kept_log {
    struct kept_log *next;
    struct access_log *log;
};

struct access_logs {
    pthread_mutex_t lock;
    struct kept_log *first;
};

struct access_logs *access_logs_new(void)
{
    struct access_logs *logs = xcalloc(1, sizeof(*logs));

    pthread_mutex_init(&logs->lock, NULL);
    return logs;
}

static struct access_log *find(const struct access_logs *logs, const char *target)
{
    for (const struct kept_log *kept = logs->first; kept; kept = kept->next)
        if (strcmp(access_log_target(kept->log), target) == 0)
            return kept->log;
    return NULL;
}

struct access_log *access_logs_find(struct access_logs *logs, const char *target)
{
    pthread_mutex_lock(&logs->lock);
    struct access_log *log = find(logs, target);
    if (log)
        access_log_get(log);
    pthread_mutex_unlock(&logs->lock);
    return log;
}

static int open_new(struct access_logs *logs, const char *target, struct log_file_problem *problem)
{
    struct access_log *log = access_log_new(target, problem);

    if (!log)
        return -1;
    access_log_put(log); /* whoever finds it has the references */
    struct kept_log *kept = xmalloc(sizeof(*kept));
    *kept = (struct kept_log){logs->first, log};
    logs->first = kept;
    return 0;
}

int access_logs_open(struct access_logs *logs, const char *target, struct log_file_problem *problem)
{
    pthread_mutex_lock(&logs->lock);
    int err = find(logs, target) ? 0 : open_new(logs, target, problem);
    pthread_mutex_unlock(&logs->lock);
    return err;
}

/* The lock must be held. */
static bool end(struct access_logs *logs, bool also_used)
{
    struct kept_log **link = &logs->first;
    bool is_written = true;

    while (*link) {
        struct kept_log *kept = *link;
        if (!also_used && access_log_is_used(kept->log)) {
            link = &kept->next;
            continue;
        }
        *link = kept->next;
        is_written &= access_log_free(kept->log);
        free(kept);
    }
    return is_written;
}

bool access_logs_end_unused(struct access_logs *logs)
{
    pthread_mutex_lock(&logs->lock);
    bool is_written = end(logs, false);
    pthread_mutex_unlock(&logs->lock);
    return is_written;
}

bool access_logs_free(struct access_logs *logs)
{
    bool is_written = end(logs, true);

    pthread_mutex_destroy(&logs->lock);
    free(logs);
    return is_written;
}

void access_logs_each(struct access_logs *logs, void (*function)(struct access_log *log, void *arg),
                      void *arg)
{
    pthread_mutex_lock(&logs->lock);
    for (struct kept_log *kept = logs->first; kept; kept = kept->next)
        function(kept->log, arg);
    pthread_mutex_unlock(&logs->lock);
}
