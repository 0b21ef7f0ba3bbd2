// SPDX-License-Identifier: MIT
// Figures as tables: for a terminal, or as Markdown. Pure.
import { loopRatios, ratios, rowOf } from './figures.mjs'

const MIB = 1024 * 1024

/** Three digits that count, and no more of them than that. */
function short(number) {
  if (number === null || number === undefined || !Number.isFinite(number)) return '–'
  if (number >= 100) return Math.round(number).toLocaleString('en-GB')
  return number.toFixed(number >= 10 ? 1 : 2)
}

const inMs = (us) => short(us === null ? null : us / 1000)

const COLUMNS = [
  { title: 'server', of: ({ label }) => label },
  { title: 'requests/s', of: (row) => short(row.requestsPerSecond) },
  { title: 'MB/s', of: (row) => short(row.megabytesPerSecond) },
  { title: 'CPU µs/request', of: (row) => short(row.cpuPerRequest) },
  { title: 'cores busy', of: (row) => short(row.busyCores) },
  { title: 'CLIENT busy', of: (row) => short(row.wrkBusyShare) },
  { title: 'p50 ms', of: (row) => inMs(row.p50) },
  { title: 'p99 ms', of: (row) => inMs(row.p99) },
  { title: 'max ms', of: (row) => inMs(row.max) },
  { title: 'errors', of: (row) => `${row.errors}${row.died ? `, died ${row.died}×` : ''}` },
  { title: 'RSS MiB', of: (row) => short(row.rssBytes / MIB) },
  { title: 'PSS MiB', of: (row) => short(row.pssBytes / MIB) },
  {
    title: 'idle held',
    of: ({ held }) => short(held),
    when: (rows) => rows.some(({ held }) => held !== null),
  },
  {
    title: 'bytes/idle connection',
    of: (row) => short(row.bytesPerIdleConnection),
    when: (rows) => rows.some(({ bytesPerIdleConnection }) => bytesPerIdleConnection !== null),
  },
  {
    title: 'handshakes/s beside',
    of: (row) => short(row.stormPerSecond),
    when: (rows) => rows.some(({ stormPerSecond }) => stormPerSecond !== null),
  },
]

/** Cells in columns; the first line is the heading. @param {string[][]} cells */
function grid(cells, markdown) {
  const widths = cells[0].map((_, i) => Math.max(...cells.map((line) => line[i].length)))
  const pad = (cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))
  const lines = cells.map((line) => line.map(pad))
  if (!markdown) return lines.map((line) => `  ${line.join('  ')}`.trimEnd()).join('\n')
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [lines[0], rule, ...lines.slice(1)].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function table(rows, client, markdown) {
  const columns = COLUMNS.filter(({ when }) => !when || when(rows))
  const lines = rows.map((row) => columns.map(({ of }) => of(row)))
  const titles = columns.map(({ title }) => title.replace('CLIENT', client))
  return grid([titles, ...lines], markdown)
}

