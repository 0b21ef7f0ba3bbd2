/* SPDX-License-Identifier: MIT */
/* config_schema.h — the option table as others read it: a JSON Schema for forms, lint and the API,
 * a reference page for people. Both are committed; a test fails when they differ from the binary.
 */
#ifndef FARMSTEAD_CONFIG_SCHEMA_H
#define FARMSTEAD_CONFIG_SCHEMA_H

#include "base/digest.h"

/* JSON Schema, draft 2020-12, ending in a newline. The caller frees it. Any thread. */
char *config_schema_json(void);

/* The digest of those bytes, by which the control plane knows the schema a node has. Any thread. */
void config_schema_digest(char out[DIGEST_LEN + 1]);

/* docs/configuration.md. The caller frees it. Any thread. */
char *config_schema_markdown(void);

#endif
