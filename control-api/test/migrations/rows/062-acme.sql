insert into certificate_authorities (name, revision, directory_url, contact, account_key, created_at_ms, created_by)
  values ('example-ca', 1, 'https://ca.example/dir', '["ops@example.org"]', 'box1.sealed', 1763700000000, 'ana');
insert into dns_webhooks (name, revision, url, secret, created_at_ms, created_by)
  values ('zone-keeper', 1, 'https://dns.example/acme', 'box1.sealed', 1763700000000, 'ana');
insert into managed_certificates (name, revision, names, key_type, authorities, challenge, dns_webhook, roll_out, paused, random, next_action_at_ms, created_at_ms, created_by)
  values ('shop', 1, '["shop.example"]', 'ecdsa-p256', '[{"name":"example-ca","profile":null}]', 'dns-01', 'zone-keeper', 1, 1, 0.5, 9007199254740991, 1763700000000, 'ana');
insert into certificate_orders (id, certificate, authority, names, challenge, dns_webhook, state, key, csr, version, started_at_ms, started_by, ended_at_ms, cleaned_up)
  values ('order_1', 'shop', 'example-ca', '["shop.example"]', 'dns-01', 'zone-keeper', 'issued', '', 'MIIB', 1, 1763700000000, 'ana', 1763700060000, 1);
