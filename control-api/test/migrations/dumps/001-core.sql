CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE meta (key text primary key, value text not null) strict, without rowid;
CREATE TABLE users (
     id text primary key,
     username text not null unique collate nocase,
     password_hash text not null,
     roles text not null,
     password_change_required integer not null,
     created_at_ms integer not null,
     password_changed_at_ms integer
   ) strict;
CREATE TABLE sessions (
     id_digest text primary key,
     user_id text not null references users (id) on delete cascade,
     data text not null,
     created_at_ms integer not null,
     expires_at_ms integer not null
   ) strict, without rowid;
CREATE TABLE events (
     id integer primary key autoincrement,
     at_ms integer not null,
     kind text not null,
     object_id text not null,
     action text not null,
     actor text,
     data text not null
   ) strict;
CREATE TABLE enrolment_tokens (
     id text primary key,
     secret_digest text not null unique,
     labels text not null,
     merge_patch text not null,
     max_uses integer not null,
     uses integer not null,
     created_at_ms integer not null,
     expires_at_ms integer not null,
     created_by text
   ) strict;
CREATE TABLE nodes (
     id text primary key,
     name text not null,
     labels text not null,
     merge_patch text not null,
     revision integer not null,
     credential_digest text unique,
     enrolled_at_ms integer not null,
     enrolled_with text,
     decommissioned_at_ms integer,
     hostname text not null,
     version text not null,
     os text not null,
     arch text not null,
     capabilities text not null,
     schema_digest text,
     boot_id text,
     incarnation text,
     last_seen_at_ms integer,
     max_epoch integer not null,
     max_generation integer not null,
     acknowledged text,
     effective text,
     effective_since_ms integer,
     last_result text
   ) strict;
CREATE TABLE rendered_texts (id text primary key, text text not null) strict;
CREATE TABLE assignments (
     node_id text not null references nodes (id),
     generation integer not null,
     offer_id text not null unique,
     epoch integer not null,
     rollout_id text,
     config text not null,
     version integer not null,
     digest text not null,
     text_id text not null references rendered_texts (id),
     state text not null,
     created_at_ms integer not null,
     updated_at_ms integer not null,
     primary key (node_id, generation)
   ) strict;
