-- every request
select *
  from "rollouts"
  where "id" = ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks
-- GET /rollouts/rollout_00000000000000000000000250/tasks, a later page
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false
-- and 1 more
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING COVERING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks, a later page
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done
-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING COVERING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0
-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING COVERING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and n.effective ->> 'digest' = "t"."digest"
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true
-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and n.effective ->> 'digest' = "t"."digest"
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and n.effective ->> 'digest' = "t"."digest"
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "n"."name" = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000
-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "n"."name" = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "n"."name" = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and instr(n.name, ?) > ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge
-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and instr(n.name, ?) > ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and instr(n.name, ?) > ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks, a later page, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, within a scope
-- and 11 more
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

-- GET /rollouts/rollout_00000000000000000000000250/tasks, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks, a later page, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false, within a scope
-- and 1 more
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks, a later page, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=false, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?state=done, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?wave=0, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and n.effective ->> 'digest' = "t"."digest"
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and n.effective ->> 'digest' = "t"."digest"
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?running=true, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and n.effective ->> 'digest' = "t"."digest"
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "n"."name" = ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "n"."name" = ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?name=edge-05000, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "n"."name" = ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and instr(n.name, ?) > ?
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and instr(n.name, ?) > ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?q=edge, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and instr(n.name, ?) > ?
  and (t.wave, n.name, t.node_id) > (?, …)
  order by "t"."wave", "n"."name", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)
