// SPDX-License-Identifier: MIT
// How a rollout goes, as it is typed: flags, over a file. What is not said the control plane decides.
import type { Gate, OnFailure, Probe, Strategy, WaveSize } from '../api-types.ts'
import { type JsonObject, readDocument } from '../documents.ts'
import { Failure } from '../failures.ts'

export type StrategyFlags = {
  careful?: boolean
  atOnce?: boolean
  waves?: string
  soak?: string
  maxParallel?: string
  gate?: string[]
  minSamples?: string
  onNoData?: NonNullable<Strategy['onNoData']>
  probe?: string[]
  filesFirst?: boolean
  onFailure?: OnFailure
}

/** What a gate does when it fails and nothing is said: what visitors see goes back, slowness waits. */
const ON_FAIL: Record<Gate['metric'], OnFailure> = {
  errors5xx: 'revert',
  errors4xx: 'revert',
  errors404: 'revert',
  bytesPerRequest: 'revert',
  bytesPerPage: 'revert',
  releaseFiles: 'revert',
  mediaTypes: 'pause',
  cacheHits: 'pause',
  firstByteP50: 'pause',
  firstByteP99: 'pause',
  totalP50: 'pause',
  totalP99: 'pause',
  readWaitP99: 'pause',
  handshakeFailures: 'revert',
  handshakeP99: 'pause',
}
const isMetric = (word: string): word is Gate['metric'] => Object.hasOwn(ON_FAIL, word)

/** undefined: as the control plane has it, which is careful. */
export function strategyOf(flags: StrategyFlags, fromFile?: Strategy): Strategy | undefined {
  const { careful, atOnce, waves, soak, maxParallel, gate, minSamples, onNoData } = flags
  const { probe, filesFirst, onFailure } = flags
  const said: Strategy = {
    ...(waves !== undefined && { waves: readWaves(waves) }),
    ...(soak !== undefined && { soakSeconds: readSeconds('--soak', soak) }),
    ...(maxParallel !== undefined && { maxParallel: readCount('--max-parallel', maxParallel) }),
    ...(gate !== undefined && { gates: readGates(gate) }),
    ...(minSamples !== undefined && { minSamples: readCount('--min-samples', minSamples) }),
    ...(onNoData !== undefined && { onNoData }),
    ...(probe !== undefined && { probes: probe.map(readProbe) }),
    ...(filesFirst === false && { filesFirst }),
    ...(onFailure !== undefined && { onFailure }),
  }
  if (atOnce && (careful || Object.keys(said).length > 0)) {
    throw new Failure('--at-once leaves nothing else to say: leave the other flags out, or it.')
  }
  if (atOnce) return { ...fromFile, atOnce }
  const isSaid = careful || fromFile !== undefined || Object.keys(said).length > 0
  return isSaid ? { ...fromFile, ...said } : undefined
}

/** The API says what is wrong with members; here it only has to be an object. */
export function readStrategy(file: string, text: string): Strategy {
  const document: JsonObject = readDocument(file, text, null)
  return document
}

/** "1,25%,100%load": nodes, percent of nodes, percent of throughput; "each": one of each kind. */
export const readWaves = (text: string): WaveSize[] => text.split(',').map(readWave)

function readWave(text: string): WaveSize {
  const [, each, of, number, unit] = /^(?:(each)(?::(\d+))?|([\d.]+)(%load|%)?)$/.exec(text) ?? []
  if (each !== undefined) return { eachKind: Number(of ?? 1) }
  const value = Number(number)
  if (number === undefined || Number.isNaN(value)) {
    throw new Failure(
      `--waves: "${text}" is no wave. As in 1 (nodes), 25% (of the nodes), 25%load (of the throughput), each (one of each kind).`,
    )
  }
  if (unit === undefined) return { nodes: value }
  return unit === '%' ? { percent: value } : { throughputPercent: value }
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 }

export function readSeconds(flag: string, text: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? []
  if (number === undefined) throw new Failure(`${flag}: "${text}" is no time. As in 90s, 2m, 1h.`)
  return Number(number) * (SECONDS[unit] ?? 1)
}

function readCount(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Failure(`${flag}: "${text}" is no number from 1 on.`)
}

const NO_GATES = 'none'

const readGates = (texts: readonly string[]): Gate[] =>
  texts.filter((text) => text !== NO_GATES).map(readGate)

/** "errors5xx<=0.01:revert", "firstByteP99<=1.5", "errors404<=1%", "errors404@www.example.org/docs/<=2%". */
export function readGate(text: string): Gate {
  const match =
    /^(\w+)(?:@([A-Za-z0-9.-]*)(\/[!-"$-;=>@-~]*))?<=(\d+(?:\.\d+)?)(%)?(?::(revert|freeze|pause))?$/.exec(
      text,
    )
  const [, metric = '', host = '', path, max, percent, onFail] = match ?? []
  if (!match || !isMetric(metric)) {
    throw new Failure(
      `--gate: "${text}" is no gate. As in "errors5xx<=0.01:revert" or "firstByteP99<=1.5:pause" or, below a path, "errors404@www.example.org/docs/<=2%"; of ${Object.keys(ON_FAIL).join(', ')}; or "none".`,
    )
  }
  return {
    metric,
    ...(host !== '' && { host }),
    ...(path !== undefined && { path }),
    max: percent ? Number(max) / 100 : Number(max),
    onFail: (onFail as OnFailure | undefined) ?? ON_FAIL[metric],
  }
}

/** "www.example.org/img/logo.png", or "/" of the node's own address. */
export function readProbe(text: string): Probe {
  const [, host, path] = /^([A-Za-z0-9.-]{1,253})?(\/[!-"$-~]*)$/.exec(text) ?? []
  if (path === undefined) {
    throw new Failure(
      `--probe: "${text}" is no probe. As in www.example.org/index.html, or / of the node's own address; no scheme, no port, percent-encoded.`,
    )
  }
  return { ...(host !== undefined && { host }), path }
}
