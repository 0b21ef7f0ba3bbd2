/* SPDX-License-Identifier: MIT */
/* site_log.c — filters are globs and statuses, as in the other rules of a site. */
#include "site/site_log.h"

#include "match/glob.h"

#include <string.h>

void site_log_init(struct site_log *log, const struct config_access_log *cfg)
{
    struct access_format_error error;

    *log = (struct site_log){.cfg = cfg};
    if (cfg->format == NULL || !access_format_init(&log->form.format, cfg->format, &error))
        return; /* of a config that was not checked, as tests have them */
    log->form.masks_addresses = cfg->mask_addresses;
    log->filters = cfg->path_count + cfg->except_path_count + cfg->status_count > 0;
}

void site_log_fini(struct site_log *log)
{
    access_format_fini(&log->form.format);
    if (log->log)
        access_log_put(log->log);
}

void site_log_share(struct site_log *log, const struct site_log *from)
{
    if (from->log)
        log->log = access_log_get(from->log);
}

void site_log_bind(struct site_log *log, struct access_logs *logs)
{
    if (config_access_log_is_on(log->cfg))
        log->log = access_logs_find(logs, log->cfg->path);
}

static bool has_status(const struct config_access_log *cfg, enum http_status status)
{
    for (size_t i = 0; i < cfg->status_count; i++)
        if (http_status_fits(status, cfg->statuses[i]))
            return true;
    return cfg->status_count == 0;
}

bool site_log_takes(const struct site_log *log, struct span path, enum http_status status)
{
    const struct config_access_log *cfg = log->cfg;

    if (!has_status(cfg, status))
        return false;
    if (path.len == 0)
        return cfg->path_count == 0;
    return glob_path_chosen(&(struct glob_choice){cfg->paths, cfg->path_count, cfg->except_paths,
                                                  cfg->except_path_count},
                            path);
}
