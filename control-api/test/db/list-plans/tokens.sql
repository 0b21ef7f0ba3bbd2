-- GET /tokens
select "api_tokens".*, "users"."username"
  from "api_tokens"
  inner join "users" on "users"."id" = "api_tokens"."user_id"
  where "user_id" = ?
  order by "api_tokens"."id" desc
  limit ?
--  SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--  SEARCH api_tokens USING INDEX api_tokens_by_user (user_id=?)

-- GET /tokens, a later page
select "api_tokens".*, "users"."username"
  from "api_tokens"
  inner join "users" on "users"."id" = "api_tokens"."user_id"
  where "user_id" = ?
  and "api_tokens"."id" < ?
  order by "api_tokens"."id" desc
  limit ?
--  SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--  SEARCH api_tokens USING INDEX api_tokens_by_user (user_id=? AND id<?)

-- GET /tokens?all=1
select "api_tokens".*, "users"."username"
  from "api_tokens"
  inner join "users" on "users"."id" = "api_tokens"."user_id"
  order by "api_tokens"."id" desc
  limit ?
--  SCAN api_tokens USING INDEX sqlite_autoindex_api_tokens_1
--  SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)

-- GET /tokens?all=1, a later page
select "api_tokens".*, "users"."username"
  from "api_tokens"
  inner join "users" on "users"."id" = "api_tokens"."user_id"
  where "api_tokens"."id" < ?
  order by "api_tokens"."id" desc
  limit ?
--  SEARCH api_tokens USING INDEX sqlite_autoindex_api_tokens_1 (id<?)
--  SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
