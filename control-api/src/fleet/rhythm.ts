// SPDX-License-Identifier: MIT
// How often what happens by itself happens. Tests have it happen oftener, and wait less.

export type Rhythm = {
  /** Between two looks of the rollout engine at the time that has passed. */
  tickMs: number
  /** Nodes say what they measured as often, and as often it is judged. */
  reportEveryMs: number
  /** Between two looks at an order for a certificate that has just begun to wait for its CA or for nodes. */
  orderLookMs: number
}
export const RHYTHM: Rhythm = { tickMs: 1_000, reportEveryMs: 5_000, orderLookMs: 1_000 }
