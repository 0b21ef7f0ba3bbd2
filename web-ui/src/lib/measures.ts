// SPDX-License-Identifier: MIT
// What a node counts and what it has at present, by the names that the API has, and how a value of each is written. `by` is
// quantile:STAGE:Q, rate:COUNTER, share:COUNTER (of all requests) or gauge:NAME. Alert rules, rankings and the page of a node
// have their words from here.
import { inSentence, t } from '../languages/t.ts'
import {
  type Format,
  formatByteRate,
  formatBytes,
  formatRate,
  formatRatio,
  formatSeconds,
} from './format.ts'
import { stages } from './stages.ts'

export const counters = {
  requests: t('Requests'),
  responses2xx: t('2xx answers'),
  responses3xx: t('3xx answers'),
  responses4xx: t('4xx answers'),
  responses5xx: t('5xx answers'),
  responses304: t('304 answers'),
  responses404: t('404 answers'),
  bytesSent: t('Bytes sent'),
  aborted: t('Answers broken off'),
  retransmittedBytes: t('Bytes sent again'),
  retransmittedSegments: t('Segments sent again'),
  connections: t('Connections accepted'),
  refused: t('Connections refused'),
  badRequests: t('Malformed requests'),
  timeouts: t('Time-outs'),
  cacheHits: t('Stat cache hits'),
  cacheMisses: t('Stat cache misses'),
  cacheEvictions: t('Stat cache evictions'),
  oldReleaseRequests: t('Requests for files of other versions'),
  readJobs: t('Reads from disk'),
  laneRejected: t('Jobs refused by a full queue'),
  rateLimited: t('Requests over the rate limit'),
  logDropped: t('Access log lines dropped'),
  tlsHandshakes: t('TLS handshakes'),
  tlsFullHandshakes: t('Full TLS handshakes'),
  tlsHandshakeFailures: t('Failed TLS handshakes'),
  http2Requests: t('Requests over HTTP/2'),
  earlyHints: t('Early hints sent'),
  copiesSent: t('Compressed copies sent'),
  copiesMade: t('Compressed copies made'),
  copiesFailed: t('Compressed copies that failed'),
  deltasSent: t('Changes to known files sent'),
  deltasMade: t('Changes to known files compressed'),
  dictionariesUnknown: t('Unknown dictionaries'),
  probeRequests: t('Probes answered'),
}

export const gauges = {
  diskUsedRatio: t('Disk used'),
  openConnections: t('Open connections'),
  connectionsLimit: t('Open connections allowed'),
  statQueue: t('Look-ups waiting'),
  readQueue: t('Reads waiting'),
  statThreads: t('Stat threads'),
  readThreads: t('Read threads'),
  readBusy: t('Read threads at work'),
  cacheEntries: t('Cached look-ups'),
  cacheEntriesLimit: t('Cached look-ups allowed'),
  cacheBytes: t('File bytes in memory'),
  cacheLimitBytes: t('File bytes in memory allowed'),
  openFiles: t('Files held open'),
  openFilesLimit: t('Files held open allowed'),
  openDescriptors: t('Descriptors open'),
  descriptorsLimit: t('Descriptors allowed'),
  folderWatches: t('Watched folders'),
  loopsUnwatched: t('Loops that can’t watch folders'),
  copies: t('Compressed copies'),
  copyBytes: t('Bytes of compressed copies'),
  copyQueue: t('Files waiting to be compressed'),
  workers: t('Event loops'),
  listenersDeferring: t('Sockets that defer accepting'),
  filesUnusable: t('Key files the node can’t use'),
  scrubbedContents: t('Release contents compared'),
  scrubbedBytes: t('Bytes of release contents compared'),
  badContents: t('Release contents with wrong bytes'),
  mendedContents: t('Release contents mended'),
  neighbourTakenBytes: t('Bytes of releases taken from neighbours'),
  neighbourGivenBytes: t('Bytes of releases given to neighbours'),
  neighbourRefusals: t('Neighbours refused'),
  neighbourWrongBytes: t('Wrong bytes from neighbours'),
  loadAverage1m: t('Load average of a minute'),
  processors: t('Processors'),
  memoryTotalBytes: t('Memory of the machine'),
  memoryAvailableBytes: t('Memory available'),
  memoryLimitBytes: t('Memory allowed'),
  residentBytes: t('Memory used by the node'),
}

/** How a threshold is written, and how a value of it is read. */
export type Unit = { word: string; factor: number; format: Format }

const plain = (word: string): Unit => ({ word, factor: 1, format: formatRate })
/** The unit of a rate that is no rate of bytes. */
export const PER_SECOND = t('a second')
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
  if (kind === 'rate') return isOfBytes ? megabytesPerSecond : plain(PER_SECOND)
  return isOfBytes ? mebibytes : plain('')
}

const labelIn = (labels: Record<string, string>, name: string) => labels[name] ?? name
const labelOfStage = (name: string) =>
  Object.hasOwn(stages, name) ? stages[name as keyof typeof stages].label : name
const percentile = (q: string) => `p${Number((100 * Number(q)).toPrecision(6))}`

/** As a title: "p99: first byte". */
export function measureLabel(by: string): string {
  const [kind, name = '', q = ''] = by.split(':')
  switch (kind) {
    case 'quantile':
      return `${percentile(q)}: ${inSentence(labelOfStage(name))}`
    case 'share':
      return t('Share of {label}', { label: inSentence(labelIn(counters, name)) })
    case 'rate':
      return t('{label} per second', { label: labelIn(counters, name) })
    default:
      return labelIn(gauges, name)
  }
}

/** As a part of a sentence: "p99 of first byte". */
export function measureWords(by: string): string {
  const [kind, name = '', q = ''] = by.split(':')
  switch (kind) {
    case 'quantile':
      return name === 'total'
        ? t('{q} latency', { q: percentile(q) })
        : t('{q} of {labelOfStage}', {
            q: percentile(q),
            labelOfStage: inSentence(labelOfStage(name)),
          })
    case 'share':
      return t('share of {label}', { label: inSentence(labelIn(counters, name)) })
    case 'rate':
      return t('rate of {label}', { label: inSentence(labelIn(counters, name)) })
    default:
      return inSentence(labelIn(gauges, name))
  }
}
