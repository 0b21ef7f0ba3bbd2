// SPDX-License-Identifier: MIT
// What a rollout would do is shown, asked for, and started as it was shown.
import { type Command, Option } from 'commander'
import { bodyOf, collect, pages } from '../api.ts'
import type { NewRollout, Rollout, RolloutPlan } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { readTextFile } from '../read-text.ts'
import { readStrategy, type StrategyFlags, strategyOf } from '../rollouts/strategy.ts'
import {
  type Asked,
  askedLines,
  consequenceOf,
  findingLines,
  planLines,
  refusalText,
} from '../rollouts/view.ts'
import { watchRollout } from '../rollouts/watch.ts'
import { numberOf } from './configs.ts'
import { examples } from './examples.ts'

type OrderOptions = StrategyFlags & {
  selector?: string
  strategy?: string
  onOverlap?: NonNullable<NewRollout['onOverlap']>
  emergency?: string
  allowEmpty?: boolean
  release?: readonly string[]
}
export type StartOptions = OrderOptions & {
  at?: string
  message?: string
  plan?: string
  dryRun?: boolean
  yes?: boolean
  wait: boolean
}

export function registerRolloutStart(rollout: Command, act: Act): void {
  const start = startable(
    ordered(rollout.command('start').argument('<config[@version]>', WHAT)),
  ).description('show what a rollout would do, ask, start it, and watch it to its end')
  examples(start, [
    'farmctl rollout start default',
    'farmctl rollout start default --release www=41',
    'farmctl rollout start default@7 --yes -m "Longer timeouts" && echo served everywhere',
    'farmctl rollout start default --waves each,25%,100% --soak 5m --gate "errors5xx<=0.01:revert"',
  ])
  act<StartOptions>(start, startRollout)

  const plan = ordered(rollout.command('plan').argument('<config[@version]>', WHAT)).description(
    'what a rollout would do: its waves, nodes and digest; nothing is started',
  )
  examples(plan, [
    'farmctl rollout plan default --careful',
    'farmctl rollout plan default --careful --probe www.example.org/ --probe /img/logo.png',
    'farmctl rollout plan default@7 --waves 1,25%,100% --json | jq -r .planDigest',
  ])
  act<OrderOptions>(plan, async (tool, options, what) => {
    await planRollout(tool, await orderOf(tool, options, what))
  })
}

const WHAT = 'what; without a number its latest version'

/** How one that is shown first goes on. */
export const startable = (command: Command) =>
  command
    .option('-m, --message <text>', 'why, for the history')
    .option('--at <time>', 'not before then, as in 2030-01-31T22:00:00Z', readTime)
    .option('--plan <digest>', 'start only what was planned: the digest that “plan” prints')
    .option('--dry-run', 'show what it would do only, as “plan” does')
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not watch it')

/** What a rollout is to be like. */
export const ordered = (command: Command) =>
  command
    .option('-l, --selector <selector>', 'only to nodes whose labels match')
    .option(
      '--release <name=version>',
      'with this version of a release; else what was proved last, or the newest; repeat for more',
      gather,
    )
    .option(
      '--allow-empty',
      'also when no node is of it: it ends at once as cancelled, and releases nothing',
    )
    .option('--careful', 'by waves: one of each kind, then 5, 25, 100 % of load; the default')
    .option('--at-once', 'to all nodes at once, with nothing watched')
    .option(
      '--strategy <file>',
      'how it goes, as JSON (docs/rollouts.md), or "-"; flags go over it',
    )
    .option('--waves <sizes>', 'as in 1,25%,100%: nodes, percent, %load of throughput, each kind')
    .option('--soak <time>', 'how long each wave is watched, as in 90s, 2m, 1h')
    .option('--max-parallel <n>', 'most nodes under way at a time')
    .option('--gate <gate>', 'as in "errors5xx<=0.01:revert"; repeat for more; "none"', gather)
    .option('--min-samples <n>', 'requests on each side that a gate needs')
    .addOption(
      new Option('--on-no-data <what>', 'when a wave’s gates had too few requests').choices([
        'pause',
        'continue',
      ]),
    )
    .option(
      '--probe <[host]/path>',
      'nodes fetch it from themselves where visitors make too few requests; repeat for more',
      gather,
    )
    .option(
      '--no-files-first',
      'the first wave does not wait until all nodes have the files of a release that is new',
    )
    .addOption(
      new Option('--on-failure <what>', 'when a node fails').choices(['revert', 'pause', 'freeze']),
    )
    .addOption(
      new Option('--on-overlap <what>', 'when another rollout has its nodes').choices([
        'queue',
        'refuse',
        'supersede',
      ]),
    )
    .option('--emergency <reason>', 'now: past approvals and windows, in place of other rollouts')

const gather = (one: string, others: string[] = []) => [...others, one]

/** Without a zone it would be this machine's, which another reader does not know. */
function readTime(text: string): string {
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text)
  if (hasZone && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new Failure(`--at: "${text}" is no time with its zone, as in 2030-01-31T22:00:00Z.`)
}

