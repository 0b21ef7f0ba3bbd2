-- GET /alert-rules
select *
  from "alert_rules"
  order by "name"
  limit ?
--  SCAN alert_rules USING INDEX sqlite_autoindex_alert_rules_2

-- GET /alert-rules, a later page
select *
  from "alert_rules"
  where "name" > ?
  order by "name"
  limit ?
--  SEARCH alert_rules USING INDEX sqlite_autoindex_alert_rules_2 (name>?)
