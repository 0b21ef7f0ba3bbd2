// SPDX-License-Identifier: MIT
import 'reflect-metadata'
import { generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as Parsed,
  Pkcs10CertificateRequestGenerator,
} from '@peculiar/x509'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuthority } from '../../src/ca/authority.ts'
import { createKeyFile } from '../../src/ca/files.ts'
import { beginRotation, recreateCa } from '../../src/ca/rotation.ts'
import { makeCa, makeServer, readRequest } from '../../src/ca/x509.ts'
import { newKey } from '../agents/tls-joining.ts'
import { tempDir } from '../helper.ts'

const DAY_MS = 24 * 3600 * 1000
const open = async (dataDir: string, changes: { now?: () => number; issued?: boolean } = {}) => {
  const authority = await openAuthority({
    dataDir,
    now: changes.now ?? Date.now,
    hasIssued: async () => changes.issued ?? false,
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => authority.close())
  return authority
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the CA on the disk', () => {
  test('is made once, for its owner’s eyes only, and stays', async () => {
    const dataDir = tempDir()
    const first = await open(dataDir)
    expect(readdirSync(dataDir).sort()).toEqual(['ca.key', 'server.key'])
    for (const name of ['ca.key', 'server.key']) expect(modeOf(join(dataDir, name))).toBe('600')
    const second = await open(dataDir)
    expect(second.fingerprint()).toBe(first.fingerprint())
    expect(second.serverContext()).toEqual(first.serverContext())
  })

  test('that others can read is refused, with the remedy', async () => {
    const dataDir = tempDir()
    await open(dataDir)
    chmodSync(join(dataDir, 'ca.key'), 0o640)
    await expect(open(dataDir)).rejects.toThrow(
      /ca\.key can be read by others \(mode 0640\).*chmod 600/,
    )
  })

  test.each([
    ['emptied', () => '', /does not hold one key and one certificate/],
    ['cut', (text: string) => text.slice(0, text.length / 2), /does not hold one key and one/],
    ['doubled', (text: string) => text + text, /does not hold one key and one/],
    [
      'scribbled on',
      (text: string) =>
        text.replace(/CERTIFICATE-----\n.{20}/, 'CERTIFICATE-----\nAAAAAAAAAAAAAAAAAAAA'),
      /cannot be read|do not belong/,
    ],
  ])('that is %s is refused, and not replaced', async (_, damage, why) => {
    const dataDir = tempDir()
    await open(dataDir)
    const path = join(dataDir, 'ca.key')
    const damaged = damage(readFileSync(path, 'utf8'))
    writeFileSync(path, damaged)
    const error = await open(dataDir).catch((thrown: Error) => thrown)
    expect(String(error)).toMatch(why)
    expect(String(error)).toMatch(/Restore it from a backup/)
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  })

  test('with a key of another certificate is refused', async () => {
    const dataDir = tempDir()
    const [one, other] = [await makeCa(Date.now()), await makeCa(Date.now())]
    createKeyFile(join(dataDir, 'ca.key'), { ...one, certificatePem: other.certificatePem })
    await expect(open(dataDir)).rejects.toThrow(/do not belong together/)
  })

  test('is not replaced silently when it is gone and nodes rely on it', async () => {
    const dataDir = tempDir()
    await open(dataDir)
    rmSync(join(dataDir, 'ca.key'))
    await expect(open(dataDir, { issued: true })).rejects.toThrow(
      /ca\.key is missing, though nodes hold certificates.*admin ca recreate/,
    )
    await recreateCa({ dataDir, now: Date.now })
    expect((await open(dataDir, { issued: true })).fingerprint()).toMatch(/^[\w-]{43}$/)
  })

  test('is one when two processes make it at once', async () => {
    const dataDir = tempDir()
    const all = await Promise.all([open(dataDir), open(dataDir), open(dataDir)])
    expect(new Set(all.map((one) => one.fingerprint())).size).toBe(1)
    expect(readdirSync(dataDir).sort()).toEqual(['ca.key', 'server.key'])
  })

  test('goes on with what it has when its files become unreadable while it runs', async () => {
    const dataDir = tempDir()
    const authority = await open(dataDir)
    const before = authority.bundle()
    writeFileSync(join(dataDir, 'ca.key'), 'oops')
    await expect(authority.refresh()).rejects.toThrow(/damaged/)
    expect(authority.bundle()).toEqual(before)
  })

  test('knows one rotation at a time', async () => {
    const dataDir = tempDir()
    await expect(beginRotation({ dataDir, now: Date.now })).rejects.toThrow(/There is no/)
    await open(dataDir)
    await beginRotation({ dataDir, now: Date.now })
    expect(modeOf(join(dataDir, 'ca-next.key'))).toBe('600')
    await expect(beginRotation({ dataDir, now: Date.now })).rejects.toThrow(/under way/)
  })

  test('makes a new server certificate when that one is damaged, exposed or another CA’s', async () => {
    const dataDir = tempDir()
    const path = join(dataDir, 'server.key')
    const certificateNow = async () => (await open(dataDir)).serverContext().cert
    const spoil = [
      () => writeFileSync(path, 'oops'),
      () => chmodSync(path, 0o644),
      async () => {
        const theirs = await makeServer(await makeCa(Date.now()), Date.now())
        writeFileSync(path, theirs.keyPem + theirs.certificatePem)
      },
    ]
    let before = await certificateNow()
    for (const one of spoil) {
      await one()
      const after = await certificateNow()
      expect(after).not.toBe(before)
      expect(await certificateNow()).toBe(after)
      before = after
    }
    expect(modeOf(path)).toBe('600')
  })
})

