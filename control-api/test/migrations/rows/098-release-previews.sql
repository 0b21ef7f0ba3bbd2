insert into release_previews
  (id, release, number, manifest, node_id, host, key_sha256, created_by, created_at_ms, ends_at_ms)
select 'preview_01jdq8z6v9k3m5n7p2r4t6w8xa', 'www', 1, '4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce',
  id, 'v1-www.edge-1.preview.example.org', '4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce', 'ana', 1763700000000, 1763786400000
from nodes limit 1;
