-- GET /users
select *
  from "users"
  order by "username"
  limit ?
--  SCAN users USING INDEX sqlite_autoindex_users_2

-- GET /users, a later page
select *
  from "users"
  where "username" > ?
  order by "username"
  limit ?
--  SEARCH users USING INDEX sqlite_autoindex_users_2 (username>?)
