// SPDX-License-Identifier: MIT
/** In PostgreSQL alone: what is shared by several control planes. */
export type ReplicaTables = {
  shared_keys: { name: string; sealed: string }
}
