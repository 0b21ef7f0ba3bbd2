// SPDX-License-Identifier: MIT
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { namesOf } from '../../src/certificates/certificate-names.ts'
import { covers } from '../../src/certificates/names.ts'
import { readPem } from '../../src/certificates/pem.ts'
import { MAX_CHAIN, readMaterial } from '../../src/certificates/read.ts'
import { processorMs } from '../processor-ms.ts'
import { DAY_MS, ecKeys, make, makeChain, pkcs8, rsaKeys } from './make.ts'

const NOW = Date.now()
const read = (chain: string, key: string) => readMaterial({ chain, key }, NOW)
const errorsOf = (chain: string, key: string) => {
  const result = read(chain, key)
  return result.ok ? [] : result.errors.map(({ pointer, line, code }) => [pointer, line, code])
}
const warningsOf = (chain: string, key: string) => {
  const result = read(chain, key)
  return result.ok ? result.material.warnings.map(({ line, code }) => [line, code]) : 'refused'
}
const lines = (text: string) => text.split('\n').length - 1

describe('a good certificate', () => {
  test('is read with all one wants to know of it', async () => {
    const { chain, key, leaf } = await makeChain([
      'Example.org',
      '*.example.org',
      '192.0.2.7',
      '2001:db8::1',
    ])
    const result = read(chain, key)
    if (!result.ok) throw new Error(JSON.stringify(result.errors))
    const x509 = new X509Certificate(leaf.pem)
    expect(result.material).toMatchObject({
      names: ['example.org', '*.example.org', '192.0.2.7', '2001:db8:0:0:0:0:0:1'],
      issuer: 'CN=test intermediate',
      keyKind: 'EC P-256',
      chainLength: 2,
      fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
      notAfterMs: x509.validToDate.getTime(),
    })
  })

  test('may have its key in any of the three forms, which becomes one', async () => {
    for (const [keys, old] of [
      [ecKeys('P-384'), 'sec1'],
      [rsaKeys(2048), 'pkcs1'],
    ] as const) {
      const { chain, key } = await makeChain(['a.example'], { keys })
      const other = keys.privateKey.export({ type: old as 'sec1', format: 'pem' }).toString()
      const [one, two] = [read(chain, key), read(chain, other)]
      expect(one.ok && two.ok && one.material.keyPem === two.material.keyPem).toBe(true)
      expect(one.ok && createPrivateKey(one.material.keyPem).asymmetricKeyType).toBe(
        keys.privateKey.asymmetricKeyType,
      )
    }
  })

  test('is taken as other programs write it', async () => {
    const { leaf, intermediate, key } = await makeChain(['a.example'])
    const both = leaf.pem + intermediate.pem
    const chains = [
      both.replaceAll('\n', '\r\n'),
      `\ufeff${both}`,
      `subject=/CN=a.example\n${leaf.pem}Bag Attributes: <none>\n${intermediate.pem}`,
      both.trimEnd(),
      // cat a.pem b.pem, where a.pem has no line end
      leaf.pem.trimEnd() + intermediate.pem,
      both.replaceAll('\n', '\n  '),
    ]
    for (const chain of chains) {
      const result = read(chain, key)
      expect(result.ok && result.material.chainPem, chain).toBe(both)
    }
    expect(
      errorsOf(
        both,
        `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${key}`,
      ),
    ).toEqual([])
  })

  test('is taken in the forms that users of other consoles were refused with', async () => {
    const { leaf, chain, key } = await makeChain(['a.example'])
    const oneLine = chain
      .replaceAll(/\n(?!-)/g, '')
      .replaceAll(/(?<=BEGIN CERTIFICATE-----)/g, '\n')
    expect(oneLine.split('\n')).toHaveLength(6)
    expect(errorsOf(oneLine, key)).toEqual([])
    const exported = `Bag Attributes\n    localKeyID: 01\nKey Attributes: <No Attributes>\n${key}`
    expect(errorsOf(chain, exported)).toEqual([])
    // The key beside its certificate in one file.
    expect(errorsOf(chain, `${leaf.pem}${key}`)).toEqual([])
    const utf16 = Buffer.from(chain, 'utf16le').toString('latin1')
    expect(JSON.stringify(read(utf16, key))).toContain('this is UTF-16')
  })

  test('warns of a root that is in it, and of an intermediate that is not', async () => {
    const { leaf, root, chain, key } = await makeChain(['a.example'])
    expect(warningsOf(chain + root.pem, key)).toEqual([[1 + lines(chain), 'root_included']])
    expect(warningsOf(leaf.pem, key)).toEqual([[1, 'missing_intermediate']])
    const own = await make({ names: ['a.example'] })
    expect(warningsOf(own.pem, own.key)).toEqual([[1, 'self_signed']])
  })

  test('that ends below a root of browsers is whole', async () => {
    const name = new X509Certificate(rootCertificates[0] ?? '').subject.replaceAll('\n', ', ')
    const issuer = await make({ isCa: true, subject: name })
    const leaf = await make({ names: ['a.example'], by: issuer })
    expect(new X509Certificate(leaf.pem).issuer).toBe(
      new X509Certificate(rootCertificates[0] ?? '').subject,
    )
    expect(warningsOf(leaf.pem, leaf.key)).toEqual([])
  })
})

