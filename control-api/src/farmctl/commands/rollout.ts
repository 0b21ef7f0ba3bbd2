// SPDX-License-Identifier: MIT
// Rollouts: start, watch, end. How one ended is the exit code.
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Rollout, RolloutPlan } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { changes } from '../events.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { atPosition, Failure } from '../failures.ts'
import { progressOf, resourceOf } from '../resources.ts'
import { age, tableLines } from '../table.ts'
import { numberOf } from './configs.ts'
import { examples } from './examples.ts'
import { listResource } from './get.ts'

type StartOptions = { message?: string; dryRun?: boolean; yes?: boolean; wait: boolean }
type FreezeOptions = { yes?: boolean }

const WHICH = 'its id; without it the newest'

export function registerRollout(program: Command, act: Act): void {
  const rollout = program.command('rollout').description('take a version to the nodes')
  const start = rollout
    .command('start')
    .description('show what a rollout would do, ask, start it, and watch it to its end')
    .argument('<config[@version]>', 'what; without a number its latest version')
    .option('-m, --message <text>', 'why, for the history')
    .option('--dry-run', 'show what it would do only')
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not watch it')
  examples(start, [
    'farmctl rollout start default',
    'farmctl rollout start default@7 --yes -m "Longer timeouts" && echo served everywhere',
  ])
  act<StartOptions>(start, startRollout)

  const list = rollout.command('list').description('the newest rollouts')
  examples(list, ['farmctl rollout list'])
  act(list, (tool) => listResource(tool, resourceOf('rollouts')))

  const status = rollout
    .command('status')
    .description('where a rollout is, node by node; the exit code says how it ended')
    .argument('[id]', WHICH)
  examples(status, ['farmctl rollout status', 'farmctl rollout status --json'])
  act(status, async (tool, _options, id) => {
    const found = await findRollout(tool.api(), id)
    tool.show(found, () => rolloutLines(found))
    requireSuccess(found, exitCodeOf(found) ?? EXIT.ok)
  })

  const watch = rollout
    .command('watch')
    .description('follow a rollout to its end; the exit code says how it ended')
    .argument('[id]', WHICH)
  examples(watch, ['farmctl rollout watch || echo "look at it: $?"'])
  act(watch, async (tool, _options, id) => {
    await watchRollout(tool, (await findRollout(tool.api(), id)).id)
  })

  const freeze = rollout
    .command('freeze')
    .description('end a rollout as it is: nodes keep what they have now')
    .argument('[id]', WHICH)
    .option('-y, --yes', 'do not ask')
  examples(freeze, ['farmctl rollout freeze', 'farmctl rollout freeze rollout_01jd… --yes'])
  act<FreezeOptions>(freeze, freezeRollout)
}

async function findRollout(api: Api, id: string | undefined): Promise<Rollout> {
  if (id !== undefined) {
    return bodyOf(api.GET('/api/v1/rollouts/{id}', { params: { path: { id } } }))
  }
  const params = { query: { limit: 1 } }
  const { items } = await bodyOf(api.GET('/api/v1/rollouts', { params }))
  if (items[0]) return items[0]
  throw new Failure('There is no rollout yet. Start one: farmctl rollout start CONFIG')
}

async function startRollout(tool: Tool, options: StartOptions, what = ''): Promise<void> {
  const api = tool.api()
  const [config = '', which = 'latest'] = what.split('@')
  const version = await numberOf(api, config, which)
  const { message } = options
  const body = { config, version, ...(message !== undefined && { message }) }
  const params = { query: { dry_run: '1' as const } }
  const plan = (await bodyOf(api.POST('/api/v1/rollouts', { params, body }))) as RolloutPlan
  if (options.dryRun) tool.show(plan, () => planLines(plan))
  else if (!tool.json) tool.terminal.note(planLines(plan).join('\n'))
  requireAccepted(plan)
  if (options.dryRun) return
  await agree(tool, options.yes, `Roll ${config}@${version} out?`)
  const started = (await bodyOf(api.POST('/api/v1/rollouts', { body }))) as Rollout
  if (options.wait) await watchRollout(tool, started.id)
  else tool.show(started, () => [`${started.id} has begun. Watch it: farmctl rollout watch`])
}

