-- GET /audit
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  limit ?
--  CO-ROUTINE walked
--    SCAN events USING INDEX events_by_at_ms
--  SCAN walked

-- GET /audit, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_at_ms (at_ms<?)
--  SCAN walked

-- GET /audit, a later page
-- GET /audit?by=people
-- GET /audit?by=people, a later page
-- and 11 more
select "id", "name"
  from "nodes"
  where "id" in (?, …)
  and true
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (as many nodes as one chart shows)

-- GET /audit?by=people
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "by_whom" = ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "by_whom" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_by_whom_at_ms (by_whom=?)
--  SCAN walked

-- GET /audit?by=people, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "by_whom" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "by_whom" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_by_whom_at_ms (by_whom=? AND at_ms<?)
--  SCAN walked

-- GET /audit?actor=person-3
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "actor" = ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "actor" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_actor_at_ms (actor=?)
--  SCAN walked

-- GET /audit?actor=person-3, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "actor" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "actor" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_actor_at_ms (actor=? AND at_ms<?)
--  SCAN walked

-- GET /audit?kind=node
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "kind" = ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "kind" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_kind_at_ms (kind=?)
--  SCAN walked

-- GET /audit?kind=node, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "kind" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "kind" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_kind_at_ms (kind=? AND at_ms<?)
--  SCAN walked

-- GET /audit?action=change-3
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "action" = ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "action" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_action_at_ms (action=?)
--  SCAN walked

-- GET /audit?action=change-3, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "action" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "action" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_action_at_ms (action=? AND at_ms<?)
--  SCAN walked

-- GET /audit?object=node_00000000000000000000005000
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "object_id" = ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "object_id" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_object_id_at_ms (object_id=?)
--  SCAN walked

-- GET /audit?object=node_00000000000000000000005000
select "at_ms", "id"
  from "events"
  where "object_id" = ?
  order by "at_ms" desc, "id" desc
  limit ? offset ?
--  SEARCH events USING COVERING INDEX events_by_object_id_at_ms (object_id=?)

-- GET /audit?object=node_00000000000000000000005000
-- GET /audit?object=node_00000000000000000000005000, a later page
select "id", "name"
  from "nodes"
  where "id" in (?)
  and true
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /audit?object=node_00000000000000000000005000, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "object_id" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "object_id" || '' = ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_object_id_at_ms (object_id=? AND at_ms<?)
--  SCAN walked

-- GET /audit?object=node_00000000000000000000005000, a later page
select "at_ms", "id"
  from "events"
  where "object_id" = ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ? offset ?
--  SEARCH events USING COVERING INDEX events_by_object_id_at_ms (object_id=? AND at_ms<?)

-- GET /audit?without=change-3
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "action" != ?
  limit ?
--  CO-ROUTINE walked
--    SCAN events USING INDEX events_by_at_ms
--  SCAN walked

-- GET /audit?without=change-3, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "action" != ?
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_at_ms (at_ms<?)
--  SCAN walked

-- GET /audit?q=text
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where lower(data) like ? escape '\'
  limit ?
--  CO-ROUTINE walked
--    SCAN events USING INDEX events_by_at_ms
--  SCAN walked

-- GET /audit?q=text, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where lower(data) like ? escape '\'
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_at_ms (at_ms<?)
--  SCAN walked

-- GET /audit?from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "at_ms" >= ?
  and "at_ms" < ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_at_ms (at_ms>? AND at_ms<?)
--  SCAN walked

-- GET /audit?from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "at_ms" >= ?
  and "at_ms" < ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_at_ms (at_ms>? AND at_ms<?)
--  SCAN walked

-- GET /audit?by=people&actor=person-3&kind=node&action=change-3&object=node_00000000000000000000005000&q=text&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "object_id" = ?
  and "at_ms" >= ?
  and "at_ms" < ?
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "object_id" || '' = ?
  and "actor" || '' = ?
  and "action" || '' = ?
  and "kind" || '' = ?
  and "by_whom" || '' = ?
  and lower(data) like ? escape '\'
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_object_id_at_ms (object_id=? AND at_ms>? AND at_ms<?)
--  SCAN walked

-- GET /audit?by=people&actor=person-3&kind=node&action=change-3&object=node_00000000000000000000005000&q=text&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
select "at_ms", "id"
  from "events"
  where "object_id" = ?
  and "at_ms" >= ?
  and "at_ms" < ?
  order by "at_ms" desc, "id" desc
  limit ? offset ?
--  SEARCH events USING COVERING INDEX events_by_object_id_at_ms (object_id=? AND at_ms>? AND at_ms<?)

-- GET /audit?by=people&actor=person-3&kind=node&action=change-3&object=node_00000000000000000000005000&q=text&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z, a later page
with "walked" as (select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address", "data"
  from "events"
  where "object_id" = ?
  and "at_ms" >= ?
  and "at_ms" < ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ?) select "id", "at_ms", "kind", "object_id", "action", "actor", "via", "by_whom", "token_id", "request_id", "address"
  from "walked"
  where "object_id" || '' = ?
  and "actor" || '' = ?
  and "action" || '' = ?
  and "kind" || '' = ?
  and "by_whom" || '' = ?
  and lower(data) like ? escape '\'
  limit ?
--  CO-ROUTINE walked
--    SEARCH events USING INDEX events_by_object_id_at_ms (object_id=? AND at_ms>? AND at_ms<?)
--  SCAN walked

-- GET /audit?by=people&actor=person-3&kind=node&action=change-3&object=node_00000000000000000000005000&q=text&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z, a later page
select "at_ms", "id"
  from "events"
  where "object_id" = ?
  and "at_ms" >= ?
  and "at_ms" < ?
  and (at_ms, id) < (?, …)
  order by "at_ms" desc, "id" desc
  limit ? offset ?
--  SEARCH events USING COVERING INDEX events_by_object_id_at_ms (object_id=? AND at_ms>? AND at_ms<?)
