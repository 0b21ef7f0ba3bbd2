-- GET /alert-silences
select *
  from "alert_silences"
  order by "id" desc
  limit ?
--  SCAN alert_silences USING INDEX sqlite_autoindex_alert_silences_1

-- GET /alert-silences, a later page
select *
  from "alert_silences"
  where "id" < ?
  order by "id" desc
  limit ?
--  SEARCH alert_silences USING INDEX sqlite_autoindex_alert_silences_1 (id<?)
