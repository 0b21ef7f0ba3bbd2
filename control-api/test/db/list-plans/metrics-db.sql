-- every request
select measured
  from ring_10
  where at = ?
--  SEARCH ring_10 USING INTEGER PRIMARY KEY (rowid=?)

-- every request
select at, measured
  from ring_10
  where at between ? and ?
  order by at
  limit ?
--  SEARCH ring_10 USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)

-- every request
select at
  from ring_10
  where at >= ?
  order by at
  limit 1
--  SEARCH ring_10 USING INTEGER PRIMARY KEY (rowid>?)

-- every request
select at
  from ring_10
  where at < ?
  order by at
  limit 1 offset ?
--  SEARCH ring_10 USING INTEGER PRIMARY KEY (rowid<?)

-- every request
select measured
  from ring_60
  where at = ?
--  SEARCH ring_60 USING INTEGER PRIMARY KEY (rowid=?)

-- every request
select at, measured
  from ring_60
  where at between ? and ?
  order by at
  limit ?
--  SEARCH ring_60 USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)

-- every request
select at
  from ring_60
  where at >= ?
  order by at
  limit 1
--  SEARCH ring_60 USING INTEGER PRIMARY KEY (rowid>?)

-- every request
select at
  from ring_60
  where at < ?
  order by at
  limit 1 offset ?
--  SEARCH ring_60 USING INTEGER PRIMARY KEY (rowid<?)

-- every request
select measured
  from ring_900
  where at = ?
--  SEARCH ring_900 USING INTEGER PRIMARY KEY (rowid=?)

-- every request
select at, measured
  from ring_900
  where at between ? and ?
  order by at
  limit ?
--  SEARCH ring_900 USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)

-- every request
select at
  from ring_900
  where at >= ?
  order by at
  limit 1
--  SEARCH ring_900 USING INTEGER PRIMARY KEY (rowid>?)

-- every request
select at
  from ring_900
  where at < ?
  order by at
  limit 1 offset ?
--  SEARCH ring_900 USING INTEGER PRIMARY KEY (rowid<?)
