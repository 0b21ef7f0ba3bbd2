// SPDX-License-Identifier: MIT
// nodes: what a rollout does to each of its nodes, all of them or those that are asked for.
import type { Command } from 'commander'
import { collect } from '../api.ts'
import type { TaskStanding } from '../api-types.ts'
import type { Act } from '../command.ts'
import { Failure } from '../failures.ts'
import { type TaskFilter, taskLines, tasksOf } from '../rollouts/tasks.ts'
import { findRollout, WHICH } from '../rollouts/watch.ts'
import { examples } from './examples.ts'

type Options = { state?: TaskStanding; wave?: number; exceptions?: boolean; query?: string }

export function registerRolloutNodes(rollout: Command, act: Act): void {
  const nodes = rollout
    .command('nodes')
    .summary('what a rollout does to each of its nodes')
    .description(
      'What a rollout does to each of its nodes, by wave and name; with --exceptions those that failed, went back or wait, the worst first.',
    )
    .argument('[id]', WHICH)
    .option('--state <state>', 'only those in this state, as in nacked or unreachable')
    .option('--wave <n>', 'only those of this wave', readWave)
    .option('--exceptions', 'only those that failed, went back, wait or were left out')
    .option('--query <text>', 'only those with this in their names')
  examples(nodes, [
    'farmctl rollout nodes --exceptions',
    'farmctl rollout nodes rollout_01jd… --wave 2 --state unreachable',
    "farmctl rollout nodes --state nacked --json | jq -r '.items[].nodeName'",
  ])
  act<Options>(nodes, async (tool, options, id) => {
    const api = tool.api()
    const found = await findRollout(api, id)
    const items = await collect(tasksOf(api, found.id, filterOf(options)))
    tool.show({ items }, () => taskLines(found, { items, total: items.length }))
  })
}

const filterOf = ({ state, wave, exceptions, query }: Options): TaskFilter => ({
  ...(state !== undefined && { state }),
  ...(wave !== undefined && { wave }),
  ...(exceptions && { exceptions }),
  ...(query !== undefined && { q: query }),
})

/** As they are shown, from 1 on. */
function readWave(text: string): number {
  const wave = Number(text)
  if (Number.isInteger(wave) && wave > 0) return wave - 1
  throw new Failure(`--wave is a number from 1, not "${text}".`)
}
