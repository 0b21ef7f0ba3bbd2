// SPDX-License-Identifier: MIT
// What an import may take of the service: a thread's time and memory, and an answer of bounded size.
import { expect, onTestFinished, test } from 'vitest'
import { startImportWork } from '../../../src/features/importers/import-work.ts'

const MAIN = '/etc/nginx/nginx.conf'
const bodyOf = (text: string) => ({
  language: 'nginx' as const,
  main: [MAIN],
  files: [{ path: MAIN, text }],
})
const SMALL = 'server { listen 80; server_name a.test; root /srv/www; }'
const places = Array.from({ length: 19_000 }, (_, i) => `location /${i} { }`).join('\n')
const header = (i: number) => `add_header X-${i} "${'x'.repeat(4000)}";`
const HEADERS = Array.from({ length: 60 }, (_, i) => header(i)).join('\n')
const servers = Array.from(
  { length: 10 },
  (_, i) => `server { server_name s${i}.test; root /srv/www; }`,
).join('\n')

function working() {
  const work = startImportWork()
  onTestFinished(() => work.close())
  return work
}

test('what takes too long ends, and the next is read as ever', async () => {
  const work = working()
  // From here on there is a thread, so that its start is no part of the time.
  expect(await work.read(bodyOf(SMALL))).toMatchObject({ kind: 'imported' })
  const many = `server { server_name a.test; root /srv/www; ${places} }`
  expect(await work.read(bodyOf(many), 300)).toEqual({
    kind: 'too-much',
    why: 'It was not done after 0.3 s',
  })
  expect(await work.read(bodyOf(SMALL))).toMatchObject({ kind: 'imported' })
})

test('a draft that is longer than a config may be is refused', async () => {
  const read = await working().read(bodyOf(`http { ${HEADERS} ${servers} }`))
  expect(read).toMatchObject({ kind: 'too-much', why: expect.stringContaining('1048576') })
})

test('what can’t be read is told with its place', async () => {
  expect(await working().read(bodyOf('server {'))).toEqual({
    kind: 'unreadable',
    place: { file: MAIN, line: 1, column: 1 },
    why: 'the block of "server" has no "}"',
  })
})
