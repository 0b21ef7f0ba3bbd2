-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- GET /groups
-- GET /groups, a later page
select "id", "labels"
  from "nodes"
  where "id" > ?
  and "decommissioned_at_ms" is null
  and true
  order by "id"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id>?)

-- GET /groups, within a scope
-- GET /groups, a later page, within a scope
select "id", "labels"
  from "nodes"
  where "id" > ?
  and "decommissioned_at_ms" is null
  and (coalesce(("labels" ->> ?) in (?), false))
  order by "id"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id>?)
