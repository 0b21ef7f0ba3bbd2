// SPDX-License-Identifier: MIT
// The tables of control.db by name. Each owner keeps its rows' types beside its own code or here;
// whose each table is, test/db/table-owners.ts says. Columns are snake_case, times are integer milliseconds,
// booleans 0/1, objects JSON text.
import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely'
import type { AcmeTables } from './tables/acme.ts'
import type { AlertTables } from './tables/alerts.ts'
import type { BackupTables } from './tables/backups.ts'
import type { CertificateTables } from './tables/certificates.ts'
import type { ConfigTables } from './tables/configs.ts'
import type { GroupTables } from './tables/groups.ts'
import type { IdempotencyTables } from './tables/idempotency.ts'
import type { NeighbourTables } from './tables/neighbours.ts'
import type { OidcTables } from './tables/oidc.ts'
import type { ReleaseTables } from './tables/releases.ts'
import type { ReplicaTables } from './tables/replicas.ts'
import type { RolloutTables } from './tables/rollouts.ts'
import type { TokenTables } from './tables/tokens.ts'
import type { ViewTables } from './tables/views.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export type MetaTable = { key: string; value: string }

export type UsersTable = {
  id: string
  username: string
  /** PHC string: algorithm, parameters, salt and hash in one. */
  password_hash: string
  roles: string
  password_change_required: number
  created_at_ms: number
  password_changed_at_ms: number | null
  /** A label selector; null: the whole farm. */
  scope: Generated<string | null>
  disabled: Generated<number>
  /** Counts changes by administrators: the ETag. */
  revision: Generated<number>
  /** Sealed with the secret box. null: no second factor. */
  totp_secret: Generated<string | null>
  /** Sealed: begun, but no code has confirmed it yet. */
  totp_pending: Generated<string | null>
  /** The time step of the newest code that was used: none is good twice. */
  totp_step: Generated<number>
  /** How often access was recovered or a password chosen: browsers known before are strangers. */
  recoveries: Generated<number>
}

/** Each is deleted when it is used. */
export type RecoveryCodesTable = { user_id: string; code_digest: string }

export type SessionsTable = {
  /** SHA-256 of the id in the cookie: a stolen database holds no session one could use. */
  id_digest: string
  user_id: string
  data: string
  created_at_ms: number
  expires_at_ms: number
  address: string | null
  user_agent: string | null
}

export type EventsTable = {
  id: Generated<number>
  at_ms: number
  kind: string
  object_id: string
  action: string
  /** User name, node id or "operator"; null: the control plane itself. */
  actor: string | null
  /** See Via in audit/origin.ts. */
  via: string
  /** people, nodes or service: made from `via`. */
  by_whom: GeneratedAlways<string>
  /** The API token that spoke for the actor. */
  token_id: string | null
  request_id: string | null
  address: string | null
  /** JSON: evidence, before and after. */
  data: string
  /** Over this row and the one before: audit/chain.ts. */
  hash: string
}

export type EnrolmentTokensTable = {
  id: string
  secret_digest: string
  labels: string
  merge_patch: string
  max_uses: number
  uses: number
  created_at_ms: number
  expires_at_ms: number
  created_by: string | null
  /** null: it makes new nodes. Else it gives this one a new identity. */
  node_id: string | null
  /** Of the nodes it makes. */
  forget_after_hours: Generated<number | null>
}

export type NodesTable = {
  id: string
  name: string
  labels: string
  merge_patch: string
  /** Counts changes of name, labels and override: the ETag. */
  revision: number
  /** null: revoked. */
  credential_digest: string | null
  enrolled_at_ms: number
  enrolled_with: string | null
  decommissioned_at_ms: number | null
  hostname: string
  version: string
  os: string
  arch: string
  capabilities: string
  schema_digest: string | null
  boot_id: string | null
  incarnation: string | null
  last_seen_at_ms: number | null
  /** The fences it told us: the highest it ever obeyed. */
  max_epoch: number
  max_generation: number
  /** JSON {generation, digest}: the newest assignment it answered with ack. */
  acknowledged: string | null
  /** JSON {generation, digest, bootId, reloads}, read back from the running server. */
  effective: string | null
  /** When the effective digest last became another one. */
  effective_since_ms: number | null
  /** JSON, see LastResult in node-identity/last-result.ts. */
  last_result: string | null
  /** The list of CAs its last hello was answered with, as a digest. */
  ca_bundle: Generated<string | null>
  /** Away for so long, it is decommissioned by itself; null: never. */
  forget_after_hours: Generated<number | null>
  /** Where its last hello came from. */
  address: Generated<string | null>
  /** JSON: incarnations whose place was taken, newest first; see node-identity/clones.ts. */
  past_incarnations: Generated<string>
  /** JSON, see Clone in node-identity/clones.ts. null: one process speaks for it. */
  clone: Generated<string | null>
  /** JSON, see Drift in assignments/drift.ts. Its text is in drift_texts. */
  drift: Generated<string | null>
  /** JSON, see DriftDecision in assignments/drift.ts: what an operator lets the next assignment replace. */
  drift_decision: Generated<string | null>
  /** JSON, see Cordon in fleet/cordon.ts. null: rollouts go to it. */
  cordon: Generated<string | null>
  /** Kept by triggers: the version that `effective` came to it under last. */
  running_config: Generated<string | null>
  running_version: Generated<number | null>
}

