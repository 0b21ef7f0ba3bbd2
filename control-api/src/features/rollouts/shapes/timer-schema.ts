// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, NodeIdSchema, Nullable } from '../../../api-shapes/common.ts'
import { TaskStateSchema } from '../../../api-shapes/states.ts'

export const RolloutTimerSchema = Type.Object(
  {
    kind: Type.Enum(
      ['start', 'approval', 'window', 'files', 'soak', 'evidence', 'progress', 'node'],
      {
        description:
          'start: it begins then. approval: it expires. window: the next change window opens. files: the first wave begins, though not all nodes have the files that go first, unless one of them comes further. soak: its nodes have been watched long enough. evidence: without clear evidence it pauses, or goes on where policy.onNoData says so. progress: without one more healthy node what onFailure says follows. node: that node must have done its next step, or been well for minHealthySeconds',
      },
    ),
    leftSeconds: Type.Number({ minimum: 0, description: 'As of the answer' }),
    isRunning: Type.Boolean({ description: 'false: it stands still while the rollout is paused' }),
    node: Nullable(
      Type.Object({ nodeId: NodeIdSchema, nodeName: NameSchema, state: TaskStateSchema }),
    ),
  },
  { description: 'What ends by time' },
)
export type RolloutTimer = Static<typeof RolloutTimerSchema>
