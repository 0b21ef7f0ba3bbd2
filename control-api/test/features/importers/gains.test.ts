// SPDX-License-Identifier: MIT
// What a site gains by its move: only what its old config did not have.
import { expect, test } from 'vitest'
import { importers } from '../../../src/features/importers/languages.ts'
import { reportOf } from '../../../src/features/importers/report.ts'
import type { Language } from '../../../src/features/importers/request.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'

const imported = (language: Language, text: string) =>
  importers[language](['/etc/x.conf'], sourceOf([{ path: '/etc/x.conf', text }]))
const codesOf = (language: Language, text: string) =>
  imported(language, text).gains.map(({ code }) => code)

const PLAIN = 'server { listen 80; server_name a.test; root /srv/www; }'
const TLS = 'ssl_certificate /etc/a.pem; ssl_certificate_key /etc/a.key;'
const nginxTls = (listen: string) =>
  `server { listen ${listen}; server_name a.test; root /srv/www; ${TLS} }`
const apacheTls = (more: string) =>
  `LoadModule ssl_module x.so\nListen 443\n<VirtualHost *:443>\nServerName a.test\nDocumentRoot /srv/www\nSSLEngine on\nSSLCertificateFile /etc/a.pem\nSSLCertificateKeyFile /etc/a.key\n${more}\n</VirtualHost>`

test('what every site gains is there, and nothing of TLS where there is none', () => {
  expect(codesOf('nginx', PLAIN)).toEqual([
    'waves',
    'refused-early',
    'history',
    'releases',
    'measured',
    'slow-disk',
    'copies',
    'hidden-files',
  ])
})

test.each<[string, Language, string, string]>([
  ['HTTP/2', 'nginx', nginxTls('443 ssl http2'), 'http2'],
  ['HTTP/2', 'apache', apacheTls('Protocols h2 http/1.1'), 'http2'],
  ['copies', 'nginx', `gzip_static on; ${PLAIN}`, 'copies'],
  ['aio', 'nginx', `aio threads; ${PLAIN}`, 'slow-disk'],
  [
    'a folder of copies',
    'lighttpd',
    'server.document-root = "/srv/www"\nserver.modules += ("mod_deflate")\ndeflate.mimetypes = ("text/html")\ndeflate.cache-dir = "/var/cache/x"\n',
    'compressed-once',
  ],
  ['certificates by itself', 'caddy', 'a.test {\nroot * /srv/www\nfile_server\n}', 'certificates'],
])('who had %s gains nothing by it', (_what, language, text, code) => {
  expect(imported(language, text).draft).not.toBeNull()
  expect(codesOf(language, text)).not.toContain(code)
})

test.each<[Language, string, string]>([
  ['nginx', nginxTls('443 ssl'), 'http2'],
  ['nginx', nginxTls('443 ssl'), 'certificates'],
  ['nginx', `gzip on; ${PLAIN}`, 'compressed-once'],
  ['apache', apacheTls(''), 'http2'],
])('%s: who had it not does', (language, text, code) => {
  expect(codesOf(language, text)).toContain(code)
})

test('a config without a draft gains nothing, and the report has what there is', () => {
  const program = imported(
    'nginx',
    'server { listen 80; server_name a.test; location / { proxy_pass http://127.0.0.1:1; } }',
  )
  expect([program.draft, program.gains]).toEqual([null, []])
  expect(reportOf('x', program)).not.toContain('What you gain')
  const report = reportOf('x', imported('nginx', PLAIN))
  expect(report.indexOf('## What you gain')).toBeGreaterThan(
    report.indexOf('## Taken over with a difference'),
  )
  expect(report).toContain('- A change goes to a few nodes first')
})
