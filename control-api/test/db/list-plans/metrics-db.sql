-- every request
select step_s, covered_ms
  from coverage
  where node_id = ?
  and resolution_s = ?
  and step_s >= ?
  and step_s < ?
--  SEARCH coverage USING PRIMARY KEY (node_id=? AND resolution_s=? AND step_s>? AND step_s<?)

-- every request
select step_s, counters, stages
  from series
  where node_id = ?
  and resolution_s = ?
  and step_s >= ?
  and step_s < ?
--  SEARCH series USING PRIMARY KEY (node_id=? AND resolution_s=? AND step_s>? AND step_s<?)
