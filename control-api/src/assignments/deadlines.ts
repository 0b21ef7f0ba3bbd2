// SPDX-License-Identifier: MIT
// How long a node may take for each step of an apply, relative to the step before. The node has the same times.

export type Deadlines = { ackMs: number; applyMs: number; confirmMs: number }
/** What nobody said otherwise for. */
export const DEADLINES: Deadlines = { ackMs: 10_000, applyMs: 30_000, confirmMs: 60_000 }
