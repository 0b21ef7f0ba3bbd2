// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../src/features/importers/request.ts'
import { build, type Client } from '../../helper.ts'

const MAIN = '/etc/nginx/nginx.conf'
const TEXT = 'http {\n  include sites/*;\n}\n'
const SITE = 'server {\n  listen 80;\n  root /srv/www;\n  location /api/ { frobnicate; }\n}\n'
const FILES = [
  { path: MAIN, text: TEXT },
  { path: '/etc/nginx/sites/a', text: SITE },
]
const post = (client: Client, payload: object) =>
  client.inject({ method: 'POST', url: '/api/v1/imports', payload })
const importing = (client: Client, files: object[] = FILES) =>
  post(client, { language: 'nginx', main: [MAIN], files })

describe('GET /imports', () => {
  const known = (client: Client) => client.inject({ method: 'GET', url: '/api/v1/imports' })

  it('needs a session, and says which servers, where their configs lie, and the bounds', async () => {
    const { anonymous, as } = await build()
    expect((await known(anonymous)).statusCode).toBe(401)
    const { languages, verdicts, mostFiles, mostCharacters } = (
      await known(await as('viewer'))
    ).json()
    expect(languages.map(({ language }: { language: string }) => language)).toEqual(LANGUAGES)
    expect(languages).toContainEqual({
      ...{ language: 'apache', title: 'Apache', folder: '/etc/apache2' },
      mainFiles: ['apache2.conf', 'httpd.conf'],
    })
    expect(verdicts[0].title).toBe('Not supported')
    expect([mostFiles, mostCharacters]).toEqual([500, 1_048_576])
  })
})

describe('POST /imports', () => {
  it('needs a session; who may read configs may ask', async () => {
    const { anonymous, as } = await build()
    expect((await importing(anonymous)).statusCode).toBe(401)
    expect((await importing(await as('viewer'))).statusCode).toBe(200)
  })

  it('needs a language it knows, files and the first of them', async () => {
    const { admin } = await build()
    for (const payload of [
      { language: 'iis', main: [MAIN], files: FILES },
      { language: 'nginx', main: [], files: FILES },
      { language: 'nginx', main: [MAIN], files: [] },
      { language: 'nginx', main: [MAIN], files: FILES, root: '/' },
    ]) {
      expect((await post(admin, payload)).statusCode).toBe(400)
    }
  })

  it('answers with a draft, what became of each directive, and a report', async () => {
    const { admin } = await build()
    const response = await importing(admin)
    expect(response.statusCode).toBe(200)
    const { draft, ok, errors, findings, report } = response.json()
    expect([ok, errors]).toEqual([true, []])
    expect(draft).toContain('"root": "/srv/www"')
    expect(findings).toHaveLength(7)
    expect(findings).toContainEqual({
      ...{ file: '/etc/nginx/sites/a', line: 4, column: 20, directive: 'frobnicate' },
      verdict: 'unsupported',
      notes: [{ code: 'unknown', text: expect.stringContaining('does not know') }],
    })
    expect(report).toContain('- /etc/nginx/sites/a:4:20 `frobnicate`')
  })

  it('says where a text can’t be read, and what was not given', async () => {
    const { admin } = await build()
    const broken = await importing(admin, [{ path: MAIN, text: 'http {\n  root "/srv;\n}' }])
    expect(broken.statusCode).toBe(422)
    expect(broken.json()).toMatchObject({
      code: 'import_unreadable',
      place: { file: MAIN, line: 2, column: 8 },
    })
    expect(broken.json().detail).toMatch(/^\/etc\/nginx\/nginx.conf:2:8: the quote/)
    const without = await importing(admin, [{ path: '/elsewhere', text: '' }])
    expect(without.json().detail).toContain('was not given')
    const lonely = await importing(admin, [{ path: MAIN, text: 'include /etc/hostname;' }])
    expect(lonely.json()).toMatchObject({ draft: null, ok: false })
    expect(lonely.json().findings[0].notes[0].code).toBe('missing-file')
  })

  it('takes a megabyte of text, and no more', async () => {
    const { admin } = await build()
    const half = { text: '# x\n'.repeat(150_000) }
    const files = [{ path: MAIN, text: SITE }, ...['/a', '/b'].map((path) => ({ path, ...half }))]
    const response = await importing(admin, files)
    expect([response.statusCode, response.json().code]).toEqual([413, 'import_too_large'])
  })
})
