-- GET /nodes
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes
-- GET /nodes, a later page
-- GET /nodes?q=edge
-- and 31 more
select *
  from "node_certificates"
  where "node_id" in (?, …)
  order by "issued_at_ms"
--  SEARCH node_certificates USING INDEX node_certificates_by_node (node_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the certificates of the nodes of a page, some of each)

-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- every request
select t.node_id, r.config, r.version, t.updated_at_ms as at_ms
  from json_each(?) wanted
  cross join node_tasks t on t.node_id = wanted.value
  and t.rollout_id = ( select s.rollout_id
  from node_tasks s
  cross join rollouts o on o.id = s.rollout_id
  where s.node_id = wanted.value
  and s.state = 'skipped'
  and s.code = 'cordoned'
  and o.state = 'succeeded'
  order by s.rollout_id desc
  limit 1 ) join rollouts r on r.id = t.rollout_id
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH r USING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH s USING COVERING INDEX node_tasks_passed_by (node_id=?)
--    SEARCH o USING COVERING INDEX rollouts_by_state (state=? AND id=?)
--  REUSE SUBQUERY 1
--  SEARCH t USING PRIMARY KEY (rollout_id=? AND node_id=?)

-- every request
select a.*
  from json_each(?) wanted
  cross join assignments a on a.node_id = wanted.value
  and a.generation = ( select b.generation
  from assignments b
  where b.node_id = wanted.value
  and b.state <> 'withdrawn'
  order by b.generation desc
  limit 1 )
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH a USING INDEX sqlite_autoindex_assignments_2 (node_id=? AND generation=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH b USING INDEX sqlite_autoindex_assignments_2 (node_id=?)

-- GET /nodes
-- GET /nodes, a later page
-- GET /nodes?name=edge-0600
-- and 35 more
select a.*
  from json_each(?) wanted
  cross join assignments a on a.node_id = wanted.value ->> 'nodeId'
  and a.generation = ( select b.generation
  from assignments b
  where b.node_id = wanted.value ->> 'nodeId'
  and b.digest = wanted.value ->> 'digest'
  order by b.generation desc
  limit 1 )
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH a USING INDEX sqlite_autoindex_assignments_2 (node_id=? AND generation=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH b USING INDEX sqlite_autoindex_assignments_2 (node_id=?)

-- GET /nodes
select *
  from "rendered_texts"
  where "id" in (?, …)
--  SEARCH rendered_texts USING INDEX sqlite_autoindex_rendered_texts_1 (id=?)

-- GET /nodes, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?name=edge-0600
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" = ?
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)

-- GET /nodes?name=edge-0600
-- GET /nodes?name=edge-0600, a later page
-- GET /nodes?name=edge-0600, within a scope
-- and 1 more
select *
  from "node_certificates"
  where "node_id" in (?)
  order by "issued_at_ms"
--  SEARCH node_certificates USING INDEX node_certificates_by_node (node_id=?)

-- GET /nodes?name=edge-0600, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "name" = ?
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)

-- GET /nodes?q=edge
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and instr(name, ?) > ?
  and 1
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?q=edge, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and instr(name, ?) > ?
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?connected=true
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and 1
  and +id in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=true, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and 1
  and +id in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=false
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and 1
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=false, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and 1
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?cordoned=true
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "cordon" is not null
  and 1
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_cordoned

-- GET /nodes?cordoned=true, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "cordon" is not null
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_cordoned (name>?)

-- GET /nodes?cordoned=false
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "cordon" is null
  and 1
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?cordoned=false, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "cordon" is null
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?group=group-3
-- GET /nodes?group=default
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?group=group-3
-- GET /nodes?group=group-3, a later page
-- GET /nodes?group=default, a later page
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?group=default
-- GET /nodes?group=default, a later page
-- GET /nodes?group=default, within a scope
-- and 1 more
select *
  from "nodes"
  where "id" in (?, …)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /nodes?selector=rack%3D7
