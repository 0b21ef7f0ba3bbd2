// SPDX-License-Identifier: MIT
// Before and after: the same requests to two servers, their answers held against each other, then the same load.
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Act, Tool } from '../command.ts'
import { Difference, Failure } from '../failures.ts'
import { ask } from '../load/ask.ts'
import { type AnswerDifference, type Asked, differencesOf } from '../load/compare.ts'
import { type Counted, runHeart } from '../load/heart.ts'
import { durationText, percentText, quantile } from '../load/objectives.ts'
import { collect, wholeNumber } from '../load/option-values.ts'
import { type LoadPlan, type LoadUrl, planText } from '../load/plan.ts'
import { doubtsOf } from '../load/report.ts'
import { atPath, pathOf, readUrl, Targets } from '../load/targets.ts'
import { readUrlList } from '../load/url-list.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type Options = {
  urls: string
  clients: number
  seconds: number
  rounds: number
  load: boolean
  yesIMayLoad: string[]
  caFile?: string
  insecure?: boolean
  exitCode?: boolean
}
type Side = 'old' | 'new'
const SIDES: readonly Side[] = ['old', 'new']
const SHOWN = 100
/** Paths: who has answered none of them is not there. */
const UNANSWERED_AT_FIRST = 3

type Run = { side: Side; counted: Counted; doubts: string[] }
type Comparison = { paths: number; differences: AnswerDifference[]; runs: Run[] }

export function registerCompareServers(parent: Command, act: Act): void {
  const command = parent
    .command('compare-servers')
    .summary('ask two servers the same, and hold answers and times against each other')
    .description(
      'Asks both servers for each path of a list and tells where status, location, type, caching, coding or bytes differ. Then both get the same load in turn. Of the URLs of the list only paths count.',
    )
    .argument('<old>', 'the server as it is, as http://localhost:8080')
    .argument('<new>', 'the one that may take its place')
    .requiredOption('--urls <file>', 'a list as for farmctl load')
    .option('-c, --clients <n>', 'clients at once in the load', wholeNumber, 10)
    .option('-d, --seconds <n>', 'of each run', wholeNumber, 5)
    .option('--rounds <n>', 'runs of each server, in turn', wholeNumber, 3)
    .option('--no-load', 'compare answers only')
    .option('--yes-i-may-load <name>', 'this host is not mine alone, and I may', collect, [])
    .option('--ca-file <file>', 'PEM of the CA to believe instead of the system’s')
    .option('--insecure', 'believe any certificate')
    .option('--exit-code', 'exit with 1 if answers differ')
  examples(command, [
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt',
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt --no-load --exit-code',
  ])
  act<Options>(command, async (tool, options, old = '', now = '') => {
    const bases = { old: readUrl(old), new: readUrl(now) }
    const comparison = await compare(tool, options, bases)
    tool.show(comparison, () => linesOf(comparison))
    const { differences } = comparison
    if (options.exitCode && differences.length > 0) {
      throw new Difference(`${differences.length} differences between the answers.`)
    }
  })
}

async function compare(
  tool: Tool,
  options: Options,
  bases: Record<Side, URL>,
): Promise<Comparison> {
  const listed = readUrlList(readFileSync(options.urls, 'utf8'), options.urls)
  const plans = new Map<Side, LoadPlan>()
  // Both are looked at before either is asked.
  for (const side of SIDES) plans.set(side, await planOf(options, bases[side], listed))
  const ca = options.caFile === undefined ? undefined : readFileSync(options.caFile, 'utf8')
  const insecure = options.insecure ?? false
  const paths = [...new Set(listed.map(({ url }) => pathOf(url)))]
  const differences: AnswerDifference[] = []
  const asked = { old: 0, new: 0 }
  const answered = { old: 0, new: 0 }
  const at = async (side: Side, path: string): Promise<Asked> => {
    const address = plans.get(side)?.targets[0]?.address ?? ''
    const url = atPath(bases[side], path)
    asked[side]++
    try {
      const answer = await ask(url, { address, stop: tool.stop, headers: {}, ca, insecure })
      answered[side]++
      return { url, answer }
    } catch (error) {
      const isOver = asked[side] >= Math.min(UNANSWERED_AT_FIRST, paths.length)
      if (!(error instanceof Failure) || (answered[side] === 0 && isOver)) throw error
      return { url, unanswered: `none: ${error.message.replace(`${url.href}: `, '')}` }
    }
  }
  for (const path of paths) {
    differences.push(...differencesOf(path, await at('old', path), await at('new', path)))
  }
  const runs: Run[] = []
  for (let round = 1; options.load && round <= options.rounds; round++) {
    for (const [side, plan] of plans) {
      if (tool.stop.aborted) break
      tool.terminal.note(`Load ${round} of ${options.rounds}: the ${side} server …`)
      const counted = await runHeart(tool.process, planText(plan, []), tool.stop)
      runs.push({ side, counted, doubts: doubtsOf(counted) })
    }
  }
  return { paths: paths.length, differences, runs }
}

async function planOf(
  { clients, seconds, yesIMayLoad, insecure = false, caFile }: Options,
  base: URL,
  listed: ReturnType<typeof readUrlList>,
): Promise<LoadPlan> {
  const targets = new Targets(yesIMayLoad)
  const urls: LoadUrl[] = []
  for (const { url, more } of listed) {
    urls.push(await targets.urlOf(atPath(base, pathOf(url)), more))
  }
  const bounds = { requests: 0, timeoutMs: 10_000, seed: 1, samples: 0, memoryMb: 1024 }
  const usual = { keepAlive: true, streams: 0, slowClients: 0, slowBytesPerSecond: 1000 }
  const tls = { insecure, ...(caFile ? { caFile } : {}) }
  const load = { mode: 'closed' as const, clients, seconds, abortingClients: 0 }
  return { ...load, ...bounds, ...usual, ...tls, targets: targets.list, urls }
}

function runRow({ side, counted }: Run): string[] {
  const { requests, elapsedSeconds, good, socketFaults, stages } = counted
  const time = (seconds: number | null) => (seconds === null ? '-' : durationText(seconds))
  return [
    side,
    Math.round(requests / elapsedSeconds).toLocaleString('en'),
    time(quantile(stages.latency, 'p50')),
    time(quantile(stages.latency, 'p99')),
    time(stages.latency.maxNs / 1e9),
    percentText(requests - socketFaults, requests),
    percentText(good, requests),
  ]
}

function linesOf({ paths, differences, runs }: Comparison): string[] {
  const rows = differences
    .slice(0, SHOWN)
    .map(({ path, aspect, old, new: now }) => [path, aspect, old, now])
  const more = differences.length - rows.length
  const doubts = [...new Set(runs.flatMap((run) => run.doubts))]
  const titles = ['Server', 'requests/s', 'p50', 'p99', 'max', 'available', 'good']
  return [
    `${paths} paths asked of both: ${differences.length === 0 ? 'the answers are the same' : `${differences.length} differences`}`,
    ...(rows.length > 0 ? ['', ...tableLines(['Path', 'What', 'Old', 'New'], rows)] : []),
    ...(more > 0 ? [`and ${more} more: --json has all of them`] : []),
    ...(runs.length > 0 ? ['', ...tableLines(titles, runs.map(runRow))] : []),
    ...(doubts.length > 0 ? ['', 'Not to be believed as it is', ...doubts] : []),
  ]
}
