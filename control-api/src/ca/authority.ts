// SPDX-License-Identifier: MIT
// The control plane as its own small CA, as it stands on the disk:
//   ca.key        signs the server's certificate; tokens carry its fingerprint
//   ca-next.key   during a rotation: already signs the nodes' certificates
//   server.key    the listener's certificate, made anew whenever it must be
// The operator's commands write the same files from another process, so they are looked at again and again.
import { X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../base/ids.ts'
import { CaRefused } from './errors.ts'
import { createKeyFile, readKeyFile, replaceKeyFile, stampOf } from './files.ts'
import {
  BACKDATED_MS,
  fingerprintOf,
  type KeyAndCertificate,
  makeCa,
  makeNodeCertificate,
  makeServer,
  type NodeCertificate,
  type RequestedKey,
} from './x509.ts'

export type Ca = KeyAndCertificate & { sha256: string; fingerprint: string; notAfterMs: number }
/** What nodes are told to trust. */
export type Bundle = { pem: string; digest: string }
export type ServerContext = { key: string; cert: string; ca: string[] }

export type Authority = {
  /** What a token made now must carry: of the CA that signed the server's certificate. */
  fingerprint(): string
  bundle(): Bundle
  /** Of these a node's certificate must be. */
  trusts(caSha256: string): boolean
  /** Which of ours signed it? For certificates we hold no record of. null: none did. */
  signerOf(certificate: X509Certificate): string | null
  /** During a rotation: is it of the CA that is going? */
  isOutgoing(caSha256: string): boolean
  issue(nodeId: string, key: RequestedKey): Promise<NodeCertificate>
  serverContext(): ServerContext
  /** The listener's certificate or the list of CAs became another. */
  onChange(listener: () => void): void
  /** Looks at the files again, and renews what is due. Runs by itself; tests and commands call it. */
  refresh(): Promise<void>
  status(): { ca: Ca; next: Ca | null; serverNotAfterMs: number }
  close(): void
}

export const caPath = (dataDir: string) => join(dataDir, 'ca.key')
export const nextCaPath = (dataDir: string) => join(dataDir, 'ca-next.key')
const serverPath = (dataDir: string) => join(dataDir, 'server.key')

/** The server's certificate is made anew when less than this of its life is left. */
const RENEW_BELOW = 1 / 3
const REFRESH_MS = 10_000

type CaDeps = {
  dataDir: string
  now: () => number
  /** Are there nodes with certificates? Then a CA that is gone must not be replaced unasked. */
  hasIssued: () => Promise<boolean>
}

/** Of the data folder; the first time, makes it. */
export async function ensureCa({ dataDir, now, hasIssued }: CaDeps): Promise<Ca> {
  const path = caPath(dataDir)
  const found = readKeyFile(path)
  if (found) return describe(found)
  if (await hasIssued()) {
    throw new CaRefused(
      `${path} is missing, though nodes hold certificates of this control plane. Restore it from a backup. If there is none, "admin ca recreate" makes a new CA, and every node must join again.`,
    )
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  createKeyFile(path, await makeCa(now()))
  const made = readKeyFile(path)
  if (!made) throw new CaRefused(`${path} vanished while it was made. Start again.`)
  return describe(made)
}

/** For commands that make none. */
export function requireCa(dataDir: string): Ca {
  const found = readKeyFile(caPath(dataDir))
  if (found) return describe(found)
  throw new CaRefused(
    `There is no ${caPath(dataDir)}: a service with FARMSTEAD_AGENT_TRANSPORT=mtls makes one when it first starts.`,
  )
}

export const readNextCa = (dataDir: string): Ca | null => {
  const found = readKeyFile(nextCaPath(dataDir))
  return found && describe(found)
}

/** Newest first. */
export function bundleOf(cas: readonly KeyAndCertificate[]): Bundle {
  const pem = cas.map((one) => one.certificatePem).join('')
  return { pem, digest: sha256(pem) }
}

export function describe(found: KeyAndCertificate): Ca {
  const certificate = new X509Certificate(found.certificatePem)
  return {
    ...found,
    sha256: sha256(certificate.raw),
    fingerprint: fingerprintOf(found.certificatePem),
    notAfterMs: certificate.validToDate.getTime(),
  }
}

type Deps = CaDeps & { onError: (error: unknown) => void }
type State = { ca: Ca; next: Ca | null; server: KeyAndCertificate; bundle: Bundle }

export async function openAuthority(deps: Deps): Promise<Authority> {
  const { dataDir, now, onError } = deps
  const listeners: (() => void)[] = []
  const stampNow = () => [caPath(dataDir), nextCaPath(dataDir)].map(stampOf).join(' ')

  const load = async (): Promise<State> => {
    const ca = await ensureCa(deps)
    const next = readNextCa(dataDir)
    const server = await ensureServer(dataDir, ca, now())
    return { ca, next, server, bundle: bundleOf(next ? [next, ca] : [ca]) }
  }
  let stamp = stampNow()
  let state = await load()

  const refresh = async () => {
    const seen = stampNow()
    if (seen === stamp && !isDue(state.server.certificatePem, now())) return
    const before = state
    state = await load()
    stamp = seen
    const isSame =
      before.bundle.digest === state.bundle.digest &&
      before.server.certificatePem === state.server.certificatePem
    if (!isSame) for (const listener of listeners) listener()
  }
  // What cannot be read leaves what we have standing: the nodes must not lose us over a typing error.
  const timer = setInterval(() => refresh().catch(onError), REFRESH_MS)
  timer.unref()
  const all = () => (state.next ? [state.next, state.ca] : [state.ca])

  return {
    fingerprint: () => state.ca.fingerprint,
    bundle: () => state.bundle,
    trusts: (caSha256) => all().some((ca) => ca.sha256 === caSha256),
    signerOf: (certificate) =>
      all().find((ca) => isIssued(certificate, new X509Certificate(ca.certificatePem)))?.sha256 ??
      null,
    isOutgoing: (caSha256) => state.next !== null && caSha256 === state.ca.sha256,
    issue: (nodeId, key) =>
      makeNodeCertificate(state.next ?? state.ca, { nodeId, key, nowMs: now() }),
    serverContext: () => ({
      key: state.server.keyPem,
      cert: state.server.certificatePem,
      ca: all().map((ca) => ca.certificatePem),
    }),
    onChange: (listener) => {
      listeners.push(listener)
    },
    refresh,
    status: () => ({
      ca: state.ca,
      next: state.next,
      serverNotAfterMs: endOf(state.server.certificatePem),
    }),
    close: () => clearInterval(timer),
  }
}

async function ensureServer(dataDir: string, ca: Ca, nowMs: number): Promise<KeyAndCertificate> {
  const path = serverPath(dataDir)
  const found = readServer(path)
  const issuer = new X509Certificate(ca.certificatePem)
  const isGood =
    found !== null &&
    isIssued(new X509Certificate(found.certificatePem), issuer) &&
    !isDue(found.certificatePem, nowMs)
  if (isGood) return found
  const made = await makeServer(ca, nowMs)
  replaceKeyFile(path, made)
  return made
}

/** Nothing hangs on it but this start: a damaged one is made anew, an exposed one is no longer used. */
function readServer(path: string): KeyAndCertificate | null {
  try {
    return readKeyFile(path)
  } catch (error) {
    if (error instanceof CaRefused) return null
    throw error
  }
}

const isIssued = (certificate: X509Certificate, ca: X509Certificate) =>
  certificate.checkIssued(ca) && certificate.verify(ca.publicKey)

const endOf = (certificatePem: string) => new X509Certificate(certificatePem).validToDate.getTime()

/** Little of its life is left, or it was made by a clock that ran far ahead. */
function isDue(certificatePem: string, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificatePem)
  const madeAtMs = validFromDate.getTime() + BACKDATED_MS
  const leftMs = validToDate.getTime() - nowMs
  return nowMs < validFromDate.getTime() || leftMs < (leftMs + nowMs - madeAtMs) * RENEW_BELOW
}