-- GET /nodes?selector=rack%3D7, a later page
-- GET /nodes?selector=zone%3Deu
-- and 23 more
select "node_id"
  from "node_labels"
  where "key" = ?
  and "value" in (?)
  limit ?
--  SEARCH node_labels USING PRIMARY KEY (key=? AND value=?)

-- GET /nodes?selector=rack%3D7
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and "id" in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--  USE TEMP B-TREE FOR ORDER BY  (at most 500 nodes with a rare label are rather sorted)

-- GET /nodes?selector=rack%3D7, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and "id" in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--  USE TEMP B-TREE FOR ORDER BY  (at most 500 nodes with a rare label are rather sorted)

-- GET /nodes?selector=zone%3Deu
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=zone%3Deu, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?selector=!gpu
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and (json_extract("labels", ?) is null)
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=!gpu, a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and (json_extract("labels", ?) is null)
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?selector=zone%20notin%20(eu)
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and 1
  and (ifnull(json_extract("labels", ?) not in (?), 1))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=zone%20notin%20(eu), a later page
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and 1
  and (ifnull(json_extract("labels", ?) not in (?), 1))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?name=edge-0600&q=edge&connected=false&cordoned=false&group=group-3&selector=zone%3Deu
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" = ?
  and instr(name, ?) > ?
  and "cordon" is null
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?name=edge-0600&q=edge&connected=false&cordoned=false&group=group-3&selector=zone%3Deu, a later page
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "name" = ?
  and instr(name, ?) > ?
  and "cordon" is null
  and 1
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?name=edge-0600, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" = ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)

-- GET /nodes?name=edge-0600, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "name" = ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)

-- GET /nodes?q=edge, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and instr(name, ?) > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?q=edge, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and instr(name, ?) > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?connected=true, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  and +id in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=true, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  and +id in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=false, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?connected=false, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?cordoned=true, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "cordon" is not null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_cordoned

-- GET /nodes?cordoned=true, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "cordon" is not null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_cordoned (name>?)

-- GET /nodes?cordoned=false, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "cordon" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?cordoned=false, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "cordon" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?group=group-3, within a scope
-- GET /nodes?group=default, within a scope
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?group=group-3, within a scope
-- GET /nodes?group=group-3, a later page, within a scope
-- GET /nodes?group=default, a later page, within a scope
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and 1
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?selector=rack%3D7, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and "id" in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--  USE TEMP B-TREE FOR ORDER BY  (at most 500 nodes with a rare label are rather sorted)

-- GET /nodes?selector=rack%3D7, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and "id" in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--  USE TEMP B-TREE FOR ORDER BY  (at most 500 nodes with a rare label are rather sorted)

-- GET /nodes?selector=zone%3Deu, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=zone%3Deu, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?selector=!gpu, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (json_extract("labels", ?) is null)
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=!gpu, a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (json_extract("labels", ?) is null)
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?selector=zone%20notin%20(eu), within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) not in (?), 1))
  order by "name"
  limit ?
--  SCAN nodes USING INDEX nodes_by_name

-- GET /nodes?selector=zone%20notin%20(eu), a later page, within a scope
select *
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) not in (?), 1))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name>?)

-- GET /nodes?name=edge-0600&q=edge&connected=false&cordoned=false&group=group-3&selector=zone%3Deu, within a scope
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" = ?
  and instr(name, ?) > ?
  and "cordon" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER

-- GET /nodes?name=edge-0600&q=edge&connected=false&cordoned=false&group=group-3&selector=zone%3Deu, a later page, within a scope
select "id", "name", "labels"
  from "nodes"
  where "decommissioned_at_ms" is null
  and "name" > ?
  and "name" = ?
  and instr(name, ?) > ?
  and "cordon" is null
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and (ifnull(json_extract("labels", ?) in (?), 0))
  and +id not in (select value
  from json_each(?))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX nodes_by_name (name=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:
--    CREATE BLOOM FILTER
