// SPDX-License-Identifier: MIT
// Sends what is measured to a collector, by OTLP over HTTP. What it does not take now waits and is tried again, ever less often; of
// what waits, and of what it refuses, the oldest goes when there is too much, and is counted. Counters only grow: the next
// one that comes through has all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { OtlpConfig } from '../../environment/otlp.ts'
import { byLabel, counter, type Family, gauge } from './exposition.ts'

type Deps = {
  config: OtlpConfig
  /** What is to be sent, as it is now. */
  gather: () => Promise<object>
  onError: (error: unknown) => void
  firstWaitMs?: number
}
type Outcome = 'sent' | 'refused' | 'dropped'
type Verdict = { kind: Outcome | 'again'; waitMs: number | null; why: string }

const MOST_WAITING = 20
const TIMEOUT_MS = 10_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** As OTLP has it; everything else is for good. */
const TRY_AGAIN = new Set([429, 502, 503, 504])
const pack = promisify(gzip)

export function startOtlpExport({ config, gather, onError, firstWaitMs = FIRST_WAIT_MS }: Deps) {
  const waiting: Buffer[] = []
  const outcomes: Record<Outcome, number> = { sent: 0, refused: 0, dropped: 0 }
  let retries = 0
  const stopping = new AbortController()
  let sending: Promise<void> | null = null

  async function look(): Promise<void> {
    try {
      waiting.push(await pack(JSON.stringify(await gather())))
      if (waiting.length > MOST_WAITING) {
        waiting.shift()
        outcomes.dropped++
      }
    } catch (error) {
      outcomes.dropped++
      onError(error)
    }
    begin()
  }

  function begin(): void {
    sending ??= sendAll().finally(() => {
      sending = null
      // What came when it had just looked for the last time.
      if (waiting.length > 0 && !stopping.signal.aborted) begin()
    })
  }

  async function sendAll(): Promise<void> {
    let waitMs = firstWaitMs
    for (let body = waiting[0]; body && !stopping.signal.aborted; body = waiting[0]) {
      const verdict = await send(body)
      if (verdict.kind === 'again') {
        retries++
        const longest = Math.min(verdict.waitMs ?? waitMs, LONGEST_WAIT_MS)
        await sleep(longest * (0.75 + Math.random() / 2), null, stopping).catch(() => {})
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
        continue
      }
      // It may have been dropped meanwhile, for newer ones.
      if (waiting[0] === body) waiting.shift()
      outcomes[verdict.kind]++
      if (verdict.kind === 'refused') onError(new Error(verdict.why))
      waitMs = firstWaitMs
    }
  }

  async function send(body: Buffer): Promise<Verdict> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const own = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    try {
      const answer = await fetch(config.url, {
        ...{ method: 'POST', headers: { ...config.headers, ...own }, body: new Uint8Array(body) },
        ...{ redirect: 'manual' as const, signal },
      })
      return await verdictOf(answer)
    } catch (error) {
      return { kind: 'again', waitMs: null, why: String(error) }
    }
  }

  const timer = setInterval(look, config.everySeconds * 1000)
  timer.unref()
  return {
    look,
    families: (): Family[] => [
      byLabel(
        {
          name: 'farmstead_otlp_exports_total',
          type: 'counter',
          help: 'Of what was to be sent: refused by the collector for good; dropped: too much waited.',
        },
        'outcome',
        Object.entries(outcomes),
      ),
      counter('farmstead_otlp_retries_total', 'Attempts that are made again.', retries),
      gauge('farmstead_otlp_exports_waiting', 'What is not sent yet.', waiting.length),
    ],
    async stop(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await sending
    },
  }
}

async function verdictOf(answer: Response): Promise<Verdict> {
  const { status, headers } = answer
  const text = await answer.text()
  if (answer.ok) {
    const rejected = rejectedIn(text)
    if (rejected === 0) return { kind: 'sent', waitMs: null, why: '' }
    return { kind: 'refused', waitMs: null, why: `the collector left out ${rejected} data points` }
  }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const waitMs = seconds >= 0 ? seconds * 1000 : null
  const why = `the collector answered ${status}`
  return { kind: TRY_AGAIN.has(status) ? 'again' : 'refused', waitMs, why }
}

/** Of an ExportMetricsServiceResponse. */
function rejectedIn(text: string): number {
  try {
    return Number(JSON.parse(text)?.partialSuccess?.rejectedDataPoints ?? 0)
  } catch {
    return 0
  }
}
