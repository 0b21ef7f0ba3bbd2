-- GET /alerts
select "alerts".*
  from "alerts"
  order by "alerts"."id" desc
  limit ?
--  SCAN alerts USING INDEX sqlite_autoindex_alerts_1

-- every request
select *
  from "alert_silences"
  order by "id" desc
  limit ?
--  SCAN alert_silences USING INDEX sqlite_autoindex_alert_silences_1

-- GET /alerts, a later page
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX sqlite_autoindex_alerts_1 (id<?)

-- GET /alerts?state=firing
select "alerts".*
  from "alerts"
  where "alerts"."state" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_state (state=?)

-- GET /alerts?state=firing, a later page
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."state" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_state (state=? AND id<?)

-- GET /alerts?node=node_00000000000000000000005000
select "alerts".*
  from "alerts"
  where "alerts"."node_id" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_node (node_id=?)

-- GET /alerts?node=node_00000000000000000000005000, a later page
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."node_id" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_node (node_id=? AND id<?)

-- GET /alerts?state=firing&node=node_00000000000000000000005000
select "alerts".*
  from "alerts"
  where "alerts"."state" = ?
  and "alerts"."node_id" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_node (node_id=?)

-- GET /alerts?state=firing&node=node_00000000000000000000005000, a later page
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."state" = ?
  and "alerts"."node_id" = ?
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_node (node_id=? AND id<?)

-- GET /alerts, within a scope
select "alerts".*
  from "alerts"
  where exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SCAN alerts USING INDEX sqlite_autoindex_alerts_1
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /alerts, a later page, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX sqlite_autoindex_alerts_1 (id<?)
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /alerts?state=firing, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."state" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_state (state=?)
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /alerts?state=firing, a later page, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."state" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH alerts USING INDEX alerts_by_state (state=? AND id<?)
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /alerts?node=node_00000000000000000000005000, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."node_id" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  SEARCH alerts USING INDEX alerts_by_node (node_id=?)

-- GET /alerts?node=node_00000000000000000000005000, a later page, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."node_id" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  SEARCH alerts USING INDEX alerts_by_node (node_id=? AND id<?)

-- GET /alerts?state=firing&node=node_00000000000000000000005000, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."state" = ?
  and "alerts"."node_id" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  SEARCH alerts USING INDEX alerts_by_node (node_id=?)

-- GET /alerts?state=firing&node=node_00000000000000000000005000, a later page, within a scope
select "alerts".*
  from "alerts"
  where "alerts"."id" < ?
  and "alerts"."state" = ?
  and "alerts"."node_id" = ?
  and exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "alerts"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false)))
  order by "alerts"."id" desc
  limit ?
--  SEARCH nodes EXISTS USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  SEARCH alerts USING INDEX alerts_by_node (node_id=? AND id<?)
