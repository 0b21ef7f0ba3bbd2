-- every request
pragma data_version

-- every request
select 1
  from temp.changed_nodes
  limit 1
--  SCAN temp.changed_nodes  (the nodes that changed since it was asked last, and they are all wanted)

-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- GET /sites
-- GET /sites, a later page
-- GET /sites?q=fig
-- and 5 more
select "v"."config", "v"."number", "v"."created_at_ms" as "createdAtMs"
  from "configs"
  inner join "config_versions" as "v" on "v"."config" = "configs"."name"
  and "v"."number" = (select max("n"."number") as "number"
  from "config_versions" as "n"
  where "n"."config" = "configs"."name")
  where "configs"."name" > ?
  order by "configs"."name"
  limit ?
--  SEARCH configs USING PRIMARY KEY (name>?)
--  SEARCH v USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH n USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)

-- GET /sites
select *
  from "config_versions"
  where "config" = ?
  and "number" = ?
--  SEARCH config_versions USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- every request
select c.name, v.number, v.fingerprint, v.names, v.not_before_ms as notBeforeMs, v.not_after_ms as notAfterMs
  from json_each(?) wanted
  cross join certificates c on c.name = wanted.value join certificate_versions v on v.certificate = c.name
  and v.number = c.latest
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH c USING INDEX sqlite_autoindex_certificates_1 (name=?)
--  SEARCH v USING PRIMARY KEY (certificate=? AND number=?)

-- GET /sites?config=config-01
-- GET /sites?config=config-01, a later page
-- GET /sites?config=config-01, within a scope
-- and 1 more
select "v"."config", "v"."number", "v"."created_at_ms" as "createdAtMs"
  from "configs"
  inner join "config_versions" as "v" on "v"."config" = "configs"."name"
  and "v"."number" = (select max("n"."number") as "number"
  from "config_versions" as "n"
  where "n"."config" = "configs"."name")
  where "configs"."name" = ?
--  SEARCH configs USING PRIMARY KEY (name=?)
--  SEARCH v USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH n USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)
