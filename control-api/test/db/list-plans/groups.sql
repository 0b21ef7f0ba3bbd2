-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- GET /groups
-- GET /groups, a later page
select "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
--  SCAN nodes USING INDEX nodes_heard  (each group says how many nodes it has, so all are looked at)

-- GET /groups, within a scope
-- GET /groups, a later page, within a scope
select "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
--  SCAN nodes USING INDEX nodes_heard  (each group says how many nodes it has, so all are looked at)
