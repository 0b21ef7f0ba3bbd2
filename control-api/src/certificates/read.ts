// SPDX-License-Identifier: MIT
// What a chain and a key are worth, before they are kept: read, held against each other, and all that is wrong with them
// said at once, with the line. Nothing of a key is ever in what is said. Pure: the caller says what time it is.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { ConfigError } from '../api-shapes/common.ts'
import { namesOf } from './certificate-names.ts'
import { type PemBlock, type PemFault, readPem } from './pem.ts'

/** A certificate that may be served. */
export type Material = {
  /** Leaf first, normalised. */
  chainPem: string
  /** PKCS#8. */
  keyPem: string
  /** SHA-256 of the leaf's DER, hexadecimal. */
  fingerprint: string
  names: string[]
  subject: string
  issuer: string
  serial: string
  /** As in "EC P-256" or "RSA 2048". */
  keyKind: string
  notBeforeMs: number
  notAfterMs: number
  chainLength: number
  /** It is served nevertheless. */
  warnings: ConfigError[]
}
export type Read = { ok: true; material: Material } | { ok: false; errors: ConfigError[] }

/** Of a public CA it has two or three. */
export const MAX_CHAIN = 10
const MAX_NAMES = 100
const MIN_RSA_BITS = 2048
/** A handshake with more takes a core's time. */
const MAX_RSA_BITS = 8192
const CURVES: Record<string, string> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}
const OLD_DIGESTS = /md[245]|sha-?1(?![0-9])/i
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const ANY_PURPOSE = '2.5.29.37.0'

type Field = '/chain' | '/key'
type Say = (field: Field, line: number, code: string, message: string, hint: string) => void
type Link = { certificate: X509Certificate; pem: string; line: number }

export function readMaterial(given: { chain: string; key: string }, nowMs: number): Read {
  const errors: ConfigError[] = []
  const warnings: ConfigError[] = []
  const refuse = sayTo(errors)
  const warn = sayTo(warnings)
  const key = readKey(given.key, refuse)
  const chain = readChain(given.chain, refuse)
  const leaf = chain[0]
  if (leaf) {
    checkLeaf(leaf, nowMs, refuse)
    if (key) checkFit(key.object, chain, refuse)
    checkOrder(chain, nowMs, { refuse, warn })
  }
  if (!leaf || !key || errors.length > 0) return { ok: false, errors }
  const { certificate } = leaf
  const material: Material = {
    chainPem: chain.map(({ pem }) => pem).join(''),
    keyPem: key.pem,
    fingerprint: fingerprintOf(certificate),
    names: namesOf(certificate),
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    serial: certificate.serialNumber,
    keyKind: key.kind,
    notBeforeMs: certificate.validFromDate.getTime(),
    notAfterMs: certificate.validToDate.getTime(),
    chainLength: chain.length,
    warnings,
  }
  return { ok: true, material }
}

/** SHA-256 of the DER, as it is said everywhere: lower case, without colons. */
export const fingerprintOf = ({ fingerprint256 }: X509Certificate) =>
  fingerprint256.replaceAll(':', '').toLowerCase()

const sayTo =
  (list: ConfigError[]): Say =>
  (pointer, line, code, message, hint) => {
    const column = line === 0 ? 0 : 1
    list.push({ pointer, line, column, endLine: line, endColumn: column, code, message, hint })
  }
const sayFault = (say: Say, field: Field, { line, message, hint }: PemFault) =>
  say(field, line, 'no_pem', message, hint)

type Key = { object: KeyObject; pem: string; kind: string }

function readKey(text: string, refuse: Say): Key | null {
  const read = readPem(text)
  if (!read.ok) {
    sayFault(refuse, '/key', read.fault)
    return null
  }
  const found = read.blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  const [block] = found
  if (!block) {
    const { label, line } = read.blocks[0] ?? { label: 'something', line: 1 }
    refuse(
      '/key',
      line,
      'no_key',
      `this is a ${label}, no private key`,
      'the key begins with "-----BEGIN PRIVATE KEY-----", or with EC or RSA before PRIVATE',
    )
    return null
  }
  if (found.length > 1) {
    refuse(
      '/key',
      found[1]?.line ?? 1,
      'several_keys',
      `there are ${found.length} private keys`,
      'give the one that the first certificate was made for',
    )
    return null
  }
  return parseKey(block, refuse)
}