describe('what cannot be served is refused with its line', () => {
  test('a key of another, also of the intermediate', async () => {
    const { chain, key, intermediate, leaf } = await makeChain(['a.example'])
    expect(errorsOf(chain, pkcs8(ecKeys()))).toEqual([['/key', 1, 'key_mismatch']])
    const swapped = errorsOf(intermediate.pem + leaf.pem, key)
    expect(swapped).toContainEqual(['/chain', 1 + lines(intermediate.pem), 'chain_order'])
  })

  test('a chain out of order, with the order', async () => {
    const { leaf, intermediate, root, key } = await makeChain(['a.example'])
    const result = read(leaf.pem + root.pem + intermediate.pem, key)
    expect(result).toMatchObject({
      ok: false,
      errors: [{ code: 'chain_order', line: 1 + lines(leaf.pem) }],
    })
    const third = 1 + lines(leaf.pem) + lines(root.pem)
    expect(JSON.stringify(result)).toContain(
      `the order is: line 1, line ${third}, line ${1 + lines(leaf.pem)}`,
    )
    const stranger = await make({ isCa: true })
    expect(JSON.stringify(read(leaf.pem + stranger.pem, key))).toContain('belongs to another chain')
    expect(errorsOf(leaf.pem + intermediate.pem + intermediate.pem, key)).toEqual([
      ['/chain', 1 + lines(leaf.pem + intermediate.pem), 'duplicate_certificate'],
    ])
  })

  test('an issuer of the right name that signed nothing', async () => {
    const { leaf, key } = await makeChain(['a.example'])
    const false_ = await make({ isCa: true, subject: 'CN=test intermediate' })
    expect(errorsOf(leaf.pem + false_.pem, key)).toEqual([
      ['/chain', 1 + lines(leaf.pem), 'chain_order'],
    ])
  })

  test.each([
    ['expired', { fromMs: NOW - 9 * DAY_MS, toMs: NOW - 1000 }],
    ['not_yet_valid', { fromMs: NOW + DAY_MS }],
    ['not_for_servers', { purposes: ['1.3.6.1.5.5.7.3.2'] }],
  ])('%s', async (code, wish) => {
    const { chain, key } = await makeChain(['a.example'], wish)
    expect(errorsOf(chain, key)).toEqual([['/chain', 1, code]])
  })

  test('an expired intermediate', async () => {
    const root = await make({ isCa: true, subject: 'CN=r' })
    const old = await make({ isCa: true, by: root, subject: 'CN=i', toMs: NOW - 1000 })
    const leaf = await make({ names: ['a.example'], by: old })
    expect(errorsOf(leaf.pem + old.pem, leaf.key)).toEqual([
      ['/chain', 1 + lines(leaf.pem), 'expired'],
    ])
  })

  test('without names, or with more than anybody reads', async () => {
    const none = await makeChain([], { subject: 'CN=a.example' })
    expect(errorsOf(none.chain, none.key)).toEqual([['/chain', 1, 'no_names']])
    const many = await makeChain(Array.from({ length: 101 }, (_, i) => `h${i}.example`))
    expect(errorsOf(many.chain, many.key)).toEqual([['/chain', 1, 'too_many_names']])
  })

  test.each([
    ['RSA of 1024 bits', rsaKeys(1024)],
    ['a curve of others', ecKeys('secp256k1')],
  ])('a weak key: %s', async (_, keys) => {
    const { chain } = await makeChain(['a.example'])
    expect(errorsOf(chain, pkcs8(keys))).toEqual([['/key', 1, 'key_weak']])
  })

  test('an authority with a weak key, which nodes refuse, too', async () => {
    const root = await make({ isCa: true, subject: 'CN=r' })
    const weak = await make({ isCa: true, subject: 'CN=i', by: root, keys: rsaKeys(1024) })
    const leaf = await make({ names: ['a.example'], by: weak })
    expect(errorsOf(leaf.pem + weak.pem, leaf.key)).toEqual([
      ['/chain', 1 + lines(leaf.pem), 'key_weak'],
    ])
  })

  test('a signature by SHA-1, but for that of a root, which nobody looks at', async () => {
    const root = await make({ isCa: true, subject: 'CN=r', hash: 'SHA-1' })
    const good = await make({ names: ['a.example'], by: root })
    expect(errorsOf(good.pem + root.pem, good.key)).toEqual([])
    const old = await make({ names: ['a.example'], by: root, hash: 'SHA-1' })
    expect(errorsOf(old.pem + root.pem, old.key)).toEqual([['/chain', 1, 'signature_weak']])
  })

  test('an encrypted key, in both forms', async () => {
    const { chain } = await makeChain(['a.example'])
    const { privateKey } = rsaKeys(2048)
    const secret = { cipher: 'aes-256-cbc', passphrase: 'x' }
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const pem = privateKey.export({ type, format: 'pem', ...secret }).toString()
      expect(errorsOf(chain, pem), type).toEqual([['/key', 1, 'key_encrypted']])
    }
  })

  test('what is no PEM at all, or another kind of it', async () => {
    const { chain, key, leaf } = await makeChain(['a.example'])
    expect(errorsOf('', key)).toEqual([['/chain', 0, 'no_pem']])
    expect(errorsOf('hello', key)).toEqual([['/chain', 1, 'no_pem']])
    for (const text of ['MIIKYgIBAzCCChwGCSqGSIb3', '0\x82\x0a\u0000\u0001']) {
      expect(JSON.stringify(read(text, key))).toContain('PKCS#12')
    }
    expect(errorsOf(chain, leaf.pem)).toEqual([['/key', 1, 'no_key']])
    expect(errorsOf(`${chain}${key}`, key)).toEqual([['/chain', 1 + lines(chain), 'key_in_chain']])
    expect(errorsOf(chain, key + key)).toEqual([['/key', 1 + lines(key), 'several_keys']])
    expect(errorsOf(chain.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), key)).toEqual([
      ['/chain', 1, 'no_certificate'],
    ])
    expect(errorsOf(leaf.pem.slice(0, -20), key)).toEqual([['/chain', 1, 'no_pem']])
    expect(errorsOf(leaf.pem.replace('\n', '\n<p>'), key)).toEqual([['/chain', 1, 'no_pem']])
    expect(errorsOf(leaf.pem.replace(/MII.{20}/, ''), key)).toEqual([
      ['/chain', 1, 'certificate_unreadable'],
    ])
    expect(errorsOf(chain, key.replace(/MI.{20}/, ''))).toEqual([['/key', 1, 'key_unreadable']])
  })

  test('a chain of a hundred, before any of it is read', async () => {
    const { leaf, key } = await makeChain(['a.example'])
    expect(errorsOf(leaf.pem.repeat(100), key)).toEqual([
      ['/chain', 1 + MAX_CHAIN * lines(leaf.pem), 'chain_too_long'],
    ])
  })

  test('and none of what is said holds the key', async () => {
    const { chain, key } = await makeChain(['a.example'])
    const [, body = ''] = key.split('\n')
    for (const [one, two] of [
      [chain, `${key}${key}`],
      [key, key],
      [chain, key.replace('END', 'AND')],
    ] as const) {
      expect(JSON.stringify(read(one, two))).not.toContain(body)
    }
  })
})

