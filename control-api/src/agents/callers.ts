// SPDX-License-Identifier: MIT
// Who speaks: the node behind a client certificate, or on plain HTTP behind a secret. Looked up for
// every message, so that a revocation holds from the next one on; what was read is kept until something is written of the node.

import type { X509Certificate } from 'node:crypto'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { IdentityExpired, IdentityRevoked, UnknownCredential } from '../agent-protocol/errors.ts'
import type { AppError } from '../api-shapes/errors.ts'
import { type Drift, driftOf } from '../assignments/drift.ts'
import type { Write } from '../audit/write.ts'
import { sameDigest, sha256 } from '../base/ids.ts'
import type { Authority } from '../ca/authority.ts'
import type { Database } from '../db/database.ts'
import { NodeMemo, type NodeWrites } from '../db/node-writes.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { CertificateRow } from '../node-identity/certificates.ts'
import { cloneOf, type Standing, standingOf } from '../node-identity/clones.ts'
import {
  activateCertificate,
  findCertificate,
  recordFound,
} from '../node-identity/store/certificates.ts'
import {
  endClone,
  type SpeakerRow,
  speakerByCredential,
  speakerById,
} from '../node-identity/store/speakers.ts'

export type Caller = {
  id: string
  name: string
  standing: Standing
  effective: { digest: string; source?: string } | null
  drift: Drift | null
  /** The list of CAs it was told, as a digest. */
  caBundle: string | null
  /** JSON */
  labels: string
  /** null: it came with a secret. */
  certificate: CertificateRow | null
}

type Deps = {
  db: Kysely<Database>
  nodeWrites: NodeWrites
  write: Write
  now: () => number
  /** null: plain HTTP. */
  authority: Authority | null
  fleet: Pick<Fleet, 'refused' | 'track'>
}
export type Identify = (request: FastifyRequest) => Promise<Caller>

/** Throws the refusal that fits. */
export function createIdentify(deps: Deps): Identify {
  const { db, write, now, authority, fleet } = deps
  const certificates = new NodeMemo<CertificateRow>(deps.nodeWrites, 'node_certificates')
  const speakers = new NodeMemo<Speaker | null>(deps.nodeWrites, 'speaker')

  const byCertificate = async (request: FastifyRequest, ca: Authority): Promise<Caller> => {
    const peer = peerOf(request)
    if (!peer) throw new UnknownCredential()
    const certificate = await certificateOf(peer, ca)
    const { node_id } = certificate
    const refusal = refusalOf(certificate, ca, now())
    if (refusal) {
      fleet.refused(node_id, refusal.code)
      throw refusal
    }
    const speaker = await speakerOf(node_id)
    if (!speaker) throw new IdentityRevoked('This node was decommissioned.')
    if (certificate.state === 'issued' && speaker.isBelieved) await takeIntoUse(certificate)
    return { ...speaker.caller, certificate }
  }

  const certificateOf = async (peer: Peer, ca: Authority): Promise<CertificateRow> => {
    const nodeId = nodes.get(peer.socket)
    const known = nodeId === undefined ? undefined : certificates.known(nodeId)
    // A node may hold two that are good.
    if (known?.sha256 === peer.sha256) return known
    const read = await certificates.keep(
      async () => (await findCertificate(db, peer.sha256)) ?? (await found(peer, ca)),
      ({ node_id }) => node_id,
    )
    nodes.set(peer.socket, read.node_id)
    return read
  }

  const speakerOf = async (nodeId: string): Promise<Speaker | null> => {
    const known = speakers.known(nodeId)
    if (known !== undefined) return known
    const read = async () => {
      const node = await speakerById(db, nodeId)
      return node ? { caller: callerOf(node), isBelieved: isBelieved(node) } : null
    }
    return await speakers.keep(read, () => nodeId)
  }

  const found = async ({ sha256, read }: Peer, ca: Authority): Promise<CertificateRow> => {
    const certificate = read()
    const caSha256 = certificate ? ca.signerOf(certificate) : null
    if (!certificate || caSha256 === null) throw new UnknownCredential()
    const row = await write((unit) => recordFound(unit, { certificate, sha256, caSha256 }))
    if (row) return row
    throw new IdentityRevoked('This control plane has no record of this node’s certificate.')
  }

  /** The first message with it: what came before is over. */
  const takeIntoUse = (certificate: CertificateRow): Promise<void> =>
    write(async ({ trx, emit }) => {
      const { node_id, serial, not_after_ms } = certificate
      if (!(await activateCertificate(trx, certificate))) return
      const node = await speakerById(trx, node_id)
      const clone = node ? cloneOf(node) : null
      // Made after the decision, for the kept one: whoever else holds the old key is out now.
      if (clone?.keep) {
        await endClone(trx, node_id)
        await emit({ kind: 'node', id: node_id, action: 'clone-ended', data: { kept: clone.keep } })
      }
      const notAfter = new Date(not_after_ms).toISOString()
      const data = { serial, notAfter }
      await emit({ kind: 'node', id: node_id, action: 'certificate-in-use', actor: node_id, data })
    })

  const byCredential = async (request: FastifyRequest): Promise<Caller> => {
    const { authorization = '' } = request.headers
    const credential = /^Bearer (\S{32,128})$/i.exec(authorization)?.[1]
    if (!credential) throw unknown()
    const digest = sha256(credential)
    const node = await speakerByCredential(db, digest)
    if (!node?.credential_digest || !sameDigest(node.credential_digest, digest)) throw unknown()
    return { ...callerOf(node), certificate: null }
  }

  if (!authority) return byCredential
  return async (request) => {
    const caller = await byCertificate(request, authority)
    // Who a connection was made for is one node: it ends with that node's identity. Without certificates it is a
    // proxy's, which may speak for many nodes on one; each of their requests is identified by itself.
    const { socket } = request.raw
    if (socket instanceof Socket && !socket.destroyed) fleet.track(caller.id, socket)
    return caller
  }
}

