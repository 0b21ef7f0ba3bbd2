// SPDX-License-Identifier: MIT
// What whoever sees the whole farm reads.
import type { Task } from '../../../src/features/rollouts/reducer/model.ts'
import type { Reason } from '../../../src/features/rollouts/shapes/reason.ts'
import { EVERYBODY } from '../../../src/features/rollouts/words/audience.ts'
import { tellReason } from '../../../src/features/rollouts/words/reasons.ts'
import { taskMessage } from '../../../src/features/rollouts/words/why-words.ts'

export const worded = <Of extends { reason: Reason }>(of: Of) => ({
  ...of,
  reason: tellReason(of.reason),
})

export const wordedTask = (task: Task | undefined) =>
  task && { ...task, message: taskMessage(task, EVERYBODY) }
