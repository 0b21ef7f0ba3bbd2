-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- every request
select wanted.value ->> 0 as config, cast(wanted.value ->> 1 as bigint) as version
  from json_each(?) wanted
  where not exists ( select 1
  from sites_read r
  where r.config = wanted.value ->> 0
  and r.version = cast(wanted.value ->> 1 as bigint))
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH r USING PRIMARY KEY (config=? AND version=?)

-- GET /sites
-- GET /sites, a later page
-- GET /sites, within a scope
-- and 1 more
select *
  from "sites" as "s"
  where (s.host, s.config) > (?, …)
  and "s"."version" = (select max("n"."number") as "number"
  from "config_versions" as "n"
  where "n"."config" = "s"."config")
  order by "s"."host", "s"."config"
  limit ?
--  SEARCH s USING PRIMARY KEY ((host,config)>(?,?))
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH n USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)

-- every request
select config, version
  from ( select wanted.value as config, (select max(number)
  from config_versions v
  where v.config = wanted.value) as version
  from json_each(?) wanted) as newest
  where version is not null
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)

-- GET /sites
select s.site, s.host
  from site_hosts s
  where s.config = ?
  and s.version = ?
  and not exists ( select 1
  from site_hosts n
  where n.config = s.config
  and n.host = s.host
  and n.version in ( select cast(value as bigint)
  from json_each(?)))
--  SEARCH s USING PRIMARY KEY (config=?)
--  CORRELATED SCALAR SUBQUERY 2
--    SEARCH n USING PRIMARY KEY (config=? AND host=? AND version=?)
--    LIST SUBQUERY 1
--      SCAN json_each VIRTUAL TABLE INDEX 1:

-- every request
select h.config, h.host, h.version, s.place
  from json_each(?) wanted
  cross join site_hosts h
  cross join sites s
  where h.config = wanted.value ->> 0
  and h.host = wanted.value ->> 1
  and s.host = h.site
  and s.config = h.config
  and s.version = h.version
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH h USING PRIMARY KEY (config=? AND host=?)
--  SEARCH s USING PRIMARY KEY (host=? AND config=? AND version=?)

-- every request
select c.name, v.number, v.fingerprint, v.names, v.not_before_ms as "notBeforeMs", v.not_after_ms as "notAfterMs"
  from json_each(?) wanted
  cross join certificates c join certificate_versions v on v.certificate = c.name
  and v.number = c.latest
  where c.name = wanted.value
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH c USING INDEX sqlite_autoindex_certificates_1 (name=?)
--  SEARCH v USING PRIMARY KEY (certificate=? AND number=?)

-- GET /sites?q=fig
-- GET /sites?q=fig, a later page
-- GET /sites?q=fig, within a scope
-- and 1 more
select "s"."host", "s"."config"
  from "sites" as "s"
  where (s.host, s.config) > (?, …)
  order by "s"."host", "s"."config"
  limit ? offset ?
--  SEARCH s USING PRIMARY KEY ((host,config)>(?,?))

-- GET /sites?q=fig
-- GET /sites?q=fig, a later page
-- GET /sites?q=fig, within a scope
-- and 1 more
select *
  from "sites" as "s"
  where (s.host, s.config) > (?, …)
  and "s"."version" = (select max("n"."number") as "number"
  from "config_versions" as "n"
  where "n"."config" = "s"."config")
  and (s.host, s.config) <= (?, …)
  and (instr(s.hosts, ?) > 0 or instr(s.config, ?) > 0)
  order by "s"."host", "s"."config"
  limit ?
--  SEARCH s USING PRIMARY KEY ((host,config)>(?,?) AND (host,config)<(?,?))
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH n USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)

-- GET /sites?config=config-01
-- GET /sites?config=config-01, a later page
-- GET /sites?config=config-01, within a scope
-- and 1 more
select *
  from "sites"
  where "config" = ?
  and "version" = ?
  order by "host"
--  SEARCH sites USING INDEX sites_by_version (config=? AND version=?)
