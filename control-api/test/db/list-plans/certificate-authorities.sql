-- every request
select *
  from "certificate_authorities"
  where "name" > ?
  order by "name"
  limit ?
--  SEARCH certificate_authorities USING INDEX sqlite_autoindex_certificate_authorities_1 (name>?)

-- every request
select a.value ->> 'name' as name, count(*) as uses
  from managed_certificates m, json_each(m.authorities) a
  group by 1
--  SCAN m  (each authority says how many certificates may come from it; ten thousand at most)
--  SCAN a VIRTUAL TABLE INDEX 1:
--  USE TEMP B-TREE FOR GROUP BY  (each authority says how many certificates may come from it; ten thousand at most)
