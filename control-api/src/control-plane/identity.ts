// SPDX-License-Identifier: MIT
// Who this control plane is, for this process.

export type Recovery = { restoredAtMs: number; backupCreatedAtMs: number }

/** Of this process. It changes once at most: when a recovery is confirmed. */
export type Identity = {
  readonly controlPlaneId: string
  epoch: number
  /** null: nodes get what they should run. */
  recovery: Recovery | null
}
