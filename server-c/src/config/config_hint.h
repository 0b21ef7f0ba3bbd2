/* SPDX-License-Identifier: MIT */
/* config_hint.h — guesses what the author meant by an unknown name. */
#ifndef FARMSTEAD_CONFIG_HINT_H
#define FARMSTEAD_CONFIG_HINT_H

#include "base/buf.h"
#include "config/config_table.h"

#include <stddef.h>

/* Appends a hint for the unknown key `name` among `options`, or nothing: a name that is near, our
 * name for an option of lighttpd's, or the place where that name belongs. Any thread. */
void config_hint_key(struct buf *out, const struct option *options, const char *name);

/* Appends a hint for a word that is not in `words`, or nothing. Any thread. */
void config_hint_word(struct buf *out, const char *const *words, const char *word);

#endif
