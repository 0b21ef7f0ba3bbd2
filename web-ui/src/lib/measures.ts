// SPDX-License-Identifier: MIT
// What a node counts and what it has at present, by the names that the API has, and how a value of each is written. `by` is
// quantile:STAGE:Q, rate:COUNTER, share:COUNTER (of all requests) or gauge:NAME. Alert rules, rankings and the page of a node
// have their words from here.
import { formatByteRate, formatBytes, formatRate, formatRatio, formatSeconds } from './format.ts'
import { stages } from './stages.ts'

export const counters = {
  requests: 'Requests',
  responses2xx: '2xx answers',
  responses3xx: '3xx answers',
  responses4xx: '4xx answers',
  responses5xx: '5xx answers',
  responses304: '304 answers',
  responses404: '404 answers',
  bytesSent: 'Bytes sent',
  aborted: 'Answers broken off',
  retransmittedBytes: 'Bytes sent again',
  retransmittedSegments: 'Segments sent again',
  connections: 'Connections accepted',
  refused: 'Connections refused',
  badRequests: 'Malformed requests',
  timeouts: 'Time-outs',
  cacheHits: 'Stat cache hits',
  cacheMisses: 'Stat cache misses',
  cacheEvictions: 'Stat cache evictions',
  oldReleaseRequests: 'Requests for files of other versions',
  readJobs: 'Reads from disk',
  laneRejected: 'Jobs refused by a full queue',
  rateLimited: 'Requests over the rate limit',
  logDropped: 'Access log lines dropped',
  tlsHandshakes: 'TLS handshakes',
  tlsFullHandshakes: 'Full TLS handshakes',
  tlsHandshakeFailures: 'Failed TLS handshakes',
  http2Requests: 'Requests over HTTP/2',
  earlyHints: 'Early hints sent',
  copiesSent: 'Compressed copies sent',
  copiesMade: 'Compressed copies made',
  copiesFailed: 'Compressed copies that failed',
  deltasSent: 'Changes to known files sent',
  deltasMade: 'Changes to known files compressed',
  dictionariesUnknown: 'Unknown dictionaries',
  probeRequests: 'Probes answered',
}

export const gauges = {
  diskUsedRatio: 'Disk used',
  openConnections: 'Open connections',
  connectionsLimit: 'Open connections allowed',
  statQueue: 'Look-ups waiting',
  readQueue: 'Reads waiting',
  statThreads: 'Stat threads',
  readThreads: 'Read threads',
  readBusy: 'Read threads at work',
  cacheEntries: 'Cached look-ups',
  cacheEntriesLimit: 'Cached look-ups allowed',
  cacheBytes: 'File bytes in memory',
  cacheLimitBytes: 'File bytes in memory allowed',
  openFiles: 'Files held open',
  openFilesLimit: 'Files held open allowed',
  openDescriptors: 'Descriptors open',
  descriptorsLimit: 'Descriptors allowed',
  folderWatches: 'Watched folders',
  loopsUnwatched: 'Loops that can’t watch folders',
  copies: 'Compressed copies',
  copyBytes: 'Bytes of compressed copies',
  copyQueue: 'Files waiting to be compressed',
  workers: 'Event loops',
  listenersDeferring: 'Sockets that defer accepting',
  filesUnusable: 'Key files the node can’t use',
  scrubbedContents: 'Release contents compared',
  scrubbedBytes: 'Bytes of release contents compared',
  badContents: 'Release contents with wrong bytes',
  mendedContents: 'Release contents mended',
  neighbourTakenBytes: 'Bytes of releases taken from neighbours',
  neighbourGivenBytes: 'Bytes of releases given to neighbours',
  neighbourRefusals: 'Neighbours refused',
  neighbourWrongBytes: 'Wrong bytes from neighbours',
  loadAverage1m: 'Load average of a minute',
  processors: 'Processors',
  memoryTotalBytes: 'Memory of the machine',
  memoryAvailableBytes: 'Memory available',
  memoryLimitBytes: 'Memory allowed',
  residentBytes: 'Memory used by the node',
}

/** How a threshold is written, and how a value of it is read. */
export type Unit = { word: string; factor: number; format: (value: number | null) => string }

const plain = (word: string): Unit => ({ word, factor: 1, format: formatRate })
const percent: Unit = { word: '%', factor: 0.01, format: formatRatio }
const milliseconds: Unit = { word: 'ms', factor: 0.001, format: formatSeconds }
const mebibytes: Unit = { word: 'MiB', factor: 2 ** 20, format: formatBytes }
/** Decimal, as networks are. */
const megabytesPerSecond: Unit = { word: 'MB/s', factor: 1e6, format: formatByteRate }

export function unitOf(by: string): Unit {
  const [kind, name = ''] = by.split(':')
  if (kind === 'quantile') return milliseconds
  if (kind === 'share' || name.endsWith('Ratio')) return percent
  const isOfBytes = /bytes/i.test(name)
  if (kind === 'rate') return isOfBytes ? megabytesPerSecond : plain('a second')
  return isOfBytes ? mebibytes : plain('')
}

const labelIn = (labels: Record<string, string>, name: string) => labels[name] ?? name
const labelOfStage = (name: string) =>
  Object.hasOwn(stages, name) ? stages[name as keyof typeof stages].label : name
/** Abbreviations stay as they are. */
const lower = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

const percentile = (q: string) => `p${Number((100 * Number(q)).toPrecision(6))}`

/** As a title: "p99: first byte". */
export function measureLabel(by: string): string {
  const [kind, name = '', q = ''] = by.split(':')
  switch (kind) {
    case 'quantile':
      return `${percentile(q)}: ${lower(labelOfStage(name))}`
    case 'share':
      return `Share of ${lower(labelIn(counters, name))}`
    case 'rate':
      return `${labelIn(counters, name)} per second`
    default:
      return labelIn(gauges, name)
  }
}

/** As a part of a sentence: "p99 of first byte". */
export function measureWords(by: string): string {
  const [kind, name = '', q = ''] = by.split(':')
  switch (kind) {
    case 'quantile':
      return `${percentile(q)} ${name === 'total' ? 'latency' : `of ${lower(labelOfStage(name))}`}`
    case 'share':
      return `share of ${lower(labelIn(counters, name))}`
    case 'rate':
      return `rate of ${lower(labelIn(counters, name))}`
    default:
      return lower(labelIn(gauges, name))
  }
}
