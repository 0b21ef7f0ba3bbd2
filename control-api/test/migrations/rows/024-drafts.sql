insert into draft_revisions (config, revision, text, author, at_ms)
  values ('default', 4, '{ "draft": "before" }', 'Ünal', 1763700002000);
