// SPDX-License-Identifier: MIT
// Rollouts: start, watch, steer. How one ended is the exit code.
import type { Command } from 'commander'
import type { Act } from '../command.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { resourceOf } from '../resources.ts'
import { showRollout } from '../rollouts/tasks.ts'
import { rolloutLines } from '../rollouts/view.ts'
import { findRollout, requireSuccess, WHICH, watchRollout } from '../rollouts/watch.ts'
import { examples } from './examples.ts'
import { listResource } from './get.ts'
import { registerRolloutActions } from './rollout-actions.ts'
import { registerAgain } from './rollout-again.ts'
import { registerRolloutNodes } from './rollout-nodes.ts'
import { registerRollback } from './rollout-rollback.ts'
import { registerRolloutRules } from './rollout-rules.ts'
import { registerRolloutStart } from './rollout-start.ts'

export function registerRollout(program: Command, act: Act): void {
  const rollout = program.command('rollout').description('take a version to the nodes')
  registerRolloutStart(rollout, act)
  registerRollback(rollout, act)
  registerAgain(rollout, act)

  const list = rollout.command('list').description('the newest rollouts')
  examples(list, ['farmctl rollout list'])
  act(list, (tool) => listResource(tool, resourceOf('rollouts')))

  const status = rollout
    .command('status')
    .description(
      'why a rollout is where it is: waves, evidence, nodes; the exit code says how it ended',
    )
    .argument('[id]', WHICH)
  examples(status, ['farmctl rollout status', 'farmctl rollout status --json'])
  act(status, async (tool, _options, id) => {
    const found = await findRollout(tool.api(), id)
    await showRollout(tool, found, rolloutLines)
    requireSuccess(found, exitCodeOf(found) ?? EXIT.ok)
  })

  registerRolloutNodes(rollout, act)

  const watch = rollout
    .command('watch')
    .description('follow a rollout to its end; the exit code says how it ended')
    .argument('[id]', WHICH)
  examples(watch, ['farmctl rollout watch || echo "look at it: $?"'])
  act(watch, async (tool, _options, id) => {
    await watchRollout(tool, (await findRollout(tool.api(), id)).id)
  })
  registerRolloutActions(rollout, act)
  registerRolloutRules(rollout, act)
}
