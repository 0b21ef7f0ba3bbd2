insert into rollout_approvals values
  ('rollout_01jd4q6v2m8w3x5y7z9abcdefb', 'user_01jd4q6v2m8w3x5y7z9abcdefa', 'ben', 1763700005000);
update rollout_rules set approvals = 1, windows = '[{"days":["mon"],"from":"22:00","to":"04:00"}]',
  time_zone = 'Europe/Berlin', blast_budget = 5;