const NAMES = { requestsPerSecond: 'requests/s', cpuPerRequest: 'CPU', p99: 'p99' }
/** Who is held to a part of a core waits for its turn: times would be those of the holding. */
const isTold = ({ key }, isHeld) => !isHeld || key !== 'p99'
/** A run too short for the kernel's clock has no CPU time to divide by. */
const times = (ratio) => (Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–')

function ratioLines(rows, isHeld) {
  const all = ratios(rows).filter((one) => isTold(one, isHeld))
  return [...new Set(all.map(({ label }) => label))].map((label) => {
    const parts = all
      .filter((one) => one.label === label)
      .flatMap(({ key, ratioToPeer, peer, ratioToFloor }) => {
        const toPeer = ratioToPeer ? [`${times(ratioToPeer)} the best peer's (${peer})`] : []
        const toFloor = ratioToFloor ? [`${times(ratioToFloor)} the floor's`] : []
        const said = [...toPeer, ...toFloor]
        return said.length ? [`${NAMES[key]} ${said.join(', ')}`] : []
      })
    return `${label}: ${parts.join('; ')}`
  })
}

const loopLines = (rows) =>
  loopRatios(rows).map(
    ({ label, twoLoops }) =>
      `${label}: CPU per request of two loops ${times(twoLoops)} that of one`,
  )

const FULL = 0.95

/** Who waited for the client and not the other way round: its requests/s are no measure of it. */
function boundByClient(rows, client) {
  const bound = rows.filter(
    ({ wrkBusyShare, busyCores }) => wrkBusyShare >= FULL && busyCores < FULL,
  )
  if (bound.length === 0) return []
  const labels = bound.map(({ label }) => label).join(', ')
  return [
    `${client} could ask no faster of ${labels}: there, requests/s say how fast ${client} is.`,
  ]
}

const ELSEWHERE_MAX = 0.1

/** Says when the machine had other work, or was not there: such figures are worth little. */
function disturbance(rows) {
  const worst = (key) => Math.max(...rows.map((row) => row[key] ?? 0))
  const [others, stolen] = [worst('othersBusyCores'), worst('stolenCores')]
  if (Math.max(others, stolen) <= ELSEWHERE_MAX) return []
  return [
    `Not quiet: ${others.toFixed(2)} cores were at other work, ${stolen.toFixed(2)} the hypervisor gave to others.`,
  ]
}

const isOfLoops = (results) => results.some(({ label }) => label.endsWith(' loops'))
const rowsOf = (results) => results.filter(({ rounds }) => rounds.length).map(rowOf)

/** @param {any} load as rounds.mjs gives it */
export function loadReport(
  { name, title, client = 'wrk', results, leftOut },
  { markdown = false, isHeld = false } = {},
) {
  const rows = rowsOf(results)
  const said = [
    ...(isOfLoops(rows) ? loopLines(rows) : ratioLines(rows, isHeld)),
    ...(isOfLoops(rows) ? [] : boundByClient(rows, client)),
    ...leftOut.map(({ label, leftOut: why }) => `${label} is left out: ${why}`),
    ...disturbance(rows),
  ]
  const heading = markdown ? `### ${name}: ${title}` : `${name}: ${title}`
  const lines = said.map((line) => (markdown ? `- ${line}` : `  ${line}`)).join('\n')
  return [heading, table(rows, client, markdown), lines]
    .filter(Boolean)
    .join(markdown ? '\n\n' : '\n')
}

/** Where we stand in each load, on one line each: our first build only. */
export function summary(loads, { markdown = false, isHeld = false } = {}) {
  const keys = Object.keys(NAMES).filter((key) => isTold({ key }, isHeld))
  const heading = [
    'load',
    ...keys.flatMap((key) => [`${NAMES[key]} ÷ best peer`, `${NAMES[key]} ÷ floor`]),
  ]
  const lines = loads
    .filter(({ results }) => !isOfLoops(results))
    .map(({ name, results }) => [
      name,
      ...ratios(rowsOf(results))
        .slice(0, Object.keys(NAMES).length)
        .filter(({ key }) => keys.includes(key))
        .flatMap(({ ratioToPeer, peer, ratioToFloor }) => [
          ratioToPeer ? `${ratioToPeer.toFixed(2)} (${peer})` : '–',
          ratioToFloor ? ratioToFloor.toFixed(2) : '–',
        ]),
    ])
    .filter((line) => line.length === heading.length)
  return lines.length ? grid([heading, ...lines], markdown) : ''
}

/** Whether its servers had a part of their core only. */
export const isHeld = ({ cpuShare = 1 }) => cpuShare < 1

/** @param {import('./machine.mjs').Machine} machine */
export function header({ machine, options }) {
  const { cpu, cores, kernel, system, memoryBytes, serverCore, wrkCores, versions, commit } =
    machine
  return [
    `${options.startedAt.slice(0, 16).replace('T', ' ')} UTC, ${system}, Linux ${kernel}, ${cpu}, ${cores} cores, ${Math.round(memoryBytes / MIB / 1024)} GiB`,
    `server on core ${serverCore}, wrk on ${wrkCores.length > 1 ? 'cores' : 'core'} ${wrkCores.join(', ')}; loopback; median of ${options.rounds} rounds of ${options.seconds} s${isHeld(options) ? `; each server held to ${options.cpuShare} of its core` : ''}`,
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}; checkout ${commit}`,
  ].join('\n')
}

/** A run with all its tables; one with servers held back is beside another one, and short. */
export function runReport(run, { markdown = false } = {}) {
  const how = { markdown, isHeld: isHeld(run.options) }
  const head = markdown ? header(run).split('\n').join('  \n') : header(run)
  const tables = how.isHeld ? [] : run.loads.map((load) => loadReport(load, how))
  return [head, summary(run.loads, how), ...tables].join('\n\n')
}
