-- every request
select *
  from "configs"
  where "name" = ?
--  SEARCH configs USING PRIMARY KEY (name=?)

-- GET /configs/config-01/versions
-- GET /configs/config-01/versions, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions
-- GET /configs/config-01/versions, a later page
-- GET /configs/config-01/versions?author=person-3
-- and 7 more
select "running_version" as "version", count(*) as "nodes"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "running_config" = ?
  and "running_version" >= ?
  and "running_version" <= ?
  and true
  group by "running_version"
--  SEARCH nodes USING INDEX nodes_by_running (running_config=? AND running_version>? AND running_version<?)

-- GET /configs/config-01/versions, a later page
-- GET /configs/config-01/versions, a later page, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "number" < ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=? AND number<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?author=person-3
-- GET /configs/config-01/versions?author=person-3, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "author" = ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?author=person-3, a later page
-- GET /configs/config-01/versions?author=person-3, a later page, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "number" < ?
  and "author" = ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=? AND number<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?source=ui
-- GET /configs/config-01/versions?source=ui, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "source" = ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?source=ui, a later page
-- GET /configs/config-01/versions?source=ui, a later page, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "number" < ?
  and "source" = ?
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=? AND number<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?q=change
-- GET /configs/config-01/versions?q=change, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and (instr(lower(message), ?) > 0 or cast(number as text) = ?)
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?q=change, a later page
-- GET /configs/config-01/versions?q=change, a later page, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "number" < ?
  and (instr(lower(message), ?) > 0 or cast(number as text) = ?)
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=? AND number<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?author=person-3&source=ui&q=change
-- GET /configs/config-01/versions?author=person-3&source=ui&q=change, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "author" = ?
  and "source" = ?
  and (instr(lower(message), ?) > 0 or cast(number as text) = ?)
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions?author=person-3&source=ui&q=change, a later page
-- GET /configs/config-01/versions?author=person-3&source=ui&q=change, a later page, within a scope
select "config", "number", "digest", "parent", "author", "message", "source", "created_at_ms", ( select octet_length(t.text)
  from config_versions t
  where t.config = v.config
  and t.number = v.number ) as "sizeBytes"
  from "config_versions" as "v"
  where "config" = ?
  and "number" < ?
  and "author" = ?
  and "source" = ?
  and (instr(lower(message), ?) > 0 or cast(number as text) = ?)
  order by "number" desc
  limit ?
--  SEARCH v USING COVERING INDEX config_versions_listed (config=? AND number<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH t USING INDEX sqlite_autoindex_config_versions_1 (config=? AND number=?)

-- GET /configs/config-01/versions, within a scope
-- GET /configs/config-01/versions, a later page, within a scope
-- GET /configs/config-01/versions?author=person-3, within a scope
-- and 7 more
select "running_version" as "version", count(*) as "nodes"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "running_config" = ?
  and "running_version" >= ?
  and "running_version" <= ?
  and (coalesce(("labels" ->> ?) in (?), false))
  group by "running_version"
--  SEARCH nodes USING INDEX nodes_by_running (running_config=? AND running_version>? AND running_version<?)
