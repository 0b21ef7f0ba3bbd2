// SPDX-License-Identifier: MIT
// control.db as PostgreSQL has it, as of step 098; what comes after is a step for both. Frozen, as all steps are.
// Text compares by its bytes, as in SQLite, whatever the database's own order is.

/** How often a session that is not the service's wrote of nodes; and the name under which it says so at once. */
export const FOREIGN_WRITES = 'foreign_writes'

export const TABLES = `
create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

create table meta (key text collate "C" primary key, value text collate "C" not null);

create table users (
  id text collate "C" primary key,
  username text collate nocase not null unique,
  password_hash text collate "C" not null,
  roles text collate "C" not null,
  password_change_required bigint not null,
  created_at_ms bigint not null,
  password_changed_at_ms bigint,
  scope text collate "C", disabled bigint not null default 0, revision bigint not null default 1, totp_secret text collate "C", totp_pending text collate "C", totp_step bigint not null default 0, recoveries bigint not null default 0);

create table sessions (
  id_digest text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  data text collate "C" not null,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  address text collate "C", user_agent text collate "C");

create index sessions_by_expiry on sessions (expires_at_ms);

create table events (
  id bigint primary key,
  at_ms bigint not null,
  kind text collate "C" not null,
  object_id text collate "C" not null,
  action text collate "C" not null,
  actor text collate "C",
  data text collate "C" not null,
  via text collate "C" not null default 'service', token_id text collate "C", request_id text collate "C", address text collate "C", hash text collate "C" not null default '', by_whom text collate "C" generated always as
  (case via when 'service' then 'service' when 'agent' then 'nodes' else 'people' end) stored);

create table nodes (
  id text collate "C" primary key,
  name text collate "C" not null,
  labels text collate "C" not null,
  merge_patch text collate "C" not null,
  revision bigint not null,
  credential_digest text collate "C" unique,
  enrolled_at_ms bigint not null,
  enrolled_with text collate "C",
  decommissioned_at_ms bigint,
  hostname text collate "C" not null,
  version text collate "C" not null,
  os text collate "C" not null,
  arch text collate "C" not null,
  capabilities text collate "C" not null,
  schema_digest text collate "C",
  boot_id text collate "C",
  incarnation text collate "C",
  last_seen_at_ms bigint,
  max_epoch bigint not null,
  max_generation bigint not null,
  acknowledged text collate "C",
  effective text collate "C",
  effective_since_ms bigint,
  last_result text collate "C",
  ca_bundle text collate "C", address text collate "C", past_incarnations text collate "C" not null default '[]', clone text collate "C", drift text collate "C", drift_decision text collate "C", running_config text collate "C", running_version bigint, cordon text collate "C", forget_after_hours bigint);

create unique index nodes_by_name on nodes (name) where decommissioned_at_ms is null;

create table enrolment_tokens (
  id text collate "C" primary key,
  secret_digest text collate "C" not null unique,
  labels text collate "C" not null,
  merge_patch text collate "C" not null,
  max_uses bigint not null,
  uses bigint not null,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  created_by text collate "C",
  node_id text collate "C" references nodes (id), forget_after_hours bigint);

create table rendered_texts (id text collate "C" primary key, text text collate "C" not null, certificates text collate "C", releases text collate "C");

create table assignments (
  node_id text collate "C" not null references nodes (id),
  generation bigint not null,
  offer_id text collate "C" not null unique,
  epoch bigint not null,
  rollout_id text collate "C",
  config text collate "C" not null,
  version bigint not null,
  digest text collate "C" not null,
  text_id text collate "C" not null references rendered_texts (id),
  state text collate "C" not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null, group_name text collate "C" not null default '', ack_ms bigint not null default 10000, apply_ms bigint not null default 30000, confirm_ms bigint not null default 60000, config_digest text collate "C",
  primary key (node_id, generation)
);

create index assignments_by_digest on assignments (node_id, digest);

create table configs (
  name text collate "C" primary key,
  draft_text text collate "C" not null,
  draft_base bigint not null,
  draft_updated_by text collate "C",
  draft_updated_at_ms bigint not null,
  draft_revision bigint not null,
  updated_at_ms bigint not null,
  removed_at_ms bigint);

create table config_versions (
  config text collate "C" not null references configs (name),
  number bigint not null check (number >= 1),
  digest text collate "C" not null,
  text text collate "C" not null,
  parent bigint,
  author text collate "C" not null check (author <> ''),
  message text collate "C" not null check (message <> ''),
  source text collate "C" not null,
  created_at_ms bigint not null,
  primary key (config, number),
  foreign key (config, parent) references config_versions (config, number)
);

create index config_versions_by_digest on config_versions (digest);

create table releases (
  id bigint generated by default as identity primary key,
  config text collate "C" not null,
  version bigint not null,
  rollout_id text collate "C",
  at_ms bigint not null,
  foreign key (config, version) references config_versions (config, number)
);

create table rollouts (
  id text collate "C" primary key,
  config text collate "C" not null,
  version bigint not null,
  previous_version bigint,
  state text collate "C" not null,
  state_version bigint not null,
  reason text collate "C" not null,
  author text collate "C" not null,
  message text collate "C" not null,
  created_at_ms bigint not null,
  ended_at_ms bigint, selector text collate "C" not null default '', policy text collate "C" not null default '{"maxParallel":null,"blastBudget":null,"minHealthyMs":0,"soakMs":0,"maxSoakMs":0,"progressDeadlineMs":null,"maxFailedPercent":0,"maxUnreachablePercent":100,"maxFlaps":3,"onFailure":"pause","gates":[],"minSamples":500}', plan_digest text collate "C" not null default '', progress text collate "C" not null default '{"wave":0,"waves":1,"phase":"dispatching","soakedMs":0,"verdict":null,"progressLeftMs":null,"hold":null,"goesBack":null}', evidence text collate "C", author_id text collate "C", scope text collate "C", on_overlap text collate "C" not null default 'refuse', start_at_ms bigint, approvals_needed bigint not null default 0, approve_by_ms bigint, emergency text collate "C", place bigint, blocked_by text collate "C" not null default '[]', started_at_ms bigint, names_nodes bigint not null default 0, strategy text collate "C", counts text collate "C" not null default '{}', tasks_version bigint not null default 0, releases text collate "C" not null default '[]',
  foreign key (config, version) references config_versions (config, number)
);

create table node_tasks (
  rollout_id text collate "C" not null references rollouts (id),
  node_id text collate "C" not null references nodes (id),
  wave bigint not null,
  state text collate "C" not null,
  generation bigint,
  digest text collate "C" not null,
  text_id text collate "C" not null references rendered_texts (id),
  code text collate "C",
  message text collate "C" not null,
  errors text collate "C" not null,
  deadline_remaining_ms bigint,
  updated_at_ms bigint not null, group_name text collate "C" not null default '', previous_generation bigint, previous_digest text collate "C", offers bigint not null default 0, flaps bigint not null default 0, excused bigint not null default 0, kind text collate "C" not null default '', refusals bigint not null default 0, policy_rules text collate "C", left_out_for text collate "C", config_digest text collate "C",
  primary key (rollout_id, node_id)
);

create index node_tasks_awaited on node_tasks (rollout_id) where deadline_remaining_ms is not null;

create table node_leases (
  node_id text collate "C" primary key references nodes (id),
  rollout_id text collate "C" not null references rollouts (id)
);

create table node_certificates (
  sha256 text collate "C" primary key,
  node_id text collate "C" not null references nodes (id),
  serial text collate "C" not null,
  key_sha256 text collate "C" not null,
  ca_sha256 text collate "C" not null,
  state text collate "C" not null,
  issued_at_ms bigint not null,
  not_after_ms bigint not null
);

create index node_certificates_by_node on node_certificates (node_id, issued_at_ms);

create index node_certificates_by_key on node_certificates (key_sha256);

create index enrolment_tokens_by_node on enrolment_tokens (node_id) where node_id is not null;

create table drift_texts (
  node_id text collate "C" primary key references nodes (id),
  text text collate "C" not null
);

create table recovery_codes (
  user_id text collate "C" not null references users (id) on delete cascade,
  code_digest text collate "C" not null,
  primary key (user_id, code_digest)
);

create table api_tokens (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  name text collate "C" not null,
  secret_digest text collate "C" not null,
  permissions text collate "C",
  made_with text collate "C" references api_tokens (id) on delete cascade,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  last_used_at_ms bigint,
  last_used_from text collate "C"
);

create index api_tokens_by_user on api_tokens (user_id, id);

create index api_tokens_by_maker on api_tokens (made_with) where made_with is not null;

create table oidc_identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  origin text collate "C" not null,
  created_at_ms bigint not null,
  last_sign_in_at_ms bigint,
  primary key (issuer, subject)
);

create unique index oidc_identities_by_user on oidc_identities (user_id, issuer);

create index events_by_at_ms on events (at_ms);

create index events_by_actor_at_ms on events (actor, at_ms);

create index events_by_kind_at_ms on events (kind, at_ms);

create index events_by_action_at_ms on events (action, at_ms);

create index events_by_object_id_at_ms on events (object_id, at_ms);

create index events_by_by_whom_at_ms on events (by_whom, at_ms);

create table draft_revisions (
  config text collate "C" not null references configs (name),
  revision bigint not null,
  text text collate "C" not null,
  author text collate "C",
  at_ms bigint not null,
  primary key (config, revision)
);

create index config_versions_listed on config_versions
  (config, number, digest, parent, author, message, source, created_at_ms);

create index configs_rolled_out on rollouts (config);

create index configs_assigned on assignments (config, version, node_id);

create table node_groups (
  name text collate "C" primary key,
  description text collate "C" not null,
  selector text collate "C" not null,
  position bigint not null,
  config text collate "C" references configs (name),
  merge_patch text collate "C" not null,
  revision bigint not null,
  updated_at_ms bigint not null,
  forget_after_hours bigint);

create table idempotency_keys (
  caller text collate "C" not null,
  route text collate "C" not null,
  key text collate "C" not null,
  request_digest text collate "C" not null,
  outcome text collate "C" not null,
  answer text collate "C",
  size_bytes bigint not null,
  started_at_ms bigint not null,
  primary key (caller, route, key)
);

create index idempotency_keys_by_age on idempotency_keys (started_at_ms);

create index rollouts_by_state on rollouts (state, id);

create index rollouts_by_config on rollouts (config, id);

create index rollouts_by_author on rollouts (author, id);

create table webhooks (
  id text collate "C" primary key,
  url text collate "C" not null,
  description text collate "C" not null,
  events text collate "C" not null,
  revision bigint not null,
  secret text collate "C" not null,
  old_secret text collate "C",
  old_secret_until_ms bigint,
  last_event_id bigint not null,
  attempts bigint not null,
  failing_since_ms bigint,
  last_error text collate "C",
  disabled_at_ms bigint,
  disabled_reason text collate "C",
  created_at_ms bigint not null,
  created_by text collate "C" not null,
  next_attempt_at_ms bigint);

create table webhook_deliveries (
  id text collate "C" primary key,
  webhook_id text collate "C" not null references webhooks (id) on delete cascade,
  event_id bigint,
  type text collate "C" not null,
  at_ms bigint not null,
  attempt bigint not null,
  status bigint,
  duration_ms bigint not null,
  error text collate "C",
  response text collate "C" not null
);

create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

create table backups (
  id text collate "C" primary key,
  state text collate "C" not null,
  trigger text collate "C" not null,
  file_name text collate "C" not null unique,
  created_by text collate "C",
  created_at_ms bigint not null,
  ended_at_ms bigint,
  size_bytes bigint,
  sha256 text collate "C",
  epoch bigint,
  schema text collate "C",
  reason text collate "C" not null
);

create index nodes_by_running on nodes (running_config, running_version)
  where decommissioned_at_ms is null;

create table rollout_approvals (
  rollout_id text collate "C" not null references rollouts (id),
  user_id text collate "C" not null,
  username text collate "C" not null,
  at_ms bigint not null,
  primary key (rollout_id, user_id)
);

create table rollout_rules (
  id bigint primary key check (id = 1),
  revision bigint not null,
  approvals bigint not null,
  approval_hours bigint not null,
  windows text collate "C" not null,
  time_zone text collate "C" not null,
  blast_budget bigint
);

create index node_tasks_out_of_reach on node_tasks (rollout_id) where state = 'unreachable';

create index node_tasks_by_node on node_tasks (node_id);

create index nodes_cordoned on nodes (name)
  where cordon is not null and decommissioned_at_ms is null;

create index node_tasks_passed_by on node_tasks (node_id, rollout_id)
  where state = 'skipped' and code = 'cordoned';

create table policy_rules (
  id text collate "C" primary key,
  rules text collate "C" not null
);

create table node_policies (
  node_id text collate "C" primary key references nodes (id),
  source text collate "C" not null,
  path text collate "C",
  digest text collate "C" not null,
  rules_id text collate "C" not null references policy_rules (id),
  since_ms bigint not null
);

create index node_policies_by_rules on node_policies (rules_id);

create index nodes_heard on nodes (coalesce(last_seen_at_ms, enrolled_at_ms))
  where decommissioned_at_ms is null;

create index sessions_by_user on sessions (user_id, created_at_ms);

create index rollouts_by_start on rollouts (started_at_ms);

create index rollouts_by_end on rollouts (ended_at_ms);

create table certificates (
  name text collate "C" primary key,
  revision bigint not null,
  latest bigint not null,
  released bigint,
  not_after_ms bigint not null,
  told_days bigint,
  told_end_ms bigint,
  created_at_ms bigint not null,
  created_by text collate "C" not null
);

create index certificates_by_end on certificates (not_after_ms, name);

create table certificate_versions (
  certificate text collate "C" not null references certificates (name) on delete cascade,
  number bigint not null,
  fingerprint text collate "C" not null,
  chain text collate "C" not null,
  key text collate "C" not null,
  names text collate "C" not null,
  subject text collate "C" not null,
  issuer text collate "C" not null,
  serial text collate "C" not null,
  key_kind text collate "C" not null,
  chain_length bigint not null,
  warnings text collate "C" not null,
  not_before_ms bigint not null,
  not_after_ms bigint not null,
  source text collate "C" not null,
  order_id text collate "C",
  created_at_ms bigint not null,
  created_by text collate "C" not null,
  primary key (certificate, number)
);

create index certificate_versions_by_fingerprint on certificate_versions (fingerprint);

create table served_certificates (
  node_id text collate "C" not null references nodes (id) on delete cascade,
  host text collate "C" not null,
  fingerprint text collate "C" not null,
  not_after_ms bigint not null,
  since_ms bigint not null,
  primary key (node_id, host, fingerprint)
);

create index served_certificates_by_fingerprint on served_certificates (fingerprint, node_id);

create table ticket_keys (
  group_name text collate "C" not null,
  number bigint not null,
  key text collate "C" not null,
  from_ms bigint not null,
  primary key (group_name, number)
);

create table certificate_authorities (
  name text collate "C" primary key,
  revision bigint not null,
  directory_url text collate "C" not null,
  contact text collate "C" not null,
  trusted_roots text collate "C",
  account_key text collate "C" not null,
  account_url text collate "C",
  eab_key_id text collate "C",
  eab_hmac_key text collate "C",
  held_until_ms bigint not null default 0,
  failures bigint not null default 0,
  last_error text collate "C",
  created_at_ms bigint not null,
  created_by text collate "C" not null
);

create table dns_webhooks (
  name text collate "C" primary key,
  revision bigint not null,
  url text collate "C" not null,
  secret text collate "C" not null,
  last_error text collate "C",
  created_at_ms bigint not null,
  created_by text collate "C" not null
);

create table managed_certificates (
  name text collate "C" primary key,
  revision bigint not null,
  names text collate "C" not null,
  key_type text collate "C" not null,
  authorities text collate "C" not null,
  challenge text collate "C" not null,
  dns_webhook text collate "C" references dns_webhooks (name),
  preferred_chain text collate "C",
  roll_out bigint not null,
  paused bigint not null default 0,
  asked_by text collate "C",
  holds text collate "C" not null default '{}',
  version bigint,
  issued_by text collate "C",
  renewal_id text collate "C",
  random double precision not null,
  renew_at_ms bigint,
  renewal_window text collate "C",
  window_look_at_ms bigint,
  roll_out_left text collate "C",
  next_action_at_ms bigint not null,
  last_error text collate "C",
  last_error_at_ms bigint,
  created_at_ms bigint not null,
  created_by text collate "C" not null
);

create index managed_certificates_by_next on managed_certificates (next_action_at_ms, name);

create table certificate_orders (
  id text collate "C" primary key,
  certificate text collate "C" not null,
  authority text collate "C" not null,
  profile text collate "C",
  names text collate "C" not null,
  challenge text collate "C" not null,
  dns_webhook text collate "C",
  preferred_chain text collate "C",
  state text collate "C" not null,
  key text collate "C" not null,
  csr text collate "C" not null,
  replaces text collate "C",
  order_url text collate "C",
  expires_at_ms bigint,
  challenges text collate "C" not null default '[]',
  failures bigint not null default 0,
  waiting_for text collate "C",
  last_error text collate "C",
  version bigint,
  started_at_ms bigint not null,
  started_by text collate "C" not null,
  ended_at_ms bigint,
  cleaned_up bigint not null default 0
);

create unique index certificate_orders_open on certificate_orders (certificate) where ended_at_ms is null;

create index certificate_orders_by_certificate on certificate_orders (certificate, id);

create index certificate_orders_to_clean on certificate_orders (id) where cleaned_up = 0;

create table alert_rules (
  id text collate "C" primary key,
  name text collate "C" not null unique,
  description text collate "C" not null,
  enabled bigint not null,
  severity text collate "C" not null,
  applies_to text collate "C" not null,
  condition text collate "C" not null,
  for_seconds bigint not null,
  keep_firing_seconds bigint not null,
  revision bigint not null,
  created_at_ms bigint not null,
  created_by text collate "C" not null,
  failing text collate "C"
);

create table alerts (
  id text collate "C" primary key,
  rule_id text collate "C" not null,
  rule_name text collate "C" not null,
  severity text collate "C" not null,
  subject_kind text collate "C" not null,
  subject_id text collate "C" not null,
  subject_name text collate "C" not null,
  node_id text collate "C",
  state text collate "C" not null,
  value double precision,
  message text collate "C" not null,
  pending_at_ms bigint not null,
  firing_at_ms bigint,
  clear_since_ms bigint,
  resolved_at_ms bigint,
  resolved_because text collate "C",
  is_without_data bigint not null default 0,
  firing_told_at_ms bigint,
  resolved_told_at_ms bigint,
  is_untold bigint not null default 0,
  acknowledged_at_ms bigint,
  acknowledged_by text collate "C",
  comment text collate "C" not null default ''
);

create unique index alerts_open on alerts (rule_id, subject_id) where state in ('pending', 'firing');

create index alerts_untold on alerts (rule_id, id) where is_untold = 1;

create index alerts_by_state on alerts (state, id);

create index alerts_by_node on alerts (node_id, id);

create index alerts_by_subject on alerts (rule_id, subject_id, firing_at_ms);

create table alert_silences (
  id text collate "C" primary key,
  rule_id text collate "C",
  selector text collate "C",
  reason text collate "C" not null,
  until_ms bigint not null,
  created_at_ms bigint not null,
  created_by text collate "C" not null
);

create table alert_watch (id bigint primary key check (id = 1), looked_at_ms bigint not null);

create table saved_views (
  user_id text collate "C" not null references users (id) on delete cascade,
  list text collate "C" not null,
  name text collate "C" not null,
  search text collate "C" not null,
  saved_at_ms bigint not null,
  primary key (user_id, list, name)
);

create table release_manifests (
  sha256 text collate "C" primary key check (length(sha256) = 64),
  files bigint not null,
  links bigint not null,
  bytes bigint not null,
  blobs bigint not null,
  blob_bytes bigint not null,
  touched_at_ms bigint not null
);

create table release_sets (
  name text collate "C" primary key,
  next_number bigint not null default 1 check (next_number >= 1),
  latest bigint,
  updated_at_ms bigint not null,
  released bigint);

create table release_versions (
  release text collate "C" not null references release_sets (name),
  number bigint not null check (number >= 1),
  manifest text collate "C" not null references release_manifests (sha256),
  parent bigint,
  author text collate "C" not null check (author <> ''),
  message text collate "C" not null check (message <> ''),
  source text collate "C" not null,
  created_at_ms bigint not null,
  added bigint not null,
  changed bigint not null,
  removed bigint not null,
  changed_bytes bigint not null,
  primary key (release, number)
);

create index release_versions_by_manifest on release_versions (manifest);

create table sites_read (
  config text collate "C" not null,
  version bigint not null,
  primary key (config, version),
  foreign key (config, version) references config_versions (config, number) on delete cascade
);

create table sites (
  host text collate "C" not null,
  config text collate "C" not null,
  version bigint not null,
  hosts text collate "C" not null,
  root text collate "C",
  certificates text collate "C" not null,
  has_certificate_files bigint not null, place bigint not null default 0,
  primary key (host, config, version),
  foreign key (config, version) references sites_read (config, version) on delete cascade
);

create index sites_by_version on sites (config, version, host);

create table site_hosts (
  config text collate "C" not null,
  host text collate "C" not null,
  version bigint not null,
  site text collate "C" not null,
  primary key (config, host, version),
  foreign key (config, version) references sites_read (config, version) on delete cascade
);

create table neighbour_settings (
  id bigint primary key check (id = 1),
  revision bigint not null,
  zone_label text collate "C",
  across_zones bigint not null,
  max_bytes_per_second bigint,
  at_once bigint not null
);

create table neighbour_keys (
  number bigint primary key,
  public_key text collate "C" not null,
  private_key text collate "C" not null
);

create table distrusted_neighbours (
  node_id text collate "C" primary key references nodes (id),
  told_by text collate "C" not null,
  manifest_sha256 text collate "C" not null,
  at_ms bigint not null
);

create table release_previews (
  id text collate "C" primary key,
  release text collate "C" not null,
  number bigint not null,
  manifest text collate "C" not null,
  node_id text collate "C" not null references nodes (id) on delete cascade,
  host text collate "C" not null,
  key_sha256 text collate "C" not null check (length(key_sha256) = 64),
  created_by text collate "C" not null,
  created_at_ms bigint not null,
  ends_at_ms bigint not null,
  unique (node_id, manifest),
  unique (node_id, host),
  foreign key (release, number) references release_versions (release, number) on delete cascade
);

create index release_previews_by_version on release_previews (release, number);
`

