insert into policy_rules values
  ('5c1b0a36dbd1a1bba0c9a0b5b1f1a86b8b9fd2d1f7f1c9b2a9f00b6b7c8d9e0f',
   '{"serve":["/srv/www"],"secrets":[],"logs":[],"runtime":[],"listen":["*:80"],"adminBeyondLoopback":false,"users":[],"groups":[],"symlinksAny":false}');
insert into node_policies values
  ('node_01jd4q6v2m8w3x5y7z9abcdefa', 'file', '/etc/farmstead/policy.json',
   'sha256:6f3c0d1fd0a9a6a6a5f0d3bd4b4ce9c0a6be3b9a9d7a5a54e1a4ed7c7a4b0c11',
   '5c1b0a36dbd1a1bba0c9a0b5b1f1a86b8b9fd2d1f7f1c9b2a9f00b6b7c8d9e0f', 1763700006000);
