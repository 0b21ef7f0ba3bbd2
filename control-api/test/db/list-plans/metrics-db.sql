-- every request
select step_s, covered_ms
  from coverage
  where node_id = ?
  and resolution_s = ?
  and step_s >= ?
  and step_s < ?
--  SEARCH coverage USING PRIMARY KEY (node_id=? AND resolution_s=? AND step_s>? AND step_s<?)

-- every request
select step_s, counters
  from counters
  where node_id = ?
  and resolution_s = ?
  and step_s >= ?
  and step_s < ?
--  SEARCH counters USING PRIMARY KEY (node_id=? AND resolution_s=? AND step_s>? AND step_s<?)

-- every request
select step_s, histogram
  from histograms
  where node_id = ?
  and resolution_s = ?
  and step_s >= ?
  and step_s < ?
  and stage = ?
--  SEARCH histograms USING PRIMARY KEY (node_id=? AND resolution_s=? AND step_s>? AND step_s<?)
