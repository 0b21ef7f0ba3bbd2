// SPDX-License-Identifier: MIT
// Whose the tables of control.db are. A table is written by its owner only. Others ask by the owner's functions; who
// joins it with tables of its own is named here as a reader, with what for.
import type { Database } from '../../src/db/database.ts'

type Room = string
export type Table = { owner: Room; readers: Readonly<Record<Room, string>> }

const of = (owner: Room, readers: Table['readers'] = {}): Table => ({ owner, readers })

export const TABLES = {
  meta: of('control-plane', {
    audit: 'the first event’s hash is made from the id; control-plane/ is above audit/',
  }),
  users: of('people', {
    'features/users': 'its list',
    'features/tokens': 'the owner’s name beside each token',
  }),
  recovery_codes: of('people'),
  sessions: of('people'),
  events: of('audit', { 'features/audit': 'its list, its export and its proof' }),
  enrolment_tokens: of('node-identity'),
  nodes: of('node-identity', {
    'features/nodes': 'its list',
    'features/groups': 'with what their owners allow',
    'features/rollouts': 'with their tasks, and with what their owners allow',
    certificates: 'the name beside what it serves, and its scope',
    'features/alerts': 'whose labels say who sees an alert',
    assignments: 'how many there still are of those that were told something',
  }),
  node_certificates: of('node-identity'),
  drift_texts: of('assignments'),
  node_policies: of('node-check', {
    'features/groups': 'with the nodes',
    'features/rollouts': 'with the nodes',
  }),
  policy_rules: of('node-check'),
  rendered_texts: of('assignments'),
  assignments: of('assignments', {
    'features/configs': 'which releases some node kept, and no rollout found bad',
    'features/rollouts': 'what a node was confirmed with that no rollout found bad',
  }),
  certificates: of('certificates'),
  certificate_versions: of('certificates'),
  served_certificates: of('certificates'),
  certificate_authorities: of('acme'),
  dns_webhooks: of('acme'),
  managed_certificates: of('acme'),
  certificate_orders: of('acme'),
  ticket_keys: of('certificates'),
  backups: of('features/backups', { 'features/telemetry': 'counts' }),
  configs: of('features/configs', { 'features/groups': 'is there one of that name' }),
  config_versions: of('features/configs', { 'features/rollouts': 'was a version put back since' }),
  draft_revisions: of('features/configs'),
  sites_read: of('features/configs'),
  sites: of('features/configs'),
  site_hosts: of('features/configs'),
  release_previews: of('releases'),
  releases: of('features/configs', {
    'features/rollouts': 'was it released, in the query of its tasks',
  }),
  node_groups: of('features/groups'),
  idempotency_keys: of('idempotency'),
  oidc_identities: of('features/oidc'),
  rollouts: of('features/rollouts', {
    'features/configs': 'is a config used',
    'features/nodes': 'with the task that left a node out',
    'features/telemetry': 'counts',
  }),
  node_tasks: of('features/rollouts', {
    'features/configs': 'with the assignments',
    'features/nodes': 'which version passed a cordoned node by',
  }),
  node_leases: of('features/rollouts'),
  rollout_approvals: of('features/rollouts'),
  rollout_rules: of('features/rollout-rules'),
  neighbour_settings: of('neighbours'),
  neighbour_keys: of('neighbours'),
  distrusted_neighbours: of('neighbours'),
  api_tokens: of('features/tokens'),
  webhooks: of('features/webhooks', { 'features/telemetry': 'counts' }),
  webhook_deliveries: of('features/webhooks'),
  alert_rules: of('features/alerts'),
  alerts: of('features/alerts'),
  alert_silences: of('features/alerts'),
  alert_watch: of('features/alerts'),
  release_manifests: of('releases'),
  release_sets: of('releases'),
  release_versions: of('releases'),
  saved_views: of('features/views'),
  shared_keys: of('replicas'),
} satisfies Record<keyof Database, Table>