function parseKey({ label, pem, line, isEncrypted }: PemBlock, refuse: Say): Key | null {
  if (isEncrypted || label === 'ENCRYPTED PRIVATE KEY') {
    refuse(
      '/key',
      line,
      'key_encrypted',
      'this key is encrypted with a passphrase, and nodes start without anybody who could type it',
      'take the passphrase off: "openssl pkey -in FILE -out PLAIN"; here it is encrypted at rest again',
    )
    return null
  }
  let object: KeyObject
  try {
    object = createPrivateKey(pem)
  } catch {
    refuse(
      '/key',
      line,
      'key_unreadable',
      `this ${label} cannot be read`,
      'PKCS#8, SEC1 (EC) and PKCS#1 (RSA) in PEM are taken; "openssl pkey -in FILE" says whether OpenSSL can read it',
    )
    return null
  }
  const { namedCurve = '', modulusLength = 0 } = object.asymmetricKeyDetails ?? {}
  const type = object.asymmetricKeyType
  const pkcs8 = () => object.export({ type: 'pkcs8', format: 'pem' }).toString()
  if (type === 'ec' && CURVES[namedCurve])
    return { object, pem: pkcs8(), kind: `EC ${CURVES[namedCurve]}` }
  if (type === 'rsa' && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS) {
    return { object, pem: pkcs8(), kind: `RSA ${modulusLength}` }
  }
  const what =
    type === 'rsa' ? `RSA of ${modulusLength} bits` : [type, namedCurve].filter(Boolean).join(' ')
  refuse(
    '/key',
    line,
    'key_weak',
    `this key is ${what}, which browsers do not take`,
    `EC on P-256, P-384 or P-521, or RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits; make a new key and have a certificate made for it`,
  )
  return null
}

function readChain(text: string, refuse: Say): Link[] {
  const read = readPem(text)
  if (!read.ok) {
    sayFault(refuse, '/chain', read.fault)
    return []
  }
  const strange = read.blocks.find(({ label }) => label !== 'CERTIFICATE')
  if (strange) {
    const isKey = strange.label.endsWith('PRIVATE KEY')
    refuse(
      '/chain',
      strange.line,
      isKey ? 'key_in_chain' : 'no_certificate',
      `this is a ${strange.label}`,
      isKey
        ? 'the key goes into "key" alone: the chain is shown to everybody'
        : 'only blocks "-----BEGIN CERTIFICATE-----" belong into the chain',
    )
    return []
  }
  const over = read.blocks[MAX_CHAIN]
  if (over) {
    refuse(
      '/chain',
      over.line,
      'chain_too_long',
      `there are ${read.blocks.length} certificates, and a chain has at most ${MAX_CHAIN}`,
      'give the leaf and its intermediates; a bundle of all CAs is something else',
    )
    return []
  }
  return read.blocks.flatMap(({ pem, line }) => {
    try {
      return [{ certificate: new X509Certificate(pem), pem, line }]
    } catch {
      refuse(
        '/chain',
        line,
        'certificate_unreadable',
        'this certificate cannot be read',
        'copy it again from the file; "openssl x509 -in FILE -text" says whether OpenSSL can read it',
      )
      return []
    }
  })
}

function checkLeaf({ certificate, line }: Link, nowMs: number, refuse: Say): void {
  const [from, to] = [certificate.validFromDate, certificate.validToDate]
  if (to.getTime() <= nowMs) {
    refuse(
      '/chain',
      line,
      'expired',
      `this certificate has expired on ${iso(to)}`,
      'get a new one from who made it',
    )
  } else if (from.getTime() > nowMs) {
    refuse(
      '/chain',
      line,
      'not_yet_valid',
      `this certificate is good from ${iso(from)} on; it is ${iso(new Date(nowMs))} here`,
      'upload it then; if it should be good already, the clock of this machine is wrong',
    )
  }
  const names = namesOf(certificate)
  if (names.length === 0) {
    refuse(
      '/chain',
      line,
      'no_names',
      'this certificate names no host: it has no subject alternative names of DNS or IP',
      'browsers do not read the common name; have one made with subjectAltName',
    )
  } else if (names.length > MAX_NAMES) {
    refuse(
      '/chain',
      line,
      'too_many_names',
      `this certificate has ${names.length} names, and at most ${MAX_NAMES} are kept`,
      'split it',
    )
  }
  const purposes = certificate.keyUsage as string[] | undefined
  if (purposes && !purposes.includes(SERVER_AUTH) && !purposes.includes(ANY_PURPOSE)) {
    refuse(
      '/chain',
      line,
      'not_for_servers',
      'this certificate is not for servers: its extended key usage lacks serverAuth',
      'have one made for a web server',
    )
  }
}

function checkFit(key: KeyObject, chain: readonly Link[], refuse: Say): void {
  const at = chain.findIndex(({ certificate }) => certificate.checkPrivateKey(key))
  if (at === 0) return
  const [leaf] = chain
  if (at > 0) {
    refuse(
      '/chain',
      chain[at]?.line ?? 0,
      'chain_order',
      `the key is that of certificate ${at + 1} of the chain, not of the first`,
      'put the certificate of the server first, then the one that issued it, and so on',
    )
    return
  }
  refuse(
    '/key',
    1,
    'key_mismatch',
    `this key is not the one that ${described(leaf)} was made for`,
    'give the key that the request for this certificate was made with',
  )
}

