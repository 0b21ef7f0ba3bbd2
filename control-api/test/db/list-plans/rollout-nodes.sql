-- every request
select *
  from "rollouts"
  where "id" = ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250
select "node_tasks".*, "nodes"."name" as "node_name", "nodes"."cordon"
  from "node_tasks"
  inner join "nodes" on "nodes"."id" = "node_tasks"."node_id"
  where "rollout_id" in (?)
  and 1
  order by "nodes"."name"
--  SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a rollout is shown with all its nodes)

-- every request
select *
  from "rollout_approvals"
  where "rollout_id" in (?)
  order by "at_ms", "user_id"
--  SEARCH rollout_approvals USING PRIMARY KEY (rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a few of each rollout of the page)

-- GET /rollouts/rollout_00000000000000000000000250, within a scope
select "node_tasks".*, "nodes"."name" as "node_name", "nodes"."cordon"
  from "node_tasks"
  inner join "nodes" on "nodes"."id" = "node_tasks"."node_id"
  where "rollout_id" in (?)
  and (ifnull(json_extract("nodes"."labels", ?) in (?), 0))
  order by "nodes"."name"
--  SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a rollout is shown with all its nodes)

-- GET /rollouts/rollout_00000000000000000000000250, within a scope
select "rollout_id", count(*) as "count"
  from "node_tasks"
  where "rollout_id" in (?)
  group by "rollout_id"
--  SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)

-- GET /rollouts/rollout_00000000000000000000000250, within a scope
select "rollout_id", "node_id"
  from "node_tasks"
  inner join "nodes" on "nodes"."id" = "node_tasks"."node_id"
  where "rollout_id" in (?)
  and (ifnull(json_extract("nodes"."labels", ?) in (?), 0))
--  SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