describe('its certificates', () => {
  test('say what each may be used for, and begin a month ago', async () => {
    const nowMs = Date.parse('2026-11-22T12:00:00Z')
    const authority = await open(tempDir(), { now: () => nowMs })
    const { ca, cert } = authority.serverContext()
    const root = new Parsed(ca[0] ?? '')
    const constraints = root.getExtension(BasicConstraintsExtension)
    expect(constraints).toMatchObject({ critical: true, ca: true, pathLength: 0 })
    const usages = root.getExtension(KeyUsagesExtension)
    expect(usages?.critical).toBe(true)
    expect(usages?.usages).toBe(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)
    expect(root.notBefore.toISOString()).toBe('2026-10-23T12:00:00.000Z')
    expect(root.notAfter.toISOString()).toBe('2036-11-21T12:00:00.000Z')

    const issuer = new X509Certificate(ca[0] ?? '')
    const server = new X509Certificate(cert)
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect([server.checkIssued(issuer), server.verify(issuer.publicKey)]).toEqual([true, true])

    const { csr } = await newKey()
    const made = await authority.issue('node_01jd4q6v2m8w3x5y7z9abcdefg', await readRequest(csr))
    const node = new X509Certificate(made.certificatePem)
    expect(node.subject).toBe('CN=node_01jd4q6v2m8w3x5y7z9abcdefg')
    expect(node.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(node.ca).toBe(false)
    expect(node.validFromDate.toISOString()).toBe('2026-10-23T12:00:00.000Z')
    expect(node.validToDate.getTime()).toBe(nowMs + 30 * DAY_MS)
    expect(node.serialNumber).toMatch(/^[0-9A-F]{32}$/)
    expect([node.checkIssued(issuer), node.verify(issuer.publicKey)]).toEqual([true, true])
  })
})

describe('a certificate request', () => {
  const requestOf = async (
    kind: Parameters<typeof webcrypto.subtle.generateKey>[0],
    signing: { name: string },
  ) => {
    const keys = (await webcrypto.subtle.generateKey(kind, true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair
    const name = 'CN=node_00000000000000000000000000'
    return (
      await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: signing })
    ).toString('pem')
  }
  const rsa = (modulusLength: number) => ({
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: new Uint8Array([1, 0, 1]),
  })
  const ec = (namedCurve: string) => ({ name: 'ECDSA', namedCurve })
  const ecdsa = { name: 'ECDSA', hash: 'SHA-256' }

  test.each([
    ['P-256', ec('P-256'), ecdsa],
    ['P-384', ec('P-384'), ecdsa],
    ['Ed25519', { name: 'Ed25519' }, { name: 'Ed25519' }],
    ['RSA 2048', rsa(2048), rsa(2048)],
  ])('of a %s key gets a certificate', async (_, kind, signing) => {
    const key = await readRequest(await requestOf(kind, signing))
    expect(key.sha256).toMatch(/^[0-9a-f]{64}$/)
    const made = await (await open(tempDir())).issue('node_x', key)
    const { publicKey } = new X509Certificate(made.certificatePem)
    expect(publicKey.export({ format: 'der', type: 'spki' })).toEqual(key.der)
  })

  test.each([
    ['P-521', ec('P-521'), ecdsa],
    ['RSA 1024', rsa(1024), rsa(1024)],
  ])('of a %s key is refused', async (_, kind, signing) => {
    await expect(readRequest(await requestOf(kind, signing))).rejects.toThrow(
      /^\/csr: its key must be/,
    )
  })

  test('that was signed with another key is refused', async () => {
    const one = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { subtle } = webcrypto
    const keys = {
      publicKey: await subtle.importKey(
        'spki',
        one.publicKey.export({ format: 'der', type: 'spki' }),
        ec('P-256'),
        true,
        ['verify'],
      ),
      privateKey: await subtle.importKey(
        'pkcs8',
        other.privateKey.export({ format: 'der', type: 'pkcs8' }),
        ec('P-256'),
        true,
        ['sign'],
      ),
    }
    const request = await Pkcs10CertificateRequestGenerator.create({
      name: 'CN=x',
      keys,
      signingAlgorithm: ecdsa,
    })
    await expect(readRequest(request.toString('pem'))).rejects.toThrow(
      /its signature is not of its key/,
    )
  })

  test.each([
    '',
    'MIIB',
    '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n',
  ])('that is none is refused: %j', async (text) => {
    await expect(readRequest(text)).rejects.toThrow(/^\/csr: is no PKCS#10 request in PEM/)
  })
})
