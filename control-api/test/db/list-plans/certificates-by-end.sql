-- GET /certificates?order=end
-- GET /certificates?order=end, a later page
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by", "certificates"."name", "certificates"."revision", "certificates"."latest", "certificates"."released", "certificates"."created_at_ms" as "made_at_ms", "certificates"."created_by" as "made_by"
  from "certificates"
  inner join "certificate_versions" on "certificate_versions"."certificate" = "certificates"."name"
  and "certificate_versions"."number" = "certificates"."latest"
  where (certificates.not_after_ms, certificates.name) > (?, …)
  order by "certificates"."not_after_ms", "certificates"."name"
  limit ?
--  SEARCH certificates USING INDEX certificates_by_end ((not_after_ms,name)>(?,?))
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=? AND number=?)

-- GET /certificates?order=end&q=a.example
-- GET /certificates?order=end&q=a.example, a later page
select "certificate_versions"."certificate", "certificate_versions"."number", "certificate_versions"."fingerprint", "certificate_versions"."names", "certificate_versions"."subject", "certificate_versions"."issuer", "certificate_versions"."serial", "certificate_versions"."key_kind", "certificate_versions"."chain_length", "certificate_versions"."warnings", "certificate_versions"."not_before_ms", "certificate_versions"."not_after_ms", "certificate_versions"."source", "certificate_versions"."order_id", "certificate_versions"."created_at_ms", "certificate_versions"."created_by", "certificates"."name", "certificates"."revision", "certificates"."latest", "certificates"."released", "certificates"."created_at_ms" as "made_at_ms", "certificates"."created_by" as "made_by"
  from "certificates"
  inner join "certificate_versions" on "certificate_versions"."certificate" = "certificates"."name"
  and "certificate_versions"."number" = "certificates"."latest"
  where (certificates.not_after_ms, certificates.name) > (?, …)
  and (instr(certificates.name, ?) > 0 or instr(certificate_versions.names, ?) > 0)
  order by "certificates"."not_after_ms", "certificates"."name"
  limit ?
--  SEARCH certificates USING INDEX certificates_by_end ((not_after_ms,name)>(?,?))
--  SEARCH certificate_versions USING PRIMARY KEY (certificate=? AND number=?)
