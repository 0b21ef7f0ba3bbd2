-- every request
select "data", "created_at_ms", "expires_at_ms"
  from "sessions"
  where "id_digest" = ?
--  SEARCH sessions USING PRIMARY KEY (id_digest=?)

-- every request
select *
  from "users"
  where "id" = ?
--  SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)

-- every request
update "sessions" set "expires_at_ms" = ?
  where "id_digest" = ?
  and "expires_at_ms" < ?
--  SEARCH sessions USING PRIMARY KEY (id_digest=?)
