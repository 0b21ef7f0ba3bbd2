// SPDX-License-Identifier: MIT
// What the documentation shows as a config is one: each example is given to `check`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { nodeBinary, tempFolder } from '../support/node.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const pages = [
  join(root, 'README.md'),
  join(root, 'server-c/README.md'),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, 'docs', name)),
]

/** The examples of a page, with the line each begins at. */
function examplesIn(page) {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```jsonc?\n([\s\S]*?)^```$/gm)].map(({ 1: example, index }) => ({
    name: `${relative(root, page)}:${text.slice(0, index).split('\n').length + 1}`,
    example,
  }))
}

const schema = JSON.parse(readFileSync(join(root, 'server-c/config.schema.json'), 'utf8'))
const site = '"hosts": ["*"], "root": "/srv"'

/** A whole config as it is; what are options of a config or of a site, in one. */
function asConfig(example) {
  const [first, option] = /^\s*(\{|"(\w+)")/.exec(example.replace(/\/\/.*/g, '')).slice(1)
  if (first === '{') return example
  if (option in schema.properties) return `{"sites": [{${site}}],\n${example}\n}`
  return `{"sites": [{${site},\n${example}\n}]}`
}

const examples = pages.flatMap(examplesIn)

/** A policy is marked as one: ```jsonc policy */
const policies = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```jsonc policy\n([\s\S]*?)^```$/gm)].map(
    ({ 1: text }) => ({ page: relative(root, page), text }),
  ),
)

test('each reason for which connections end is in the documentation, in its words', () => {
  const table = readFileSync(join(root, 'server-c/src/measure/end_reasons.def'), 'utf8')
  const page = readFileSync(join(root, 'docs/observing-a-node.md'), 'utf8').replaceAll('`', '')
  const rows = [...table.matchAll(/^X\(\w+,\s+"(\w+)",\s+"([^"]+)"\)$/gm)]
  assert.ok(rows.length > 10)
  for (const [, name, sentence] of rows) assert.ok(page.includes(`| ${name} | ${sentence} |`), name)
})

test('each stage of a request is in the documentation and in the agent protocol', () => {
  const table = readFileSync(join(root, 'server-c/src/measure/stages.def'), 'utf8')
  const page = readFileSync(join(root, 'docs/observing-a-node.md'), 'utf8')
  const protocol = readFileSync(
    join(root, 'server-c/agent-protocol/schemas/common.schema.json'),
    'utf8',
  )
  const names = [...table.matchAll(/^X\(\w+,\s+"(\w+)"/gm)].map(([, name]) => name)
  assert.ok(names.length > 5)
  for (const name of names) assert.ok(page.includes(`\n| \`${name}\` | `), name)
  const { properties } = JSON.parse(protocol).definitions.stages
  assert.deepEqual(Object.keys(properties).sort(), names.toSorted())
})

test('the documentation has examples', () => {
  assert.ok(examples.length >= 5, `${examples.length} found`)
})

test('the policies that the documentation shows are policies', (t) => {
  assert.ok(policies.length > 0)
  const folder = tempFolder(t)
  const config = '{"listen": [{"port": 80}], "sites": [{"hosts": ["*"], "root": "/srv/www/a"}]}'
  for (const { page, text } of policies) {
    const file = join(folder, 'policy.json')
    writeFileSync(file, text, { mode: 0o644 })
    const words = ['check', '--text-only', '--policy', file, '-']
    const { status, stderr } = spawnSync(nodeBinary, words, { input: config, encoding: 'utf8' })
    assert.equal(status, 0, `${page}: ${stderr}`)
  }
})

for (const { name, example } of examples)
  test(`the example at ${name} is a config`, () => {
    const { status, stderr } = spawnSync(
      nodeBinary,
      ['check', '--text-only', '--environment', '-'],
      {
        input: asConfig(example),
        encoding: 'utf8',
      },
    )
    assert.equal(status, 0, stderr)
  })
