-- GET /events, Last-Event-ID
select "id", "kind", "object_id", "action", "at_ms", "actor", iif(kind = 'alert', data, null) as "detail"
  from "events"
  where "id" > ?
  order by "id"
  limit ?
--  SEARCH events USING INTEGER PRIMARY KEY (rowid>?)

-- GET /events?sinceSeconds
select "id"
  from "events"
  where "id" > ?
  and "at_ms" >= ?
  order by "id"
  limit ?
--  SEARCH events USING INTEGER PRIMARY KEY (rowid>?)
