insert into alerts (id, rule_id, rule_name, severity, subject_kind, subject_id, subject_name, node_id, state, value, message, pending_at_ms,
    firing_at_ms, is_untold, acknowledged_at_ms, acknowledged_by, comment)
  values ('alert_01jd4q6v2m8w3x5y7z9abcdefg', 'rule_00000000000000000000000001', 'Node silent', 'critical', 'node', 'node_1', 'edge-1', 'node_1',
    'firing', null, 'Not heard from.', 1763700000000, 1763700120000, 1, 1763700130000, 'ana', 'on it');
insert into alert_silences (id, rule_id, selector, reason, until_ms, created_at_ms, created_by)
  values ('silence_01jd4q6v2m8w3x5y7z9abcdefg', null, 'zone=eu', 'new disks', 1763800000000, 1763700000000, 'ana');
insert into alert_watch (id, looked_at_ms) values (1, 1763700000000);
