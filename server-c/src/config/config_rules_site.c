/* SPDX-License-Identifier: MIT */
/* config_rules_site.c — rules between the options of one site: names in its root, aliases,
 * users. */
#include "config/config_rules_parts.h"

#include "config/config_hint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const root_names[] = {"{host}",  "{host1}", "{host2}", "{host3}",
                                         "{host4}", "{host5}", "{host6}", "{host7}",
                                         "{host8}", "{host9}", NULL};

static bool is_root_name(const char *name, size_t len)
{
    for (size_t i = 0; root_names[i] != NULL; i++)
        if (strlen(root_names[i]) == len && memcmp(root_names[i], name, len) == 0)
            return true;
    return false;
}

static void report_root_name(const struct rules *rules, const char *pointer, size_t byte,
                             const char *name, size_t len)
{
    struct buf word, near, hint;

    buf_init(&word);
    buf_init(&near);
    buf_init(&hint);
    buf_append(&word, name, len);
    config_hint_word(&near, root_names, word.data);
    buf_append_str(&hint, near.len > 0
                              ? near.data
                              : "\"{host}\" is the name that is asked for, \"{host1}\" its last "
                                "label, up to \"{host9}\"");
    config_rules_report_in(rules, CONFIG_CODE_INVALID_VALUE, pointer, byte, hint.data,
                           "\"root\": \"%s\" stands for nothing", word.data);
    buf_fini(&hint);
    buf_fini(&near);
    buf_fini(&word);
}

static void check_root(const struct rules *rules, size_t site)
{
    const char *root = rules->cfg->sites[site].root;
    char pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/root", site);
    for (const char *at = root; at != NULL && (at = strchr(at, '{')) != NULL; at++) {
        size_t byte = (size_t)(at - root), len = 1 + strcspn(at + 1, "{}/");

        if (at[len] != '}')
            config_rules_report_in(rules, CONFIG_CODE_INVALID_VALUE, pointer, byte,
                                   "\"{host}\" is the name that is asked for",
                                   "\"root\": the \"{\" at byte %zu has no \"}\"", byte);
        else if (!is_root_name(at, len + 1))
            report_root_name(rules, pointer, byte, at, len + 1);
    }
}

/* Of a root that was wrong by itself nothing is said here. */
static void check_release(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    if (!checked->root || !checked->release)
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/root", site);
    if (checked->root[0] == '\0' && checked->release[0] == '\0')
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "give \"root\", an absolute path, or \"release\", a name",
                            "neither \"root\" nor \"release\" says what the site serves");
    if (checked->root[0] != '\0' && checked->release[0] != '\0')
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "leave out one of the two",
                            "a site serves a root or a release, not both");
    snprintf(pointer, sizeof(pointer), "/sites/%zu/etag", site);
    if (checked->release[0] != '\0' && checked->etag == ETAG_BY_TIME &&
        config_rules_is_given(rules, pointer))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "leave out \"etag\"",
                            "the files of a release have no times of their own: their ETags are of "
                            "contents");
    snprintf(pointer, sizeof(pointer), "/sites/%zu/releaseFallback", site);
    if (checked->release[0] == '\0' && checked->release_fallback_count > 0)
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "leave out \"releaseFallback\", or give \"release\"",
                            "a site without a release has no other versions of its files");
    snprintf(pointer, sizeof(pointer), "/sites/%zu/releaseDictionaries", site);
    if (checked->release[0] == '\0' && checked->release_dictionary_count > 0)
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "leave out \"releaseDictionaries\", or give \"release\"",
                            "a site without a release has no other versions of its files");
}

static void check_precompressed(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 1; i < checked->precompressed_count; i++) {
        const char *coding = checked->precompressed[i];
        size_t other = 0;

        while (other < i && (coding == NULL || checked->precompressed[other] == NULL ||
                             strcmp(checked->precompressed[other], coding) != 0))
            other++;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/precompressed/%zu", site, i);
        if (other < i)
            config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer,
                                "remove one of the two", "the coding \"%s\" stands twice", coding);
    }
}

static void report_alias(const struct rules *rules, size_t site, size_t first, size_t again)
{
    char pointer[RULES_POINTER_LEN], first_pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/aliases/%zu/path", site, again);
    snprintf(first_pointer, sizeof(first_pointer), "/sites/%zu/aliases/%zu/path", site, first);
    config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer, "a path has one folder",
                        "the path \"%s\" is already on line %" PRIu32 " (%s)",
                        rules->cfg->sites[site].aliases[again].path,
                        config_rules_line(rules, first_pointer), first_pointer);
}

static void check_aliases(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];

    for (size_t i = 1; i < checked->alias_count; i++) {
        const char *path = checked->aliases[i].path;
        size_t other = 0;

        while (other < i && (path == NULL || checked->aliases[other].path == NULL ||
                             strcmp(checked->aliases[other].path, path) != 0))
            other++;
        if (other < i)
            report_alias(rules, site, other, i);
    }
}

static bool holds(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] != NULL && strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void check_users(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 0; i < checked->user_dirs.user_count; i++) {
        const char *user = checked->user_dirs.users[i];

        if (user == NULL ||
            !holds(checked->user_dirs.excluded, checked->user_dirs.excluded_count, user))
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/userDirs/users/%zu", site, i);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "take the name out of one of the two",
                            "\"%s\" is in \"users\" and in \"excluded\"", user);
    }
}

static bool finds_html(const struct config_site *site)
{
    for (size_t i = 0; i < site->try_files_count; i++)
        for (size_t j = 0; j < site->try_files[i].candidate_count; j++)
            if (site->try_files[i].candidates[j] != NULL &&
                strcmp(site->try_files[i].candidates[j], "{path}.html") == 0)
                return true;
    return false;
}

/* Clients would be sent to addresses at which nothing is found. */
static void check_clean_urls(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    if (!checked->clean_urls || finds_html(checked))
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/cleanUrls", site);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                        "add \"{path}.html\" to the candidates of a rule in \"tryFiles\"",
                        "a page is not found at its address without .html");
}

/* What stands behind a candidate that always answers is never looked for. */
static void check_candidates(const struct rules *rules, size_t site, size_t rule)
{
    const struct config_try_files *checked = &rules->cfg->sites[site].try_files[rule];
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 0; i + 1 < checked->candidate_count; i++) {
        const char *candidate = checked->candidates[i];
        if (candidate == NULL || candidate[0] != '4')
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/tryFiles/%zu/candidates/%zu", site, rule,
                 i + 1);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "put the status last, or remove what follows it",
                            "nothing behind \"%s\" is looked for", candidate);
        return;
    }
}

static void check_try_files(const struct rules *rules, size_t site)
{
    for (size_t i = 0; i < rules->cfg->sites[site].try_files_count; i++)
        check_candidates(rules, site, i);
    check_clean_urls(rules, site);
}

static void check_etag(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    if ((checked->etag != ETAG_BY_CONTENT && !config_has_release(checked)) || !checked->etag_inode)
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/etagInode", site);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                        "leave \"etagInode\" out, or set \"etag\" to \"time\"",
                        "an ETag that is made of the content has no file number in it");
}

void config_rules_check_site(const struct rules *rules, size_t site)
{
    check_root(rules, site);
    check_release(rules, site);
    check_etag(rules, site);
    check_precompressed(rules, site);
    check_try_files(rules, site);
    check_aliases(rules, site);
    check_users(rules, site);
}
