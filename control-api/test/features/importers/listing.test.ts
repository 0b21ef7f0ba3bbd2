// SPDX-License-Identifier: MIT
// A folder that the old server does not list is not listed by a node, in whichever language and order that is said.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { read } from '../../../src/features/importers/import-worker.ts'

type Language = Parameters<typeof read>[0]['language']

function imported(language: Language, text: string) {
  const path = '/etc/old.conf'
  const outcome = read({ language, main: [path], files: [{ path, text }] })
  if (outcome.kind !== 'imported') throw new Error(outcome.kind)
  const draft = parseConfigText(outcome.draft ?? '')
  if (!draft.ok) throw new Error(JSON.stringify(draft.errors))
  const [site] = (draft.value as { sites: { directoryListing?: object }[] }).sites
  const codes = outcome.findings.flatMap(({ directive, notes }) =>
    notes.map(({ code }) => `${code}: ${directive}`),
  )
  return { listing: site?.directoryListing, codes }
}

const nginx = (inner: string) => `server { server_name a.test; root /srv/www; ${inner} }`
const apache = (inner: string) =>
  `Listen 80\n<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/www\n<Directory /srv/www>\nRequire all granted\n</Directory>\n${inner}</VirtualHost>\n`
const options = (folder: string, words: string) =>
  `<Directory /srv/www/${folder}>\nOptions ${words}\n</Directory>\n`
const lighttpd = (inner: string) => `server.document-root = "/srv/www"\nserver.port = 80\n${inner}`
const listed = (path: string, how: 'enable' | 'disable') =>
  `$HTTP["url"] =~ "^${path}" { dir-listing.activate = "${how}" }\n`
const caddy = (inner: string) => `http://a.test {\nroot * /srv/www\n${inner}\n}\n`

const PART = { enabled: true, paths: ['/pub/**'], exceptPaths: ['/pub/own/**'] }
const ALL_BUT = { enabled: true, exceptPaths: ['/own/**'] }

describe('a folder below a listed one that is not listed', () => {
  test.each<[Language, string, string]>([
    [
      'nginx',
      'says so',
      nginx('location /pub/ { autoindex on; } location /pub/own/ { autoindex off; }'),
    ],
    [
      'nginx',
      'says nothing',
      nginx('location /pub/ { autoindex on; } location /pub/own/ { expires 1d; }'),
    ],
    [
      'nginx',
      'within',
      nginx('location /pub/ { autoindex on; location /pub/own/ { autoindex off; } }'),
    ],
    [
      'nginx',
      'by an expression',
      nginx('location /pub/ { autoindex on; } location ~ ^/pub/own/ { expires 1d; }'),
    ],
    [
      'apache',
      'takes it away',
      apache(options('pub', '+Indexes') + options('pub/own', '-Indexes')),
    ],
    [
      'apache',
      'says others',
      apache(options('pub', 'Indexes') + options('pub/own', 'FollowSymLinks')),
    ],
    ['lighttpd', 'later', lighttpd(listed('/pub/', 'enable') + listed('/pub/own/', 'disable'))],
    [
      'caddy',
      'handles',
      caddy(
        'handle /pub/own/* {\nfile_server\n}\nhandle /pub/* {\nfile_server browse\n}\nhandle {\nfile_server\n}',
      ),
    ],
    [
      'caddy',
      'file servers',
      caddy('file_server /pub/own/* \nfile_server /pub/* browse\nfile_server'),
    ],
  ])('%s: %s', (language, _, text) => {
    expect(imported(language, text).listing).toEqual(PART)
  })

  test.each<[Language, string]>([
    ['nginx', nginx('autoindex on; location /own/ { autoindex off; }')],
    ['apache', apache(options('', 'Indexes') + options('own', '-Indexes'))],
    ['lighttpd', lighttpd(`dir-listing.activate = "enable"\n${listed('/own/', 'disable')}`)],
    ['caddy', caddy('file_server /own/*\nfile_server browse')],
  ])('%s: where all others are', (language, text) => {
    expect(imported(language, text).listing).toEqual(ALL_BUT)
  })
})

test.each<[Language, string, string]>([
  [
    'nginx',
    nginx(
      'location /a/ { autoindex on; } location /a/b/ { autoindex off; } location /a/b/c/ { autoindex on; }',
    ),
    'autoindex on',
  ],
  [
    'apache',
    apache(options('a', '+Indexes') + options('a/b', '-Indexes') + options('a/b/c', '+Indexes')),
    'Options +Indexes',
  ],
])(
  '%s: a listed one below that is not listed either, and the report says so',
  (language, text, directive) => {
    const { listing, codes } = imported(language, text)
    expect(listing).toMatchObject({ exceptPaths: ['/a/b/**'] })
    expect(codes).toContain(`listing-paths: ${directive}`)
  },
)

test.each<[Language, string, object | undefined]>([
  ['nginx', nginx('location /files { autoindex on; }'), { enabled: true, paths: ['/files**'] }],
  [
    'nginx',
    nginx('location ~ ^/(a|b)/ { autoindex on; }'),
    { enabled: true, paths: ['/a/**', '/b/**'] },
  ],
  ['nginx', nginx('location = /own { autoindex off; }'), undefined],
  [
    'nginx',
    nginx('location /own/ { autoindex off; } location /pub/ { autoindex on; }'),
    { enabled: true, paths: ['/pub/**'] },
  ],
  [
    'apache',
    apache(options('a', 'Indexes') + options('a/b', '+MultiViews')),
    { enabled: true, paths: ['/a/**', '/a/b/**'] },
  ],
  [
    'lighttpd',
    lighttpd(listed('/own/', 'disable') + listed('/pub/', 'enable')),
    { enabled: true, paths: ['/pub/**'] },
  ],
])('%s: no more is left out than has to be', (language, text, want) => {
  expect(imported(language, text).listing).toEqual(want)
})

test('where too many are left out none is listed', () => {
  const own = Array.from({ length: 65 }, (_, i) => `location /own${i}/ { autoindex off; }`)
  const { listing, codes } = imported('nginx', nginx(`autoindex on; ${own.join(' ')}`))
  expect(listing).toBeUndefined()
  expect(codes).toContain('too-many: autoindex off')
})

test('who goes by what no pattern says is told of', () => {
  const text = nginx('autoindex on; location ~ ^/(?!x)[a-z]+/$ { autoindex off; }')
  expect(imported('nginx', text).codes).toContain('listing-paths: autoindex off')
})
