-- every request
select *
  from "nodes"
  where "id" in (select value
  from json_each(?))
  and "decommissioned_at_ms" is null
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:

-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- GET /nodes
-- GET /nodes?name=edge-06000
-- GET /nodes?name=edge-06000, a later page
-- and 2 more
select *
  from "node_certificates"
  where "node_id" in (?)
  order by "issued_at_ms"
--  SEARCH node_certificates USING INDEX node_certificates_by_node (node_id=?)

-- every request
select a.*
  from json_each(?) wanted
  cross join assignments a
  where a.node_id = wanted.value
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
-- GET /nodes?name=edge-06000
-- and 33 more
select a.*
  from json_each(?) wanted
  cross join assignments a
  where a.node_id = wanted.value ->> 'nodeId'
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
-- GET /nodes, a later page
-- GET /nodes?q=edge
-- and 29 more
select *
  from "node_certificates"
  where "node_id" in (?, …)
  order by "issued_at_ms"
--  SEARCH node_certificates USING INDEX node_certificates_by_node (node_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the certificates of the nodes of a page, some of each)

-- every request
select t.node_id, r.config, r.version, t.updated_at_ms as at_ms
  from json_each(?) wanted
  cross join node_tasks t join rollouts r on r.id = t.rollout_id
  where t.node_id = wanted.value
  and t.rollout_id = ( select s.rollout_id
  from node_tasks s
  cross join rollouts o
  where o.id = s.rollout_id
  and s.node_id = wanted.value
  and s.state = 'skipped'
  and s.code = 'cordoned'
  and o.state = 'succeeded'
  order by s.rollout_id desc
  limit 1 )
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH r USING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH s USING COVERING INDEX node_tasks_passed_by (node_id=?)
--    SEARCH o USING COVERING INDEX rollouts_by_state (state=? AND id=?)
--  REUSE SUBQUERY 1
--  SEARCH t USING PRIMARY KEY (rollout_id=? AND node_id=?)

-- GET /nodes
select *
  from "rendered_texts"
  where "id" in (?, …)
--  SEARCH rendered_texts USING INDEX sqlite_autoindex_rendered_texts_1 (id=?)
