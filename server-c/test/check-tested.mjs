// SPDX-License-Identifier: MIT
// Each module of src has a unit test: a file test/unit/…/test_<module>.c, or one that includes its .c. Those
// without one are in the table of test/unit/README.md, with what covers them; nobody else is.
//   node test/check-tested.mjs     prints each break of the rules; exits with 1 if there is one
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const filesIn = (folder, ending) =>
  readdirSync(join(here, folder), { recursive: true }).filter((name) => name.endsWith(ending))

const modules = new Set(filesIn('../src', '.c').map((name) => name.slice(0, -'.c'.length)))
const tests = filesIn('unit', '.c')
const texts = [
  ...tests.map((name) => `unit/${name}`),
  ...filesIn('support', '.h').map((name) => `support/${name}`),
]
const included = new Set()
for (const text of texts.map((name) => readFileSync(join(here, name), 'utf8')))
  for (const [, name] of text.matchAll(/^\s*#\s*include\s+"(\w+\/\w+)\.c"/gm)) included.add(name)
const named = new Set(tests.map((name) => basename(name, '.c')))
const isTested = (module) => included.has(module) || named.has(`test_${basename(module)}`)

// A row: | `folder/module` | what covers it |
const rows = new Map()
for (const [, module, why] of readFileSync(join(here, 'unit/README.md'), 'utf8').matchAll(
  /^\| `(\w+\/\w+)` \|([^|]*)\|$/gm,
))
  rows.set(module, why.trim())

const breaks = []
for (const module of modules)
  if (!isTested(module) && !rows.has(module))
    breaks.push(`src/${module}.c: write a unit test, or say in test/unit/README.md what covers it`)
for (const [module, why] of rows) {
  if (!modules.has(module)) breaks.push(`test/unit/README.md: there is no src/${module}.c`)
  else if (isTested(module))
    breaks.push(`test/unit/README.md: ${module} has a unit test: take out its row`)
  if (!why) breaks.push(`test/unit/README.md: say what covers ${module}`)
}

for (const one of breaks) console.error(one)
console.log(
  `check-tested: ${modules.size} modules, ${rows.size} without a unit test, ${breaks.length} breaks`,
)
process.exit(breaks.length > 0 ? 1 : 0)
