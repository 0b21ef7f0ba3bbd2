// SPDX-License-Identifier: MIT
// Makes enrolment tokens, and tells of them. At rest: node-identity/store/tokens.ts.
import type { Kysely } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import { some } from '../../api-shapes/common.ts'
import { defineError, NodeNotFound } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newId, newSecret, sha256 } from '../../base/ids.ts'
import type { Database, Reader } from '../../db/database.ts'
import { requireModestOverride } from '../../json/merge-patch.ts'
import {
  activeNode,
  nodeIdsWithin,
  nodeNames,
  nodesEnrolledWith,
} from '../../node-identity/store/nodes.ts'
import {
  deleteEnrolmentToken,
  type EnrolmentTokenRow,
  enrolmentTokensPage,
  enrolmentTokenWithin,
  insertEnrolmentToken,
} from '../../node-identity/store/tokens.ts'
import type {
  CreatedEnrolmentToken,
  EnrolmentToken,
  EnrolmentTokenDetail,
  NewEnrolmentToken,
} from './schema.ts'

export const BoundToken = defineError(
  400,
  'invalid_request',
  'A token for a known node says no more than which',
  () =>
    'With nodeId leave out labels, mergePatch, forgetAfterHours and maxUses: the node keeps its labels and its override, and is one.',
)

export const DEFAULT_LIFE_SECONDS = 3600

type Names = ReadonlyMap<string, string>
type Page = Parameters<typeof enrolmentTokensPage>[1]

/** Newest first. */
export async function listTokens(db: Kysely<Database>, page: Page): Promise<EnrolmentToken[]> {
  const rows = await enrolmentTokensPage(db, page)
  const names = await namesFor(db, rows)
  return rows.map((row) => view(row, names))
}

/** With who joined by it, the last first; null: there is none within the scope. */
export async function showToken(
  db: Kysely<Database>,
  id: string,
  scope: Scope,
): Promise<EnrolmentTokenDetail | null> {
  const row = await enrolmentTokenWithin(db, id, scope)
  if (!row) return null
  const joined = await nodesEnrolledWith(db, id, scope)
  return { ...view(row, await namesFor(db, [row])), joined: some(joined) }
}

/** Which of them are within the scope, the tokens said. */
const namesFor = (db: Reader, rows: readonly EnrolmentTokenRow[]): Promise<Names> =>
  nodeNames(
    db,
    rows.flatMap(({ node_id }) => node_id ?? []),
    null,
  )

type Creation = NewEnrolmentToken & {
  /** Of who makes it: a node outside is not there. */
  scope: Scope
  /** null: the operator, on the control plane's machine. */
  createdBy: string | null
  nowMs: number
  agentUrl: string
  /** Of the CA; null: plain HTTP. */
  fingerprint: string | null
}

export async function createToken(
  write: Write,
  creation: Creation,
): Promise<CreatedEnrolmentToken> {
  const { labels, mergePatch, maxUses = 1, nodeId, scope, createdBy, nowMs, agentUrl } = creation
  const { expiresInSeconds = DEFAULT_LIFE_SECONDS, forgetAfterHours, fingerprint } = creation
  const isOfNewNodes =
    hasMembers(labels) || hasMembers(mergePatch) || forgetAfterHours !== undefined
  if (nodeId && (isOfNewNodes || maxUses > 1)) throw new BoundToken()
  if (mergePatch) requireModestOverride(mergePatch)
  return write(async (unit) => {
    if (nodeId) await requireActive(unit, nodeId, scope)
    const secret = newSecret('fst')
    const row: EnrolmentTokenRow = {
      id: newId('token'),
      secret_digest: sha256(secret),
      labels: JSON.stringify(labels ?? {}),
      merge_patch: JSON.stringify(mergePatch ?? {}),
      max_uses: maxUses,
      uses: 0,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + expiresInSeconds * 1000,
      created_by: createdBy,
      node_id: nodeId ?? null,
      forget_after_hours: forgetAfterHours ?? null,
    }
    await insertEnrolmentToken(unit.trx, row)
    await unit.emit({
      kind: 'node',
      id: row.id,
      action: 'enrolment-token-created',
      actor: createdBy ?? 'operator',
      data: {
        labels: labels ?? {},
        mergePatch: mergePatch ?? {},
        maxUses,
        expiresInSeconds,
        ...(nodeId && { nodeId }),
        ...(forgetAfterHours !== undefined && { forgetAfterHours }),
      },
    })
    const token = fingerprint === null ? secret : `${secret}.${fingerprint}`
    const command = [
      `farmstead-node join ${agentUrl}`,
      // The node does not talk in the clear unasked either.
      ...(fingerprint === null ? ['--insecure-http'] : []),
      `--token ${token}`,
      '--state /var/lib/farmstead',
      ...(nodeId ? ['--rejoin'] : []),
    ].join(' ')
    return { ...view(row, await namesFor(unit.trx, [row])), secret, token, command }
  })
}

const hasMembers = (value: object | undefined) => Object.keys(value ?? {}).length > 0

async function requireActive(unit: Unit, nodeId: string, scope: Scope): Promise<void> {
  await activeNode(unit.trx, nodeId)
  const within = await nodeIdsWithin(unit.trx, [nodeId], scope)
  if (within.length === 0) throw new NodeNotFound(nodeId)
}

/** False: there was none. Nodes that enrolled with it stay. */
export async function deleteToken(
  unit: Unit,
  id: string,
  { actor, scope }: { actor: string; scope: Scope },
): Promise<boolean> {
  const deleted = await deleteEnrolmentToken(unit.trx, id, scope)
  if (!deleted) return false
  const before = view(deleted, await namesFor(unit.trx, [deleted]))
  await unit.emit({ kind: 'node', id, action: 'enrolment-token-deleted', actor, data: { before } })
  return true
}

function view(row: EnrolmentTokenRow, names: Names): EnrolmentToken {
  return {
    id: row.id,
    labels: JSON.parse(row.labels),
    nodeId: row.node_id,
    nodeName: names.get(row.node_id ?? '') ?? null,
    maxUses: row.max_uses,
    uses: row.uses,
    forgetAfterHours: row.forget_after_hours,
    expiresAt: new Date(row.expires_at_ms).toISOString(),
    createdAt: new Date(row.created_at_ms).toISOString(),
    createdBy: row.created_by,
  }
}
