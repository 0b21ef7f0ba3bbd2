// SPDX-License-Identifier: MIT
// Turns a token into a node: once per use, all or nothing.
import type { Transaction } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Write } from '../db/write.ts'
import { newId, newSecret, sameDigest, sha256 } from '../ids.ts'
import { TokenExpired, TokenInvalid, TokenUsed } from './errors.ts'
import type { EnrolRequest, EnrolResponse } from './messages.gen.ts'

type Deps = { write: Write; controlPlaneId: string; now: () => number }

export function createEnrolment({ write, controlPlaneId, now }: Deps) {
  return (request: EnrolRequest): Promise<EnrolResponse> =>
    write(async (unit) => {
      const { trx } = unit
      const token = await takeToken(trx, request.token, now())
      const name = await freeName(trx, request.name)
      const credential = newSecret('fsn')
      const nodeId = newId('node')
      await trx
        .insertInto('nodes')
        .values({
          id: nodeId,
          name,
          labels: token.labels,
          merge_patch: token.merge_patch,
          revision: 1,
          credential_digest: sha256(credential),
          enrolled_at_ms: now(),
          enrolled_with: token.id,
          hostname: request.hostname,
          version: request.version,
          os: request.os,
          arch: request.arch,
          capabilities: '[]',
          max_epoch: 0,
          max_generation: 0,
        })
        .execute()
      await unit.emit({
        kind: 'node',
        id: nodeId,
        action: 'enrolled',
        data: { name, token: token.id },
      })
      return { nodeId, name, credential, controlPlaneId }
    })
}

async function takeToken(trx: Transaction<Database>, secret: string, nowMs: number) {
  const digest = sha256(secret)
  const token = await trx
    .selectFrom('enrolment_tokens')
    .selectAll()
    .where('secret_digest', '=', digest)
    .executeTakeFirst()
  if (!token || !sameDigest(token.secret_digest, digest)) throw new TokenInvalid()
  if (token.expires_at_ms <= nowMs)
    throw new TokenExpired(new Date(token.expires_at_ms).toISOString())
  if (token.uses >= token.max_uses) throw new TokenUsed(token.max_uses)
  await trx
    .updateTable('enrolment_tokens')
    .set({ uses: token.uses + 1 })
    .where('id', '=', token.id)
    .execute()
  return token
}

const NAME_MAX = 63

/** The wanted name, or it with the first free number: edge, edge-2, edge-3. */
async function freeName(trx: Transaction<Database>, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`
    // What is cut must not leave a separator at the end, where names have none.
    const name = wanted.slice(0, NAME_MAX - suffix.length).replace(/[.-]+$/, '') + suffix
    const taken = await trx
      .selectFrom('nodes')
      .select('id')
      .where('name', '=', name)
      .where('decommissioned_at_ms', 'is', null)
      .executeTakeFirst()
    if (!taken) return name
  }
}
