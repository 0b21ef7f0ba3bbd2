insert into certificates values ('shop', 2, 1, 1, 1800000000000, 30, 1800000000000, 1763700000000, 'ana');
insert into certificate_versions values
  ('shop', 1, 'ab12', 'PEM', 'box1.sealed', '["shop.example"]', 'CN=shop', 'CN=ca', '01', 'EC P-256', 2, '[]', 1763700000000, 1800000000000, 'acme', 'order_1', 1763700000000, 'ana');
insert into served_certificates select id, 'shop.example', 'ab12', 1800000000000, 1763700000000 from nodes limit 1;
insert into ticket_keys values ('default', 1, 'box1.sealed', 1763700000000);
