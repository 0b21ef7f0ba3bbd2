/* SPDX-License-Identifier: MIT */
/* file_settle.c — what a look-up's answer does to the entry in the table.
 *
 * An entry in use is never changed under its users, except that a body is added. When the disk
 * says something new, a new entry takes the old one's place; the old one lives until it is put. */
#include "files/file_settle.h"

#include "base/util.h"
#include "files/file_entry.h"
#include "files/file_store.h"

#include <string.h>
#include <unistd.h>

#define DATE_SOON_NS INT64_C(3000000000) /* longer than this: the time lies far ahead */

/* It is trusted from the look-up on. While its date can't be told it is as old as it must be for the next
 * look-up, ahead of time as any, to be when it can. */
static void note_time(const struct file_cache *cache, struct file_entry *entry,
                      const struct file_said *said)
{
    bool has_tag_of_content = said->place->site->etag == ETAG_BY_CONTENT;
    int64_t open_ns = has_tag_of_content ? INT64_MAX : said->found->date_open_ns, began_ms;

    entry->checked_ms = (int64_t)(said->started_ns / NS_PER_MS);
    entry->facts.has_date = open_ns == 0;
    entry->date_is_pending = open_ns > 0 && open_ns < DATE_SOON_NS;
    if (!entry->date_is_pending)
        return;
    began_ms =
        ((int64_t)monotonic_ns() + open_ns) / (int64_t)NS_PER_MS - file_cache_half_ttl_ms(cache);
    if (began_ms < entry->checked_ms)
        entry->checked_ms = began_ms;
}

static void fill_entry(struct file_cache *cache, struct file_entry *entry,
                       const struct file_said *said)
{
    const struct file_found *found = said->found;
    const struct config_site *site = said->place->site;

    entry->is_known = true;
    entry->status = found->status;
    entry->checked_ms = (int64_t)(said->started_ns / NS_PER_MS);
    if (found->status != HTTP_OK)
        file_store_count_negative(cache, entry);
    if (found->status != HTTP_OK)
        return;
    if (found->index < site->index_count) {
        entry->index = strdup(site->index[found->index]);
        if (!entry->index)
            entry->index = "";
    }
    entry->is_folder = found->is_folder;
    entry->codings = found->codings;
    entry->knows_codings = found->knows_codings;
    entry->version = file_version_of(&found->st);
    entry->ctime = found->st.st_ctim;
    entry->device = found->st.st_dev;
    entry->inode = found->st.st_ino;
    file_facts_init(&entry->facts, entry->version.size, entry->version.mtime_seconds,
                    entry->version.mtime_ns, wall_clock_seconds());
    if (site->etag == ETAG_BY_CONTENT) {
        entry->facts.etag_len = 0;
        entry->content.tags = true;
    } else if (found->is_of_build)
        file_facts_distrust_time(&entry->facts, entry->ctime.tv_sec, (uint32_t)entry->ctime.tv_nsec,
                                 entry->inode);
    else if (site->etag_inode)
        file_facts_add_inode(&entry->facts, entry->inode);
    if (found->has_young_tag) /* the next change may leave size and time as they are */
        entry->facts.etag_len = 0;
    note_time(cache, entry, said);
    entry->fd = found->fd;
    file_store_count_descriptor(cache, entry);
}

/* Does the look-up say the same as the entry? */
static bool is_same(const struct file_entry *entry, const struct file_said *said)
{
    const struct file_found *found = said->found;
    const struct config_site *site = said->place->site;
    const char *index = found->index < site->index_count ? site->index[found->index] : "";

    if (entry->status != found->status)
        return false;
    if (found->status != HTTP_OK)
        return true;
    return entry->is_folder == found->is_folder && entry->codings == found->codings &&
           entry->knows_codings == found->knows_codings && file_entry_is_of(entry, &found->st) &&
           strcmp(entry->index, index) == 0;
}

/* The file is unchanged. If the second of its last change is over by now, its date can be told, and
 * new heads have it. */
static void confirm_entry(const struct file_cache *cache, struct file_entry *entry,
                          const struct file_said *said)
{
    bool had_date = entry->facts.has_date;

    note_time(cache, entry, said);
    if (entry->facts.has_date != had_date) {
        file_entry_drop_head(entry);
        entry->ready_len = 0;
    }
}

/* Takes a descriptor that was opened by the look-up into an entry that has none, or closes it. */
static void take_file(struct file_cache *cache, struct file_entry *entry, int fd)
{
    if (file_entry_is_bare(entry)) {
        entry->fd = fd;
        file_store_count_descriptor(cache, entry);
    } else if (fd >= 0) {
        file_entry_close(cache, fd);
    }
}

struct file_entry *file_settle(struct file_cache *cache, struct file_entry *old,
                               const struct file_said *said)
{
    struct file_entry *entry;
    struct file_key key;

    if (!old->is_known) {
        fill_entry(cache, old, said);
        return file_cache_get(old);
    }
    if (is_same(old, said)) {
        confirm_entry(cache, old, said);
        take_file(cache, old, said->found->fd);
        return file_cache_get(old);
    }
    key = file_entry_key(old);
    entry = file_entry_new(cache, old->lookup_id, &key);
    if (!entry) {
        if (said->found->fd >= 0)
            close(said->found->fd);
        if (old->in_table)
            file_store_unlink(cache, old);
        return NULL;
    }
    if (old->in_table) {
        file_store_unlink(cache, old);
        file_store_link(cache, entry);
    }
    fill_entry(cache, entry, said);
    return entry;
}
