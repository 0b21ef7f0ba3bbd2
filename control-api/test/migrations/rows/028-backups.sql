insert into backups values
  ('backup_01jd4q6v2m8w3x5y7z9abcdefa', 'done', 'schedule', 'farmstead-1.tar.gz.age', null, 1763700000000, 1763700001000, 4096, 'dd06', 7, '013-drift-texts', ''),
  ('backup_01jd4q6v2m8w3x5y7z9abcdefb', 'failed', 'manual', 'farmstead-2.tar.gz.age', 'admin', 1763700002000, 1763700003000, null, null, null, null, 'the disk is full');
