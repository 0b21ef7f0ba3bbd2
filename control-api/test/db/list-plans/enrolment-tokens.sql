-- GET /enrolment-tokens
select *
  from "enrolment_tokens"
  order by "id" desc
  limit ?
--  SCAN enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1

-- every request
select "id", "name"
  from "nodes"
  where "id" in (?, …)
  and true
  order by "name"
  limit ?
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
--  USE TEMP B-TREE FOR ORDER BY  (as many nodes as one chart shows)

-- GET /enrolment-tokens, a later page
select *
  from "enrolment_tokens"
  where "id" < ?
  order by "id" desc
  limit ?
--  SEARCH enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1 (id<?)

-- GET /enrolment-tokens?usable=true
-- GET /enrolment-tokens?usable=false
select *
  from "enrolment_tokens"
  where (uses < max_uses
  and expires_at_ms > ?) = ?
  order by "id" desc
  limit ?
--  SCAN enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1

-- GET /enrolment-tokens?usable=true, a later page
-- GET /enrolment-tokens?usable=false, a later page
select *
  from "enrolment_tokens"
  where "id" < ?
  and (uses < max_uses
  and expires_at_ms > ?) = ?
  order by "id" desc
  limit ?
--  SEARCH enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1 (id<?)

-- GET /enrolment-tokens, within a scope
select *
  from "enrolment_tokens"
  where case when "node_id" is null then (coalesce(("enrolment_tokens"."labels" ->> ?) in (?), false)) else exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "enrolment_tokens"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))) end
  order by "id" desc
  limit ?
--  SCAN enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /enrolment-tokens, a later page, within a scope
select *
  from "enrolment_tokens"
  where "id" < ?
  and case when "node_id" is null then (coalesce(("enrolment_tokens"."labels" ->> ?) in (?), false)) else exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "enrolment_tokens"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))) end
  order by "id" desc
  limit ?
--  SEARCH enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1 (id<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /enrolment-tokens?usable=true, within a scope
-- GET /enrolment-tokens?usable=false, within a scope
select *
  from "enrolment_tokens"
  where (uses < max_uses
  and expires_at_ms > ?) = ?
  and case when "node_id" is null then (coalesce(("enrolment_tokens"."labels" ->> ?) in (?), false)) else exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "enrolment_tokens"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))) end
  order by "id" desc
  limit ?
--  SCAN enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /enrolment-tokens?usable=true, a later page, within a scope
-- GET /enrolment-tokens?usable=false, a later page, within a scope
select *
  from "enrolment_tokens"
  where "id" < ?
  and (uses < max_uses
  and expires_at_ms > ?) = ?
  and case when "node_id" is null then (coalesce(("enrolment_tokens"."labels" ->> ?) in (?), false)) else exists (select "nodes"."id"
  from "nodes"
  where "nodes"."id" = "enrolment_tokens"."node_id"
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))) end
  order by "id" desc
  limit ?
--  SEARCH enrolment_tokens USING INDEX sqlite_autoindex_enrolment_tokens_1 (id<?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
