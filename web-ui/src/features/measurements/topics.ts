// SPDX-License-Identifier: MIT
// Which charts there are. A counter or gauge that the node learns is shown by a line here.
import { t } from '../../languages/t.ts'
import {
  type Format,
  formatByteRate,
  formatBytes,
  formatRate,
  formatRatio,
  formatSeconds,
} from '../../lib/format.ts'
import {
  gauge,
  gaugeShare,
  type Line,
  nodeItself,
  percentiles,
  perOne,
  quantile,
  rate,
  sending,
  share,
} from './columns.ts'
import type { TopicKey } from './search.ts'

export type Chart = {
  label: string
  help?: string
  /** With several sets, this one of its lines is drawn of each; the first when left out. */
  main?: string
  lines: readonly Line[]
  /** What they can be at most: said beside the title, for drawn it would press them flat. */
  limit?: Line
  format: Format
  stacked?: true
  /** Of times: the reader chooses the scale. */
  isLatency?: true
  smallestTop?: number
}

const latency = (label: string, lines: Line[], help?: string): Chart => ({
  label,
  lines,
  format: formatSeconds,
  isLatency: true,
  main: 'p99',
  ...(help !== undefined && { help }),
})
const perSecond = (label: string, lines: Line[], help?: string): Chart => ({
  label,
  lines,
  format: formatRate,
  smallestTop: 1,
  ...(help !== undefined && { help }),
})
const ofRequests = (label: string, lines: Line[], help?: string): Chart => ({
  label,
  lines,
  format: formatRatio,
  smallestTop: 0.01,
  ...(help !== undefined && { help }),
})
/** Of nodes: an average one, and the one that has most. */
const onNodes = (label: string, name: string, more: Partial<Chart> = {}): Chart => ({
  label,
  lines: [gauge(t('average'), name), gauge(t('highest'), name, 'max')],
  format: formatRate,
  smallestTop: 1,
  ...more,
})
const limit = (name: string) => gauge(t('limit'), name)

/** A heatmap is a drawing of its own. */
export type ChartTopic = Exclude<TopicKey, 'heatmap'>
export const labelOf = (topic: TopicKey): string =>
  topic === 'heatmap' ? t('Heatmap') : topics[topic].label

