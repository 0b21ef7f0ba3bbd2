insert into oidc_identities values
  ('https://id.example', 'sub-1', 'user_01jd4q6v2m8w3x5y7z9abcdefa', 'provisioned', 1763700000000, 1763700001000);
