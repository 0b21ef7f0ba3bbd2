/* SPDX-License-Identifier: MIT */
/* list.h — an intrusive doubly linked list, whose head is a node, too. */
#ifndef FARMSTEAD_LIST_H
#define FARMSTEAD_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev, *next;
};

static inline void list_init(struct list *node)
{
    node->prev = node->next = node;
}

/* A node that is in no list is linked to itself, so it may be removed twice. */
static inline bool list_empty(const struct list *node)
{
    return node->next == node;
}

static inline void list_append(struct list *head, struct list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

static inline void list_remove(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

/* Moves all nodes of `from` to the end of `to`. `from` is then empty. */
static inline void list_move_all(struct list *to, struct list *from)
{
    if (list_empty(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    list_init(from);
}

#endif
