-- GET /backups
select *
  from "backups"
  order by "id" desc
  limit ?
--  SCAN backups USING INDEX sqlite_autoindex_backups_1

-- GET /backups, a later page
select *
  from "backups"
  where "id" < ?
  order by "id" desc
  limit ?
--  SEARCH backups USING INDEX sqlite_autoindex_backups_1 (id<?)
