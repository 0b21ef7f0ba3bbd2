// SPDX-License-Identifier: MIT
// What holds for every rollout: who must agree, when changes may begin, how many nodes at once.
import type { Command } from 'commander'
import { bodyOf, taggedBodyOf } from '../api.ts'
import type { Act } from '../command.ts'
import { changedRules, type RulesFlags, rulesLines } from '../rollouts/farm-rules.ts'
import { examples } from './examples.ts'

export function registerRolloutRules(rollout: Command, act: Act): void {
  const rules = rollout.command('rules').description('what holds for every rollout of the farm')
  const get = rules.command('get').description('show them')
  examples(get, ['farmctl rollout rules get', 'farmctl rollout rules get --json'])
  act(get, async (tool) => {
    const found = await bodyOf(tool.api().GET('/api/v1/rollout-rules'))
    tool.show(found, () => rulesLines(found))
  })

  const set = rules
    .command('set')
    .description('change some of them; what is not said stays')
    .option('--approvals <n>', 'people other than who orders that must agree')
    .option('--approval-hours <n>', 'how long an order waits for them')
    .option('--window <window>', 'as in "mon-fri 22:00-04:00"; repeat for more; "none"', gather)
    .option('--time-zone <name>', 'whose clocks the windows go by, as in Europe/Berlin')
    .option('--blast-budget <n>', 'most nodes of all rollouts between two configs; "none"')
  examples(set, [
    'farmctl rollout rules set --approvals 1 --approval-hours 24',
    'farmctl rollout rules set --window "mon-thu 09:00-16:00" --time-zone Europe/Berlin',
  ])
  act<RulesFlags>(set, async (tool, flags) => {
    const api = tool.api()
    const { body: before, etag } = await taggedBodyOf(api.GET('/api/v1/rollout-rules'))
    const params = { header: { 'if-match': etag } }
    const body = changedRules(before, flags)
    const after = await bodyOf(api.PUT('/api/v1/rollout-rules', { params, body }))
    tool.show(after, () => rulesLines(after))
  })
}

const gather = (window: string, windows: string[] = []) => [...windows, window]