function planLines({ config, version, nodes }: RolloutPlan): string[] {
  const rows = nodes.map(({ nodeName, connected, fromVersion, changes: isChange, errors }) => [
    nodeName,
    connected ? 'yes' : 'no, when it returns',
    fromVersion === null ? '' : String(fromVersion),
    errors.length > 0 ? 'refused' : isChange ? 'new text' : 'none',
  ])
  return [`${config}@${version}:`, ...tableLines(['NODE', 'CONNECTED', 'FROM', 'CHANGE'], rows)]
}

function requireAccepted({ config, version, nodes }: RolloutPlan): void {
  const lines = nodes.flatMap(({ nodeName, errors }) =>
    errors.map((error) => `${nodeName}: ${atPosition(`${config}@${version}`, error)}`),
  )
  if (lines.length === 0) return
  throw new Failure([...lines, 'Nothing was started.'].join('\n'), EXIT.rejected)
}

/** Ends with the rollout, or when it waits for somebody. */
async function watchRollout(tool: Tool, id: string): Promise<void> {
  const api = tool.api()
  let told = ''
  for await (const change of changes(api, tool.stop)) {
    if (
      change !== null &&
      (change.kind !== 'rollout' || change.id !== id) &&
      change.kind !== 'node'
    )
      continue
    const rollout = await findRollout(api, id)
    const line = progressLine(rollout)
    if (line !== told) tool.terminal.progress(line)
    told = line
    const exitCode = exitCodeOf(rollout)
    if (exitCode === null) continue
    tool.show(rollout, () => rolloutLines(rollout))
    requireSuccess(rollout, exitCode)
    return
  }
  throw new Failure(
    `${id} goes on without you. Back to it: farmctl rollout watch ${id}`,
    EXIT.interrupted,
  )
}

function progressLine(rollout: Rollout): string {
  const { config, version, state, tasks } = rollout
  const busy = tasks
    .filter((task) => task.state !== 'done')
    .slice(0, 4)
    .map(({ nodeName, state: at }) => `${nodeName} ${at}`)
  return [`${config}@${version} ${state} ${progressOf(rollout)}`, ...busy].join(' · ')
}

function rolloutLines(rollout: Rollout): string[] {
  const { id, config, version, state, reason, tasks, author, createdAt } = rollout
  const rows = tasks.map((task) => [task.nodeName, task.state, task.code ?? '', task.message])
  const errors = tasks.flatMap(({ nodeName, errors: found }) =>
    found.map((error) => `${nodeName}: ${atPosition(`${config}@${version}`, error)}`),
  )
  return [
    `${id}: ${config}@${version}, begun ${age(createdAt)} ago by ${author}`,
    `${state}: ${reason}`,
    ...tableLines(['NODE', 'STATE', 'CODE', 'MESSAGE'], rows),
    ...errors,
  ]
}

function requireSuccess({ id, state }: Rollout, exitCode: number): void {
  if (exitCode === EXIT.ok) return
  throw new Failure(`${id} is ${state}.`, exitCode as typeof EXIT.rejected)
}

async function freezeRollout(tool: Tool, { yes }: FreezeOptions, id?: string): Promise<void> {
  const api = tool.api()
  const rollout = await findRollout(api, id)
  await agree(tool, yes, `End ${rollout.id} (${rollout.state}) as it is?`)
  const frozen = await bodyOf(
    api.POST('/api/v1/rollouts/{id}/actions/freeze', {
      params: { path: { id: rollout.id } },
      body: { stateVersion: rollout.stateVersion },
    }),
  )
  tool.show(frozen, () => rolloutLines(frozen))
}
