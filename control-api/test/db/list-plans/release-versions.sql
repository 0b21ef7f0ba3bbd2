-- every request
select "s"."name", "s"."latest", "s"."updated_at_ms" as "updatedAtMs", "l"."author", "l"."message", "m"."files", "m"."bytes", (select count(*) as "count"
  from "release_versions" as "v"
  where "v"."release" = "s"."name") as "versions"
  from "release_sets" as "s"
  left join "release_versions" as "l" on "l"."release" = "s"."name"
  and "l"."number" = "s"."latest"
  left join "release_manifests" as "m" on "m"."sha256" = "l"."manifest"
  where "s"."name" = ?
--  SEARCH s USING PRIMARY KEY (name=?)
--  SEARCH l USING PRIMARY KEY (release=? AND number=?) LEFT-JOIN
--  SEARCH m USING PRIMARY KEY (sha256=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY 1
--    SEARCH v USING PRIMARY KEY (release=?)

-- GET /releases/release-07/versions
select "v".*, "m"."files", "m"."links", "m"."bytes", "m"."blobs", "m"."blob_bytes"
  from "release_versions" as "v"
  inner join "release_manifests" as "m" on "m"."sha256" = "v"."manifest"
  where "v"."release" = ?
  order by "v"."number" desc
  limit ?
--  SEARCH v USING PRIMARY KEY (release=?)
--  SEARCH m USING PRIMARY KEY (sha256=?)

-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- GET /releases/release-07/versions, a later page
select "v".*, "m"."files", "m"."links", "m"."bytes", "m"."blobs", "m"."blob_bytes"
  from "release_versions" as "v"
  inner join "release_manifests" as "m" on "m"."sha256" = "v"."manifest"
  where "v"."release" = ?
  and "v"."number" < ?
  order by "v"."number" desc
  limit ?
--  SEARCH v USING PRIMARY KEY (release=? AND number<?)
--  SEARCH m USING PRIMARY KEY (sha256=?)
