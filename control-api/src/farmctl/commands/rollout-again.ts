// SPDX-License-Identifier: MIT
// again: the order of an earlier rollout once more, as one that was cancelled while it waited.
import type { Command } from 'commander'
import { collect } from '../api.ts'
import type { NewRollout, NodeTask, Rollout } from '../api-types.ts'
import type { Act } from '../command.ts'
import { tasksOf } from '../rollouts/tasks.ts'
import { findRollout } from '../rollouts/watch.ts'
import { examples } from './examples.ts'
import { type Going, startOrder } from './rollout-start.ts'

export function registerAgain(rollout: Command, act: Act): void {
  const again = rollout
    .command('again')
    .summary('order what an earlier rollout was ordered for')
    .description(
      'Order the same anew: version, selector or nodes, strategy and gates of an earlier rollout, but not its time. It is a rollout as any other: shown, asked for, watched.',
    )
    .argument('<id>', 'which')
    .option('-m, --message <text>', 'why, for the history; without it as before')
    .option('--dry-run', 'show what it would do only')
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not watch it')
  examples(again, [
    'farmctl rollout again rollout_01jd…',
    'farmctl rollout again rollout_01jd… --yes --no-wait',
  ])
  act<Going>(again, async (tool, options, id) => {
    const before = await findRollout(tool.api(), id)
    if (before.strategy === null) {
      tool.terminal.note('Its strategy was not kept by the version it was ordered with: carefully.')
    }
    const message = options.message ?? (before.message || undefined)
    const nodes = before.namesNodes ? await collect(tasksOf(tool.api(), before.id)) : null
    await startOrder(tool, { ...options, ...(message && { message }) }, orderOf(before, nodes))
  })
}

/** An emergency is over by now, or is one of its own. */
const orderOf = (rollout: Rollout, nodes: readonly NodeTask[] | null): NewRollout => ({
  config: rollout.config,
  version: rollout.version,
  ...(rollout.selector !== '' && { selector: rollout.selector }),
  ...(nodes && { nodes: nodes.map(({ nodeId }) => nodeId) }),
  ...(rollout.strategy !== null && { strategy: rollout.strategy }),
})
