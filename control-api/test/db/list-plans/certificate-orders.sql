-- every request
select *
  from "managed_certificates"
  where "name" = ?
--  SEARCH managed_certificates USING INDEX sqlite_autoindex_managed_certificates_1 (name=?)

-- GET /managed-certificates/certificate-0100/orders
-- GET /managed-certificates/certificate-0100/orders, within a scope
select "id", "certificate", "authority", "profile", "names", "challenge", "dns_webhook", "preferred_chain", "state", "order_url", "expires_at_ms", "failures", "waiting_for", "last_error", "version", "started_at_ms", "started_by", "ended_at_ms"
  from "certificate_orders"
  where "certificate" = ?
  order by "id" desc
  limit ?
--  SEARCH certificate_orders USING INDEX certificate_orders_by_certificate (certificate=?)

-- GET /managed-certificates/certificate-0100/orders, a later page
-- GET /managed-certificates/certificate-0100/orders, a later page, within a scope
select "id", "certificate", "authority", "profile", "names", "challenge", "dns_webhook", "preferred_chain", "state", "order_url", "expires_at_ms", "failures", "waiting_for", "last_error", "version", "started_at_ms", "started_by", "ended_at_ms"
  from "certificate_orders"
  where "certificate" = ?
  and "id" < ?
  order by "id" desc
  limit ?
--  SEARCH certificate_orders USING INDEX certificate_orders_by_certificate (certificate=? AND id<?)
