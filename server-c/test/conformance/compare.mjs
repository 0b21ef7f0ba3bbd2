// SPDX-License-Identifier: MIT
// How many rows with a MUST does each server meet?
//   node test/conformance/compare.mjs [--nginx BINARY] [--lighttpd BINARY] [--modules FOLDER]
//                                     [--list]   each row a server does not meet, and what it did
// Only the rows the RFC decides count here, not those that are our policy. Ours is
// $FARMSTEAD_NODE, or build/release/farmstead-node.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeBinary } from '../support/node.mjs'
import { meetsMust } from './check.mjs'
import { contextOf, exchange, rowFor } from './exchange.mjs'
import { startFarmstead, startLighttpd, startNginx } from './servers.mjs'
import { tables } from './tables.mjs'

const AT_ONCE = 8
const QUIET_MS = 7000 // longer than others linger before they close

const { values } = parseArgs({
  options: {
    nginx: { type: 'string', default: 'nginx' },
    lighttpd: { type: 'string', default: 'lighttpd' },
    modules: { type: 'string', default: '/usr/lib/lighttpd' },
    list: { type: 'boolean', default: false },
  },
})

/** The first line `binary -v` says, or null when there is no such binary. */
function versionOf(binary, flag) {
  try {
    const text = execFileSync('sh', ['-c', '"$0" "$1" 2>&1', binary, flag], { encoding: 'utf8' })
    return text.split('\n')[0].trim()
  } catch {
    return null
  }
}

const servers = [
  {
    name: 'farmstead-node',
    version: versionOf(nodeBinary, 'version'),
    start: (folder) => startFarmstead(folder),
  },
  {
    name: 'nginx',
    version: versionOf(values.nginx, '-v'),
    start: (folder) => startNginx(values.nginx, folder),
  },
  {
    name: 'lighttpd',
    version: versionOf(values.lighttpd, '-v'),
    start: (folder) => startLighttpd(values.lighttpd, values.modules, folder),
  },
].filter(({ version }) => version !== null)

const described = ({ responses, rest, closed, timedOut }) => {
  const end = timedOut ? 'silent' : closed ? 'closed' : 'open'
  const stray = rest.length > 0 ? `, ${rest.length} stray bytes` : ''
  return `${responses.map((one) => one.status).join(' ') || 'nothing'}, ${end}${stray}`
}

async function askRow(port, row, context) {
  const sent = rowFor(row, context)
  const outcome = await exchange(port, sent, { quietMs: QUIET_MS })
  return { meets: meetsMust(sent, outcome, context), did: described(outcome) }
}

/** {title: {met, of, missed}} of one server. */
async function ask(server) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const { port, stop } = await server.start(folder)
  const result = {}
  try {
    const context = await contextOf(port)
    for (const { title, rows } of tables) {
      const left = rows.filter((row) => row.must)
      const missed = []
      const of = left.length
      const worker = async () => {
        for (let row = left.shift(); row; row = left.shift()) {
          const { meets, did } = await askRow(port, row, context)
          if (!meets) missed.push({ name: row.name, rfc: row.rfc, did })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      result[title] = { met: of - missed.length, of, missed }
    }
  } finally {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return result
}

const results = []
for (const server of servers) results.push({ ...server, topics: await ask(server) })

for (const { name, version } of results) console.log(`${name}: ${version}`)
const cell = (text) => String(text).padStart(16)
console.log(`\n${'rows with a MUST'.padEnd(24)}${results.map(({ name }) => cell(name)).join('')}`)
const lines = tables.filter(({ title }) => results[0].topics[title].of > 0)
for (const { title } of lines) {
  const cells = results.map(({ topics }) => cell(`${topics[title].met}/${topics[title].of}`))
  console.log(`${title.padEnd(24)}${cells.join('')}`)
}
const sums = results.map(({ topics }) => {
  const all = Object.values(topics)
  const met = all.reduce((sum, one) => sum + one.met, 0)
  return cell(`${met}/${all.reduce((sum, one) => sum + one.of, 0)}`)
})
console.log(`${'all'.padEnd(24)}${sums.join('')}`)

if (values.list)
  for (const { name, topics } of results)
    for (const [title, { missed }] of Object.entries(topics))
      for (const row of missed)
        console.log(`${name}: ${title}: ${row.name} (RFC ${row.rfc}): ${row.did}`)
