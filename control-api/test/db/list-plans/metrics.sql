-- GET /metrics/query?node=node_00000000000000000000005000
select "id", "name"
  from "nodes"
  where "id" in (?)
  and true
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /metrics/query?node=node_00000000000000000000005000
-- GET /metrics/query?node=node_00000000000000000000005000, within a scope
select "id", "config", "version", "state", "started_at_ms", "ended_at_ms"
  from "rollouts"
  where ("started_at_ms" between ? and ? or "ended_at_ms" between ? and ?)
  and exists (select "node_id"
  from "node_tasks"
  where "rollout_id" = "rollouts"."id"
  and "node_id" in (?))
  and "started_at_ms" is not null
  order by "started_at_ms"
  limit ?
--  MULTI-INDEX OR
--    INDEX 1
--      SEARCH rollouts USING INDEX rollouts_by_start (started_at_ms>? AND started_at_ms<?)
--    INDEX 2
--      SEARCH rollouts USING INDEX rollouts_by_end (ended_at_ms>? AND ended_at_ms<?)
--  SEARCH node_tasks EXISTS USING COVERING INDEX node_tasks_by_node (node_id=? AND rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (rollouts of the time that the chart shows)

-- GET /metrics/query?node=node_00000000000000000000005000,node_00000000000000000000005004&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
select "id", "name"
  from "nodes"
  where "id" in (?, …)
  and true
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (as many nodes as one chart shows)

-- GET /metrics/query?node=node_00000000000000000000005000,node_00000000000000000000005004&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
-- GET /metrics/query?node=node_00000000000000000000005000,node_00000000000000000000005004&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z, within a scope
select "id", "config", "version", "state", "started_at_ms", "ended_at_ms"
  from "rollouts"
  where ("started_at_ms" between ? and ? or "ended_at_ms" between ? and ?)
  and exists (select "node_id"
  from "node_tasks"
  where "rollout_id" = "rollouts"."id"
  and "node_id" in (?, …))
  and "started_at_ms" is not null
  order by "started_at_ms"
  limit ?
--  MULTI-INDEX OR
--    INDEX 1
--      SEARCH rollouts USING INDEX rollouts_by_start (started_at_ms>? AND started_at_ms<?)
--    INDEX 2
--      SEARCH rollouts USING INDEX rollouts_by_end (ended_at_ms>? AND ended_at_ms<?)
--  SEARCH node_tasks EXISTS USING COVERING INDEX node_tasks_by_node (node_id=? AND rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (rollouts of the time that the chart shows)

-- GET /metrics/query?node=node_00000000000000000000005000, within a scope
select "id", "name"
  from "nodes"
  where "id" in (?)
  and (coalesce(("labels" ->> ?) in (?), false))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /metrics/query?node=node_00000000000000000000005000,node_00000000000000000000005004&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z, within a scope
select "id", "name"
  from "nodes"
  where "id" in (?, …)
  and (coalesce(("labels" ->> ?) in (?), false))
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (as many nodes as one chart shows)
