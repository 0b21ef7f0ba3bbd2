// SPDX-License-Identifier: MIT
// What machines and people put around farmctl: full disks, links, addresses as typed, files as saved elsewhere.
import { execFile } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Contexts, normalUrl } from '../../src/farmctl/contexts.ts'
import { readDocument } from '../../src/farmctl/documents.ts'
import { COMPILED } from '../compiled.ts'
import { tempDir } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

const FARMCTL = resolve(import.meta.dirname, '../../bin/farmctl')
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
const sh = promisify(execFile)

describe('an address', () => {
  test.each([
    ['farm.example.org', 'https://farm.example.org'],
    ['HTTP://Farm.Example.org:80/farm/', 'http://farm.example.org/farm'],
    [' https://farm.example.org\n', 'https://farm.example.org'],
    ['[::1]:9700', 'https://[::1]:9700'],
  ])('%j is %s', (typed, url) => {
    expect(normalUrl(typed)).toBe(url)
  })

  test.each(['ftp://farm.example.org', 'file:///etc/passwd', 'https://', ''])(
    'is not %j',
    (typed) => {
      expect(() => normalUrl(typed)).toThrow(/is no address/)
    },
  )

  test('with a password is refused without telling it', () => {
    expect(() => normalUrl('https://ana:hush@farm.example.org')).toThrow(
      /^(?!.*hush).*Leave them out/,
    )
    expect(() => normalUrl('ftp://ana:hush@farm.example.org')).toThrow(/^(?!.*hush).*is no address/)
  })
})

describe('the file of contexts', () => {
  const contexts = (text: string) => {
    const dir = tempDir()
    const found = new Contexts({ XDG_CONFIG_HOME: dir })
    found.change(() => {})
    return {
      found,
      dir,
      write: () => sh('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', text, found.path]),
    }
  }

  test.each(['', 'null', '[]', '{}', '{"contexts":null}', '{"current":"x","contexts":{"x":{}}}'])(
    'that holds %j is said to be damaged',
    async (text) => {
      const { found, write } = contexts(text)
      await write()
      expect(() => found.choose(undefined)).toThrow(/is damaged\. Remove it/)
    },
  )

  test('stays a link where it was one', () => {
    const { found, dir } = contexts('')
    const elsewhere = join(dir, 'elsewhere')
    mkdirSync(elsewhere)
    renameSync(found.path, join(elsewhere, 'mine.json'))
    symlinkSync(join(elsewhere, 'mine.json'), found.path)
    found.change((stored) => {
      stored.contexts.farm = { url: 'https://farm.example.org', token: null, caFile: null }
      stored.current = 'farm'
    })
    expect(lstatSync(found.path).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(elsewhere, 'mine.json'), 'utf8')).toContain('farm.example.org')
    chmodSync(join(elsewhere, 'mine.json'), 0o600)
    expect(found.choose(undefined).name).toBe('farm')
  })
})

describe('a file of farmctl’s own', () => {
  test('with a byte order mark is told what that is', () => {
    expect(() => readDocument('a.jsonc', '\uFEFF{}', null)).toThrow(
      /^a\.jsonc:1:1: .*byte order mark/,
    )
  })

  test('that says a thing twice is refused at the second, however deep', () => {
    const text = '{ "mergePatch": { "a": 1,\n "a": 2 } }'
    expect(() => readDocument('a.jsonc', text, null)).toThrow(
      /^a\.jsonc:2:2: "a" is here for the second time/,
    )
    const alike = { list: [{ a: 1 }, { a: 1 }], a: 2 }
    expect(readDocument('a.jsonc', JSON.stringify(alike), null)).toEqual(alike)
  })

  test.each(['__proto__', 'constructor', 'valueOf'])('with a member %s has one too many', (key) => {
    expect(() => readDocument('a.jsonc', `{ "${key}": 1 }`, { name: () => null })).toThrow(
      `a.jsonc:1:3: "${key}" is not known here: choose of name`,
    )
  })
})

describe('around the process', { timeout: FARMCTL_TEST_MS }, () => {
  test('a result that cannot be written is a failure, and one document where that was asked for', async () => {
    const { home } = await farmctl({ asProcess: true })
    const run = sh('sh', ['-c', '"$1" get configs --json > /dev/full', 'sh', FARMCTL], {
      env: { PATH, ...COMPILED, HOME: home },
    })
    const error: { code: number; stderr: string } = await run.then(
      () => ({ code: 0, stderr: '' }),
      (failed) => failed,
    )
    expect(error).toMatchObject({ code: 1 })
    const { message } = JSON.parse(error.stderr).error
    expect(message).toMatch(/^the result could not be written: ENOSPC/)
  })

  test.each(['/proc', '/dev/null'])(
    'a HOME that holds no cache, as %s, is gone without',
    async (HOME) => {
      const env = { PATH, HOME }
      const { stdout } = await sh(FARMCTL, ['--version'], { env, timeout: 30_000 })
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    },
  )

  test('a proxy without a scheme is one of http, as elsewhere', async () => {
    const { home, url } = await farmctl({ asProcess: true })
    const run = sh(FARMCTL, ['get', 'configs'], {
      env: { PATH, ...COMPILED, HOME: home, HTTP_PROXY: '127.0.0.1:1' },
    })
    const { stderr } = await run.then(
      () => ({ stderr: '' }),
      (failed: { stderr: string }) => failed,
    )
    expect(stderr).toContain(`${url}: nothing listens there.`)
    expect(stderr).toContain('Or it is the proxy')
  })

  test('a file of CAs that holds none is refused', async () => {
    const { run, file } = await farmctl({ asProcess: true })
    const FARMSTEAD_CA_FILE = file('ca.pem', 'no certificate\n')
    const { code, stderr } = await run(['get', 'configs'], '', { FARMSTEAD_CA_FILE })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^farmctl: ca\.pem holds no certificates in PEM/)
  })
})
