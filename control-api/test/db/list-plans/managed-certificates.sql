-- GET /managed-certificates
-- GET /managed-certificates, a later page
-- GET /managed-certificates, within a scope
-- and 1 more
select *
  from "managed_certificates"
  where "name" > ?
  order by "name"
  limit ?
--  SEARCH managed_certificates USING INDEX sqlite_autoindex_managed_certificates_1 (name>?)

-- GET /managed-certificates
-- GET /managed-certificates, a later page
-- GET /managed-certificates?q=a.example
-- and 5 more
select "id", "certificate", "authority", "profile", "names", "challenge", "dns_webhook", "preferred_chain", "state", "order_url", "expires_at_ms", "failures", "waiting_for", "last_error", "version", "started_at_ms", "started_by", "ended_at_ms"
  from "certificate_orders"
  where "ended_at_ms" is null
  and certificate in (select value
  from json_each(?))
--  SEARCH certificate_orders USING INDEX certificate_orders_open (certificate=?)
--  LIST SUBQUERY 1
--    SCAN json_each VIRTUAL TABLE INDEX 1:

-- every request
select c.name, v.number, v.fingerprint, v.names, v.not_before_ms as "notBeforeMs", v.not_after_ms as "notAfterMs"
  from json_each(?) wanted
  cross join certificates c join certificate_versions v on v.certificate = c.name
  and v.number = c.latest
  where c.name = wanted.value
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH c USING INDEX sqlite_autoindex_certificates_1 (name=?)
--  SEARCH v USING PRIMARY KEY (certificate=? AND number=?)

-- GET /managed-certificates?q=a.example
-- GET /managed-certificates?q=a.example, a later page
-- GET /managed-certificates?q=a.example, within a scope
-- and 1 more
select *
  from "managed_certificates"
  where "name" > ?
  and (instr(name, ?) > 0 or instr(names, ?) > 0)
  order by "name"
  limit ?
--  SEARCH managed_certificates USING INDEX sqlite_autoindex_managed_certificates_1 (name>?)

-- GET /managed-certificates?state=paused
-- GET /managed-certificates?state=paused, a later page
-- GET /managed-certificates?state=paused, within a scope
-- and 1 more
select *
  from "managed_certificates"
  where "name" > ?
  and case when exists (select 1
  from certificate_orders o
  where o.certificate = managed_certificates.name
  and o.ended_at_ms is null) then 'ordering' when paused = 1 then 'paused' when asked_by is not null or renew_at_ms is null or renew_at_ms <= ? then 'waiting' else 'issued' end = ?
  order by "name"
  limit ?
--  SEARCH managed_certificates USING INDEX sqlite_autoindex_managed_certificates_1 (name>?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH o USING INDEX certificate_orders_open (certificate=?)
