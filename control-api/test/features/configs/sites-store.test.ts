// SPDX-License-Identifier: MIT
// The sites of versions as rows.
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import {
  keepSites,
  newestSites,
  sitesGone,
  sitesOf,
  unreadNewest,
} from '../../../src/features/configs/sites-store.ts'
import { sitesIn } from '../../../src/features/configs/text/sites.ts'
import { build } from '../../helper.ts'

const textOf = (...sites: string[][]) =>
  JSON.stringify({ sites: sites.map((hosts) => ({ hosts, root: '/srv' })) })

async function insertVersion(db: Kysely<Database>, config: string, number: number) {
  await sql`insert into configs (name, draft_text, draft_base, draft_updated_at_ms, draft_revision, updated_at_ms)
    values (${config}, '{}', 1, 1, 1, 1) on conflict do nothing`.execute(db)
  await sql`insert into config_versions (config, number, digest, text, author, message, source, created_at_ms)
    values (${config}, ${number}, 'd', '{}', 'ana', 'm', 'ui', 1)`.execute(db)
}

async function withVersions(...numbers: number[]) {
  const { db, write } = (await build()).services
  for (const number of numbers) await insertVersion(db, 'default', number)
  const keep = (version: number, ...sites: string[][]) =>
    write((unit) => keepSites(unit, { config: 'default', version }, sitesIn(textOf(...sites))))
  const read = async () =>
    (await db.selectFrom('sites_read').select('version').execute()).map(({ version }) => version)
  return { db, write, keep, read }
}

it('are of the newest version, and of those that nodes run; others go with the next that is saved', async () => {
  const { db, keep, read } = await withVersions(1, 2, 3)
  await keep(1, ['a.example'])
  await keep(2, ['b.example'])
  expect(await unreadNewest(db)).toEqual([{ config: 'default', version: 3 }])
  await keep(3, ['c.example'])
  expect(await unreadNewest(db)).toEqual([])
  expect(await read()).toEqual([3])
  expect(await db.selectFrom('site_hosts').select('host').execute()).toEqual([
    { host: 'c.example' },
  ])
  await sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, hostname, version, os, arch,
      capabilities, max_epoch, max_generation, running_config, running_version)
    values ('n', 'edge', '{}', '{}', 1, 1, '', '', '', '', '[]', 0, 0, 'default', 1)`.execute(db)
  await keep(1, ['a.example'])
  await keep(2, ['b.example'])
  await insertVersion(db, 'default', 4)
  await keep(4)
  expect(await read()).toEqual([1, 4])
})

it('are written once, and not of a version that has gone meanwhile', async () => {
  const { db, keep, read } = await withVersions(1)
  await keep(1, ['a.example', 'a.example', 'b.example'], ['b.example', 'c.example'])
  await keep(1, ['other.example'])
  await keep(7, ['a.example'])
  expect(await read()).toEqual([1])
  expect(await sitesOf(db, { config: 'default', version: 1 })).toMatchObject([
    { hosts: ['a.example', 'b.example'], root: '/srv' },
  ])
})

it('that are gone are those of whose hosts no newer version has one, once all of these are read', async () => {
  const { db, keep } = await withVersions(1, 2, 3)
  await keep(3, ['b.example'])
  await sql`insert into sites_read (config, version) values ('default', 1)`.execute(db)
  const gone = (newer: number[]) => sitesGone(db, { config: 'default', version: 1, newer })
  expect(await gone([3, 2])).toBeNull()
  await sql`delete from sites_read where version = 1`.execute(db)
  expect(await gone([3])).toBeNull()
  await keep(1, ['b.example', 'c.example'], ['d.example'], ['e.example', 'f.example'])
  expect(await gone([3])).toMatchObject([
    { hosts: ['c.example'] },
    { hosts: ['d.example'] },
    { hosts: ['e.example', 'f.example'] },
  ])
})

it('are looked through a part at a time for what somebody wrote', async () => {
  const { db, write } = await withVersions(1)
  const hosts = Array.from({ length: 12_000 }, (_, i) => [`h${String(i).padStart(5, '0')}.example`])
  await write((unit) =>
    keepSites(unit, { config: 'default', version: 1 }, sitesIn(textOf(...hosts))),
  )
  const wish = { limit: 10, q: '11999' }
  const first = await newestSites(db, { ...wish, after: ['', ''] })
  expect(first).toEqual({ sites: [], lookedTo: ['h04999.example', 'default'] })
  const second = await newestSites(db, { ...wish, after: first.lookedTo ?? ['', ''] })
  expect(second.lookedTo).toEqual(['h09999.example', 'default'])
  const last = await newestSites(db, { ...wish, after: second.lookedTo ?? ['', ''] })
  expect(last).toMatchObject({ sites: [{ hosts: ['h11999.example'] }], lookedTo: null })
  const page = await newestSites(db, { after: ['', ''], limit: 3, q: '' })
  expect(page.sites.map((one) => one.hosts[0])).toEqual(hosts.slice(0, 3).flat())
})
