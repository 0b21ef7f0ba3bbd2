// SPDX-License-Identifier: MIT
// The same requests to two servers, then the same load on each in turn.
import { readFileSync } from 'node:fs'
import type { Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { ask } from './ask.ts'
import { type AnswerDifference, type Asked, codingDifferences, differencesOf } from './compare.ts'
import { type Counted, runHeart } from './heart.ts'
import { durationText, percentText, quantile } from './objectives.ts'
import { type LoadPlan, type LoadUrl, planText } from './plan.ts'
import { doubtsOf } from './report.ts'
import { atPath, pathOf, Targets } from './targets.ts'
import { MOST_TOLD, type ToldPair, toldPair } from './told-answers.ts'
import { readUrlList } from './url-list.ts'

export type CompareWishes = {
  urls: string
  clients: number
  seconds: number
  rounds: number
  load: boolean
  yesIMayLoad: string[]
  /** In Host and TLS of every request, in place of the servers' own names. */
  host?: string
  caFile?: string
  insecure?: boolean
}
export type Side = 'old' | 'new'
const SIDES: readonly Side[] = ['old', 'new']
/** Paths: who has answered none of them is not there. */
const UNANSWERED_AT_FIRST = 3
const GZIP = { 'accept-encoding': 'gzip' }

type Run = { side: Side; counted: Counted; doubts: string[] }
/** What a program that reads the JSON of it goes by; another number when members change or go. */
const FORMAT = { kind: 'farmstead.comparison', version: 1 } as const
export type Comparison = typeof FORMAT & {
  startedAt: string
  servers: Record<Side, string>
  host: string | null
  paths: number
  differences: AnswerDifference[]
  /** Of the first requests that differ. */
  answers: ToldPair[]
  runs: Run[]
}
type Bases = Record<Side, URL>

export async function compareServers(
  tool: Tool,
  wishes: CompareWishes,
  bases: Bases,
): Promise<Comparison> {
  const startedAt = new Date().toISOString()
  const host = wishes.host === undefined ? null : hostOf(wishes.host)
  const listed = readUrlList(readFileSync(wishes.urls, 'utf8'), wishes.urls)
  const plans = new Map<Side, LoadPlan>()
  // Both are looked at before either is asked.
  for (const side of SIDES) plans.set(side, await planOf(wishes, bases[side], { listed, host }))
  const paths = [...new Set(listed.map(({ url }) => pathOf(url)))]
  const { differences, answers } = await askAll(tool, wishes, { bases, plans, paths, host })
  const runs: Run[] = []
  for (let round = 1; wishes.load && round <= wishes.rounds; round++) {
    for (const [side, plan] of plans) {
      if (tool.stop.aborted) break
      tool.terminal.note(`Load ${round} of ${wishes.rounds}: the ${side} server …`)
      const counted = await runHeart(tool.process, planText(plan, []), tool.stop)
      runs.push({ side, counted, doubts: doubtsOf(counted) })
    }
  }
  const servers = { old: bases.old.origin, new: bases.new.origin }
  const asked = { startedAt, servers, host, paths: paths.length }
  return { ...FORMAT, ...asked, differences, answers, runs }
}

type Questions = {
  bases: Bases
  plans: ReadonlyMap<Side, LoadPlan>
  paths: readonly string[]
  host: string | null
}

async function askAll(
  tool: Tool,
  { caFile, insecure = false }: CompareWishes,
  { bases, plans, paths, host }: Questions,
): Promise<Pick<Comparison, 'differences' | 'answers'>> {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  const asked = { old: 0, new: 0 }
  const answered = { old: 0, new: 0 }
  const at = async (
    side: Side,
    path: string,
    more: Record<string, string> = {},
  ): Promise<Asked> => {
    const address = plans.get(side)?.targets[0]?.address ?? ''
    const url = atPath(bases[side], path)
    // As the server takes it, so that a redirect to its own name is one to itself.
    const named = host === null ? url : atPath(new URL(`${url.protocol}//${host}`), path)
    asked[side]++
    try {
      const headers = host === null ? more : { ...more, host }
      const options = { address, stop: tool.stop, headers, ca, insecure }
      const answer = await ask(url, { ...options, servername: host && named.hostname })
      answered[side]++
      return { url: named, answer }
    } catch (error) {
      const isOver = asked[side] >= Math.min(UNANSWERED_AT_FIRST, paths.length)
      if (!(error instanceof Failure) || (answered[side] === 0 && isOver)) throw error
      return { url: named, unanswered: `none: ${error.message.replace(`${url.href}: `, '')}` }
    }
  }
  const differences: AnswerDifference[] = []
  const answers: ToldPair[] = []
  const hold = async (path: string, gzip: boolean) => {
    const more = gzip ? GZIP : {}
    const [old, now] = [await at('old', path, more), await at('new', path, more)]
    const found = (gzip ? codingDifferences : differencesOf)(path, old, now)
    differences.push(...found)
    if (found.length > 0 && answers.length < MOST_TOLD) answers.push(toldPair(path, gzip, old, now))
  }
  for (const path of paths) {
    await hold(path, false)
    await hold(path, true)
  }
  return { differences, answers }
}

/** As it stands in Host: a name or an address, with a port or without. */
function hostOf(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null
  if (!url || url.host !== text.toLowerCase() || url.pathname !== '/') {
    throw new Failure(
      `--host "${text}" is no host: say it as www.example.org or www.example.org:8080.`,
    )
  }
  return url.host
}

type Listed = { listed: ReturnType<typeof readUrlList>; host: string | null }

async function planOf(
  { clients, seconds, yesIMayLoad, insecure = false, caFile }: CompareWishes,
  base: URL,
  { listed, host }: Listed,
): Promise<LoadPlan> {
  const targets = new Targets(yesIMayLoad)
  const urls: LoadUrl[] = []
  for (const { url, more } of listed) {
    const one = await targets.urlOf(atPath(base, pathOf(url)), more)
    urls.push(host === null ? one : { ...one, host })
  }
  const bounds = { requests: 0, timeoutMs: 10_000, seed: 1, samples: 0, memoryMb: 1024 }
  const usual = { keepAlive: true, streams: 0, slowClients: 0, slowBytesPerSecond: 1000 }
  const tls = { insecure, ...(caFile ? { caFile } : {}) }
  const load = { mode: 'closed' as const, clients, seconds, abortingClients: 0 }
  const name = host === null ? {} : { name: new URL(`http://${host}`).hostname }
  const named = targets.list.map((target) => ({ ...target, ...name }))
  return { ...load, ...bounds, ...usual, ...tls, targets: named, urls }
}

export const RUN_TITLES = ['Server', 'requests/s', 'p50', 'p99', 'max', 'available', 'good']
export function runRow({ side, counted }: Run): string[] {
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

export const verdictOf = ({ paths, differences }: Comparison): string =>
  `${paths} paths asked of both: ${differences.length === 0 ? 'the answers are the same' : `${differences.length} differences`}`

export const doubtsOfAll = ({ runs }: Comparison): string[] => [
  ...new Set(runs.flatMap((run) => run.doubts)),
]