export const TRIGGERS = `
create function refuse() returns trigger language plpgsql as $body$
begin
  raise exception '%', tg_argv[0];
end $body$;

create trigger events_are_not_deleted before delete on events for each row execute function refuse('events are append-only');
create trigger events_are_not_changed before update on events for each row execute function refuse('events are append-only');

create function append_event() returns trigger language plpgsql as $body$
begin
  if new.id is distinct from (select coalesce(max(id), 0) + 1 from events) or length(new.hash) <> 64 then
    raise exception 'events are append-only: each follows the last, with its hash';
  end if;
  return new;
end $body$;
create trigger events_are_appended before insert on events for each row execute function append_event();

create trigger config_versions_are_not_changed before update on config_versions
  for each row execute function refuse('versions are immutable');
create function keep_version() returns trigger language plpgsql as $body$
begin
  if (select removed_at_ms from configs where name = old.config) is null
    or exists (select 1 from releases where config = old.config)
    or exists (select 1 from rollouts where config = old.config)
    or exists (select 1 from assignments where config = old.config) then
    raise exception 'versions are kept for ever';
  end if;
  return old;
end $body$;
create trigger config_versions_are_not_deleted before delete on config_versions
  for each row execute function keep_version();
create trigger release_versions_are_not_changed before update on release_versions
  for each row execute function refuse('versions are immutable');

create function name_what_node_runs() returns trigger language plpgsql as $body$
begin
  update nodes set (running_config, running_version) = (
    select config, version from assignments
    where node_id = new.id and digest = new.effective ->> 'digest'
    order by generation desc limit 1
  ) where id = new.id;
  return null;
end $body$;
create trigger nodes_run_a_version after update of effective on nodes for each row execute function name_what_node_runs();
create function name_what_runs() returns trigger language plpgsql as $body$
begin
  update nodes set running_config = new.config, running_version = new.version
  where id = new.node_id and effective ->> 'digest' = new.digest;
  return null;
end $body$;
create trigger assignments_name_what_runs after insert on assignments for each row execute function name_what_runs();

-- Which replica leads, when it is up; election.ts.
create table leader (
  id bigint primary key check (id = 1),
  pid bigint not null,
  address text,
  key text not null,
  beat bigint not null
);

-- Sealed; replicas/shared-keys.ts.
create table shared_keys (name text primary key, sealed text not null);

create table foreign_writes (count bigint not null);
insert into foreign_writes values (0);
create function note_node(id text) returns void language plpgsql as $body$
begin
  if to_regclass('pg_temp.changed_nodes') is not null then
    insert into pg_temp.changed_nodes values (id) on conflict do nothing;
  else
    update foreign_writes set count = count + 1;
    perform pg_notify('foreign_writes', '');
  end if;
end $body$;
create function note_by_id() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then perform note_node(old.id); else perform note_node(new.id); end if;
  return null;
end $body$;
create function note_by_node_id() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then perform note_node(old.node_id); else perform note_node(new.node_id); end if;
  return null;
end $body$;
create trigger nodes_are_noted after insert or update or delete on nodes for each row execute function note_by_id();
create trigger assignments_are_noted after insert or update or delete on assignments for each row execute function note_by_node_id();
create trigger node_certificates_are_noted after insert or update or delete on node_certificates
  for each row execute function note_by_node_id();
`

/** What every database begins with. */
export const ROWS = `
insert into node_groups (name, description, selector, position, merge_patch, revision, updated_at_ms)
  values ('default', 'Every node that no other group takes', '', 1000000, '{}', 1, (extract(epoch from now()) * 1000)::bigint);
insert into rollout_rules (id, revision, approvals, approval_hours, windows, time_zone) values (1, 1, 0, 72, '[]', 'UTC');
insert into neighbour_settings (id, revision, across_zones, at_once) values (1, 1, 0, 4);
`