const unknown = () => new UnknownCredential().withHeaders({ 'www-authenticate': 'Bearer' })

function refusalOf(row: CertificateRow, ca: Authority, nowMs: number): AppError | null {
  if (row.state === 'revoked') return new IdentityRevoked('This node’s certificate was revoked.')
  if (row.state === 'replaced') {
    return new IdentityRevoked('A newer certificate of this node is in use; this one is over.')
  }
  if (!ca.trusts(row.ca_sha256)) {
    return new IdentityRevoked('The CA that signed this node’s certificate was retired.')
  }
  if (row.not_after_ms <= nowMs) {
    return new IdentityExpired(new Date(row.not_after_ms).toISOString())
  }
  return null
}

/** While nobody knows which of two clones is the node, neither may end the other's certificate. */
function isBelieved(node: SpeakerRow): boolean {
  const clone = cloneOf(node)
  return clone === null || clone.keep !== null
}

const callerOf = (node: SpeakerRow): Speaker['caller'] => ({
  id: node.id,
  name: node.name,
  standing: standingOf(node),
  effective: node.effective === null ? null : JSON.parse(node.effective),
  drift: driftOf(node),
  caBundle: node.ca_bundle,
  labels: node.labels,
})

/** `read`: it is there as long as the connection. */
type Peer = { socket: TLSSocket; sha256: string; read: () => X509Certificate | undefined }
/** A node that was not decommissioned. */
type Speaker = { caller: Omit<Caller, 'certificate'>; isBelieved: boolean }
/** A connection's certificate stays the same: TLS 1.3 knows no renegotiation. Of thousands only the digests are kept. */
const digests = new WeakMap<TLSSocket, string>()
/** Whose they are, by their id: as the database said last. */
const nodes = new WeakMap<TLSSocket, string>()

/** The handshake has proved that it holds the key; whose it is, the database says. */
function peerOf({ raw: { socket } }: FastifyRequest): Peer | null {
  if (!(socket instanceof TLSSocket)) return null
  const read = () => socket.getPeerX509Certificate()
  const digest = digests.get(socket) ?? digestOf(read())
  if (digest === null) return null
  digests.set(socket, digest)
  return { socket, sha256: digest, read }
}

const digestOf = (certificate: X509Certificate | undefined): string | null =>
  certificate ? sha256(certificate.raw) : null
