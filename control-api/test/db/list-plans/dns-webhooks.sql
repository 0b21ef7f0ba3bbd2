-- every request
select *
  from "dns_webhooks"
  where "name" > ?
  order by "name"
  limit ?
--  SEARCH dns_webhooks USING INDEX sqlite_autoindex_dns_webhooks_1 (name>?)