insert into "kysely_migration" ("name", "timestamp") values ('001-core', '2026-11-22T18:17:22.618Z');
insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0);
insert into "meta" ("key", "value") values ('controlPlaneId', 'cp_01jd4q6v2m8w3x5y7z9abcdefg');
insert into "meta" ("key", "value") values ('epoch', '7');
insert into "users" ("id", "username", "password_hash", "roles", "password_change_required", "created_at_ms", "password_changed_at_ms") values ('user_01jd4q6v2m8w3x5y7z9abcdefa', 'admin', '$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA', '["admin"]', 0, 1763700000000, 1763700100000);
insert into "users" ("id", "username", "password_hash", "roles", "password_change_required", "created_at_ms", "password_changed_at_ms") values ('user_01jd4q6v2m8w3x5y7z9abcdefb', 'Ünal', '$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzag', '["viewer","operator"]', 1, 1763700000001, NULL);
insert into "sessions" ("id_digest", "user_id", "data", "created_at_ms", "expires_at_ms") values ('aa11', 'user_01jd4q6v2m8w3x5y7z9abcdefa', '{"userId":"user_01jd4q6v2m8w3x5y7z9abcdefa","signedInAtMs":1763700000000}', 1763700000000, 4102444800000);
insert into "events" ("id", "at_ms", "kind", "object_id", "action", "actor", "data") values (1, 1763700000000, 'session', 'user_01jd4q6v2m8w3x5y7z9abcdefa', 'created', 'admin', '{}');
insert into "events" ("id", "at_ms", "kind", "object_id", "action", "actor", "data") values (2, 1763700000500, 'node', 'node_01jd4q6v2m8w3x5y7z9abcdefa', 'enrolled', NULL, '{"labels":{"zone":"nörd"}}');
insert into "enrolment_tokens" ("id", "secret_digest", "labels", "merge_patch", "max_uses", "uses", "created_at_ms", "expires_at_ms", "created_by") values ('token_01jd4q6v2m8w3x5y7z9abcdefa', 'dd01', '{"zone":"north"}', '{"listen":[{"port":8101}]}', 3, 1, 1763700000000, 1763703600000, 'admin');
insert into "nodes" ("id", "name", "labels", "merge_patch", "revision", "credential_digest", "enrolled_at_ms", "enrolled_with", "decommissioned_at_ms", "hostname", "version", "os", "arch", "capabilities", "schema_digest", "boot_id", "incarnation", "last_seen_at_ms", "max_epoch", "max_generation", "acknowledged", "effective", "effective_since_ms", "last_result") values ('node_01jd4q6v2m8w3x5y7z9abcdefa', 'edge-1', '{"zone":"nörd"}', '{}', 2, 'cc01', 1763700000400, 'token_01jd4q6v2m8w3x5y7z9abcdefa', NULL, 'edge-1.example', '0.1.0', 'linux', 'x86_64', '["config"]', 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'boot-1', 'inc-1', 1763700001000, 7, 2, '{"generation":2,"digest":"sha256:2222222222222222222222222222222222222222222222222222222222222222"}', '{"generation":2,"digest":"sha256:2222222222222222222222222222222222222222222222222222222222222222","bootId":"boot-1","reloads":1}', 1763700000900, NULL);
insert into "nodes" ("id", "name", "labels", "merge_patch", "revision", "credential_digest", "enrolled_at_ms", "enrolled_with", "decommissioned_at_ms", "hostname", "version", "os", "arch", "capabilities", "schema_digest", "boot_id", "incarnation", "last_seen_at_ms", "max_epoch", "max_generation", "acknowledged", "effective", "effective_since_ms", "last_result") values ('node_01jd4q6v2m8w3x5y7z9abcdefb', 'edge-2', '{}', '{"limits":{"connections":10}}', 1, NULL, 1763700000401, NULL, 1763700002000, 'edge-2.example', '0.1.0', 'linux', 'aarch64', '[]', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL);
insert into "rendered_texts" ("id", "text") values ('t1', '{"a":1}');
insert into "rendered_texts" ("id", "text") values ('t2', '{"a":2} // it''s two');
insert into "assignments" ("node_id", "generation", "offer_id", "epoch", "rollout_id", "config", "version", "digest", "text_id", "state", "created_at_ms", "updated_at_ms") values ('node_01jd4q6v2m8w3x5y7z9abcdefa', 1, 'offer_1', 7, NULL, 'default', 1, 'sha256:1111111111111111111111111111111111111111111111111111111111111111', 't1', 'confirmed', 1763700000600, 1763700000700);
insert into "assignments" ("node_id", "generation", "offer_id", "epoch", "rollout_id", "config", "version", "digest", "text_id", "state", "created_at_ms", "updated_at_ms") values ('node_01jd4q6v2m8w3x5y7z9abcdefa', 2, 'offer_2', 7, 'rollout_01jd4q6v2m8w3x5y7z9abcdefa', 'default', 2, 'sha256:2222222222222222222222222222222222222222222222222222222222222222', 't2', 'confirmed', 1763700000800, 1763700000900);
CREATE INDEX sessions_by_user on sessions (user_id);
CREATE INDEX sessions_by_expiry on sessions (expires_at_ms);
CREATE TRIGGER events_are_not_changed before update on events
     begin select raise(abort, 'events are append-only'); end;
CREATE TRIGGER events_are_not_deleted before delete on events
     begin select raise(abort, 'events are append-only'); end;
CREATE UNIQUE INDEX nodes_by_name on nodes (name) where decommissioned_at_ms is null;
CREATE INDEX assignments_by_digest on assignments (node_id, digest);
