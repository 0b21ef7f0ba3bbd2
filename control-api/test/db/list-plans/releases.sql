-- every request
select "s"."name", "s"."latest", "s"."updated_at_ms" as "updatedAtMs", (select count(*) as "count"
  from "release_versions" as "v"
  where "v"."release" = "s"."name") as "versions"
  from "release_sets" as "s"
  where "s"."name" > ?
  order by "s"."name"
  limit ?
--  SEARCH s USING PRIMARY KEY (name>?)
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING PRIMARY KEY (release=?)
