// SPDX-License-Identifier: MIT
// What the console's listener shows: from where, when another one, and what it refuses.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ServerCertificate } from '../../src/certificates/server-certificate.ts'
import { openConsoleCertificate } from '../../src/console-tls/certificate.ts'
import { ConfigRefused, envToConfig } from '../../src/environment/config.ts'
import { DAY_MS, make } from '../certificates/make.ts'
import { tempDir } from '../helper.ts'
import { serverEnv } from '../processes.ts'
import { makeAuthority } from './browser.ts'

type Files = { chainFile: string; keyFile: string }
const tlsEnv = ({ chainFile, keyFile }: Files) => ({
  FARMSTEAD_TLS_CERTIFICATE_FILE: chainFile,
  FARMSTEAD_TLS_KEY_FILE: keyFile,
})

/** As the service does at its start; `kept` are the certificates in its database. */
async function open(env: Record<string, string>, kept = new Map<string, ServerCertificate>()) {
  const { tls } = envToConfig({ ...serverEnv(tempDir()), ...env })
  if (tls === null) throw new Error('no certificate is wanted')
  const certificate = await openConsoleCertificate(tls.source, {
    now: Date.now,
    certificates: {
      serverCertificate: async (name) => kept.get(name) ?? null,
      latestNumber: async (name) => (kept.has(name) ? 1 : null),
    },
  })
  const told: string[] = []
  const tell = (level: string) => (data: object, message: string) => {
    told.push(`${level} ${message} ${JSON.stringify(data)}`)
  }
  certificate.watch({ info: tell('info'), warn: tell('warn'), error: tell('error') })
  onTestFinished(() => certificate.close())
  return { certificate, told }
}

describe('a certificate that cannot be served is refused with what to do', () => {
  type Wrong = [name: string, env: (dir: string) => Promise<Record<string, string>>, says: RegExp]
  const issued = (dir: string) => makeAuthority(dir).issue('console')
  const rows: Wrong[] = [
    [
      'a key is missing',
      async (dir) => ({ FARMSTEAD_TLS_CERTIFICATE_FILE: issued(dir).chainFile }),
      /FARMSTEAD_TLS_KEY_FILE must be set as well, as FARMSTEAD_TLS_CERTIFICATE_FILE is/,
    ],
    [
      'a certificate is missing',
      async (dir) => ({ FARMSTEAD_TLS_KEY_FILE: issued(dir).keyFile }),
      /FARMSTEAD_TLS_CERTIFICATE_FILE must be set as well/,
    ],
    [
      'both ways are set',
      async (dir) => ({ ...tlsEnv(issued(dir)), FARMSTEAD_TLS_CERTIFICATE: 'shop' }),
      /set the one or the others/,
    ],
    [
      'there are no such files',
      async (dir) => tlsEnv({ chainFile: join(dir, 'a.pem'), keyFile: join(dir, 'a.key') }),
      /CERTIFICATE_FILE names \S+a\.pem, which cannot be read \(ENOENT\): put the PEM file there.*\n.*KEY_FILE names \S+a\.key, which/,
    ],
    [
      'the file is a folder',
      async (dir) => tlsEnv({ ...issued(dir), keyFile: dir }),
      /FARMSTEAD_TLS_KEY_FILE names \S+, which cannot be read \(EISDIR\)/,
    ],
    [
      'the key is another’s',
      async (dir) => {
        const authority = makeAuthority(dir)
        const { keyFile } = authority.issue('other')
        return tlsEnv({ ...authority.issue('console'), keyFile })
      },
      /FARMSTEAD_TLS_KEY_FILE, \S+other\.key:1: this key is not the one that "CN=console" was made for; give the key/,
    ],
    [
      'the key is encrypted',
      async (dir) => {
        const authority = makeAuthority(dir)
        const files = authority.issue('console')
        return tlsEnv({ ...files, keyFile: authority.encrypt('console') })
      },
      /FARMSTEAD_TLS_KEY_FILE, \S+:1: this key is encrypted with a passphrase, and nobody is there to type it at the start; .*"openssl pkey -in FILE -out PLAIN"/,
    ],
    [
      'the key is in the certificate’s file',
      async (dir) => {
        const { chainFile, keyFile } = issued(dir)
        writeFileSync(chainFile, readFileSync(keyFile, 'utf8') + readFileSync(chainFile, 'utf8'))
        return tlsEnv({ chainFile, keyFile })
      },
      /CERTIFICATE_FILE, \S+:1: here is a private key, which belongs into the file of FARMSTEAD_TLS_KEY_FILE/,
    ],
    [
      'it has expired',
      async (dir) => {
        const leaf = await make({ names: ['localhost'], toMs: Date.now() - DAY_MS / 2 })
        const files = { chainFile: join(dir, 'old.pem'), keyFile: join(dir, 'old.key') }
        writeFileSync(files.chainFile, leaf.pem)
        writeFileSync(files.keyFile, leaf.key)
        return tlsEnv(files)
      },
      /CERTIFICATE_FILE, \S+old\.pem:1: this certificate has expired on 20\S+; get a new one/,
    ],
    [
      'the chain is out of order',
      async (dir) => {
        const { chainFile, keyFile } = issued(dir)
        const ca = readFileSync(join(dir, 'ca.pem'), 'utf8')
        writeFileSync(chainFile, ca + readFileSync(chainFile, 'utf8'))
        return tlsEnv({ chainFile, keyFile })
      },
      /CERTIFICATE_FILE, \S+:\d+: the key is that of certificate 2 of the chain, not of the first; put the certificate of the server first/,
    ],
    [
      'browsers are told of a plain address',
      async (dir) => ({ ...tlsEnv(issued(dir)), FARMSTEAD_PUBLIC_URL: 'http://farm.example.org' }),
      /FARMSTEAD_PUBLIC_URL must begin with https:\/\//,
    ],
    [
      'HSTS is set without HTTPS',
      async () => ({ FARMSTEAD_TLS_HSTS_SECONDS: '86400' }),
      /FARMSTEAD_TLS_HSTS_SECONDS means nothing without HTTPS/,
    ],
    [
      'no certificate of that name is kept',
      async () => ({ FARMSTEAD_TLS_CERTIFICATE: 'shop' }),
      /FARMSTEAD_TLS_CERTIFICATE names "shop", and there is no such certificate: start without/,
    ],
  ]
  test.for(rows)('%s', async ([, env, says]) => {
    const wanted = await env(tempDir())
    const refused: unknown = await open(wanted).catch((error: unknown) => error)
    if (!(refused instanceof ConfigRefused)) throw refused
    expect(refused.message).toMatch(says)
    expect(refused.message).not.toContain('PRIVATE KEY-')
  })

  test.skipIf(process.getuid?.() === 0)('the key is not readable', async () => {
    const files = issued(tempDir())
    chmodSync(files.keyFile, 0)
    await expect(open(tlsEnv(files))).rejects.toThrow(
      /KEY_FILE names \S+, which cannot be read \(EACCES\): let the user/,
    )
  })
})

