insert into sites_read (config, version) values ('default', 1);
insert into sites (host, config, version, hosts, root, certificates, has_certificate_files, place)
  values ('a.example', 'default', 1, '["a.example"]', '/srv/www', '[]', 0, 0);
insert into site_hosts (config, host, version, site) values ('default', 'a.example', 1, 'a.example');
