-- every request
select *
  from "rollouts"
  where "id" = ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)

-- every request
select *
  from "rollout_approvals"
  where "rollout_id" in (?)
  order by "at_ms", "user_id"
--  SEARCH rollout_approvals USING PRIMARY KEY (rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a few of each rollout of the page)

-- GET /rollouts/rollout_00000000000000000000000250, within a scope
select "t"."rollout_id", "t"."wave", case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end as "standing", count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" on "nodes"."id" = "t"."node_id"
  where "t"."rollout_id" in (?)
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))
  group by "t"."rollout_id", "t"."wave", case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR GROUP BY  (for who sees some nodes only they are counted; for the others the rollout has it)
