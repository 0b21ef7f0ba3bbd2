// SPDX-License-Identifier: MIT
// From rounds to figures: medians, and where we stand against the best peer and the floor. Pure.

/** Of an even count, the mean of the two in the middle; null when there are none. */
export function median(numbers) {
  const sorted = numbers.filter((one) => one !== null && one !== undefined).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = sorted.length / 2
  return Number.isInteger(middle)
    ? (sorted[middle - 1] + sorted[middle]) / 2
    : sorted[Math.floor(middle)]
}

const MEDIANS = [
  'requestsPerSecond',
  'megabytesPerSecond',
  'cpuPerRequest',
  'busyCores',
  'wrkBusyShare',
  'othersBusyCores',
  'stolenCores',
  'p50',
  'p99',
  'rssBytes',
  'pssBytes',
  'held',
  'bytesPerIdleConnection',
  'stormPerSecond',
]

/** One server's row: medians of its rounds; the longest wait and the errors of all of them. */
export function rowOf({ label, kind, version, rounds }) {
  const of = (key) => rounds.map((round) => round[key])
  const sum = (key) => of(key).reduce((total, one) => total + one, 0)
  return {
    label,
    kind,
    version,
    rounds,
    ...Object.fromEntries(MEDIANS.map((key) => [key, median(of(key))])),
    max: Math.max(...of('max')),
    requests: sum('requests'),
    errors: sum('errors'),
    died: of('died').filter(Boolean).length,
  }
}

/** More errors than this, and a server's speed is no measure for others. */
const ERRORS_MAX = 0.001

const COMPARED = [
  { key: 'requestsPerSecond', better: 'more' },
  { key: 'cpuPerRequest', better: 'less' },
  { key: 'p99', better: 'less' },
]

function best(rows, key, better) {
  const fit = rows.filter((row) => row[key] && row.errors <= ERRORS_MAX * row.requests)
  const sign = better === 'more' ? -1 : 1
  return fit.sort((a, b) => sign * (a[key] - b[key]))[0]
}

/** Rounds are compared with their neighbours in time: what slows the machine down slows both. */
function ratio(key, ours, other) {
  const pairs = ours.rounds.map((round, i) => [round[key], other.rounds[i]?.[key]])
  return median(pairs.filter(([, b]) => b).map(([a, b]) => a / b))
}

/**
 * Ours divided by the best peer's and by the floor's, for each of our builds.
 * @returns {{ label: string, key: string, ratioToPeer?: number, peer?: string, ratioToFloor?: number }[]}
 */
export function ratios(rows) {
  const peers = rows.filter(({ kind }) => kind === 'peer')
  const floor = rows.find(({ kind }) => kind === 'floor')
  return rows
    .filter(({ kind }) => kind === 'ours')
    .flatMap((row) =>
      COMPARED.map(({ key, better }) => {
        const peer = best(peers, key, better)
        return {
          label: row.label,
          key,
          ...(peer ? { ratioToPeer: ratio(key, row, peer), peer: peer.label } : {}),
          ...(floor?.[key] ? { ratioToFloor: ratio(key, row, floor) } : {}),
        }
      }),
    )
}

/** CPU per request of two loops divided by one loop's. */
export function loopRatios(rows) {
  const byLabel = new Map(rows.map((row) => [row.label, row]))
  return rows
    .filter(({ label }) => label.endsWith(', 1 loop'))
    .map((one) => {
      const label = one.label.replace(', 1 loop', '')
      return { label, twoLoops: ratio('cpuPerRequest', byLabel.get(`${label}, 2 loops`), one) }
    })
}
