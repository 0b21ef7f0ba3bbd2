/* SPDX-License-Identifier: MIT */
/* folder_events.c — reads the kernel's events, and finds what they put in doubt.
 *
 * The kind of change hardly matters: whatever depends on the name is looked up again. A name with a
 * coding's suffix ("x.js.gz") also concerns the name without it, and the name of an index file
 * concerns its folder. */
#include "files/folder_watch.h"

#include "http/http_coding.h"

#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* If the next event does not fit, the kernel returns nothing and goes on reporting that there is
 * one. A name can be longer than NAME_MAX, depending on its file system. */
#define READ_BYTES (2 * PATH_MAX)
#define TURN_WORK 4096 /* names handled in one turn of the loop; the rest has to wait */

#define MOVES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define ENDS (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

static bool is_index(const struct folder_node *node, struct span name)
{
    const struct folder_top *top = folder_tree_facts(node);

    for (size_t i = 0; i < top->index_count; i++)
        if (span_is(name, top->index[i]))
            return true;
    return false;
}

static size_t doubt_name(struct folder_watcher *watcher, struct folder_node *node, struct span name,
                         uint64_t now_ns)
{
    struct folder_tree *tree = &watcher->tree;
    size_t work = 1 + folder_tree_visit(tree, node, name, watcher->owner.on_leaf, now_ns);

    if (is_index(node, name))
        work += folder_tree_visit(tree, node, (struct span){"", 0}, watcher->owner.on_leaf, now_ns);
    return work;
}

static size_t doubt_names(struct folder_watcher *watcher, struct folder_node *node,
                          struct span name, uint64_t now_ns)
{
    size_t work = doubt_name(watcher, node, name, now_ns);

    for (int coding = 0; coding < CODING_SIBLINGS_END; coding++) {
        const char *suffix = http_coding_suffix((enum http_coding)coding);
        size_t len = strlen(suffix);

        if (len == 0 || name.len <= len || memcmp(name.ptr + name.len - len, suffix, len) != 0)
            continue;
        work += doubt_name(watcher, node, (struct span){name.ptr, name.len - len}, now_ns);
    }
    return work;
}

static void doubt_child(struct folder_watcher *watcher, const struct folder_node *node,
                        struct span name)
{
    struct folder_node *child = folder_tree_child(&watcher->tree, node, name);

    if (!child)
        return;
    folder_tree_mark_gone(&watcher->tree, child);
    watcher->owner.on_doubt(watcher->owner.arg);
}

/* For the folder itself: its permissions or its place may have changed. */
static void doubt_folder(struct folder_watcher *watcher, struct folder_node *node, uint32_t mask,
                         uint64_t now_ns)
{
    if (mask & ENDS)
        folder_tree_mark_gone(&watcher->tree, node);
    else if (node->changed_ns < now_ns)
        node->changed_ns = now_ns;
    watcher->owner.on_doubt(watcher->owner.arg);
}

static size_t doubt_watched(struct folder_watcher *watcher, struct folder_watch *watch,
                            const struct inotify_event *event, uint64_t now_ns)
{
    struct span name = {event->name, event->len ? strlen(event->name) : 0};
    bool moves_folder = (event->mask & IN_ISDIR) && (event->mask & MOVES) && name.len > 0;
    size_t work = 1;

    watch->event_ns = now_ns;
    if (moves_folder)
        watch->folders_ns = now_ns;
    if (list_empty(&watch->nodes)) /* keep it: a look-up may be about to attach a node */
        watcher->unknown_ns = now_ns;
    for (struct list *link = watch->nodes.next; link != &watch->nodes; link = link->next) {
        struct folder_node *node = container_of(link, struct folder_node, in_watch);

        if (name.len == 0) {
            doubt_folder(watcher, node, event->mask, now_ns);
            continue;
        }
        if (moves_folder)
            doubt_child(watcher, node, name);
        work += doubt_names(watcher, node, name, now_ns);
    }
    if (event->mask & (IN_UNMOUNT | IN_IGNORED))
        folder_watcher_forget(watcher, watch, event->wd);
    return work;
}

static size_t take_event(struct folder_watcher *watcher, const struct inotify_event *event,
                         uint64_t now_ns)
{
    struct folder_watch *watch = folder_watcher_find(watcher, event->wd);

    if (watch)
        return watch->is_removed ? 1 : doubt_watched(watcher, watch, event, now_ns);
    watcher->unknown_ns = now_ns;
    if (event->mask & IN_IGNORED)
        folder_watcher_forget(watcher, NULL, event->wd);
    return 1;
}

/* False if the descriptor has been replaced meanwhile. */
static bool take_events(struct folder_watcher *watcher, const char *bytes, size_t len, size_t *work)
{
    const struct folder_inotify *inotify = watcher->inotify;
    uint64_t now_ns = monotonic_ns(); /* not earlier than any of the reported changes */

    for (size_t at = 0; at < len;) {
        const struct inotify_event *event = (const void *)(bytes + at);

        if (event->mask & IN_Q_OVERFLOW) {
            folder_watcher_begin_anew(watcher);
            return false;
        }
        *work += take_event(watcher, event, now_ns);
        if (watcher->inotify != inotify)
            return false;
        at += sizeof(*event) + event->len;
    }
    return true;
}

void folder_events_read(struct folder_watcher *watcher)
{
    _Alignas(struct inotify_event) char bytes[READ_BYTES];
    size_t work = 0;
    ssize_t n;

    do {
        n = read(watcher->inotify->fd, bytes, sizeof(bytes));
    } while (n > 0 && take_events(watcher, bytes, (size_t)n, &work) && work < TURN_WORK);
}
