// SPDX-License-Identifier: MIT
// Every command of docs/acme.md is run, in bash, in the page's order, with its configs and its program; the CA is Pebble.
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { freePort, serveTokens, startPebble } from '../acme/pebble.ts'
import { COMPILED } from '../compiled.ts'
import { farmctl, joinNode } from './helper.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/acme.md'), 'utf8')
/** Some thirty processes, on a machine that may have others. */
const RUNS_WITHIN_MS = 600_000

const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  )

/** Ends at the first command that fails; standard error then says which. */
function bash(script: string, options: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    execFile('bash', ['-exo', 'pipefail', '-c', script], options, (error, stdout, stderr) =>
      done({ code: error ? error.code : 0, stdout, stderr }),
    )
  })
}

test('the guide’s commands do what it says', { timeout: RUNS_WITHIN_MS }, async () => {
  const pebble = await startPebble()
  const farm = await farmctl({ config: { webhookAllow: ['127.0.0.0/8'] } })
  const { home, file } = farm
  const [first = '', withTls = ''] = blocksOf('jsonc')
  const [program = ''] = blocksOf('js')
  file('default.jsonc', first)
  expect((await farm.run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'First'])).code).toBe(0)
  const nodes = [await joinNode(farm, 'node-1'), await joinNode(farm, 'node-2')]
  await farm.run(['rollout', 'start', 'default', '--at-once', '--yes'])
  await serveTokens(pebble.httpPort, () => nodes[1]?.challenges ?? new Map())

  const port = String(await freePort())
  file('roots.pem', pebble.trustedRoots)
  file('hmac.txt', 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W\n')
  file('default.jsonc', withTls)
  file('dns.cjs', program.replace('8053', port))
  // Of the DNS that Pebble asks; it removes all of a name at once.
  file(
    'records',
    `#!${process.execPath}
const [, , verb, name, value] = process.argv
const [path, more] = verb === 'add' ? ['set-txt', { value }] : ['clear-txt', {}]
await fetch('${pebble.dnsUrl}/' + path, { method: 'POST', body: JSON.stringify({ host: name + '.', ...more }) })
`,
  )
  chmodSync(`${home}/records`, 0o755)

  const script = blocksOf('sh')
    .join('\n')
    .replaceAll(
      /create (letsencrypt(?:-staging)?) /g,
      `create $1 --directory ${pebble.directoryUrl} --trusted-roots roots.pem `,
    )
    .replaceAll('8053', port)
  expect(script.match(/farmctl/g)?.length).toBeGreaterThan(20)
  const env = { PATH: `${BIN}:${process.env.PATH}`, HOME: home, NO_COLOR: '1', ...COMPILED }
  const ended = await bash(`trap 'kill $program' EXIT\n${script}`, { cwd: home, env })
  expect(ended, ended.stderr).toMatchObject({ code: 0 })
  expect(ended.stdout).toMatch(/^trial has version 1, until /m)
  expect(ended.stdout).toContain('All 2 nodes have the version')
  expect(ended.stdout).toMatch(/^wild has version 1, until /m)
  const shop = await farm.json('get', 'managed-certificate', 'shop')
  expect(shop).toMatchObject({
    names: ['shop.example.org', 'www.shop.example.org'],
    authorities: [{ name: 'letsencrypt' }, { name: 'zerossl' }],
    certificate: { version: 3, state: 'good' },
  }) // What was renewed is rolled out by itself.
  for (const { effective } of nodes) {
    expect(effective?.certificates?.[0]).toMatchObject({ name: 'shop' })
  }
  const version = () => nodes[0]?.effective?.certificates?.[0]?.version
  await expect.poll(version, { timeout: 30_000 }).toBeGreaterThanOrEqual(2)
})
