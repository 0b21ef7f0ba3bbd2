// SPDX-License-Identifier: MIT
// Rows as the API shows them.
import type { FastifyReply } from 'fastify'
import { etagOf } from '../../http/preconditions.ts'
import type { Source } from './schema.ts'
import type { ConfigRow, ConfigSummary, VersionSummary } from './store.ts'

export function showDraft(reply: FastifyReply, config: ConfigRow) {
  reply.header('etag', etagOf(config.draft_revision))
  return viewDraft(config)
}

export const viewDraft = (config: ConfigRow) => ({
  text: config.draft_text,
  baseVersion: config.draft_base,
  updatedBy: config.draft_updated_by,
  updatedAt: new Date(config.draft_updated_at_ms).toISOString(),
})

export const viewConfig = ({ updatedAtMs, draftRevision: _, ...config }: ConfigSummary) => ({
  ...config,
  updatedAt: new Date(updatedAtMs).toISOString(),
})

/** Of all that goes with a config: another version or another draft is another config. */
export const configEtag = ({ latestVersion, draftRevision }: ConfigSummary) =>
  `"${latestVersion ?? 0}.${draftRevision}"`

export const viewVersion = ({ created_at_ms, source, ...version }: VersionSummary) => ({
  ...version,
  source: source as Source,
  createdAt: new Date(created_at_ms).toISOString(),
})
