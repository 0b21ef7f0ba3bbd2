// SPDX-License-Identifier: MIT
// What is planted into a repository is found, named with its line, and never printed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { root } from '../setup/paths.mjs'

const script = join(root, 'scripts/check-secrets.mjs')

function check(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'farmstead-secrets-'))
  try {
    spawnSync('git', ['init', '--quiet', folder])
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
    return { status, said: stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In pieces, so that this file has none. */
const of = (...parts: string[]) => parts.join('')
const KEY = of('-----BEGIN ', 'PRIVATE KEY-----')
const BODY = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'

describe('a secret', () => {
  const rows: [text: string, what: RegExp][] = [
    [`${KEY}\n${BODY}\n`, /a private key in line 2/],
    [`"${KEY}\\n${BODY}\\n"`, /a private key in line 2/],
    [of('-----BEGIN OPENSSH ', `PRIVATE KEY-----\n${BODY}`), /a private key/],
    [of('AGE-SECRET-', `KEY-1${'Q'.repeat(58)}`), /an age identity/],
    [
      of('fsa', `_${'0a'.repeat(13)}_${'aB3_-'.repeat(9).slice(0, 43)}`),
      /an API token of Farmstead/,
    ],
    [of('fst', `_${'a1B2'.repeat(10)}`), /a token of Farmstead for joining/],
    [of('AKIA', 'IOSFODNN7EXAMPLE'), /a key of AWS/],
    [of('ghp', `_${'a1B2c3'.repeat(6)}`), /a token of GitHub/],
    [
      of('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.', 'x'.repeat(30)),
      /a signed web token/,
    ],
    [of('https://ana:', 's3cr3t-word@registry.company.io/'), /a password in an address/],
  ]
  for (const [text, what] of rows) {
    it(`is found: ${what.source}`, () => {
      const { status, said } = check({ 'docs/a.md': `first\n${text}` })
      assert.equal(status, 1)
      assert.match(said, /^docs\/a\.md: /)
      assert.match(said, what)
      assert.ok(!said.includes(BODY) && !said.includes(text))
    })
  }

  for (const name of [
    'data/session.key',
    'secrets.key',
    '.env',
    'x/id_ed25519',
    'ca.key',
    'control.db',
  ])
    it(`is what a file called ${name} holds`, () => {
      const { status, said } = check({ [name]: 'anything' })
      assert.equal(status, 1)
      assert.match(said, /a file of secrets by its name/)
    })
})

describe('no secret', () => {
  it('is a word about one, an example, or an address of nobody', () => {
    const { status, said } = check({
      'a.md': `${KEY} begins a key. ${KEY}\n…\nfsa_${'0a'.repeat(13)}_${'x'.repeat(43)}`,
      'b.ts': 'https://ana:secret@dns.example.org/ https://user:$password@host/ box1. whsec_',
      'c.test.ts': `expect(secret).toMatch(/^fst_[A-Za-z0-9_-]{43}$/)`,
    })
    assert.deepEqual([status, said], [0, ''])
  })

  it('is in what git ignores', () => {
    const { status } = check({ '.gitignore': '.farm/\n', '.farm/session.key': `${KEY}\n${BODY}` })
    assert.equal(status, 0)
  })
})

it('who is not in a clone is told so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmstead-secrets-'))
  try {
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /run this in a clone/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