async function orderOf(tool: Tool, options: OrderOptions, what = ''): Promise<NewRollout> {
  const [config = '', which = 'latest'] = what.split('@')
  const { selector, onOverlap, emergency: reason, allowEmpty, release } = options
  const strategy = strategyOf(options, await strategyFile(tool, options.strategy))
  return {
    config,
    version: await numberOf(tool.api(), config, which),
    ...(release !== undefined && { releases: releasesOf(release) }),
    ...(selector !== undefined && { selector }),
    ...(strategy !== undefined && { strategy }),
    ...(onOverlap !== undefined && { onOverlap }),
    ...(reason !== undefined && { emergency: { reason } }),
    ...(allowEmpty && { allowEmpty }),
  }
}

export function releasesOf(said: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    said.map((one) => {
      const [, name, number] = /^([a-z0-9.-]+)=v?([1-9]\d{0,9})$/.exec(one) ?? []
      if (name !== undefined) return [name, Number(number)]
      throw new Failure(`--release: "${one}" is no release and version, as in www=41.`)
    }),
  )
}

async function strategyFile(tool: Tool, file: string | undefined) {
  if (file === undefined) return undefined
  const text = file === '-' ? await tool.terminal.readAll() : readTextFile(file)
  return readStrategy(file, text)
}

async function planRollout(tool: Tool, body: NewRollout): Promise<void> {
  const plan = await askPlan(tool, body)
  const asked = await askNodes(tool, body, plan)
  // For programs with all its nodes, for eyes with some.
  const nodes = tool.json ? await collect(nodesOf(tool, plan)) : []
  tool.show({ ...plan, nodes, ...asked }, () => [...planLines(plan), ...askedLines(asked)])
  requireAccepted(plan, body)
}

const nodesOf = (tool: Tool, { planDigest }: RolloutPlan) =>
  pages((query) =>
    bodyOf(
      tool.api().GET('/api/v1/rollouts/plans/{planDigest}/nodes', {
        params: { path: { planDigest }, query },
      }),
    ),
  )

/** For eyes: what they say decides nothing here, the rollout pauses by itself where one refuses. */
async function askNodes(tool: Tool, body: NewRollout, plan: RolloutPlan): Promise<Asked> {
  if (plan.changingNodes + plan.cordonedNodes === 0) return NOTHING_CHANGES
  const { strategy: { probes, excludeKinds } = {}, ...order } = body
  const strategy = { ...(probes && { probes }), ...(excludeKinds && { excludeKinds }) }
  const asked = { body: { ...order, strategy } }
  return { preflight: await bodyOf(tool.api().POST('/api/v1/rollouts/preflight', asked)) }
}

const NOTHING_CHANGES = { preflight: null, whyNotAsked: 'No node changes: nobody was asked.' }
/** Answers take up to a quarter of a minute, which an emergency does not wait. */
const NO_TIME = {
  preflight: null,
  whyNotAsked: 'An emergency begins at once: nobody was asked what their machines would do.',
}

async function askPlan(tool: Tool, body: NewRollout): Promise<RolloutPlan> {
  const params = { query: { dryRun: '1' as const } }
  return (await bodyOf(tool.api().POST('/api/v1/rollouts', { params, body }))) as RolloutPlan
}

export async function startRollout(tool: Tool, options: StartOptions, what = ''): Promise<void> {
  await startOrder(tool, options, await orderOf(tool, options, what))
}

export type Going = Pick<StartOptions, 'at' | 'message' | 'plan' | 'dryRun' | 'yes' | 'wait'>

export async function startOrder(tool: Tool, options: Going, order: NewRollout): Promise<void> {
  const { message, at, yes = false } = options
  if (options.dryRun) return planRollout(tool, order)
  const plan = await askPlan(tool, order)
  const asked = order.emergency ? NO_TIME : await askNodes(tool, order, plan)
  if (!tool.json) {
    const lines = [...planLines(plan), ...askedLines(asked), consequenceOf(plan)]
    tool.terminal.note(lines.join('\n'))
  }
  requireAccepted(plan, order)
  await agree(tool, yes, questionOf(plan))
  // What nobody looked at binds nobody.
  const planDigest = options.plan ?? (yes ? undefined : plan.planDigest)
  const body = {
    ...order,
    ...(message !== undefined && { message }),
    ...(at !== undefined && { startAt: at }),
    ...(planDigest !== undefined && { planDigest }),
  }
  const started = (await bodyOf(tool.api().POST('/api/v1/rollouts', { body }))) as Rollout
  if (options.wait) await watchRollout(tool, started.id, asked)
  else tool.show({ ...started, ...asked }, () => [startedLine(started)])
}

function questionOf({ config, version, policyRefusals: { nodes } }: RolloutPlan): string {
  const all = `Roll ${config}@${version} out`
  return nodes > 0 ? `${refusalText(nodes)}. ${all} all the same?` : `${all}?`
}

const startedLine = ({ id, startedAt, reason }: Rollout) =>
  `${id} ${startedAt === null ? `waits: ${reason}` : 'has begun.'} Watch it: farmctl rollout watch`

function requireAccepted(plan: RolloutPlan, { selector = '', allowEmpty }: NewRollout): void {
  const { matchesNone, textErrors } = plan
  if (matchesNone && !allowEmpty) {
    const which = selector === '' ? 'is given this config' : `matches "${selector}"`
    throw new Failure(
      `No node ${which}: nothing was started. With --allow-empty it ends at once as cancelled, and releases nothing.`,
    )
  }
  if (textErrors.nodes === 0) return
  const lines = [...findingLines(plan, textErrors.findings), 'Nothing was started.']
  throw new Failure(lines.join('\n'), EXIT.rejected)
}
