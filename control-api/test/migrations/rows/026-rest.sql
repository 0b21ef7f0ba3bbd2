insert into idempotency_keys values
  ('user_01jd4q6v2m8w3x5y7z9abcdefa', 'POST /api/v1/enrolment-tokens', 'key-1', 'dd05', 'answered', '{"status":201}', 14, 1763700000000);
