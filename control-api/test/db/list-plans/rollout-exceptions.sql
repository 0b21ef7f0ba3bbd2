-- every request
select *
  from "rollouts"
  where "id" = ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  and (case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, t.updated_at_ms, t.node_id) > (?, …)
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, a later page
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, a later page
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and true
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  and (case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, t.updated_at_ms, t.node_id) > (?, …)
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, a later page, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, within a scope
-- and 1 more
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

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  and (case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, t.updated_at_ms, t.node_id) > (?, …)
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, within a scope
-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, a later page, within a scope
select count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts/rollout_00000000000000000000000250/tasks?exceptions=true&wave=0, a later page, within a scope
select "t".*, "n"."name" as "node_name", "n"."cordon", case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end as "rank"
  from "node_tasks" as "t"
  inner join "nodes" as "n" on "n"."id" = "t"."node_id"
  where "t"."rollout_id" = ?
  and (coalesce(("n"."labels" ->> ?) in (?), false))
  and "t"."wave" = ?
  and case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end is not null
  and (case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, t.updated_at_ms, t.node_id) > (?, …)
  order by case when t.state in (?, …) or (t.state = 'healthy'
  and t.code = ?) then 0 when t.state in ('reverting', 'reverted') then 1 when t.deadline_remaining_ms = 0 then 2 when t.state = 'unreachable' then 3 when t.state = 'pending'
  and (t.code is not null or n.cordon is not null) then 4 when t.state = 'skipped'
  and t.code is not null then 5 when t.state in (?, …) then 6 end, "t"."updated_at_ms", "t"."node_id"
  limit ?
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH n USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for)
