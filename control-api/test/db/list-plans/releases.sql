-- every request
select "s"."name", "s"."latest", "s"."updated_at_ms" as "updatedAtMs", "l"."author", "l"."message", "m"."files", "m"."bytes", (select count(*) as "count"
  from "release_versions" as "v"
  where "v"."release" = "s"."name") as "versions"
  from "release_sets" as "s"
  left join "release_versions" as "l" on "l"."release" = "s"."name"
  and "l"."number" = "s"."latest"
  left join "release_manifests" as "m" on "m"."sha256" = "l"."manifest"
  where "s"."name" > ?
  order by "s"."name"
  limit ?
--  SEARCH s USING PRIMARY KEY (name>?)
--  SEARCH l USING PRIMARY KEY (release=? AND number=?) LEFT-JOIN
--  SEARCH m USING PRIMARY KEY (sha256=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING PRIMARY KEY (release=?)
