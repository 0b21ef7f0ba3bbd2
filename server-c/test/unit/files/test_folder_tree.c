/* SPDX-License-Identifier: MIT */
/* Nodes and leaves: what is found, how a mark invalidates everything below, and that everything is
 * given back in small steps. */
#include "files/folder_tree.c"

#include "check.h"

static struct folder_tree tree;
static struct folder_watch watches[8];
static int visited;

static struct span text(const char *bytes)
{
    return (struct span){bytes, strlen(bytes)};
}

static struct folder_watch *watch(int i)
{
    memset(&watches[i], 0, sizeof(watches[i]));
    list_init(&watches[i].nodes);
    list_init(&watches[i].link);
    return &watches[i];
}

static void on_visit(struct folder_leaf *leaf, uint64_t now_ns)
{
    (void)leaf, (void)now_ns;
    visited++;
}

static int visit(const struct folder_node *node, const char *name)
{
    visited = 0;
    folder_tree_visit(&tree, node, text(name), on_visit, 1);
    return visited;
}

static struct folder_node *add_top(uint64_t id, const char *variable, int i)
{
    static char html[] = "index.html";
    static char *const index[] = {html};
    const struct folder_top facts = {.lookup_id = id, .device = 1, .inode = 2, .index_count = 1};

    return folder_tree_add_top(&tree, &facts, index, text(variable), watch(i));
}

static void test_walk(void)
{
    struct folder_node *top = add_top(7, "", 0), *a, *b, *other = add_top(7, "host", 1);
    const struct {
        int line;
        const char *path;
        struct folder_node **node;
        size_t used;
    } rows[] = {
        {__LINE__, "/", &top, 1},         {__LINE__, "/a", &top, 1},
        {__LINE__, "/a/", &a, 3},         {__LINE__, "/a/x.js", &a, 3},
        {__LINE__, "/a/b/c/x.js", &b, 5}, {__LINE__, "/ab/x.js", &top, 1},
        {__LINE__, "/b/x.js", &top, 1},
    };
    size_t used;

    a = folder_tree_add(&tree, top, text("a"), watch(2));
    b = folder_tree_add(&tree, a, text("b"), watch(3));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_TRUE(folder_tree_walk(&tree, top, text(rows[i].path), &used) == *rows[i].node,
                   "row %d", rows[i].line);
        CHECK_INT(rows[i].line, rows[i].path, used, rows[i].used);
    }
    CHECK_TRUE(folder_tree_top(&tree, 7, text("")) == top, "by id");
    CHECK_TRUE(folder_tree_top(&tree, 7, text("host")) == other, "and variable");
    CHECK_TRUE(folder_tree_top(&tree, 8, text("")) == NULL, "another id");
    CHECK_STR(__LINE__, "facts from below", folder_tree_facts(b)->index[0], "index.html");
}

static void test_leaves(void)
{
    struct folder_node *top = folder_tree_top(&tree, 7, text(""));
    struct folder_node *a = folder_tree_child(&tree, top, text("a"));
    struct folder_leaf file, deep, folder;

    folder_leaf_init(&file);
    folder_leaf_init(&deep);
    folder_leaf_init(&folder);
    folder_leaf_hang(&tree, &file, a, text("x.js"));
    folder_leaf_hang(&tree, &deep, a, text("new/dir/x.js"));
    folder_leaf_hang(&tree, &folder, a, text(""));
    CHECK_INT(__LINE__, "a file", visit(a, "x.js"), 1);
    CHECK_INT(__LINE__, "its first name only", visit(a, "new"), 1);
    CHECK_INT(__LINE__, "a folder's index names", visit(a, ""), 1);
    CHECK_INT(__LINE__, "nothing hangs there", visit(a, "x"), 0);
    CHECK_INT(__LINE__, "nor on that name elsewhere", visit(top, "x.js"), 0);
    folder_leaf_hang(&tree, &file, top, text("x.js"));
    CHECK_INT(__LINE__, "moved from", visit(a, "x.js"), 0);
    CHECK_INT(__LINE__, "moved to", visit(top, "x.js"), 1);
    folder_leaf_drop(&tree, &file);
    folder_leaf_drop(&tree, &file);
    folder_leaf_drop(&tree, &deep);
    folder_leaf_drop(&tree, &folder);
    CHECK_INT(__LINE__, "dropped", visit(top, "x.js") + visit(a, "new") + visit(a, ""), 0);
}