describe('a certificate in files that change', () => {
  const opened = async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const authority = makeAuthority(tempDir())
    const files = authority.issue('console')
    const { certificate, told } = await open(tlsEnv(files))
    let changes = 0
    certificate.onChange(() => {
      changes++
    })
    const tenSeconds = async () => {
      await vi.advanceTimersByTimeAsync(10_000)
    }
    const shown = () => certificate.current().chain
    return { authority, files, certificate, told, tenSeconds, shown, changes: () => changes }
  }

  test('is another one by itself, when both files have been left alone for one look', async () => {
    const { authority, tenSeconds, shown, changes, files, told } = await opened()
    const first = shown()
    await tenSeconds()
    authority.issue('console')
    await tenSeconds()
    expect([shown(), changes()]).toEqual([first, 0])
    await tenSeconds()
    expect([shown(), changes()]).toEqual([readFileSync(files.chainFile, 'utf8'), 1])
    await tenSeconds()
    expect(told.filter((line) => line.startsWith('info'))).toEqual([
      expect.stringMatching(/^info the console serves this certificate .*"notAfter":"20/),
      expect.stringMatching(/^info the console serves another certificate /),
    ])
  })

  test('is another one when a link was turned, as certbot and Kubernetes do', async () => {
    const dir = tempDir()
    const authority = makeAuthority(dir)
    for (const round of ['1', '2']) {
      mkdirSync(join(dir, round))
      const { chainFile, keyFile } = authority.issue('console')
      renameSync(chainFile, join(dir, round, 'fullchain.pem'))
      renameSync(keyFile, join(dir, round, 'privkey.pem'))
    }
    const live = join(dir, 'live')
    symlinkSync('1', live)
    const [chainFile, keyFile] = [join(live, 'fullchain.pem'), join(live, 'privkey.pem')]
    const { certificate } = await open(tlsEnv({ chainFile, keyFile }))
    const first = certificate.current().chain
    symlinkSync('2', join(dir, 'next'))
    renameSync(join(dir, 'next'), live)
    await certificate.look()
    await certificate.look()
    expect(certificate.current().chain).not.toBe(first)
    expect(certificate.current().chain).toBe(readFileSync(join(dir, '2/fullchain.pem'), 'utf8'))
  })

  test('stays what it was while only half of a renewal is there, which is told once', async () => {
    const { authority, files, tenSeconds, shown, told, changes } = await opened()
    const first = shown()
    copyFileSync(authority.issue('other').keyFile, files.keyFile)
    for (let i = 0; i < 4; i++) await tenSeconds()
    expect([shown(), changes()]).toEqual([first, 0])
    expect(told.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(/cannot be served, and the one before is .*this key is not the one/),
    ])
    authority.issue('console')
    for (let i = 0; i < 2; i++) await tenSeconds()
    expect(changes()).toBe(1)
  })

  test('is served on when the files are gone, and read at once when somebody asks', async () => {
    const { authority, certificate, files, shown, told, changes } = await opened()
    const first = shown()
    writeFileSync(files.chainFile, '')
    await certificate.look(true)
    expect(shown()).toBe(first)
    expect(told.at(-1)).toMatch(/FARMSTEAD_TLS_CERTIFICATE_FILE, \S+:0: this is empty/)
    authority.issue('console')
    await certificate.look(true)
    expect(changes()).toBe(1)
    await certificate.look(true)
    expect(changes()).toBe(1)
    expect(told.at(-2)).toMatch(/goes on with this certificate/)
  })
})

test('a stored certificate that has expired is shown nevertheless, and the log says so', async () => {
  const { pem: chain, key } = await make({ names: ['localhost'] })
  const expired = {
    ...{ chain, key, fingerprint: '0', names: ['localhost'], warnings: [] },
    notAfterMs: Date.now() - DAY_MS,
  }
  const env = { FARMSTEAD_TLS_CERTIFICATE: 'console' }
  const { certificate, told } = await open(env, new Map([['console', expired]]))
  expect(certificate.current().chain).toBe(chain)
  expect(told.at(-1)).toMatch(/^error the console’s certificate has expired/)
})
