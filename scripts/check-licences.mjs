// SPDX-License-Identifier: MIT
// Every npm package in the lock must have a licence we may ship with (tools used only while
// developing may have a few more). Prints the offenders; exit code 1 when there are any.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './setup/paths.mjs'

const shipped = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])
/** File-level copyleft and the like: fine in a tool, not in what an operator runs. */
const development = new Set([...shipped, 'MPL-2.0', 'Python-2.0'])

/**
 * SPDX expressions as npm packages use them: one licence, or several joined by OR or AND.
 * @param {string} expression
 * @param {Set<string>} allowed
 */
function isAllowed(expression, allowed) {
  const bare = expression.replace(/[()]/g, '').trim()
  return bare
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((licence) => allowed.has(licence)))
}

/** @type {Record<string, { license?: string, dev?: boolean, devOptional?: boolean, link?: boolean }>} */
const packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
const installed = Object.entries(packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.link,
)
const offenders = installed.filter(([, { license = '', dev = false }]) => {
  return !isAllowed(license, dev ? development : shipped)
})
for (const [path, { license = 'no licence', dev = false }] of offenders) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const use = dev ? 'development' : 'shipped'
  console.error(`${name}: ${license} is not among the licences allowed for a ${use} package`)
}
console.log(`${installed.length - offenders.length} passed, ${offenders.length} failed`)
process.exitCode = offenders.length ? 1 : 0
