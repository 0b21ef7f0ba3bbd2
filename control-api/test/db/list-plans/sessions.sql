-- every request
select "id_digest", "created_at_ms", "expires_at_ms", "address", "user_agent"
  from "sessions"
  where "user_id" = ?
  and "expires_at_ms" > ?
  and "created_at_ms" >= ?
  order by "created_at_ms" desc
  limit ?
--  SEARCH sessions USING INDEX sessions_by_user (user_id=? AND created_at_ms>?)
