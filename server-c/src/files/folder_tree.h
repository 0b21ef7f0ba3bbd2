/* SPDX-License-Identifier: MIT */
/* folder_tree.h — the folders that are watched, and what depends on the names in them.
 *
 * A node is a folder as reached from a place: the place's own folder (the top), or a name in the
 * node above. A leaf is something that depends on one name in a folder. What a change of a name
 * concerns is found by hash. When a folder goes, all below it is invalid by one mark, which is
 * found by walking up. So an event costs the same, however much depends on it. Only memory and
 * watches of what is gone are given back step by step (folder_tree_tidy).
 *
 * Makes no system calls; folder_watch.h does. Loop thread only. */
#ifndef FARMSTEAD_FOLDER_TREE_H
#define FARMSTEAD_FOLDER_TREE_H

#include "base/hash_table.h"
#include "base/list.h"
#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLDER_GONE UINT64_MAX

/* What the kernel watches: one inode, for which several places may have a node. */
struct folder_watch {
    struct hash_link by_number; /* in the watcher's table */
    struct list nodes;
    struct list link; /* in tree->unwanted, or in the list of removed watches */
    int wd;
    uint32_t generation;
    bool is_removed;   /* no more events will come */
    uint64_t event_ns; /* when its last event was read */
    /* When an event was last read of a folder being made, removed or moved in it. */
    uint64_t folders_ns;
};

/* Further facts of a top node. */
struct folder_top {
    uint32_t generation;
    uint64_t lookup_id, device, inode;
    int64_t verified_ms; /* a look-up that began at this time found the same folder */
    int64_t asked_ms;    /* when a look-up to check that was last started */
    size_t index_count;  /* the names of index files, on which paths with a final slash depend */
    char *index[];
};

struct folder_node {
    struct hash_link by_name;
    struct folder_node *parent;
    struct list children, sibling;
    struct list queue; /* in tree->idle or tree->gone */
    struct list in_watch;
    struct folder_watch *watch; /* NULL: it is gone, or a top that can't be watched */
    struct folder_top *top;     /* NULL: it is not a top */
    uint32_t refs;              /* from leaves, children, and callers of folder_node_get() */
    int64_t idle_since_ms;
    /* What was learnt below the node before this time is in doubt; or FOLDER_GONE. */
    uint64_t changed_ns;
    size_t name_len;
    char name[];
};

struct folder_leaf {
    struct hash_link by_name;
    struct folder_node *folder; /* a reference; NULL: depends on nothing */
    /* "": depends on the index names. The leaf's owner keeps the bytes. */
    struct span name;
};

struct folder_tree {
    struct hash_table nodes, leaves;
    struct list tops, old_tops; /* old: of an earlier generation */
    /* `idle`: nodes without references, the longest idle first; `gone`: to be removed. */
    struct list idle, gone;
    struct list unwanted; /* watches that no node needs */
    uint64_t seed;
    uint32_t generation;
    int64_t now_ms; /* the owner's time */
};

void folder_tree_init(struct folder_tree *tree, uint64_t seed);
void folder_tree_fini(struct folder_tree *tree); /* call it when all leaves have been removed */

/* Returns NULL if there is none. */
struct folder_node *folder_tree_top(struct folder_tree *tree, uint64_t lookup_id,
                                    struct span variable);
/* Returns the deepest node on the way from `top` along `path`. A last name without a slash is not
 * taken for a folder. *used: how many bytes of the path lead there, with the slash. */
struct folder_node *folder_tree_walk(struct folder_tree *tree, struct folder_node *top,
                                     struct span path, size_t *used);
/* Adds a node for a name that has none yet. NULL: no memory. `watch` may be NULL for a top. */
struct folder_node *folder_tree_add_top(struct folder_tree *tree, const struct folder_top *facts,
                                        char *const *index, struct span variable,
                                        struct folder_watch *watch);
struct folder_node *folder_tree_add(struct folder_tree *tree, struct folder_node *parent,
                                    struct span name, struct folder_watch *watch);
struct folder_node *folder_node_get(struct folder_node *node);
void folder_node_put(struct folder_tree *tree, struct folder_node *node);

void folder_leaf_init(struct folder_leaf *leaf);
/* Attaches the leaf to the first name of `rest`, a path below `node`, or to the index names if
 * `rest` is empty. */
void folder_leaf_hang(struct folder_tree *tree, struct folder_leaf *leaf, struct folder_node *node,
                      struct span rest);
void folder_leaf_drop(struct folder_tree *tree, struct folder_leaf *leaf);

/* Is what was learnt below `node` at `since_ns` still valid, as far as the folders are
 * concerned? */
bool folder_tree_holds(const struct folder_tree *tree, const struct folder_node *node,
                       uint64_t since_ns);
struct folder_top *folder_tree_facts(const struct folder_node *node);

void folder_tree_mark_gone(struct folder_tree *tree, struct folder_node *node);
struct folder_node *folder_tree_child(struct folder_tree *tree, const struct folder_node *parent,
                                      struct span name);
/* Calls on_leaf for each leaf that depends on `name` in `node`. Returns their number. */
size_t folder_tree_visit(struct folder_tree *tree, const struct folder_node *node, struct span name,
                         void (*on_leaf)(struct folder_leaf *leaf, uint64_t now_ns),
                         uint64_t now_ns);
/* Makes everything in the tree invalid. */
void folder_tree_begin_anew(struct folder_tree *tree);

/* Does at most `steps` steps to remove what is gone, and removes nodes that have been idle since
 * before `idle_before_ms`. */
void folder_tree_tidy(struct folder_tree *tree, size_t steps, int64_t idle_before_ms);

#endif
