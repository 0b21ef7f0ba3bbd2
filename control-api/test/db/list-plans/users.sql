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

-- GET /users?q=son-2
select *
  from "users"
  where instr(lower(username), ?) > 0
  order by "username"
  limit ?
--  SCAN users USING INDEX sqlite_autoindex_users_2

-- GET /users?q=son-2, a later page
select *
  from "users"
  where "username" > ?
  and instr(lower(username), ?) > 0
  order by "username"
  limit ?
--  SEARCH users USING INDEX sqlite_autoindex_users_2 (username>?)
