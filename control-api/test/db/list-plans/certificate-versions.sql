-- every request
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by", "certificates"."name", "certificates"."revision", "certificates"."latest", "certificates"."released", "certificates"."created_at_ms" as "made_at_ms", "certificates"."created_by" as "made_by"
  from "certificates"
  inner join "certificate_versions" on "certificate_versions"."certificate" = "certificates"."name"
  and "certificate_versions"."number" = "certificates"."latest"
  where "certificates"."name" = ?
--  SEARCH certificates USING INDEX sqlite_autoindex_certificates_1 (name=?)
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=? AND number=?)

-- GET /certificates/certificate-0100/versions
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by"
  from "certificate_versions"
  where "certificate" = ?
  order by "number" desc
  limit ?
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=?)

-- GET /certificates/certificate-0100/versions, a later page
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by"
  from "certificate_versions"
  where "certificate" = ?
  and "number" < ?
  order by "number" desc
  limit ?
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=? AND number<?)
