-- every request
select max("id") as "id"
  from "events"
--  SEARCH events

-- GET /audit/export
select *, (select "before"."hash"
  from "events" as "before"
  where "before"."id" < "events"."id"
  order by "before"."id" desc
  limit ?) as "previous_hash"
  from "events"
  where "id" > ?
  and "id" <= ?
  order by "id"
--  SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH before USING INTEGER PRIMARY KEY (rowid<?)

-- GET /audit/export?actor=person-3&kind=node
select *, (select "before"."hash"
  from "events" as "before"
  where "before"."id" < "events"."id"
  order by "before"."id" desc
  limit ?) as "previous_hash"
  from "events"
  where "id" > ?
  and "id" <= ?
  and "actor" || '' = ?
  and "kind" || '' = ?
  order by "id"
--  SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH before USING INTEGER PRIMARY KEY (rowid<?)

-- GET /audit/export?q=text&from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z
select *, (select "before"."hash"
  from "events" as "before"
  where "before"."id" < "events"."id"
  order by "before"."id" desc
  limit ?) as "previous_hash"
  from "events"
  where "id" > ?
  and "id" <= ?
  and "at_ms" >= ?
  and "at_ms" < ?
  and lower(data) like ? escape '\'
  order by "id"
--  SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH before USING INTEGER PRIMARY KEY (rowid<?)
