// SPDX-License-Identifier: MIT
// Begins a preview, or says why it can't be.
import { NodeNotFound, ReleaseVersionNotFound } from '../../../api-shapes/errors.ts'
import { renderedTexts } from '../../../assignments/store.ts'
import type { Unit } from '../../../audit/write.ts'
import { newId } from '../../../base/ids.ts'
import { activeNode } from '../../../node-identity/store/nodes.ts'
import { allPreviews, insertPreview, type PreviewRow } from '../../../releases/preview-store.ts'
import { findVersion } from '../../../releases/store.ts'
import type { IndexedNode } from '../farm-index.ts'
import {
  PreviewExists,
  PreviewHostTaken,
  PreviewNotServed,
  PreviewsOff,
  TooManyPreviews,
} from './errors.ts'
import { said } from './keeper.ts'
import { hostFor, isNamedIn } from './rules.ts'
import { PER_FARM, PER_NODE } from './schema.ts'
import type { Runs } from './view.ts'

export const startErrors = [
  NodeNotFound,
  ReleaseVersionNotFound,
  PreviewsOff,
  PreviewNotServed,
  PreviewExists,
  PreviewHostTaken,
  TooManyPreviews,
]

export type Asked = {
  release: string
  number: number
  node: IndexedNode['node']
  runs: Runs
  template: string | null
  keySha256: string
  actor: string
  nowMs: number
  endsAtMs: number
}

/** In the transaction that writes it, so that two who ask at once do not both find room. */
export async function startPreview(unit: Unit, asked: Asked): Promise<PreviewRow> {
  const { release, number, node, runs, template, actor } = asked
  const version = await findVersion(unit.trx, release, number)
  if (!version) throw new ReleaseVersionNotFound(release, number)
  await activeNode(unit.trx, node.id)
  if (template === null) throw new PreviewsOff()
  if (!runs.namesRelease || node.textId === undefined) {
    throw new PreviewNotServed(node.name, release)
  }
  const host = hostFor(template, { release, number, node: node.name })
  const text = (await renderedTexts(unit.trx, [node.textId])).get(node.textId) ?? ''
  if (host === null || isNamedIn(text, host)) throw new PreviewHostTaken(host ?? template)
  await demandRoom(unit, { nodeId: node.id, nodeName: node.name, host, manifest: version.manifest })
  const row: PreviewRow = {
    ...{ id: newId('preview'), release, number, manifest: version.manifest },
    ...{ node_id: node.id, host, key_sha256: asked.keySha256, created_by: actor },
    ...{ created_at_ms: asked.nowMs, ends_at_ms: asked.endsAtMs },
  }
  await insertPreview(unit, row)
  const data = { before: null, after: said(row) }
  await unit.emit({ kind: 'release', id: release, action: 'preview-started', actor, data })
  return row
}

type Wanted = { nodeId: string; nodeName: string; host: string; manifest: string }

async function demandRoom({ trx }: Unit, { nodeId, nodeName, host, manifest }: Wanted) {
  const all = await allPreviews(trx)
  const own = all.filter((one) => one.node_id === nodeId)
  if (own.some((one) => one.host === host || one.manifest === manifest)) {
    throw new PreviewExists(nodeName, host)
  }
  if (own.length >= PER_NODE) throw new TooManyPreviews(`${nodeName} shows`, PER_NODE)
  if (all.length >= PER_FARM) throw new TooManyPreviews('The farm shows', PER_FARM)
}