/** Of who has a `drift`. */
export type DriftTextsTable = { node_id: string; text: string }

/** What the owner of its machine allows, as it told newest; none of a node that is too old to say. */
export type NodePoliciesTable = {
  node_id: string
  source: 'file' | 'builtIn'
  path: string | null
  /** The node's own name for it. */
  digest: string
  rules_id: string
  /** When we first heard of it. */
  since_ms: number
}

/** JSON, see PolicyRules in agent-protocol/messages.gen.ts. id: SHA-256 of it. Nodes with the same rules share one row. */
export type PolicyRulesTable = { id: string; rules: string }

export type NodeCertificatesTable = {
  /** Of the DER: how we know it again. */
  sha256: string
  node_id: string
  serial: string
  key_sha256: string
  ca_sha256: string
  /** issued: not used yet. replaced: a newer one was used. */
  state: 'issued' | 'active' | 'replaced' | 'revoked'
  issued_at_ms: number
  not_after_ms: number
}

export type RenderedTextsTable = {
  /** See contentId in agent-protocol/content.ts. Nodes that render alike share one row. */
  id: string
  text: string
  /** JSON, see CertificateVersions in agent-protocol/messages.gen.ts; null: the text names none. */
  certificates: Generated<string | null>
  /** JSON, see ReleaseVersions there; null: the text names none. */
  releases: Generated<string | null>
}

export type AssignmentsTable = {
  node_id: string
  generation: number
  offer_id: string
  epoch: number
  rollout_id: string | null
  config: string
  version: number
  /** Of the config and what goes with it: agent-protocol/content.ts. */
  digest: string
  /** Of the config by itself; null: it is `digest`. */
  config_digest: Generated<string | null>
  text_id: string
  /** The node's group when the text was made; '': from before there were groups. */
  group_name: Generated<string>
  state: AssignmentState
  /** How long the node may take: assignments/deadlines.ts. */
  ack_ms: Generated<number>
  apply_ms: Generated<number>
  confirm_ms: Generated<number>
  created_at_ms: number
  updated_at_ms: number
}
export type AssignmentState =
  | 'offered'
  | 'acked'
  | 'nacked'
  | 'applied'
  | 'confirmed'
  | 'reverted'
  | 'stuck'
  /** Taken back before the node answered: as if it had never been given, but its generation is spent. */
  | 'withdrawn'

export type CoreTables = {
  meta: MetaTable
  users: UsersTable
  recovery_codes: RecoveryCodesTable
  sessions: SessionsTable
  events: EventsTable
  enrolment_tokens: EnrolmentTokensTable
  nodes: NodesTable
  node_certificates: NodeCertificatesTable
  drift_texts: DriftTextsTable
  node_policies: NodePoliciesTable
  policy_rules: PolicyRulesTable
  rendered_texts: RenderedTextsTable
  assignments: AssignmentsTable
}

/** Features add their tables with `& TheirTables`. */
export type Database = CoreTables &
  BackupTables &
  AcmeTables &
  AlertTables &
  CertificateTables &
  NeighbourTables &
  ConfigTables &
  GroupTables &
  IdempotencyTables &
  OidcTables &
  ReleaseTables &
  ReplicaTables &
  RolloutTables &
  TokenTables &
  ViewTables &
  WebhookTables

export type Reader = Kysely<Database> | Transaction<Database>

export type Trx = Transaction<Database>
