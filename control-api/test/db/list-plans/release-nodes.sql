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

-- every request
select *
  from "node_groups"
  order by "name" = ?, "position", "name"
--  SCAN node_groups  (a hundred groups at most)
--  USE TEMP B-TREE FOR ORDER BY  (a hundred groups at most)

-- every request
select t.id, t.certificates, t.releases
  from json_each(?) wanted
  cross join rendered_texts t
  where t.id = wanted.value
  and (t.certificates is not null or t.releases is not null)
--  SCAN wanted VIRTUAL TABLE INDEX 1:
--  SEARCH t USING INDEX sqlite_autoindex_rendered_texts_1 (id=?)
