/* SPDX-License-Identifier: MIT */
/* config_rules.c — checks sizes that limit each other. Other rules have files of their own. */
#include "config/config_rules.h"

#include "config/config_rules_parts.h"

#include <inttypes.h>

/* Returns the first of two conflicting options that the author gave, as the other may be a
 * default. */
static const char *first_given(const struct rules *rules, const char *first, const char *second)
{
    return config_rules_is_given(rules, first) ? first : second;
}

/* An option that was wrong by itself is zero here. */
static void check_sizes(const struct rules *rules)
{
    const struct config *cfg = rules->cfg;

    if (cfg->limits.head_bytes != 0 && cfg->limits.target_bytes > cfg->limits.head_bytes)
        config_rules_report(rules, CONFIG_CODE_CONFLICT,
                            first_given(rules, "/limits/targetBytes", "/limits/headBytes"),
                            "the target is a part of the head",
                            "\"targetBytes\" (%" PRIu32 ") is larger than \"headBytes\" (%" PRIu32
                            ")",
                            cfg->limits.target_bytes, cfg->limits.head_bytes);
    /* One option's default must not forbid small values of the other. */
    if (cfg->file_cache.max_bytes != 0 &&
        cfg->file_cache.max_file_bytes > cfg->file_cache.max_bytes &&
        config_rules_is_given(rules, "/fileCache/maxFileBytes"))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, "/fileCache/maxFileBytes",
                            "one file can't take more than all of them together",
                            "\"maxFileBytes\" (%" PRIu32 ") is larger than \"maxBytes\" (%" PRIu64
                            ")",
                            cfg->file_cache.max_file_bytes, cfg->file_cache.max_bytes);
    if (cfg->compression.max_file_bytes != 0 &&
        cfg->compression.min_file_bytes > cfg->compression.max_file_bytes)
        config_rules_report(
            rules, CONFIG_CODE_CONFLICT,
            first_given(rules, "/compression/minFileBytes", "/compression/maxFileBytes"),
            "no file has such a size",
            "\"minFileBytes\" (%" PRIu32 ") is larger than \"maxFileBytes\" (%" PRIu32 ")",
            cfg->compression.min_file_bytes, cfg->compression.max_file_bytes);
}

void config_check_rules(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors)
{
    struct rules rules = {.cfg = cfg, .root = root, .errors = errors};

    config_rules_check_listeners(&rules);
    config_rules_check_tls(&rules);
    config_rules_check_hosts(&rules);
    for (size_t i = 0; i < cfg->site_count; i++) {
        config_rules_check_site(&rules, i);
        config_rules_check_site_tls(&rules, i);
        config_rules_check_urls(&rules, i);
        config_rules_check_headers(&rules, i);
        config_rules_check_cors(&rules, i);
        config_rules_check_expires(&rules, i);
    }
    check_sizes(&rules);
    config_rules_check_logs(&rules);
}
