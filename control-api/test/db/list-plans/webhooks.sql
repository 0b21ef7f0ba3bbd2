-- GET /webhooks
select *
  from "webhooks"
  order by "id" desc
  limit ?
--  SCAN webhooks USING INDEX sqlite_autoindex_webhooks_1

-- GET /webhooks, a later page
select *
  from "webhooks"
  where "id" < ?
  order by "id" desc
  limit ?
--  SEARCH webhooks USING INDEX sqlite_autoindex_webhooks_1 (id<?)