test('a hostile text of the largest size is read in no time', () => {
  const texts = [
    '-----BEGIN A-----'.repeat(4000),
    `${'-----BEGIN A-----'.repeat(4000)}-----END A-----`,
    '-----BEGIN A-----\nA\n-----END A-----'.repeat(2000),
    '\n'.repeat(65_536),
    `-----BEGIN A-----${'A:'.repeat(30_000)}-----END A-----`,
    'A '.repeat(32_000),
  ]
  const readAll = () => {
    for (const text of texts) readPem(text)
  }
  expect(processorMs(readAll)).toBeLessThan(1000)
})

test('names that are no host’s are left out, however they are written', () => {
  expect(
    namesOf({
      subjectAltName:
        'DNS:a.example, "DNS:b", DNS:"c.example, DNS:evil.example", email:x@y, URI:http://z, IP Address:10.0.0.1, DNS:*.D.example',
    }),
  ).toEqual(['a.example', '10.0.0.1', '*.d.example'])
  expect(
    namesOf({ subjectAltName: 'DNS:a\0.example, DNS:../x, DNS:a..b, DNS:*.*.x, DNS:x*.y' }),
  ).toEqual([])
  expect(namesOf({ subjectAltName: undefined as never })).toEqual([])
})

test.each([
  ['example.org', ['example.org'], true],
  ['EXAMPLE.org', ['example.org'], true],
  ['www.example.org', ['*.example.org'], true],
  ['a.b.example.org', ['*.example.org'], false],
  ['example.org', ['*.example.org'], false],
  ['*.example.org', ['*.example.org'], true],
  ['*.example.org', ['example.org', 'www.example.org'], false],
  ['*.a.example.org', ['*.example.org'], false],
  ['*', ['example.org'], true],
  ['notexample.org', ['*.example.org'], false],
  ['192.0.2.7', ['192.0.2.7'], true],
  ['192.0.2.7', ['*.0.2.7'], false],
  ['[2001:db8::1]', ['2001:db8:0:0:0:0:0:1'], true],
  ['localhost', ['localhost'], true],
])('%s is covered by %j: %s', (host, names, expected) => {
  expect(covers(names, host)).toBe(expected)
})
