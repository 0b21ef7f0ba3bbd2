// SPDX-License-Identifier: MIT
// The picture of 2007 for docs/slow-disks.md: each cold request a column of three dots over the time it
// began, with few read threads and with many, drawn from the node's own samples of real runs.
//
//   node server-c/bench/slow-disk-plots.mjs [--keep FOLDER] [--into docs/images] [--seconds S]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { measure, openBench } from './slow-disk.mjs'

const THREADS = [4, 64]
const COLD_BYTES = 2 ** 20
const WIDTH = 720
const HEIGHT = 300
const LEFT = 44
const RIGHT = 12
const TOP = 58
const BOTTOM = 40

/** Each stands on the one before. */
const CLOUDS = [
  { name: 'queue', label: 'waited for a read thread', value: ({ readWait }) => readWait },
  { name: 'read', label: '+ read', value: ({ readWait, read }) => readWait + read },
  { name: 'total', label: 'whole request', value: ({ total }) => total },
]

/** The cold requests of a run, by their start: seconds since the first, and the stages of each. */
async function coldRequests(adminPort) {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/samples?kind=slow&limit=10000`)
  const { samples } = await answer.json()
  const cold = samples
    .filter(({ bytes, aborted }) => bytes > COLD_BYTES && !aborted)
    .map(({ start, stageSeconds }) => ({ at: Date.parse(start) / 1000, ...stageSeconds }))
    .map((one) => ({ statWait: 0, stat: 0, readWait: 0, read: 0, ...one }))
    .toSorted((a, b) => a.at - b.at)
  return cold.map((one) => ({ ...one, at: one.at - cold[0].at }))
}

async function runWith(bench, threads) {
  const port = await freePort()
  const node = {
    admin: { address: '127.0.0.1', port },
    io: { readThreads: threads },
    samples: { everyRequests: 0, slowerThanMillis: 20, keep: 10000 },
  }
  return measure(bench, 'farmstead', { node, atEnd: () => coldRequests(port) })
}

const STYLE = `
text{font:13px system-ui,sans-serif;fill:#1b1b1f}.title{font-weight:600;font-size:14px}
.axis{stroke:#8a8a94;fill:none}.grid{stroke:#8a8a94;stroke-opacity:.25;fill:none}
.dots{fill:none;stroke-linecap:round}
.queue{stroke:#0b57d0;stroke-width:5}.read{stroke:#c2410c;stroke-width:3.5}.total{stroke:#1a7f37;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#e4e4e9}.queue{stroke:#9cc2ff}.read{stroke:#ffab70}.total{stroke:#7ee2a0}}`

const round = (value) => Math.round(value * 10) / 10

function dots(requests, value, x, y) {
  return requests.map((one) => `M${round(x(one.at))} ${round(y(value(one)))}h0`).join('')
}

function grid(most, last, x, y) {
  const step = most > 4 ? 1 : 0.5
  const lines = []
  for (let s = step; s <= most; s += step) {
    lines.push(`<path class="grid" d="M${LEFT} ${round(y(s))}H${WIDTH - RIGHT}"/>`)
    lines.push(`<text x="${LEFT - 6}" y="${round(y(s)) + 4}" text-anchor="end">${s}</text>`)
  }
  for (let s = 0; s <= last; s += 2)
    lines.push(`<text x="${round(x(s))}" y="${HEIGHT - 22}" text-anchor="middle">${s}</text>`)
  return lines.join('\n')
}

function legend() {
  let left = LEFT
  return CLOUDS.map(({ name, label }) => {
    const text = `<path class="dots ${name}" d="M${left + 4} 38h0"/><text x="${left + 12}" y="42">${label}</text>`
    left += 30 + label.length * 7
    return text
  }).join('\n')
}

function drawing(threads, requests, most, last) {
  const x = (seconds) => LEFT + (seconds / last) * (WIDTH - LEFT - RIGHT)
  const y = (seconds) => HEIGHT - BOTTOM - (seconds / most) * (HEIGHT - TOP - BOTTOM)
  const title = `${threads} read threads: seconds spent by each request, by the second it began`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<!-- SPDX-License-Identifier: MIT; made by server-c/bench/slow-disk-plots.mjs -->
<style>${STYLE}</style>
<text class="title" x="${LEFT}" y="20">${title}</text>
${legend()}
${grid(most, last, x, y)}
<path class="axis" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}"/>
<text x="${WIDTH - RIGHT}" y="${HEIGHT - 5}" text-anchor="end">began at second …</text>
${CLOUDS.map(({ name, value }) => `<path class="dots ${name}" d="${dots(requests, value, x, y)}"/>`).join('\n')}
</svg>
`
}

const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]

function row(threads, { seen, hot, cold }) {
  const of = (name) => {
    const values = seen.map((one) => one[name] * 1000)
    return `${Math.round(quantile(values, 0.5))} / ${Math.round(Math.max(...values))}`
  }
  const megabytes = (cold.bytesPerSecond / 1e6).toFixed(1)
  const stages = ['statWait', 'stat', 'readWait', 'read', 'total'].map(of).join(' | ')
  return `| ${threads} | ${stages} | ${megabytes} | ${hot.p99Millis.toFixed(2)} |`
}

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    into: { type: 'string', default: fileURLToPath(new URL('../../docs/images', import.meta.url)) },
    seconds: { type: 'string', default: '12' },
  },
})
const bench = openBench('reads', { seconds: Number(values.seconds), keep: values.keep })
const runs = []
try {
  for (const threads of THREADS) runs.push([threads, await runWith(bench, threads)])
} finally {
  bench.close()
}
const all = runs.flatMap(([, { seen }]) => seen)
const most = Math.ceil(Math.max(...all.map(({ total }) => total)) * 2) / 2
const last = Math.ceil(Math.max(...all.map(({ at }) => at)))
console.log('| readThreads | statWait | stat | readWait | read | total | cold MB/s | hot p99 |')
for (const [threads, run] of runs) {
  const file = join(values.into, `slow-disk-${threads}-threads.svg`)
  writeFileSync(file, drawing(threads, run.seen, most, last))
  console.log(row(threads, run))
}
