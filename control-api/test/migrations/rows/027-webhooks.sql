insert into webhooks values
  ('webhook_01jd4q6v2m8w3x5y7z9abcdefa', 'https://hooks.example/x', 'pager', '["rollout"]', 3, 'v1.sealed', 'v1.before', 1763800000000, 2, 1, 1763700000000, 'answered 500', 1763700002000, 'three days', 1763700000000, 'admin');
insert into webhook_deliveries values
  ('delivery_01jd4q6v2m8w3x5y7z9abcdef', 'webhook_01jd4q6v2m8w3x5y7z9abcdefa', 2, 'node.enrolled', 1763700001000, 1, 500, 12, 'answered 500', 'no');
