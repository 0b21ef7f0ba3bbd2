// SPDX-License-Identifier: MIT
// Which charts there are. A counter or gauge that the node learns is shown by a line here.
import {
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
  format: (value: number | null) => string
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
  lines: [gauge('average', name), gauge('highest', name, 'max')],
  format: formatRate,
  smallestTop: 1,
  ...more,
})
const limit = (name: string) => gauge('limit', name)

/** A heatmap is a drawing of its own. */
export type ChartTopic = Exclude<TopicKey, 'heatmap'>
export const labelOf = (topic: TopicKey): string =>
  topic === 'heatmap' ? 'Heatmap' : topics[topic].label

export const topics = {
  requests: {
    label: 'Requests',
    charts: [
      {
        label: 'Answers per second by status',
        lines: [
          rate('2xx', 'responses2xx'),
          rate('3xx', 'responses3xx'),
          rate('other 4xx', 'responses4xx', 'responses404'),
          rate('404', 'responses404'),
          rate('5xx', 'responses5xx'),
        ],
        format: formatRate,
        stacked: true,
        smallestTop: 1,
      },
      latency('Latency', percentiles('total'), 'the whole request'),
      ofRequests('Share of errors', [
        share('5xx', ['responses5xx'], 'requests'),
        share('other 4xx', ['responses4xx', 'responses404'], 'requests'),
        share('404', ['responses404'], 'requests'),
      ]),
      latency('Time to first byte', percentiles('firstByte')),
      { label: 'Bytes sent', lines: [rate('sent', 'bytesSent')], format: formatByteRate },
      ofRequests(
        'Ended early',
        [share('ended early', ['aborted'], 'requests')],
        'by the client or a time-out',
      ),
    ],
  },
  stages: {
    label: 'Where time goes',
    charts: [
      {
        label: 'Anatomy of a request',
        help: 'mean time of all requests, by stage',
        lines: [
          perOne('Look-up wait', 'statWait', 'total'),
          perOne('Look-up', 'stat', 'total'),
          perOne('Read wait', 'readWait', 'total'),
          perOne('Read', 'read', 'total'),
          sending,
          nodeItself,
        ],
        format: formatSeconds,
        stacked: true,
      },
      latency(
        'p99 of each stage',
        [
          quantile('Look-up wait', 'statWait', 0.99),
          quantile('Look-up', 'stat', 0.99),
          quantile('Read wait', 'readWait', 0.99),
          quantile('Read', 'read', 0.99),
          quantile('Write', 'write', 0.99),
        ],
        'of the requests that had it',
      ),
      latency('Look-up wait', percentiles('statWait')),
      latency('Look-up', percentiles('stat')),
      latency('Read wait', percentiles('readWait')),
      latency('Read', percentiles('read')),
      latency('Write', percentiles('write')),
      latency('TLS handshake', percentiles('handshake')),
    ],
  },
  network: {
    label: 'Network',
    charts: [
      {
        label: 'Why sockets had to wait',
        help: 'mean time of answers whose socket did not take all at once',
        lines: [
          perOne('Client', 'writeClient', 'writeClient'),
          perOne('Send buffer', 'writeBuffer', 'writeBuffer'),
          perOne('Network', 'writeNetwork', 'writeNetwork'),
        ],
        format: formatSeconds,
        stacked: true,
      },
      latency('Round trip', percentiles('roundTrip'), 'to clients and back'),
      ofRequests(
        'Sent again',
        [share('of all bytes', ['retransmittedBytes'], 'bytesSent')],
        'above 1 %, packets are lost on the way',
      ),
      { label: 'Bytes sent', lines: [rate('sent', 'bytesSent')], format: formatByteRate },
    ],
  },
  connections: {
    label: 'Connections',
    charts: [
      onNodes('Open connections', 'openConnections', { limit: limit('connectionsLimit') }),
      perSecond('New connections per second', [rate('accepted', 'connections')]),
      perSecond('Turned away per second', [
        rate('connections refused', 'refused'),
        rate('bad requests', 'badRequests'),
        rate('rate limited', 'rateLimited'),
        rate('timed out', 'timeouts'),
      ]),
      perSecond('TLS handshakes per second', [
        rate('resumed', 'tlsHandshakes', 'tlsFullHandshakes'),
        rate('full', 'tlsFullHandshakes'),
        rate('failed', 'tlsHandshakeFailures'),
      ]),
      ofRequests('Over HTTP/2', [share('of requests', ['http2Requests'], 'requests')]),
    ],
  },
  disks: {
    label: 'Disks and threads',
    charts: [
      onNodes('Reads waiting', 'readQueue'),
      onNodes('Look-ups waiting', 'statQueue'),
      {
        label: 'Read threads at work',
        lines: [gaugeShare('busy', 'readBusy', 'readThreads')],
        format: formatRatio,
        smallestTop: 1,
      },
      perSecond('Reads per second', [
        rate('reads', 'readJobs'),
        rate('refused: queue full', 'laneRejected'),
      ]),
      onNodes('Fullest disk of a node', 'diskUsedRatio', { format: formatRatio }),
    ],
  },
  cache: {
    label: 'Cache',
    charts: [
      {
        label: 'Look-ups answered from the cache',
        lines: [share('hits', ['cacheHits'], 'cacheHits', 'cacheMisses')],
        format: formatRatio,
        smallestTop: 1,
      },
      perSecond('Look-ups per second', [
        rate('hits', 'cacheHits'),
        rate('misses', 'cacheMisses'),
        rate('dropped for room', 'cacheEvictions'),
      ]),
      onNodes('Entries', 'cacheEntries', { limit: limit('cacheEntriesLimit') }),
      onNodes('File contents in memory', 'cacheBytes', {
        format: formatBytes,
        limit: limit('cacheLimitBytes'),
      }),
      onNodes('Open files', 'openFiles', { limit: limit('openFilesLimit') }),
      perSecond('Compressed copies per second', [
        rate('sent', 'copiesSent'),
        rate('made', 'copiesMade'),
        rate('failed', 'copiesFailed'),
      ]),
    ],
  },
  machine: {
    label: 'Machine',
    charts: [
      onNodes('Load average of a minute', 'loadAverage1m', {
        limit: gauge('processors', 'processors'),
      }),
      onNodes('Memory used by the node', 'residentBytes', {
        format: formatBytes,
        limit: limit('memoryLimitBytes'),
      }),
      {
        label: 'Memory available on the machine',
        lines: [gaugeShare('available', 'memoryAvailableBytes', 'memoryTotalBytes')],
        format: formatRatio,
        smallestTop: 1,
      },
      onNodes('Descriptors', 'openDescriptors', { limit: limit('descriptorsLimit') }),
    ],
  },
} satisfies Record<ChartTopic, { label: string; charts: Chart[] }>

/** All that a topic asks for. */
export const linesOf = (charts: readonly Chart[]): Line[] =>
  charts.flatMap(({ lines, limit: most }) => [...lines, ...(most ? [most] : [])])
