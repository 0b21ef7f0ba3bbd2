-- every request
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by", "certificates"."name", "certificates"."revision", "certificates"."latest", "certificates"."released", "certificates"."created_at_ms" as "made_at_ms", "certificates"."created_by" as "made_by"
  from "certificates"
  inner join "certificate_versions" on "certificate_versions"."certificate" = "certificates"."name"
  and "certificate_versions"."number" = "certificates"."latest"
  where "certificates"."name" = ?
--  SEARCH certificates USING INDEX sqlite_autoindex_certificates_1 (name=?)
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=? AND number=?)

-- GET /certificates/certificate-0001/served
select "v"."number", "v"."fingerprint", "s"."node_id", "nodes"."name", "s"."host", "s"."not_after_ms", "s"."since_ms"
  from "certificate_versions" as "v"
  inner join "served_certificates" as "s" on "s"."fingerprint" = "v"."fingerprint"
  inner join "nodes" on "nodes"."id" = "s"."node_id"
  where "v"."certificate" = ?
  and "nodes"."decommissioned_at_ms" is null
  and true
  order by "v"."number" desc, "s"."node_id", "s"."host"
  limit ?
--  SEARCH v USING PRIMARY KEY (certificate=?)
--  SEARCH s USING INDEX served_certificates_by_fingerprint (fingerprint=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /certificates/certificate-0001/served, a later page
select "v"."number", "v"."fingerprint", "s"."node_id", "nodes"."name", "s"."host", "s"."not_after_ms", "s"."since_ms"
  from "certificate_versions" as "v"
  inner join "served_certificates" as "s" on "s"."fingerprint" = "v"."fingerprint"
  inner join "nodes" on "nodes"."id" = "s"."node_id"
  where "v"."certificate" = ?
  and "nodes"."decommissioned_at_ms" is null
  and true
  and (-v.number, s.node_id, s.host) > (?, …)
  order by "v"."number" desc, "s"."node_id", "s"."host"
  limit ?
--  SEARCH v USING PRIMARY KEY (certificate=?)
--  SEARCH s USING INDEX served_certificates_by_fingerprint (fingerprint=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /certificates/certificate-0001/served, within a scope
select "v"."number", "v"."fingerprint", "s"."node_id", "nodes"."name", "s"."host", "s"."not_after_ms", "s"."since_ms"
  from "certificate_versions" as "v"
  inner join "served_certificates" as "s" on "s"."fingerprint" = "v"."fingerprint"
  inner join "nodes" on "nodes"."id" = "s"."node_id"
  where "v"."certificate" = ?
  and "nodes"."decommissioned_at_ms" is null
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))
  order by "v"."number" desc, "s"."node_id", "s"."host"
  limit ?
--  SEARCH v USING PRIMARY KEY (certificate=?)
--  SEARCH s USING INDEX served_certificates_by_fingerprint (fingerprint=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)

-- GET /certificates/certificate-0001/served, a later page, within a scope
select "v"."number", "v"."fingerprint", "s"."node_id", "nodes"."name", "s"."host", "s"."not_after_ms", "s"."since_ms"
  from "certificate_versions" as "v"
  inner join "served_certificates" as "s" on "s"."fingerprint" = "v"."fingerprint"
  inner join "nodes" on "nodes"."id" = "s"."node_id"
  where "v"."certificate" = ?
  and "nodes"."decommissioned_at_ms" is null
  and (coalesce(("nodes"."labels" ->> ?) in (?), false))
  and (-v.number, s.node_id, s.host) > (?, …)
  order by "v"."number" desc, "s"."node_id", "s"."host"
  limit ?
--  SEARCH v USING PRIMARY KEY (certificate=?)
--  SEARCH s USING INDEX served_certificates_by_fingerprint (fingerprint=?)
--  SEARCH nodes USING INDEX sqlite_autoindex_nodes_1 (id=?)
