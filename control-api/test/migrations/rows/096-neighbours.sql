update neighbour_settings set revision = 2, zone_label = 'zone', across_zones = 1, max_bytes_per_second = 20000000, at_once = 2;
insert into neighbour_keys values (20419, 'd4d4d4d4', 'box1.sealed');
insert into distrusted_neighbours
  select id, id, 'c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0', 1763700005000 from nodes limit 1;
