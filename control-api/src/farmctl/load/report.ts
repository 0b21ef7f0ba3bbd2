// SPDX-License-Identifier: MIT
// What a run says, before it is made into text, JSON or a page.
import type { Counted, Stage } from './heart.ts'
import {
  durationText,
  type Objective,
  percentText,
  QUANTILE_NAMES,
  quantile,
} from './objectives.ts'
import type { LoadPlan } from './plan.ts'

export type LoadReport = {
  /** When it began, by this machine's clock. */
  startedAt: string
  plan: Omit<LoadPlan, 'fields'>
  counted: Counted
  objectives: Objective[]
  /** Why it may not be believed. */
  doubts: string[]
}

/** One core is all it uses; from here on it may be what was slow. */
const BUSY = 0.9
const LATE_SHARE = 0.1
const LATE_SECONDS = 0.001
const REFUSING_SHARE = 0.01

/** Of the server itself: it has not done what was asked. */
const isRefusal = (status: number) => status === 429 || status >= 500

export function doubtsOf(counted: Counted): string[] {
  const { elapsedSeconds, processorSeconds, requests, statuses, stages, faults } = counted
  const busy = processorSeconds / elapsedSeconds
  const lag = quantile(stages.lag, 'p99') ?? 0
  const latency = quantile(stages.latency, 'p99') ?? 0
  const refused = Object.entries(statuses)
    .filter(([status]) => isRefusal(Number(status)))
    .reduce((sum, [, times]) => sum + times, 0)
  return [
    ...(busy > BUSY
      ? [
          `farmload itself took ${Math.round(100 * busy)} % of a processor, which is all it uses: it, and not the server, may be what these figures show.`,
        ]
      : []),
    ...(lag > LATE_SECONDS && lag > LATE_SHARE * latency
      ? [
          `farmload itself was late: one request in a hundred was sent ${durationText(lag)} or more after it could have been. That time is in the latencies. Is this machine busy?`,
        ]
      : []),
    ...(refused > REFUSING_SHARE * requests
      ? [
          `${percentText(refused, requests)} of the answers are 429 or 5xx. They are in the latencies, and a refusal is often quicker than an answer.`,
        ]
      : []),
    ...((faults.connect ?? 0) > 0
      ? [
          'Connections failed without being refused: maybe on this side, which may have run out of ports (without keep-alive 28,000 a minute to one address) or has no way there.',
        ]
      : []),
  ]
}

export const STAGE_WORDS: Record<Stage, string> = {
  latency: 'Latency, from when it was due',
  wait: 'Waited for a free client',
  connect: 'Connecting',
  handshake: 'TLS handshake',
  firstByte: 'First byte',
  body: 'Rest of the answer',
  service: 'From when it was sent',
  lag: 'farmload’s own lateness',
}

export const FAULT_WORDS: Record<string, string> = {
  timeout: 'timed out',
  neverSent: 'timed out before a client was free',
  refused: 'connection refused',
  connect: 'connection failed',
  handshake: 'TLS failed',
  endedEarly: 'ended before the whole answer',
  reset: 'connection reset',
  badAnswer: 'no answer of HTTP/1.1',
  status: 'status of 400 or more',
  wrongBytes: 'wrong length',
  wrongDigest: 'wrong content',
}

export function howText(plan: LoadReport['plan']): string {
  const { mode, clients, ratePerSecond, keepAlive, timeoutMs, targets, streams } = plan
  const whom = targets
    .map(({ name, port, tls }) => `http${tls ? 's' : ''}://${name}:${port}`)
    .join(', ')
  const how = {
    closed: `${clients} clients, each asking again at once (closed loop)`,
    open: `${ratePerSecond} requests a second from at most ${clients} clients (open loop)`,
    replay: `a log, from at most ${clients} clients`,
  }[mode]
  const connections = streams
    ? `HTTP/2, ${streams} streams a connection`
    : keepAlive
      ? 'connections kept'
      : 'a connection for each request'
  return `${whom}: ${how}, ${connections}, time-out ${durationText(timeoutMs / 1000)}`
}

const count = (number: number) => number.toLocaleString('en')

export function bytesText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 10 ** (3 * power)).toPrecision(3))} ${'kMGT'[power - 1]}B`
}

/** Title and value, as they stand in the text and on the page. */
export function summaryRows({ counted }: LoadReport): [title: string, value: string][] {
  const { requests, good, socketFaults, elapsedSeconds, bodyBytes, connections } = counted
  const { stages, mostUnderWay, sentAgain, processorSeconds } = counted
  const perSecond = (number: number) => number / Math.max(elapsedSeconds, 1e-9)
  return [
    ['Requests', `${count(requests)}, ${count(Math.round(perSecond(requests)))} a second`],
    ['Good', `${percentText(good, requests)} (${count(good)})`],
    ['Availability', `${percentText(requests - socketFaults, requests)}, as siege counts it`],
    ['Received', `${bytesText(bodyBytes)}, ${bytesText(Math.round(perSecond(bodyBytes)))}/s`],
    [
      'Concurrency',
      `${(stages.latency.sumNs / 1e9 / elapsedSeconds).toFixed(2)}, at most ${mostUnderWay}`,
    ],
    [
      'Connections',
      `${count(connections)}${sentAgain ? `; ${count(sentAgain)} requests sent again, as a kept one had ended` : ''}`,
    ],
    [
      'Took',
      `${durationText(elapsedSeconds)}, and ${durationText(processorSeconds)} of a processor for farmload`,
    ],
  ]
}

export function stageRows({ counted }: LoadReport): string[][] {
  return (Object.keys(STAGE_WORDS) as Stage[])
    .map((stage) => ({ stage, times: counted.stages[stage] }))
    .filter(({ times }) => times.count > 0)
    .map(({ stage, times }) => [
      STAGE_WORDS[stage],
      ...QUANTILE_NAMES.map((name) => durationText(quantile(times, name) ?? 0)),
      durationText(times.maxNs / 1e9),
      count(times.count),
    ])
}
export const STAGE_TITLES = ['Stage', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max', 'requests']

export function faultRows({ counted }: LoadReport): [title: string, value: string][] {
  const { faults, badAnswer, handshakeFault } = counted
  const why: Record<string, string | undefined> = { badAnswer, handshake: handshakeFault }
  return Object.entries(faults)
    .filter(([, times]) => times > 0)
    .map(([name, times]) => {
      const first = why[name]
      return [FAULT_WORDS[name] ?? name, count(times) + (first ? ` (the first: ${first})` : '')]
    })
}

export const statusRows = ({ counted }: LoadReport): [title: string, value: string][] =>
  Object.entries(counted.statuses).map(([status, times]) => [status, count(times)])

export const misbehavedRows = ({ counted, plan }: LoadReport): [title: string, value: string][] =>
  (
    [
      ['Slow clients', plan.slowClients, counted.slow],
      ['Aborting clients', plan.abortingClients, counted.aborting],
    ] as const
  )
    .filter(([, clients]) => clients > 0)
    .map(([title, clients, { requests, bytes, failed }]) => [
      title,
      `${clients}: ${count(requests)} requests, ${bytesText(bytes)}, ${count(failed)} failed`,
    ])
