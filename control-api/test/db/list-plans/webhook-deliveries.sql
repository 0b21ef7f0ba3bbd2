-- every request
select *
  from "webhooks"
  where "id" = ?
--  SEARCH webhooks USING INDEX sqlite_autoindex_webhooks_1 (id=?)

-- GET /webhooks/webhook_00000000000000000000000020/deliveries
select *
  from "webhook_deliveries"
  where "webhook_id" = ?
  order by "id" desc
  limit ?
--  SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_webhook (webhook_id=?)

-- GET /webhooks/webhook_00000000000000000000000020/deliveries, a later page
select *
  from "webhook_deliveries"
  where "webhook_id" = ?
  and "id" < ?
  order by "id" desc
  limit ?
--  SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_webhook (webhook_id=? AND id<?)
