insert into saved_views (user_id, list, name, search, saved_at_ms)
  values ('user_01jd4q6v2m8w3x5y7z9abcdefa', 'nodes', 'In Frankfurt', '{"selector":"site=fra"}', 1763700000000);
