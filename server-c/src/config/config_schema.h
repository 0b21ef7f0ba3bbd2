/* SPDX-License-Identifier: MIT */
/* config_schema.h — the option table for other readers: a JSON Schema for forms, editors and the
 * API, and a reference page for people. Both are committed, and a test fails if they differ from
 * what this writes. */
#ifndef FARMSTEAD_CONFIG_SCHEMA_H
#define FARMSTEAD_CONFIG_SCHEMA_H

#include "base/digest.h"

/* Returns the JSON Schema (draft 2020-12), ending with a newline. The caller frees it. Any
 * thread. */
char *config_schema_json(void);

/* Returns the digest of those bytes, from which the control plane knows which schema a node has.
 * Any thread. */
void config_schema_digest(char out[DIGEST_LEN + 1]);

/* Returns docs/configuration.md. The caller frees it. Any thread. */
char *config_schema_markdown(void);

#endif
