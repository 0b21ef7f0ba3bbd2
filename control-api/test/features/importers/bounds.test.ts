// SPDX-License-Identifier: MIT
// More than a config or a site may have: what is left out is told, and nothing that was shut is open.
import { describe, expect, test } from 'vitest'
import { importers } from '../../../src/features/importers/languages.ts'
import { LANGUAGES, type Language } from '../../../src/features/importers/request.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { checkOf } from './check-of.ts'

const lines = (count: number, line: (i: number) => string, between = '\n') =>
  Array.from({ length: count }, (_, i) => line(i)).join(between)
type Texts = Record<Language, string>

function read(language: Language, texts: Texts) {
  const text = texts[language]
  const imported = importers[language](['/etc/x.conf'], sourceOf([{ path: '/etc/x.conf', text }]))
  const draft = imported.draft ?? ''
  const told = imported.findings.filter(({ notes }) =>
    notes.some(({ code, text: said }) => code === 'too-many' || /\b256\b/.test(said)),
  )
  return { draft, told, found: new Set(draft.match(/\ba\d+\b/g) ?? []) }
}

const inNginx = (inner: string) => `server { server_name x.test; root /srv/www; ${inner} }`
const inLighttpd = (more: string) => `server.document-root = "/srv/www"\n${more}\n`
const inApache = (inner: string) =>
  `<VirtualHost *:80>\nServerName x.test\nDocumentRoot /srv/www\n${inner}\n</VirtualHost>\n`
const inCaddy = (inner: string, host = 'http://x.test') =>
  `${host} {\nroot * /srv/www\nfile_server\n${inner}\n}\n`

describe.each(LANGUAGES)('%s', (language) => {
  test('sites beyond a thousand are told', () => {
    const { draft, told, found } = read(language, {
      nginx: lines(1100, (i) => `server { server_name a${i}.test; root /srv/www; }`),
      lighttpd: inLighttpd(
        lines(
          1100,
          (i) => `$HTTP["host"] == "a${i}.test" {\nserver.document-root = "/srv/${i}"\n}`,
        ),
      ),
      apache: lines(1100, (i) => inApache('').replace('x.test', `a${i}.test`)),
      caddy: lines(1100, (i) => inCaddy('', `http://a${i}.test`)),
    })
    expect(found.size).toBeLessThanOrEqual(1000)
    expect(told.length).toBeGreaterThanOrEqual(1100 - found.size)
    expect(checkOf(draft)).toMatch(/^stdin: right/)
  })

  test.skipIf(language === 'lighttpd')('names of a site beyond 256 are told', () => {
    const names = (between: string, before = '') =>
      lines(300, (i) => `${before}a${i}.test`, between)
    const { draft, told, found } = read(language, {
      nginx: inNginx('').replace('x.test', names(' ')),
      lighttpd: '',
      apache: inApache(`ServerAlias ${names(' ')}`),
      caddy: inCaddy('', names(', ', 'http://')),
    })
    expect([found.size <= 256, told.length > 0]).toEqual([true, true])
    expect(checkOf(draft)).toMatch(/^stdin: right/)
  })

  test('rules that lead elsewhere beyond 256 are told', () => {
    const { draft, told, found } = read(language, {
      nginx: inNginx(lines(300, (i) => `rewrite ^/a${i}$ /b last;`)),
      lighttpd: inLighttpd(
        `url.rewrite-once = (${lines(300, (i) => `"^/a${i}$" => "/b"`, ',\n')})`,
      ),
      apache: inApache(`RewriteEngine On\n${lines(300, (i) => `RewriteRule ^/a${i}$ /b [L]`)}`),
      caddy: inCaddy(lines(300, (i) => `rewrite /a${i} /b`)),
    })
    expect([found.size <= 256, told.length > 0]).toEqual([true, true])
    expect(checkOf(draft)).toMatch(/^stdin: right/)
  })

  test('more refusals than a site may have shut it', () => {
    const { draft, told } = read(language, {
      nginx: inNginx(lines(300, (i) => `location /a${i} { deny all; }`)),
      lighttpd: inLighttpd(
        lines(300, (i) => `$HTTP["url"] =~ "^/a${i}" {\nurl.access-deny = ("")\n}`),
      ),
      apache: inApache(lines(300, (i) => `<Location /a${i}>\nRequire all denied\n</Location>`)),
      caddy: inCaddy(lines(300, (i) => `respond /a${i} 403`)),
    })
    expect(draft).toContain('"access": [{ "action": "deny" }]')
    expect(told.some(({ verdict }) => verdict === 'unsupported')).toBe(true)
    expect(checkOf(draft)).toMatch(/^stdin: right/)
  })
})