/** Nobody looks at the signature of a certificate that signed itself. */
function checkSignature(certificate: X509Certificate, line: number, refuse: Say): void {
  const algorithm = certificate.signatureAlgorithm ?? ''
  if (!OLD_DIGESTS.test(algorithm) || certificate.verify(certificate.publicKey)) return
  refuse(
    '/chain',
    line,
    'signature_weak',
    `this certificate is signed by ${algorithm}, which clients do not trust any more`,
    'have one made that is signed with SHA-256',
  )
}

/** The leaf's is that of the private key, which was looked at. Nodes refuse the others, too. */
function checkIssuerKey({ publicKey }: X509Certificate, line: number, refuse: Say): void {
  const { modulusLength = MIN_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {}
  if (modulusLength >= MIN_RSA_BITS) return
  refuse(
    '/chain',
    line,
    'key_weak',
    `the key of this certificate is RSA of ${modulusLength} bits, which clients do not trust any more`,
    `have one made whose authorities have RSA of at least ${MIN_RSA_BITS} bits, or EC`,
  )
}

function checkOrder(
  chain: readonly Link[],
  nowMs: number,
  { refuse, warn }: { refuse: Say; warn: Say },
): void {
  const seen = new Set<string>()
  for (const [i, { certificate, line }] of chain.entries()) {
    if (seen.has(certificate.fingerprint256)) {
      refuse(
        '/chain',
        line,
        'duplicate_certificate',
        'this certificate is in the chain already',
        'give each once',
      )
      return
    }
    seen.add(certificate.fingerprint256)
    checkSignature(certificate, line, refuse)
    if (i > 0) checkIssuerKey(certificate, line, refuse)
  }
  for (const [i, link] of chain.entries()) {
    const before = chain[i - 1]
    if (before && !isIssuedBy(before.certificate, link.certificate)) {
      refuse(
        '/chain',
        link.line,
        'chain_order',
        `${described(link)} did not issue the one before it, ${described(before)}`,
        orderHint(chain),
      )
      return
    }
    if (i > 0 && link.certificate.validToDate.getTime() <= nowMs) {
      refuse(
        '/chain',
        link.line,
        'expired',
        `${described(link)}, an intermediate, has expired on ${iso(link.certificate.validToDate)}`,
        'get the chain anew from who made the certificate',
      )
    }
  }
  const last = chain.at(-1)
  if (!last) return
  if (isSelfSigned(last.certificate)) {
    if (chain.length > 1) {
      warn(
        '/chain',
        last.line,
        'root_included',
        `${described(last)} is a root: clients have it, and each handshake would carry it in vain`,
        'leave it out',
      )
    } else {
      warn(
        '/chain',
        last.line,
        'self_signed',
        'nobody but itself vouches for this certificate',
        'browsers refuse it unless they were given it; have one made by a CA they know',
      )
    }
    return
  }
  if (!isKnownRoot(last.certificate.issuer)) {
    warn(
      '/chain',
      last.line,
      'missing_intermediate',
      `the chain ends with ${described(last)}, and who issued that, ${oneLine(last.certificate.issuer)}, is no root that browsers know`,
      'add the intermediate that its CA publishes (often "fullchain.pem"); leave it so only when clients were given that CA',
    )
  }
}

const isIssuedBy = (one: X509Certificate, issuer: X509Certificate) =>
  one.checkIssued(issuer) && one.verify(issuer.publicKey)
const isSelfSigned = (one: X509Certificate) => isIssuedBy(one, one)

/** Whether another order is one: people paste the files in that of the folder. */
function orderHint(chain: readonly Link[]): string {
  const [first] = chain
  const order = first ? [first] : []
  for (let at = first; at; ) {
    const { certificate } = at
    const next = chain.find(
      (one) => !order.includes(one) && isIssuedBy(certificate, one.certificate),
    )
    if (next) order.push(next)
    at = next
  }
  if (order.length === chain.length) {
    return `the order is: ${order.map((link) => `line ${link.line}`).join(', ')}`
  }
  const stray = chain.find((one) => !order.includes(one))
  return `leave out the one of line ${stray?.line}: it belongs to another chain`
}

let rootSubjects: ReadonlySet<string> | null = null
/** By name: Node brings Mozilla's list. */
function isKnownRoot(subject: string): boolean {
  rootSubjects ??= new Set(rootCertificates.map((pem) => new X509Certificate(pem).subject))
  return rootSubjects.has(subject)
}

const iso = (date: Date) => date.toISOString()
/** "C=US\nO=…" of node:crypto. */
const oneLine = (name: string | undefined) => (name ?? '').split('\n').join(', ').slice(0, 512)
const described = (link: Link | undefined) =>
  link
    ? `"${oneLine(link.certificate.subject) || 'a certificate without a subject'}"`
    : 'the certificate'
