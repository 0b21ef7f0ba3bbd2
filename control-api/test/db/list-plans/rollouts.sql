-- GET /rollouts
-- GET /rollouts, within a scope
select *
  from "rollouts"
  order by "id" desc
  limit ?
--  SCAN rollouts USING INDEX sqlite_autoindex_rollouts_1

-- GET /rollouts
-- GET /rollouts, a later page
-- GET /rollouts?state=reverted
-- and 23 more
select *
  from "rollout_approvals"
  where "rollout_id" in (?, …)
  order by "at_ms", "user_id"
--  SEARCH rollout_approvals USING PRIMARY KEY (rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a few of each rollout of the page)

-- GET /rollouts, a later page
-- GET /rollouts, within a scope
-- GET /rollouts, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id<?)

-- GET /rollouts?state=reverted
-- GET /rollouts?state=reverted, within a scope
select *
  from "rollouts"
  where "state" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_state (state=?)

-- GET /rollouts?state=reverted, a later page
-- GET /rollouts?state=reverted, within a scope
-- GET /rollouts?state=reverted, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and "state" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_state (state=? AND id<?)

-- GET /rollouts?config=config-01
-- GET /rollouts?config=config-01, within a scope
select *
  from "rollouts"
  where "config" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_config (config=?)

-- GET /rollouts?config=config-01, a later page
-- GET /rollouts?config=config-01, within a scope
-- GET /rollouts?config=config-01, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and "config" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_config (config=? AND id<?)

-- GET /rollouts?author=person-3
-- GET /rollouts?author=person-3, within a scope
select *
  from "rollouts"
  where "author" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_author (author=?)

-- GET /rollouts?author=person-3, a later page
-- GET /rollouts?author=person-3, within a scope
-- GET /rollouts?author=person-3, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and "author" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_author (author=? AND id<?)

-- GET /rollouts?state=reverted&config=config-01&author=person-3
-- GET /rollouts?state=reverted&config=config-01&author=person-3, within a scope
select *
  from "rollouts"
  where "state" = ?
  and "config" = ?
  and "author" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_author (author=?)

-- GET /rollouts?state=reverted&config=config-01&author=person-3, a later page
-- GET /rollouts?state=reverted&config=config-01&author=person-3, within a scope
-- GET /rollouts?state=reverted&config=config-01&author=person-3, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and "state" = ?
  and "config" = ?
  and "author" = ?
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX rollouts_by_author (author=? AND id<?)

-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250
-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, within a scope
select *
  from "rollouts"
  where "id" in (select value
  from json_each(?))
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:

-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page
-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and "id" in (select value
  from json_each(?))
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:

-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page
-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page, within a scope
select *
  from "rollout_approvals"
  where "rollout_id" in (?)
  order by "at_ms", "user_id"
--  SEARCH rollout_approvals USING PRIMARY KEY (rollout_id=?)
--  USE TEMP B-TREE FOR ORDER BY  (a few of each rollout of the page)

-- GET /rollouts?q=config-01
-- GET /rollouts?q=config-01, within a scope
select *
  from "rollouts"
  where (instr(config, ?) > 0 or instr(lower(author), ?) > 0 or instr(lower(message), ?) > 0 or 'v' || version = ? or cast(version as text) = ?)
  order by "id" desc
  limit ?
--  SCAN rollouts USING INDEX sqlite_autoindex_rollouts_1

-- GET /rollouts?q=config-01, a later page
-- GET /rollouts?q=config-01, within a scope
-- GET /rollouts?q=config-01, a later page, within a scope
select *
  from "rollouts"
  where "id" < ?
  and (instr(config, ?) > 0 or instr(lower(author), ?) > 0 or instr(lower(message), ?) > 0 or 'v' || version = ? or cast(version as text) = ?)
  order by "id" desc
  limit ?
--  SEARCH rollouts USING INDEX sqlite_autoindex_rollouts_1 (id<?)

-- GET /rollouts, within a scope
-- GET /rollouts, a later page, within a scope
-- GET /rollouts?state=reverted, within a scope
-- and 10 more
select "id"
  from "rollouts"
  where "id" in (?, …)
  and exists (select "node_tasks"."node_id"
  from "node_tasks"
  inner join "nodes" on "nodes"."id" = "node_tasks"."node_id"
  where "node_tasks"."rollout_id" = "rollouts"."id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
--  SEARCH rollouts USING COVERING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /rollouts, within a scope
-- GET /rollouts, a later page, within a scope
-- GET /rollouts?state=reverted, within a scope
-- and 10 more
select "t"."rollout_id", "t"."wave", case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end as "standing", count(*) as "nodes"
  from "node_tasks" as "t"
  inner join "nodes" on "nodes"."id" = "t"."node_id"
  where "t"."rollout_id" in (?, …)
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))
  group by "t"."rollout_id", "t"."wave", case when t.state = 'healthy'
  and t.code = 'gate_failed' then 'gate_failed' when t.state = 'skipped'
  and t.code = 'cordoned' then 'cordoned' else t.state end
--  SEARCH t USING PRIMARY KEY (rollout_id=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR GROUP BY  (for who sees some nodes only they are counted; for the others the rollout has it)

-- GET /rollouts?author=person-3, within a scope
-- GET /rollouts?author=person-3, a later page, within a scope
-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page, within a scope
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

-- GET /rollouts?ids=rollout_00000000000000000000000003,rollout_00000000000000000000000250, a later page, within a scope
select "id"
  from "rollouts"
  where "id" in (?)
  and exists (select "node_tasks"."node_id"
  from "node_tasks"
  inner join "nodes" on "nodes"."id" = "node_tasks"."node_id"
  where "node_tasks"."rollout_id" = "rollouts"."id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
--  SEARCH rollouts USING COVERING INDEX sqlite_autoindex_rollouts_1 (id=?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH node_tasks USING PRIMARY KEY (rollout_id=?)
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
