// SPDX-License-Identifier: MIT
// Turns a token into a node, or a node that is known into one with a new identity: once per use, all or
// nothing. On TLS the identity is a certificate, else a secret.
import type { Kysely } from 'kysely'
import { CsrMissing, TokenExpired, TokenInvalid, TokenUsed } from '../agent-protocol/errors.ts'
import type { EnrolRequest, EnrolResponse, RenewResponse } from '../agent-protocol/messages.gen.ts'
import type { Unit, Write } from '../audit/write.ts'
import { newId, newSecret, sameDigest, sha256 } from '../base/ids.ts'
import type { Authority } from '../ca/authority.ts'
import { type NodeCertificate, readRequest } from '../ca/x509.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { renewAfterMs } from './certificates.ts'
import { storeCertificate } from './store/certificates.ts'
import { findNode, insertNode, nameIsTaken, setFacts } from './store/nodes.ts'
import { endIdentity, nodeOfKey, setCaBundle } from './store/speakers.ts'
import { countUse, type EnrolmentTokenRow, findEnrolmentToken } from './store/tokens.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  controlPlaneId: string
  now: () => number
  /** null: plain HTTP. */
  authority: Authority | null
  fleet: Pick<Fleet, 'cutOff'>
}
type Token = EnrolmentTokenRow
type Renewer = { id: string }
export type Enrolment = ReturnType<typeof createEnrolment>

export function createEnrolment({ db, write, controlPlaneId, now, authority, fleet }: Deps) {
  const onPlainHttp = (request: EnrolRequest): Promise<EnrolResponse> =>
    write(async (unit) => {
      const token = await takeToken(unit.trx, request.token, now())
      const credential = newSecret('fsn')
      const nodeId = token.node_id ?? newId('node')
      const name = await storeNode(unit, { nodeId, token, request, nowMs: now() })
      await endIdentity(unit.trx, nodeId, { credentialDigest: sha256(credential) })
      unit.afterCommit(() => fleet.cutOff(nodeId))
      return { nodeId, name, credential, controlPlaneId }
    })

  const onTls = async (request: EnrolRequest, ca: Authority): Promise<EnrolResponse> => {
    if (request.csr === undefined) throw new CsrMissing()
    const key = await readRequest(request.csr)
    const before = await findToken(db, request.token)
    const of = { tokenId: before.id, keySha256: key.sha256 }
    const repeated = await nodeOfKey(db, of)
    const nodeId = repeated ?? before.node_id ?? newId('node')
    const made = await ca.issue(nodeId, key)
    const name = await write(async (unit) => {
      const { trx } = unit
      const again = await nodeOfKey(trx, of)
      // The answer got lost: the same node asks again, which is no second use.
      const token = again
        ? goodToken(await findToken(trx, request.token), now())
        : await takeToken(trx, request.token, now())
      // Twice at once: the other was faster. The node asks again and is told about the same one.
      if (again !== repeated) throw new TokenUsed(token.max_uses)
      const named = again
        ? await nameOf(trx, again)
        : await storeNode(unit, { nodeId, token, request, nowMs: now() })
      if (!again) {
        await endIdentity(trx, nodeId)
        unit.afterCommit(() => fleet.cutOff(nodeId))
      }
      await storeCertificate(trx, { nodeId, made, nowMs: now() })
      return named
    })
    return { nodeId, name, controlPlaneId, ...answer(ca, made) }
  }

  const answer = (ca: Authority, made: NodeCertificate): RenewResponse => ({
    certificate: made.certificatePem,
    caCertificates: ca.bundle().pem,
    renewAfterMs: renewAfterMs(now(), now(), Math.random()),
  })

  return {
    enrol: (request: EnrolRequest): Promise<EnrolResponse> =>
      authority ? onTls(request, authority) : onPlainHttp(request),

    /** Of a node that is let in. What it has stays good until the new one is used. */
    async renew(ca: Authority, { id }: Renewer, csr: string): Promise<RenewResponse> {
      const made = await ca.issue(id, await readRequest(csr))
      const bundle = ca.bundle()
      await write(async ({ trx, emit }) => {
        await storeCertificate(trx, { nodeId: id, made, nowMs: now() })
        await setCaBundle(trx, id, bundle.digest)
        const data = { serial: made.serial, notAfter: new Date(made.notAfterMs).toISOString() }
        await emit({ kind: 'node', id, action: 'certificate-issued', actor: id, data })
      })
      return answer(ca, made)
    },
  }
}

async function findToken(db: Reader, secret: string): Promise<Token> {
  const digest = sha256(secret)
  const token = await findEnrolmentToken(db, digest)
  if (!token || !sameDigest(token.secret_digest, digest)) throw new TokenInvalid()
  return token
}

function goodToken(token: Token, nowMs: number): Token {
  if (token.expires_at_ms > nowMs) return token
  throw new TokenExpired(new Date(token.expires_at_ms).toISOString())
}

async function takeToken(trx: Trx, secret: string, nowMs: number) {
  const token = goodToken(await findToken(trx, secret), nowMs)
  if (token.uses >= token.max_uses) throw new TokenUsed(token.max_uses)
  await countUse(trx, token)
  return token
}

type Storing = { nodeId: string; token: Token; request: EnrolRequest; nowMs: number }

/** Its name. */
async function storeNode(unit: Unit, { nodeId, token, request, nowMs }: Storing): Promise<string> {
  const { trx } = unit
  const { hostname, version, os, arch } = request
  const facts = { enrolled_with: token.id, hostname, version, os, arch }
  if (token.node_id !== null) {
    await setFacts(trx, nodeId, facts)
    const name = await nameOf(trx, nodeId)
    await unit.emit({
      kind: 'node',
      id: nodeId,
      action: 'rejoined',
      data: { name, token: token.id },
    })
    return name
  }
  const name = await freeName(trx, request.name)
  await insertNode(trx, {
    id: nodeId,
    name,
    labels: token.labels,
    merge_patch: token.merge_patch,
    forget_after_hours: token.forget_after_hours,
    enrolled_at_ms: nowMs,
    ...facts,
  })
  await unit.emit({ kind: 'node', id: nodeId, action: 'enrolled', data: { name, token: token.id } })
  return name
}

async function nameOf(trx: Trx, nodeId: string): Promise<string> {
  const node = await findNode(trx, nodeId)
  // The token is bound to a node that was decommissioned meanwhile.
  if (!node) throw new TokenInvalid()
  return node.name
}

const NAME_MAX = 63

/**
 * The wanted name, or it with the first free number: edge, edge-2, edge-3. Names are one list of the whole farm, so
 * who may enrol within a scope learns from a number that somebody elsewhere has the name (docs/decisions/0083).
 */
async function freeName(trx: Trx, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`
    // What is cut must not leave a separator at the end, where names have none.
    const name = wanted.slice(0, NAME_MAX - suffix.length).replace(/[.-]+$/, '') + suffix
    if (!(await nameIsTaken(trx, name))) return name
  }
}
