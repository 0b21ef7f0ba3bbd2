/* SPDX-License-Identifier: MIT */
/* config_sizes.h — how large a config makes the node on a machine. Options that were left out are
 * lowered to what the process may have. Options that the author gave stay as they are, and
 * config_check.h says if the machine can't meet them. */
#ifndef FARMSTEAD_CONFIG_SIZES_H
#define FARMSTEAD_CONFIG_SIZES_H

#include "config/config.h"

#define CONFIG_WORKERS_MAX 256

/* What the process may have. UINT64_MAX: there is no known limit. */
struct config_machine {
    uint32_t processors; /* at least 1 */
    uint64_t memory_bytes, descriptors;
};

enum config_scarce { SCARCE_NOTHING, SCARCE_MEMORY, SCARCE_DESCRIPTORS };

struct config_sizes {
    uint32_t loops;
    uint64_t values[FIT_COUNT];           /* by enum config_fit */
    enum config_scarce scarce[FIT_COUNT]; /* the resource for which a value was lowered */
};

/* All of these: any thread. */
void config_sizes_make(struct config_sizes *out, const struct config *cfg,
                       const struct config_machine *machine);
/* The most descriptors that the node may have at a time, with some to spare. */
uint64_t config_sizes_descriptors(const struct config_sizes *sizes, const struct config *cfg);
/* Stores the sizes in the config. Call it once, before anybody else reads `cfg`. */
void config_sizes_store(struct config *cfg, const struct config_sizes *sizes);

/* "limits.connections"; static. FIT_NONE has none. */
const char *config_fit_name(enum config_fit fit);
/* "/limits/connections"; static. */
const char *config_fit_pointer(enum config_fit fit);

#endif
