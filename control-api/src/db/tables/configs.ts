// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/010-configs.ts, 024-drafts.ts, 090-sites.ts, 095-site-places.ts).
import type { Generated } from 'kysely'

type ConfigsTable = {
  name: string
  draft_text: string
  /** The version the draft was begun from. */
  draft_base: number
  draft_updated_by: string | null
  draft_updated_at_ms: number
  /** Counts changes of the draft: its ETag. */
  draft_revision: number
  updated_at_ms: number
  /** Set in the transaction that deletes the row: only then may its versions go. */
  removed_at_ms: number | null
}

/** The drafts of late, so that a change made to one of them can be merged with what came after. */
type DraftRevisionsTable = {
  config: string
  revision: number
  text: string
  author: string | null
  at_ms: number
}

/** Never changed; deleted only with a config that was never used. */
type ConfigVersionsTable = {
  config: string
  number: number
  digest: string
  /** The author's bytes. */
  text: string
  parent: number | null
  author: string
  message: string
  source: string
  created_at_ms: number
}

/** Appended to; the last row is what new nodes get. */
type ReleasesTable = {
  id: Generated<number>
  config: string
  version: number
  /** null: released by import. */
  rollout_id: string | null
  at_ms: number
}

/** Of these versions the sites are in the two tables below: of the newest of each config, and of those that nodes run. */
type SitesReadTable = { config: string; version: number }

type SitesTable = {
  /** The first of its hosts: what it is called. */
  host: string
  config: string
  version: number
  /** JSON: all of them, as the text has them in order, in lower case. */
  hosts: string
  root: string | null
  /** JSON: names. */
  certificates: string
  has_certificate_files: number
  /** In the list of the text, from 0: nodes count requests by it. */
  place: number
}

/** `site`: the host that it is called as. */
type SiteHostsTable = { config: string; host: string; version: number; site: string }

export type ConfigTables = {
  configs: ConfigsTable
  config_versions: ConfigVersionsTable
  draft_revisions: DraftRevisionsTable
  releases: ReleasesTable
  sites_read: SitesReadTable
  sites: SitesTable
  site_hosts: SiteHostsTable
}
