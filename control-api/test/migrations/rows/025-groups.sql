insert into node_groups (name, description, selector, position, config, merge_patch, revision, updated_at_ms)
  values ('north', 'All in the nörd', 'zone="nörd"', 1, null, '{"a":3}', 2, 1763700000000);
update assignments set group_name = 'north' where generation = 2;