export const topics = {
  requests: {
    label: t('Requests'),
    charts: [
      {
        label: t('Answers per second by status'),
        lines: [
          rate('2xx', 'responses2xx'),
          rate('3xx', 'responses3xx'),
          rate(t('other 4xx'), 'responses4xx', 'responses404'),
          rate('404', 'responses404'),
          rate('5xx', 'responses5xx'),
        ],
        format: formatRate,
        stacked: true,
        smallestTop: 1,
      },
      latency(t('Latency'), percentiles('total'), t('the whole request')),
      ofRequests(t('Share of errors'), [
        share('5xx', ['responses5xx'], 'requests'),
        share(t('other 4xx'), ['responses4xx', 'responses404'], 'requests'),
        share('404', ['responses404'], 'requests'),
      ]),
      latency(t('Time to first byte'), percentiles('firstByte')),
      { label: t('Bytes sent'), lines: [rate(t('sent'), 'bytesSent')], format: formatByteRate },
      ofRequests(
        t('Ended early'),
        [share(t('ended early'), ['aborted'], 'requests')],
        t('by the client or a time-out'),
      ),
    ],
  },
  stages: {
    label: t('Where time goes'),
    charts: [
      {
        label: t('Anatomy of a request'),
        help: t('mean time of all requests, by stage'),
        lines: [
          perOne(t('Look-up wait'), 'statWait', 'total'),
          perOne(t('Look-up'), 'stat', 'total'),
          perOne(t('Read wait'), 'readWait', 'total'),
          perOne(t('Read'), 'read', 'total'),
          sending,
          nodeItself,
        ],
        format: formatSeconds,
        stacked: true,
      },
      latency(
        t('p99 of each stage'),
        [
          quantile(t('Look-up wait'), 'statWait', 0.99),
          quantile(t('Look-up'), 'stat', 0.99),
          quantile(t('Read wait'), 'readWait', 0.99),
          quantile(t('Read'), 'read', 0.99),
          quantile(t('Write'), 'write', 0.99),
        ],
        t('of the requests that had it'),
      ),
      latency(t('Look-up wait'), percentiles('statWait')),
      latency(t('Look-up'), percentiles('stat')),
      latency(t('Read wait'), percentiles('readWait')),
      latency(t('Read'), percentiles('read')),
      latency(t('Write'), percentiles('write')),
      latency(t('TLS handshake'), percentiles('handshake')),
    ],
  },
  network: {
    label: t('Network'),
    charts: [
      {
        label: t('Why sockets had to wait'),
        help: t('mean time of answers whose socket did not take all at once'),
        lines: [
          perOne(t('Client'), 'writeClient', 'writeClient'),
          perOne(t('Send buffer'), 'writeBuffer', 'writeBuffer'),
          perOne(t('Network'), 'writeNetwork', 'writeNetwork'),
        ],
        format: formatSeconds,
        stacked: true,
      },
      latency(t('Round trip'), percentiles('roundTrip'), t('to clients and back')),
      ofRequests(
        t('Sent again'),
        [share(t('of all bytes'), ['retransmittedBytes'], 'bytesSent')],
        t('above 1 %, packets are lost on the way'),
      ),
      { label: t('Bytes sent'), lines: [rate(t('sent'), 'bytesSent')], format: formatByteRate },
    ],
  },
  connections: {
    label: t('Connections'),
    charts: [
      onNodes(t('Open connections'), 'openConnections', { limit: limit('connectionsLimit') }),
      perSecond(t('New connections per second'), [rate(t('accepted'), 'connections')]),
      perSecond(t('Turned away per second'), [
        rate(t('connections refused'), 'refused'),
        rate(t('bad requests'), 'badRequests'),
        rate(t('rate limited'), 'rateLimited'),
        rate(t('timed out'), 'timeouts'),
      ]),
      perSecond(t('TLS handshakes per second'), [
        rate(t('resumed'), 'tlsHandshakes', 'tlsFullHandshakes'),
        rate(t('full'), 'tlsFullHandshakes'),
        rate(t('failed'), 'tlsHandshakeFailures'),
      ]),
      ofRequests(t('Over HTTP/2'), [share(t('of requests'), ['http2Requests'], 'requests')]),
    ],
  },
  disks: {
    label: t('Disks and threads'),
    charts: [
      onNodes(t('Reads waiting'), 'readQueue'),
      onNodes(t('Look-ups waiting'), 'statQueue'),
      {
        label: t('Read threads at work'),
        lines: [gaugeShare(t('busy'), 'readBusy', 'readThreads')],
        format: formatRatio,
        smallestTop: 1,
      },
      perSecond(t('Reads per second'), [
        rate(t('reads'), 'readJobs'),
        rate(t('refused: queue full'), 'laneRejected'),
      ]),
      onNodes(t('Fullest disk of a node'), 'diskUsedRatio', { format: formatRatio }),
    ],
  },
  cache: {
    label: t('Cache'),
    charts: [
      {
        label: t('Look-ups answered from the cache'),
        lines: [share(t('hits'), ['cacheHits'], 'cacheHits', 'cacheMisses')],
        format: formatRatio,
        smallestTop: 1,
      },
      perSecond(t('Look-ups per second'), [
        rate(t('hits'), 'cacheHits'),
        rate(t('misses'), 'cacheMisses'),
        rate(t('dropped for room'), 'cacheEvictions'),
      ]),
      onNodes(t('Entries'), 'cacheEntries', { limit: limit('cacheEntriesLimit') }),
      onNodes(t('File contents in memory'), 'cacheBytes', {
        format: formatBytes,
        limit: limit('cacheLimitBytes'),
      }),
      onNodes(t('Open files'), 'openFiles', { limit: limit('openFilesLimit') }),
      perSecond(t('Compressed copies per second'), [
        rate(t('sent'), 'copiesSent'),
        rate(t('made'), 'copiesMade'),
        rate(t('failed'), 'copiesFailed'),
      ]),
    ],
  },
  machine: {
    label: t('Machine'),
    charts: [
      onNodes(t('Load average of a minute'), 'loadAverage1m', {
        limit: gauge(t('processors'), 'processors'),
      }),
      onNodes(t('Memory used by the node'), 'residentBytes', {
        format: formatBytes,
        limit: limit('memoryLimitBytes'),
      }),
      {
        label: t('Memory available on the machine'),
        lines: [gaugeShare(t('available'), 'memoryAvailableBytes', 'memoryTotalBytes')],
        format: formatRatio,
        smallestTop: 1,
      },
      onNodes(t('Descriptors'), 'openDescriptors', { limit: limit('descriptorsLimit') }),
    ],
  },
} satisfies Record<ChartTopic, { label: string; charts: Chart[] }>

/** All that a topic asks for. */
export const linesOf = (charts: readonly Chart[]): Line[] =>
  charts.flatMap(({ lines, limit: most }) => [...lines, ...(most ? [most] : [])])
