// SPDX-License-Identifier: MIT
// Compares src/response/mime.def with mime-db (jshttp's list of what IANA, Apache and nginx have) and choices.mjs.
//
//   node server-c/test/mime/compare.mjs            says what differs; exit code 1 when anything does
//   node server-c/test/mime/compare.mjs --write    writes mime.def anew
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { leftOut, own } from './choices.mjs'

const definition = fileURLToPath(new URL('../../src/response/mime.def', import.meta.url))
const database = createRequire(import.meta.url)('mime-db')

const words = (text) => text.split(' ')
/** The better known, the lower. */
const rank = ({ source }) => ['iana', 'apache', 'nginx', undefined].indexOf(source)

/** suffix → the types that mime-db has for it, those of the best source only. */
function typesBySuffix() {
  const all = new Map()
  for (const [type, row] of Object.entries(database))
    for (const suffix of row.extensions ?? [])
      all.set(suffix, [...(all.get(suffix) ?? []), { type, rank: rank(row) }])
  for (const [suffix, rows] of all) {
    const best = Math.min(...rows.map((row) => row.rank))
    all.set(
      suffix,
      rows.filter((row) => row.rank === best).map((row) => row.type),
    )
  }
  return all
}

/** What mime.def should be: suffix → type; and what is wrong with the choices. */
export function expected() {
  const theirs = typesBySuffix()
  const ours = new Map(own.flatMap(([type, suffixes]) => words(suffixes).map((s) => [s, type])))
  const without = new Set(leftOut.flatMap(([, suffixes]) => words(suffixes)))
  const types = new Map(ours)
  const problems = []
  for (const suffix of without) {
    if (!theirs.has(suffix)) problems.push(`.${suffix} is left out and not in mime-db`)
    if (ours.has(suffix)) problems.push(`.${suffix} is left out and chosen`)
  }
  for (const [suffix, type] of ours)
    if (theirs.get(suffix)?.length === 1 && theirs.get(suffix)[0] === type)
      problems.push(`.${suffix} needs no choice: mime-db says ${type}`)
  for (const [suffix, candidates] of theirs) {
    if (ours.has(suffix) || without.has(suffix)) continue
    if (candidates.length > 1)
      problems.push(`.${suffix} needs a choice of ${candidates.join(', ')}`)
    types.set(suffix, candidates[0])
  }
  return { types, problems }
}

/** The rows of mime.def: suffix → type. */
export function defined() {
  const rows = readFileSync(definition, 'utf8').matchAll(/^X\("\.(.+)", "(.+)"\)$/gm)
  return new Map([...rows].map(([, suffix, type]) => [suffix, type]))
}

/** One line for each difference. */
export function differences() {
  const { types, problems } = expected()
  const rows = defined()
  for (const [suffix, type] of types)
    if (rows.get(suffix) !== type)
      problems.push(`.${suffix} should be ${type}, is ${rows.get(suffix) ?? 'missing'}`)
  for (const suffix of rows.keys())
    if (!types.has(suffix)) problems.push(`.${suffix} is neither in mime-db nor in choices.mjs`)
  return problems
}

function write() {
  const { types } = expected()
  const rows = [...types].map(([suffix, type]) => [`.${suffix}`, type])
  rows.sort(([a], [b]) => (a < b ? -1 : 1))
  const head =
    '/* Content types by suffix, sorted by suffix for the binary search: X(suffix, type)\n' +
    ' * Written by test/mime/compare.mjs --write, from mime-db and test/mime/choices.mjs. */\n'
  writeFileSync(definition, head + rows.map(([s, type]) => `X("${s}", "${type}")\n`).join(''))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--write')) write()
  const found = differences()
  for (const line of found) console.error(line)
  console.log(`${defined().size} suffixes, ${found.length} differences`)
  process.exitCode = found.length > 0 ? 1 : 0
}