static void test_marks(void)
{
    struct folder_node *top = folder_tree_top(&tree, 7, text(""));
    struct folder_node *a = folder_tree_child(&tree, top, text("a"));
    struct folder_node *b = folder_tree_child(&tree, a, text("b")), *again;
    struct folder_leaf leaf;

    folder_leaf_init(&leaf);
    folder_leaf_hang(&tree, &leaf, b, text("x.js"));
    a->changed_ns = 100;
    CHECK_TRUE(!folder_tree_holds(&tree, b, 99), "learnt before");
    CHECK_TRUE(!folder_tree_holds(&tree, b, 100), "at that very moment");
    CHECK_TRUE(folder_tree_holds(&tree, b, 101), "learnt after");
    CHECK_TRUE(folder_tree_holds(&tree, top, 99), "above nothing has changed");
    folder_tree_mark_gone(&tree, a);
    CHECK_TRUE(!folder_tree_holds(&tree, b, 101), "beneath what is gone");
    CHECK_TRUE(folder_tree_child(&tree, top, text("a")) == NULL, "not found any more");
    again = folder_tree_add(&tree, top, text("a"), watch(4));
    CHECK_TRUE(folder_tree_child(&tree, top, text("a")) == again, "its name is free");
    CHECK_TRUE(list_empty(&tree.unwanted), "nothing is undone yet");
    folder_tree_tidy(&tree, 1, 0);
    folder_tree_tidy(&tree, 1, 0);
    CHECK_TRUE(!list_empty(&tree.unwanted), "step by step");
    folder_tree_tidy(&tree, 100, 0);
    CHECK_TRUE(watches[2].link.next != &watches[2].link, "the folder's watch is unwanted");
    CHECK_TRUE(watches[3].link.next != &watches[3].link, "and that of what was beneath");
    CHECK_TRUE(!folder_tree_holds(&tree, leaf.folder, 101), "a leaf still knows");
    folder_leaf_drop(&tree, &leaf);
}

static void test_idle(void)
{
    struct folder_node *top = folder_tree_top(&tree, 7, text(""));
    struct folder_node *c;
    struct folder_leaf leaf;

    tree.now_ms = 1000;
    c = folder_tree_add(&tree, top, text("c"), watch(5));
    folder_leaf_init(&leaf);
    folder_leaf_hang(&tree, &leaf, c, text("x"));
    tree.now_ms = 5000;
    folder_tree_tidy(&tree, 100, 4000);
    CHECK_TRUE(folder_tree_child(&tree, top, text("c")) == c, "something hangs there");
    CHECK_TRUE(folder_tree_child(&tree, top, text("a")) == NULL, "the idle one has gone");
    CHECK_TRUE(folder_tree_top(&tree, 7, text("host")) == NULL, "and the idle top");
    folder_leaf_drop(&tree, &leaf);
    folder_tree_tidy(&tree, 100, 5000);
    CHECK_TRUE(folder_tree_child(&tree, top, text("c")) == c, "idle since just now");
    tree.now_ms = 6000;
    folder_tree_tidy(&tree, 100, 5001);
    CHECK_TRUE(folder_tree_child(&tree, top, text("c")) == NULL, "long enough");
    CHECK_TRUE(folder_tree_top(&tree, 7, text("")) == top, "what is above is idle from then on");
}

static void test_anew(void)
{
    struct folder_node *top = folder_tree_top(&tree, 7, text("")), *node = top;
    struct folder_leaf leaf;
    char name[16];

    for (int i = 0; i < 500; i++) { /* wide, and deep */
        snprintf(name, sizeof(name), "n%d", i);
        if (i % 2)
            folder_tree_add(&tree, top, text(name), NULL);
        else
            node = folder_tree_add(&tree, node, text(name), NULL);
    }
    folder_leaf_init(&leaf);
    folder_leaf_hang(&tree, &leaf, node, text("x"));
    CHECK_TRUE(folder_tree_holds(&tree, node, 1), "as it was");
    folder_tree_begin_anew(&tree);
    CHECK_TRUE(!folder_tree_holds(&tree, node, 1), "nothing holds");
    CHECK_TRUE(folder_tree_top(&tree, 7, text("")) == NULL, "nothing is found");
    top = add_top(7, "", 6);
    CHECK_TRUE(folder_tree_top(&tree, 7, text("")) == top, "but what is new");
    folder_tree_tidy(&tree, 3000, 0);
    CHECK_INT(__LINE__, "the old is undone", tree.nodes.count, 1);
    folder_leaf_drop(&tree, &leaf);
}

int main(void)
{
    folder_tree_init(&tree, 42);
    test_walk();
    test_leaves();
    test_marks();
    test_idle();
    test_anew();
    folder_tree_fini(&tree);
    return check_end("folder_tree");
}
