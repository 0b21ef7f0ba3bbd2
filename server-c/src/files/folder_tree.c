/* SPDX-License-Identifier: MIT */
/* folder_tree.c — nodes by parent and name, leaves by node and name, and their removal step by
 * step. */
#include "files/folder_tree.h"

#include <string.h>

/* --- hashing --------------------------------------------------------------------------------- */

/* Clients choose names; the seed keeps them from choosing ones that share a chain. */
static uint64_t hash_of(const struct folder_tree *tree, uint64_t above, struct span name)
{
    uint64_t hash = (tree->seed ^ above) * UINT64_C(0x9e3779b97f4a7c15), word;

    for (; name.len >= 8; name.ptr += 8, name.len -= 8) {
        memcpy(&word, name.ptr, 8);
        hash = (hash ^ word ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    }
    word = (uint64_t)name.len << 56;
    if (name.len > 0)
        memcpy(&word, name.ptr, name.len);
    hash = (hash ^ word ^ (uint64_t)name.len << 56 ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t above_of(const struct folder_node *parent, uint64_t lookup_id)
{
    return parent ? (uint64_t)(uintptr_t)parent : lookup_id;
}

static bool has_name(const struct folder_node *node, struct span name)
{
    return node->name_len == name.len &&
           (name.len == 0 || memcmp(node->name, name.ptr, name.len) == 0);
}

static struct folder_node *find_node(struct folder_tree *tree, const struct folder_node *parent,
                                     uint64_t lookup_id, struct span name)
{
    uint64_t hash = hash_of(tree, above_of(parent, lookup_id), name);
    struct hash_link *link = hash_table_chain(&tree->nodes, hash);
    struct folder_node *node;

    for (; link; link = link->next) {
        node = container_of(link, struct folder_node, by_name);
        if (link->hash == hash && node->parent == parent && has_name(node, name) &&
            (!node->top || node->top->lookup_id == lookup_id))
            return node;
    }
    return NULL;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static bool is_gone(const struct folder_node *node)
{
    return node->changed_ns == FOLDER_GONE;
}

static void drop_watch(struct folder_tree *tree, struct folder_node *node)
{
    struct folder_watch *watch = node->watch;

    if (!watch)
        return;
    node->watch = NULL;
    list_remove(&node->in_watch);
    if (list_empty(&watch->nodes) && !watch->is_removed)
        list_append(&tree->unwanted, &watch->link);
}

static void free_top(struct folder_top *top)
{
    for (size_t i = 0; top && i < top->index_count; i++)
        free(top->index[i]);
    free(top);
}

/* The node is in no table and no queue, and has no references. */
static void free_node(struct folder_tree *tree, struct folder_node *node)
{
    struct folder_node *parent = node->parent;

    drop_watch(tree, node);
    list_remove(&node->sibling);
    free_top(node->top);
    free(node);
    if (parent)
        folder_node_put(tree, parent);
}

struct folder_node *folder_node_get(struct folder_node *node)
{
    if (node->refs++ == 0 && !is_gone(node))
        list_remove(&node->queue);
    return node;
}

void folder_node_put(struct folder_tree *tree, struct folder_node *node)
{
    CHECK(node->refs > 0);
    if (--node->refs > 0)
        return;
    if (!is_gone(node)) {
        node->idle_since_ms = tree->now_ms;
        list_append(&tree->idle, &node->queue);
    } else if (list_empty(&node->queue)) {
        free_node(tree, node);
    }
}

static struct folder_node *new_node(struct folder_tree *tree, struct span name,
                                    struct folder_watch *watch)
{
    struct folder_node *node = calloc(1, sizeof(*node) + name.len + 1);

    if (!node)
        return NULL;
    list_init(&node->children);
    list_init(&node->sibling);
    list_init(&node->queue);
    list_init(&node->in_watch);
    node->name_len = name.len;
    if (name.len > 0)
        memcpy(node->name, name.ptr, name.len);
    node->watch = watch;
    if (watch) {
        list_remove(&watch->link); /* no longer unwanted */
        list_append(&watch->nodes, &node->in_watch);
    }
    node->idle_since_ms = tree->now_ms;
    list_append(&tree->idle, &node->queue);
    return node;
}

static struct folder_top *new_top(const struct folder_top *facts, char *const *index)
{
    struct folder_top *top = calloc(1, sizeof(*top) + facts->index_count * sizeof(top->index[0]));

    if (!top)
        return NULL;
    *top = *facts;
    for (top->index_count = 0; top->index_count < facts->index_count; top->index_count++) {
        top->index[top->index_count] = strdup(index[top->index_count]);
        if (top->index[top->index_count])
            continue;
        free_top(top);
        return NULL;
    }
    return top;
}

struct folder_node *folder_tree_add_top(struct folder_tree *tree, const struct folder_top *facts,
                                        char *const *index, struct span variable,
                                        struct folder_watch *watch)
{
    struct folder_top *top = new_top(facts, index);
    struct folder_node *node = top ? new_node(tree, variable, watch) : NULL;

    if (!node) {
        free_top(top);
        return NULL;
    }
    top->generation = tree->generation;
    node->top = top;
    list_append(&tree->tops, &node->sibling);
    hash_table_add(&tree->nodes, &node->by_name, hash_of(tree, facts->lookup_id, variable));
    return node;
}

struct folder_node *folder_tree_add(struct folder_tree *tree, struct folder_node *parent,
                                    struct span name, struct folder_watch *watch)
{
    struct folder_node *node = new_node(tree, name, watch);

    if (!node)
        return NULL;
    node->parent = folder_node_get(parent);
    list_append(&parent->children, &node->sibling);
    hash_table_add(&tree->nodes, &node->by_name, hash_of(tree, above_of(parent, 0), name));
    return node;
}

/* --- finding --------------------------------------------------------------------------------- */

struct folder_node *folder_tree_top(struct folder_tree *tree, uint64_t lookup_id,
                                    struct span variable)
{
    struct folder_node *top = find_node(tree, NULL, lookup_id, variable);

    if (!top || top->top->generation == tree->generation)
        return top;
    folder_tree_mark_gone(tree, top);
    return NULL;
}

struct folder_node *folder_tree_child(struct folder_tree *tree, const struct folder_node *parent,
                                      struct span name)
{
    return find_node(tree, parent, 0, name);
}

struct folder_node *folder_tree_walk(struct folder_tree *tree, struct folder_node *top,
                                     struct span path, size_t *used)
{
    struct folder_node *node = top, *child;
    const char *slash;

    *used = 1;
    while ((slash = memchr(path.ptr + *used, '/', path.len - *used)) != NULL) {
        size_t end = (size_t)(slash - path.ptr);

        child = folder_tree_child(tree, node, (struct span){path.ptr + *used, end - *used});
        if (!child)
            break;
        node = child;
        *used = end + 1;
    }
    return node;
}

struct folder_top *folder_tree_facts(const struct folder_node *node)
{
    while (node->parent)
        node = node->parent;
    return node->top;
}

bool folder_tree_holds(const struct folder_tree *tree, const struct folder_node *node,
                       uint64_t since_ns)
{
    for (; node; node = node->parent) {
        if (node->changed_ns >= since_ns)
            return false;
        if (node->top && node->top->generation != tree->generation)
            return false;
    }
    return true;
}

/* --- leaves ---------------------------------------------------------------------------------- */

void folder_leaf_init(struct folder_leaf *leaf)
{
    leaf->folder = NULL;
}

void folder_leaf_hang(struct folder_tree *tree, struct folder_leaf *leaf, struct folder_node *node,
                      struct span rest)
{
    const char *slash = rest.len ? memchr(rest.ptr, '/', rest.len) : NULL;

    folder_node_get(node);
    folder_leaf_drop(tree, leaf);
    leaf->folder = node;
    leaf->name = (struct span){rest.ptr, slash ? (size_t)(slash - rest.ptr) : rest.len};
    hash_table_add(&tree->leaves, &leaf->by_name, hash_of(tree, above_of(node, 0), leaf->name));
}

void folder_leaf_drop(struct folder_tree *tree, struct folder_leaf *leaf)
{
    struct folder_node *folder = leaf->folder;

    if (!folder)
        return;
    leaf->folder = NULL;
    hash_table_remove(&tree->leaves, &leaf->by_name);
    folder_node_put(tree, folder);
}

size_t folder_tree_visit(struct folder_tree *tree, const struct folder_node *node, struct span name,
                         void (*on_leaf)(struct folder_leaf *leaf, uint64_t now_ns),
                         uint64_t now_ns)
{
    uint64_t hash = hash_of(tree, above_of(node, 0), name);
    struct hash_link *link = hash_table_chain(&tree->leaves, hash);
    size_t count = 0;

    for (; link; link = link->next) {
        struct folder_leaf *leaf = container_of(link, struct folder_leaf, by_name);

        if (link->hash != hash || leaf->folder != node || leaf->name.len != name.len ||
            memcmp(leaf->name.ptr, name.ptr, name.len) != 0)
            continue;
        on_leaf(leaf, now_ns);
        count++;
    }
    return count;
}

/* --- removal --------------------------------------------------------------------------------- */

void folder_tree_mark_gone(struct folder_tree *tree, struct folder_node *node)
{
    if (is_gone(node))
        return;
    node->changed_ns = FOLDER_GONE;
    hash_table_remove(&tree->nodes, &node->by_name);
    list_remove(&node->queue);
    list_remove(&node->sibling);
    list_append(&tree->gone, &node->queue);
}

void folder_tree_begin_anew(struct folder_tree *tree)
{
    tree->generation++;
    list_move_all(&tree->old_tops, &tree->tops);
}

/* Does one step in the removal of a node. Each child is a step of its own, as there may be many. */
static void undo(struct folder_tree *tree, struct folder_node *node)
{
    if (!list_empty(&node->children)) {
        folder_tree_mark_gone(tree, container_of(node->children.next, struct folder_node, sibling));
        return;
    }
    drop_watch(tree, node);
    list_remove(&node->queue);
    if (node->refs == 0)
        free_node(tree, node);
}

static bool undo_something(struct folder_tree *tree)
{
    if (!list_empty(&tree->gone))
        undo(tree, container_of(tree->gone.next, struct folder_node, queue));
    else if (!list_empty(&tree->old_tops))
        folder_tree_mark_gone(tree, container_of(tree->old_tops.next, struct folder_node, sibling));
    else
        return false;
    return true;
}

void folder_tree_tidy(struct folder_tree *tree, size_t steps, int64_t idle_before_ms)
{
    while (steps > 0 && undo_something(tree))
        steps--;
    while (steps > 0 && !list_empty(&tree->idle)) {
        struct folder_node *node = container_of(tree->idle.next, struct folder_node, queue);

        if (node->idle_since_ms >= idle_before_ms)
            break;
        list_remove(&node->queue);
        hash_table_remove(&tree->nodes, &node->by_name);
        free_node(tree, node);
        steps--;
    }
}

/* --- the tree -------------------------------------------------------------------------------- */

void folder_tree_init(struct folder_tree *tree, uint64_t seed)
{
    memset(tree, 0, sizeof(*tree));
    tree->seed = seed;
    tree->generation = 1;
    hash_table_init(&tree->nodes);
    hash_table_init(&tree->leaves);
    list_init(&tree->tops);
    list_init(&tree->old_tops);
    list_init(&tree->idle);
    list_init(&tree->gone);
    list_init(&tree->unwanted);
}

void folder_tree_fini(struct folder_tree *tree)
{
    folder_tree_begin_anew(tree);
    folder_tree_tidy(tree, SIZE_MAX, INT64_MAX);
    hash_table_fini(&tree->nodes, NULL);
    hash_table_fini(&tree->leaves, NULL);
}
