/* SPDX-License-Identifier: MIT */
/* folder_tree.h — the folders that are watched, and what hangs on the names in them.
 *
 * A node is a folder as a place names it: the place's own (the top), or a name in the node above. A
 * leaf is a thing whose truth hangs on one name in a folder. What a change of a name concerns is
 * found by hash, and a folder that went away takes all beneath it with it by one mark that those
 * find who walk up: no event costs more, however much hangs there. Only the memory and the watches
 * of what is gone are given back piece by piece (folder_tree_tidy).
 *
 * No system call is made here; folder_watch.h makes them. Loop thread only. */
#ifndef FARMSTEAD_FOLDER_TREE_H
#define FARMSTEAD_FOLDER_TREE_H

#include "base/hash_table.h"
#include "base/list.h"
#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLDER_GONE UINT64_MAX

/* What the kernel watches for us: one inode, which several places may have a node for. */
struct folder_watch {
    struct hash_link by_number; /* in the watcher's table */
    struct list nodes;
    struct list link; /* in tree->unwanted, or among the removed */
    int wd;
    uint32_t generation;
    bool is_removed;     /* nothing is reported any more */
    uint64_t event_ns;   /* when the last event was read */
    uint64_t folders_ns; /* when one was read that makes, removes or moves a folder in it */
};

/* What a top node knows besides. */
struct folder_top {
    uint32_t generation;
    uint64_t lookup_id, device, inode;
    int64_t verified_ms; /* a look-up that began then found this very folder */
    int64_t asked_ms;    /* when a look-up was begun to find out */
    size_t index_count;  /* names that decide what a path with a slash at its end is */
    char *index[];
};

struct folder_node {
    struct hash_link by_name;
    struct folder_node *parent;
    struct list children, sibling;
    struct list queue; /* in tree->idle or tree->gone */
    struct list in_watch;
    struct folder_watch *watch; /* NULL: a top that can't be watched, or gone */
    struct folder_top *top;     /* NULL: a name in its parent */
    uint32_t refs;              /* leaves, children, and who called folder_node_get */
    int64_t idle_since_ms;
    uint64_t changed_ns; /* what was learnt beneath it before this is in doubt; or FOLDER_GONE */
    size_t name_len;
    char name[];
};

struct folder_leaf {
    struct hash_link by_name;
    struct folder_node *folder; /* NULL: hangs on nothing. Referenced */
    struct span name;           /* "": on the index names. The leaf's owner keeps the bytes */
};

struct folder_tree {
    struct hash_table nodes, leaves;
    struct list tops, old_tops; /* old: of an earlier generation */
    struct list idle, gone;     /* nodes without refs, the longest so first; nodes to be undone */
    struct list unwanted;       /* watches that no node needs */
    uint64_t seed;
    uint32_t generation;
    int64_t now_ms; /* the owner's clock */
};

void folder_tree_init(struct folder_tree *tree, uint64_t seed);
void folder_tree_fini(struct folder_tree *tree); /* after the last leaf was taken off */

/* NULL when there is none. */
struct folder_node *folder_tree_top(struct folder_tree *tree, uint64_t lookup_id,
                                    struct span variable);
/* The deepest node on the way from `top` along `path`, whose last name is no folder's unless a slash
 * follows. *used: how much of the path leads there, with the slash. */
struct folder_node *folder_tree_walk(struct folder_tree *tree, struct folder_node *top,
                                     struct span path, size_t *used);
/* For a name that has no node yet. NULL: no memory. `watch` may be NULL for a top. */
struct folder_node *folder_tree_add_top(struct folder_tree *tree, const struct folder_top *facts,
                                        char *const *index, struct span variable,
                                        struct folder_watch *watch);
struct folder_node *folder_tree_add(struct folder_tree *tree, struct folder_node *parent,
                                    struct span name, struct folder_watch *watch);
struct folder_node *folder_node_get(struct folder_node *node);
void folder_node_put(struct folder_tree *tree, struct folder_node *node);

void folder_leaf_init(struct folder_leaf *leaf);
/* On the first name of `rest`, a path beneath `node`, or on the index names when it is empty. */
void folder_leaf_hang(struct folder_tree *tree, struct folder_leaf *leaf, struct folder_node *node,
                      struct span rest);
void folder_leaf_drop(struct folder_tree *tree, struct folder_leaf *leaf);

/* Is what was learnt at `since_ns` beneath `node` as good as then, as far as its folders go? */
bool folder_tree_holds(const struct folder_tree *tree, const struct folder_node *node,
                       uint64_t since_ns);
struct folder_top *folder_tree_facts(const struct folder_node *node);

void folder_tree_mark_gone(struct folder_tree *tree, struct folder_node *node);
struct folder_node *folder_tree_child(struct folder_tree *tree, const struct folder_node *parent,
                                      struct span name);
/* Calls on_leaf for each leaf on `name` in `node`; returns how many. */
size_t folder_tree_visit(struct folder_tree *tree, const struct folder_node *node, struct span name,
                         void (*on_leaf)(struct folder_leaf *leaf, uint64_t now_ns),
                         uint64_t now_ns);
/* From now on, nothing that is in the tree holds. */
void folder_tree_begin_anew(struct folder_tree *tree);

/* Undoes at most `steps` of what is gone, and lets go of nodes that were idle since before
 * `idle_before_ms`. */
void folder_tree_tidy(struct folder_tree *tree, size_t steps, int64_t idle_before_ms);

#endif
