// SPDX-License-Identifier: MIT
// What whoever sees the whole farm reads.
import { EVERYBODY } from '../../../src/features/rollouts/audience.ts'
import type { Task } from '../../../src/features/rollouts/model.ts'
import type { Reason } from '../../../src/features/rollouts/reason.ts'
import { tellReason } from '../../../src/features/rollouts/reasons.ts'
import { taskMessage } from '../../../src/features/rollouts/why-words.ts'

export const worded = <Of extends { reason: Reason }>(of: Of) => ({
  ...of,
  reason: tellReason(of.reason),
})

export const wordedTask = (task: Task | undefined) =>
  task && { ...task, message: taskMessage(task, EVERYBODY) }
