/* SPDX-License-Identifier: MIT */
/* config_hint.h — what the author most likely meant by a name that is none here. */
#ifndef FARMSTEAD_CONFIG_HINT_H
#define FARMSTEAD_CONFIG_HINT_H

#include "base/buf.h"
#include "config/config_table.h"

#include <stddef.h>

/* Appends a hint for the key `name` among `options`, or nothing: a near name here, what lighttpd
 * called it, or the place where that name belongs. Any thread. */
void config_hint_key(struct buf *out, const struct option *options, const char *name);

/* Appends a hint for a word that is none of `words`, or nothing. Any thread. */
void config_hint_word(struct buf *out, const char *const *words, const char *word);

#endif
