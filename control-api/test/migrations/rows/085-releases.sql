insert into release_manifests (sha256, files, links, bytes, blobs, blob_bytes, touched_at_ms)
values ('4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce', 2, 1, 12, 1, 6, 1763700000000);
insert into release_sets (name, next_number, latest, updated_at_ms)
values ('www', 2, 1, 1763700000000);
insert into release_versions
  (release, number, manifest, parent, author, message, source, created_at_ms, added, changed, removed, changed_bytes)
values ('www', 1, '4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce', null, 'ana', 'first', '', 1763700000000, 3, 0, 0, 12);
