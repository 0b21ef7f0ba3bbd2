insert into api_tokens values
  ('token_01jd4q6v2m8w3x5y7z9abcdefc', 'user_01jd4q6v2m8w3x5y7z9abcdefa', 'ci', 'dd03', '["nodes:read"]', null, 1763700000000, 4102444800000, 1763700001000, '192.0.2.1'),
  ('token_01jd4q6v2m8w3x5y7z9abcdefd', 'user_01jd4q6v2m8w3x5y7z9abcdefa', 'made with it', 'dd04', null, 'token_01jd4q6v2m8w3x5y7z9abcdefc', 1763700000000, 4102444800000, null, null);
