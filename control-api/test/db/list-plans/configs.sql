-- GET /configs
-- GET /configs, a later page
select "configs"."name", "configs"."updated_at_ms", "configs"."draft_revision", "latest"."number", configs.draft_text is distinct
  from latest.text as "draft_changed"
  from "configs"
  left join "config_versions" as "latest" on "latest"."config" = "configs"."name"
  and "latest"."number" = (select max("v"."number") as "number"
  from "config_versions" as "v"
  where "v"."config" = "configs"."name")
  where "name" > ?
  order by "name"
  limit ?
--  SEARCH configs USING PRIMARY KEY (name>?)
--  SEARCH latest USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)

-- GET /configs?q=fig
-- GET /configs?q=fig, a later page
select "configs"."name", "configs"."updated_at_ms", "configs"."draft_revision", "latest"."number", configs.draft_text is distinct
  from latest.text as "draft_changed"
  from "configs"
  left join "config_versions" as "latest" on "latest"."config" = "configs"."name"
  and "latest"."number" = (select max("v"."number") as "number"
  from "config_versions" as "v"
  where "v"."config" = "configs"."name")
  where "name" > ?
  and instr(configs.name, ?) > 0
  order by "name"
  limit ?
--  SEARCH configs USING PRIMARY KEY (name>?)
--  SEARCH latest USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING COVERING INDEX sqlite_autoindex_config_versions_1 (config=?)
