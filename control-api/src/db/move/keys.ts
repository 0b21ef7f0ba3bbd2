// SPDX-License-Identifier: MIT
import type { Database } from '../database.ts'

/**
 * By what the rows of each table are read in order, and in which order tables are written: what another one refers to comes
 * first. The keys that replicas share are files, and go there by themselves.
 */
export const KEYS = {
  users: ['id'],
  sessions: ['id_digest'],
  recovery_codes: ['user_id', 'code_digest'],
  api_tokens: ['id'],
  oidc_identities: ['issuer', 'subject'],
  saved_views: ['user_id', 'list', 'name'],
  nodes: ['id'],
  enrolment_tokens: ['id'],
  drift_texts: ['node_id'],
  policy_rules: ['id'],
  node_policies: ['node_id'],
  node_certificates: ['sha256'],
  rendered_texts: ['id'],
  configs: ['name'],
  config_versions: ['config', 'number'],
  draft_revisions: ['config', 'revision'],
  node_groups: ['name'],
  releases: ['id'],
  assignments: ['node_id', 'generation'],
  rollouts: ['id'],
  rollout_approvals: ['rollout_id', 'user_id'],
  node_tasks: ['rollout_id', 'node_id'],
  node_leases: ['node_id'],
  rollout_rules: ['id'],
  certificates: ['name'],
  certificate_versions: ['certificate', 'number'],
  served_certificates: ['node_id', 'host', 'fingerprint'],
  ticket_keys: ['group_name', 'number'],
  certificate_authorities: ['name'],
  dns_webhooks: ['name'],
  managed_certificates: ['name'],
  certificate_orders: ['id'],
  webhooks: ['id'],
  webhook_deliveries: ['id'],
  alert_rules: ['id'],
  alerts: ['id'],
  alert_silences: ['id'],
  alert_watch: ['id'],
  backups: ['id'],
  release_manifests: ['sha256'],
  release_sets: ['name'],
  release_versions: ['release', 'number'],
  sites_read: ['config', 'version'],
  sites: ['host', 'config', 'version'],
  site_hosts: ['config', 'host', 'version'],
  neighbour_settings: ['id'],
  neighbour_keys: ['number'],
  distrusted_neighbours: ['node_id'],
  release_previews: ['id'],
  idempotency_keys: ['caller', 'route', 'key'],
  events: ['id'],
  meta: ['key'],
} satisfies Record<Exclude<keyof Database, 'shared_keys'>, readonly string[]>

export type MovedTable = keyof typeof KEYS
export const MOVED = Object.keys(KEYS) as MovedTable[]

/** Made by the database of the others. */
export const GENERATED: Partial<Record<MovedTable, string>> = { events: 'by_whom' }
/** What a new database begins with. */
export const FURNISHED: readonly MovedTable[] = [
  'node_groups',
  'rollout_rules',
  'alert_rules',
  'neighbour_settings',
]
