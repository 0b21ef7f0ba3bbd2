// SPDX-License-Identifier: MIT

/** One row. */
type NeighbourSettingsTable = {
  id: number
  revision: number
  /** null: off. */
  zone_label: string | null
  across_zones: number
  /** null: any. */
  max_bytes_per_second: number | null
  at_once: number
}

type NeighbourKeysTable = {
  /** Of the day that it signs. */
  number: number
  /** Raw, in hex. */
  public_key: string
  /** Sealed with the secret box. */
  private_key: string
}

/** Nodes that gave wrong bytes, until somebody has looked at them. */
type DistrustedNeighboursTable = {
  node_id: string
  /** The node that said so. */
  told_by: string
  manifest_sha256: string
  at_ms: number
}

export type NeighbourTables = {
  neighbour_settings: NeighbourSettingsTable
  neighbour_keys: NeighbourKeysTable
  distrusted_neighbours: DistrustedNeighboursTable
}
