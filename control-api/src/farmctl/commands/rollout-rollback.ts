// SPDX-License-Identifier: MIT
// rollback: a new rollout of what was served before, for when the last one is over and was wrong.
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { rollbackTarget } from '../rollouts/rollback.ts'
import { examples } from './examples.ts'
import { ordered, type StartOptions, startRollout } from './rollout-start.ts'

type Options = StartOptions & { to?: string }

/** So far back is looked for what was served before. */
const ROLLOUTS = 200

export function registerRollback(rollout: Command, act: Act): void {
  const rollback = ordered(rollout.command('rollback').argument('<config>', 'its name'))
    .summary('roll out what a config was before its last rollout')
    .description(
      'Roll out the version before: of those that a rollout of the whole farm brought to its end, the newest with a lower number than the last one. It is a rollout as any other: shown, asked for, watched. While the last one is under way, “rollout revert” takes it back.',
    )
    .option('--to <version>', 'this one instead')
    .option('-m, --message <text>', 'why, for the history')
    .option('--dry-run', 'show what it would do only')
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not watch it')
  examples(rollback, [
    'farmctl rollout rollback default',
    'farmctl rollout rollback default --yes -m "The new timeouts were too short"',
    'farmctl rollout rollback default --to 3 --careful',
  ])
  act<Options>(rollback, async (tool, options, config = '') => {
    const version = options.to ?? (await versionBefore(tool, config))
    await startRollout(tool, options, `${config}@${version}`)
  })
}

async function versionBefore(tool: Tool, config: string): Promise<number> {
  const found = rollbackTarget(config, await rolloutsOf(tool.api(), config))
  if (found.ok) return found.version
  throw new Failure(found.reason, found.exitCode)
}

async function rolloutsOf(api: Api, config: string) {
  const params = { query: { config, limit: ROLLOUTS } }
  return (await bodyOf(api.GET('/api/v1/rollouts', { params }))).items
}
