// SPDX-License-Identifier: MIT
// Apache's configs as drafts: what each directive becomes, that none is lost, and that no text takes the importer down.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { importApache } from '../../../src/features/importers/apache/import.ts'
import { parseApache } from '../../../src/features/importers/apache/parser.ts'
import { namesOf } from '../../../src/features/importers/regex.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { examplesOf } from './corpus.ts'
import { everyConfig } from './every-config.ts'

const MAIN = '/etc/apache2/apache2.conf'
const one = (text: string) => sourceOf([{ path: MAIN, text }])
const use = (name: string) => `\${${name}}`
const imported = (text: string) => importApache([MAIN], one(text))

type Site = Record<string, unknown>
const hostWith = (text: string) =>
  `<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/www\n${text}\n</VirtualHost>\n`
const inFolder = (text: string) => hostWith(`<Directory /srv/www>\n${text}\n</Directory>`)
function draftOf(text: string): { sites: Site[] } & Site {
  const { draft } = imported(text)
  const read = parseConfigText(draft ?? '')
  if (!read.ok) throw new Error(JSON.stringify(read.errors))
  return read.value as { sites: Site[] } & Site
}
const siteOf = (text: string) => draftOf(hostWith(text)).sites[0] ?? {}
const rewritten = (...lines: string[]) => siteOf(['RewriteEngine On', ...lines].join('\n'))
const inFolderSite = (...lines: string[]) =>
  draftOf(inFolder(['RewriteEngine On', ...lines].join('\n'))).sites[0] ?? {}
const codesOf = (text: string) =>
  imported(text).findings.flatMap(({ directive, verdict, notes }) =>
    notes.map(({ code }) => `${verdict} ${directive.split(' ')[0]}: ${code}`),
  )

describe('what becomes of it', () => {
  test.each<[string, string, unknown]>([
    [
      'Redirect permanent /a http://b.test/c',
      'redirects',
      [{ match: '^/a(/.*)?$', to: 'http://b.test/c$1' }],
    ],
    ['Redirect /a/ /c/', 'redirects', [{ match: '^/a/(.*)$', to: '/c/$1', status: 302 }]],
    ['RedirectMatch 301 ^/x(.*)$ /y$1', 'redirects', [{ match: '^/x(.*)$', to: '/y$1' }]],
    ['Redirect gone /old', 'maintenance', [{ answer: 'gone', paths: ['/old', '/old/**'] }]],
    ['Alias /i /srv/i', 'aliases', [{ path: '/i/', folder: '/srv/i' }]],
    ['ErrorDocument 404 /404.html', 'errorPages', { 404: '/404.html' }],
    ['UserDir public_html', 'userDirs', { folder: 'public_html' }],
    ['DirectoryIndex a.html b.php', 'index', ['a.html']],
    ['Header set X-A "b c"', 'headers', [{ name: 'X-A', value: 'b c', statuses: ['2xx', '304'] }]],
    ['Header always unset X-A', 'headers', [{ action: 'remove', name: 'X-A' }]],
    ['VirtualDocumentRoot /srv/%0/%-1', 'root', '/srv/{host}/{host1}'],
    ['CustomLog /var/log/a.log combined', 'accessLog', { path: '/var/log/farmstead/a.log' }],
    [
      'FallbackResource /index.html',
      'tryFiles',
      [{ candidates: ['{path}', '{path}/', '/index.html'] }],
    ],
    [
      '<Location /s>\nRequire all denied\n</Location>',
      'access',
      [{ action: 'deny', paths: ['/s', '/s/**'] }],
    ],
    [
      '<Files "*.bak">\nRequire all denied\n</Files>',
      'access',
      [{ action: 'deny', paths: ['*.bak'] }],
    ],
    [
      '<FilesMatch "^\\.ht|~$">\nRequire all denied\n</FilesMatch>',
      'access',
      [{ action: 'deny', paths: ['.ht*', '*~'] }],
    ],
  ])('%j', (text, member, value) => {
    expect(siteOf(text)[member]).toEqual(value)
  })

  test.each<[string[], string, unknown]>([
    [['RewriteRule ^a$ b.html [R=301,L]'], 'redirects', [{ match: '^/a$', to: '/b.html' }]],
    [
      ['RewriteRule a/(.*) /b/$1 [R,L,NC]'],
      'redirects',
      [{ match: '(?i)^/(?s:.*?)(?:a/(.*))', to: '/b/$1', status: 302 }],
    ],
    [
      ['RewriteRule ^(a|b)$ /c/$1 [L]'],
      'rewrites',
      [{ match: '^/(?s:.*?)(?:(?<=^/)(a|b)$)', to: '/c/$1' }],
    ],
    [['RewriteBase /sub', 'RewriteRule ^a$ b [L]'], 'rewrites', [{ match: '^/a$', to: '/sub/b' }]],
    [['RewriteRule \\.(git|svn) - [F]'], 'hiddenFiles', undefined],
    [['RewriteRule \\.sql$ - [F,L]'], 'access', [{ action: 'deny', paths: ['*.sql'] }]],
    [['RewriteRule ^old/ - [G]'], 'maintenance', [{ answer: 'gone', paths: ['/old/**'] }]],
    [
      ['RewriteCond %{REQUEST_FILENAME} !-f', 'RewriteRule ^ index.html [L]'],
      'tryFiles',
      [{ candidates: ['{path}', '/index.html'] }],
    ],
    [
      ['RewriteCond %{REMOTE_ADDR} !^10\\.', 'RewriteRule ^admin/ - [F]'],
      'access',
      [{ action: 'deny', paths: ['/admin/**'] }],
    ],
    [
      ['RewriteCond %{HTTP_REFERER} !^https?://(.+\\.)?a\\.test [NC]', 'RewriteRule \\.png$ - [F]'],
      'hotlink',
      [{ paths: ['*.png'], hosts: ['a.test', '*.a.test'], allowEmpty: false }],
    ],
  ])('in a folder %j', (lines, member, value) => {
    expect(inFolderSite(...lines)[member]).toEqual(value)
  })

  test('names of a host that lead to another one are a site of their own', () => {
    const text = hostWith(
      'ServerAlias www.a.test b.test\nRewriteEngine On\nRewriteCond %{HTTP_HOST} !^a\\.test$ [NC]\nRewriteRule ^(.*)$ http://a.test$1 [R=301,L]',
    )
    const { sites } = draftOf(text)
    expect(sites.map(({ hosts }) => hosts)).toEqual([['a.test'], ['www.a.test', 'b.test', '*']])
    expect(sites[1]?.redirects).toEqual([{ match: '^.*$', to: 'http://a.test$0' }])
  })

  test('a second host of a name sends nobody to https where nothing has TLS', () => {
    const host = 'ServerName a.test\nDocumentRoot /srv/www'
    const text = `Listen 80\n<VirtualHost *:80>\n${host}\n</VirtualHost>\n<VirtualHost *:80>\n${host}\nRedirect permanent / https://a.test/\n</VirtualHost>\n`
    expect(draftOf(text).sites).toMatchObject([{ hosts: ['a.test', '*'] }])
    expect(imported(text).draft).not.toContain('redirectToHttps')
  })

  test('redirects keep their order, those of an inner folder first', () => {
    const both = 'Redirect 301 /a/b /first\nRedirect 301 /a /second'
    const text = hostWith(
      `<Directory /srv/www>\n${both}\n</Directory>\n<Directory /srv/www/a>\nRedirect 301 /a/c /inner\n</Directory>`,
    )
    const { redirects } = draftOf(text).sites[0] ?? {}
    expect((redirects as Site[]).map(({ to }) => to)).toEqual(['/inner$1', '/first$1', '/second$1'])
  })

  const SHUT = [{ action: 'deny' }]
  test.each<[string, string, unknown]>([
    ['what is not for GET', '<LimitExcept POST>\nRequire all denied\n</LimitExcept>', SHUT],
    ['what is for all but GET', '<LimitExcept GET>\nRequire all denied\n</LimitExcept>', undefined],
    ['another method', 'Require method POST', SHUT],
    [
      'not this method',
      '<RequireAll>\nRequire all granted\nRequire not method GET\n</RequireAll>',
      SHUT,
    ],
    [
      'a condition among others',
      '<RequireAll>\nRequire all granted\n<IfModule mod_dir.c>\nRequire not ip 192.0.2.1\n</IfModule>\n</RequireAll>',
      SHUT,
    ],
    ['what is added to what is around', 'AuthMerging And\nRequire all granted', SHUT],
  ])('who may come in: %s', (_, text, access) => {
    expect(draftOf(inFolder(text)).sites[0]?.access).toEqual(access)
  })

  test('none of many addresses is forgotten', () => {
    const list = Array.from({ length: 1500 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    const lines = list.map((one) => `Require not ip ${one}`).join('\n')
    const text = inFolder(`<RequireAll>\nRequire all granted\n${lines}\n</RequireAll>`)
    const rules = draftOf(text).sites[0]?.access as { addresses?: string[] }[]
    expect(rules.flatMap(({ addresses }) => addresses ?? [])).toEqual(list)
  })

  test('more places than a site has rules shut it', () => {
    const place = (i: number) => `<Location /a${i}>\nRequire all denied\n</Location>`
    const text = hostWith(Array.from({ length: 257 }, (_, i) => place(i)).join('\n'))
    expect(draftOf(text).sites[0]?.access).toEqual(SHUT)
    expect(codesOf(text)).toContain('unsupported Require: too-many')
  })

  test.each([
    '<Directory /srv/www/*/private>',
    '<Directory /srv/w*>',
    '<DirectoryMatch "^/srv/other/private">',
  ])('what shuts and can’t be placed is told: %s', (open) => {
    const name = open.slice(1).split(' ')[0]
    const text = hostWith(`${open}\nRequire all denied\n</${name}>`)
    expect(codesOf(text)).toContain('unsupported Require: location')
  })

  test.each([
    ['/private/', ['/**/private/**', '/private/**']],
    ['^/srv/www/private/', ['/private/**']],
    ['www/private/', ['/**www/private/**', '/private/**']],
    ['^/srv/(www|other)/private$', ['/private', '/o/private']],
    ['(?i)^/SRV/www/private/', ['/private/**', '/PRIVATE/**']],
    ['^/srv/.*/private$', ['/private', '/**/private']],
  ])('an expression for folders is held against the whole of their paths: %s', (regex, paths) => {
    const { access = [] } = siteOf(
      `Alias /o /srv/other\n<DirectoryMatch "${regex}">\nRequire all denied\n</DirectoryMatch>`,
    )
    const said = (access as { paths?: string[] }[]).flatMap((rule) => rule.paths ?? [])
    expect(new Set(said)).toEqual(new Set(paths))
  })

  test('what an expression finds in the path of the root itself shuts the whole site', () => {
    const { access } = siteOf('<DirectoryMatch "/www/">\nRequire all denied\n</DirectoryMatch>')
    expect(JSON.stringify(access)).toContain('/**')
  })

  test('what stands beside hidden names in an expression is shut', () => {
    const text = '<LocationMatch "/\\..*|/private">\nRequire all denied\n</LocationMatch>'
    expect(JSON.stringify(siteOf(text).access)).toContain('/private')
  })

  test('names and sites beyond what a config may have are told', () => {
    const names = Array.from({ length: 300 }, (_, i) => `h${i}.test`).join(' ')
    const text = hostWith(`ServerAlias ${names}`)
    expect(draftOf(text).sites[0]?.hosts).toHaveLength(256)
    expect(codesOf(text)).toContain('different VirtualHost: too-many')
  })

  test('a condition on the path is a part of the expression', () => {
    const { redirects } = rewritten(
      'RewriteCond %{REQUEST_URI} !^/keep/',
      'RewriteRule ^/a/(.*)$ /b/$1 [R=301]',
    )
    expect(redirects).toEqual([{ match: '^(?!/keep/)/a/(.*)$', to: '/b/$1' }])
  })

  test('the last layer that says who may come in counts, so it is the first rule', () => {
    const site = siteOf(
      '<Directory />\nRequire all denied\n</Directory>\n<Directory /srv/www>\nRequire all granted\n</Directory>\n<Directory /srv/www/a>\nRequire ip 10.1 2001:db8::/32\n</Directory>\n<Files x.html>\nRequire all granted\n</Files>',
    )
    expect(site.access).toEqual([
      { action: 'allow', paths: ['x.html'] },
      { action: 'allow', paths: ['/a', '/a/**'], addresses: ['10.1.0.0/16', '2001:db8::/32'] },
      { action: 'deny', paths: ['/a', '/a/**'] },
    ])
  })

  test.each([
    ['Require group staff', 'clients'],
    ['Require env ok', 'clients'],
    ['AuthType Digest\nAuthName x\nAuthUserFile /srv/x\nRequire valid-user', 'auth'],
    ['AuthType Basic\nAuthName x\nRequire valid-user', 'auth'],
    ['Order deny,allow\nDeny from example.org', 'clients'],
    ['<RequireAll>\nRequire ip 10.0.0.0/8\nRequire expr true\n</RequireAll>', 'clients'],
  ])('what can’t be said of %j is shut', (text, code) => {
    const all = hostWith(`<Location /a/>\n${text}\n</Location>`)
    expect(draftOf(all).sites[0]?.access).toEqual([{ action: 'deny', paths: ['/a/**'] }])
    expect(codesOf(all).some((one) => one.startsWith('unsupported') && one.endsWith(code))).toBe(
      true,
    )
  })

  test('the passwords of names in a folder are those of that folder', () => {
    const basic = 'AuthType Basic\nAuthName Club\n'
    const site = siteOf(
      `<Directory /srv/www>\n${basic}AuthUserFile /srv/all\n</Directory>\n<Directory /srv/www/a>\nAuthUserFile /srv/few\n<Files plan.txt>\nRequire valid-user\n</Files>\n</Directory>`,
    )
    expect(site.auth).toEqual([
      { paths: ['/a/**/plan.txt', '/a/plan.txt'], realm: 'Club', file: '/srv/few' },
    ])
  })

  test('where a part of what is asked for has other passwords it is shut, and told', () => {
    const asked =
      '<Directory /srv/www>\nAuthType Basic\nAuthName Club\nAuthUserFile /srv/all\nRequire valid-user\n</Directory>\n'
    const part = (more: string) =>
      `${asked}<Directory /srv/www/a>\nAuthUserFile /srv/few\n${more}\n</Directory>`
    expect(siteOf(part('')).auth).toBeUndefined()
    expect(siteOf(part('')).access).toEqual([{ action: 'deny' }])
    expect(codesOf(hostWith(part('')))).toContain('unsupported AuthUserFile: auth')
    // Who says for itself whom it wants is a place of its own.
    expect(siteOf(part('Require valid-user')).auth).toEqual([
      { paths: ['/a', '/a/**'], realm: 'Club', file: '/srv/few' },
      { realm: 'Club', file: '/srv/all' },
    ])
  })

  test('passwords with addresses: one of both, or both', () => {
    const signIn = 'AuthType Basic\nAuthName "Club"\nAuthUserFile /srv/users\n'
    const any = draftOf(inFolder(`${signIn}Require ip 10.0.0.1\nRequire valid-user`)).sites[0]
    expect(any?.auth).toEqual([{ realm: 'Club', file: '/srv/users', satisfy: 'any' }])
    const both = draftOf(
      inFolder(`${signIn}<RequireAll>\nRequire ip 10.0.0.1\nRequire user ann zoe\n</RequireAll>`),
    ).sites[0]
    expect(both?.auth).toEqual([{ realm: 'Club', file: '/srv/users', users: ['ann', 'zoe'] }])
    expect(both?.access).toEqual([{ action: 'allow', addresses: ['10.0.0.1'] }, { action: 'deny' }])
    const older = draftOf(
      inFolder(
        `${signIn}Require valid-user\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.1\nSatisfy Any`,
      ),
    ).sites[0]
    expect([older?.auth, older?.access]).toEqual([any?.auth, any?.access])
  })

  test('times go by type before they go by place', () => {
    const site = siteOf(
      'ExpiresActive On\nExpiresByType text/css A60\nExpiresDefault "access plus 1 hour"\n<Location /a/>\nExpiresDefault "access plus 1 day"\nExpiresByType image/* M2\n</Location>\nHeader append Cache-Control "public"',
    )
    expect(site.expires).toEqual([
      { types: ['text/css'], maxAgeSeconds: 60, directives: 'public' },
      {
        types: ['image/*'],
        paths: ['/a/**'],
        from: 'modification',
        maxAgeSeconds: 2,
        directives: 'public',
      },
      { paths: ['/a/**'], maxAgeSeconds: 86_400, directives: 'public' },
      { maxAgeSeconds: 3600, directives: 'public' },
    ])
  })

  test('limits, logs and compression are the node’s', () => {
    const draft = draftOf(
      `KeepAlive Off\nTimeout 60\nRequestReadTimeout header=20-40,MinRate=500\nLogLevel info\nErrorLog "|/bin/x"\nAddOutputFilterByType DEFLATE text/css\nDeflateCompressionLevel 3\nRemoteIPHeader X-Forwarded-For\nRemoteIPTrustedProxy 10.0.0.0/8\nLogFormat "%h %t %D \\"%r\\"" mine\nCustomLog logs/a mine\n${hostWith('')}`,
    )
    expect(draft).toMatchObject({
      limits: { keepAliveRequests: 1, writeSeconds: 60, headerSeconds: 40 },
      errorLog: { level: 'info' },
      compression: { types: ['text/css'], levels: { gzip: 3 } },
      trustedProxies: ['10.0.0.0/8'],
      accessLog: {
        path: '/var/log/farmstead/a',
        format: '{client} [{time}] {totalMicros} "{request}"',
      },
    })
  })

  test.each([
    ['ProxyPass / http://127.0.0.1/', null],
    ['<FilesMatch "\\.php$">\nSetHandler "proxy:unix:/run/php.sock|fcgi://x"\n</FilesMatch>', null],
    ['RewriteEngine On\nRewriteRule . /index.php [L]', null],
    ['php_value a b', null],
    ['Dav On', null],
  ])('a host with %j is left out', (text, draft) => {
    expect(imported(hostWith(text)).draft).toBe(draft)
  })

  test('what the server hands to a program is refused, and the host stays', () => {
    const text = `<FilesMatch "\\.ph(ar|p)$">\nSetHandler application/x-httpd-php\n</FilesMatch>\n${hostWith('')}`
    expect(draftOf(text).sites[0]?.access).toEqual([{ action: 'deny', paths: ['*.phar', '*.php'] }])
    expect(codesOf(text)).toContain('unsupported SetHandler: application')
  })

  test('a folder of an alias has what is said for it, whatever the root has', () => {
    const site = siteOf(
      'Alias /i/ /opt/i/\n<Directory />\nRequire all denied\n</Directory>\n<Directory /srv/www>\nRequire all granted\n</Directory>',
    )
    expect(site.access).toEqual([{ action: 'deny', paths: ['/i/**'] }])
  })

  test.each<[string, string]>([
    ['Frobnicate x', 'unsupported Frobnicate: unknown'],
    ['Header edit A b c', 'unsupported Header: header'],
    [
      'RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} x\nRewriteRule ^ /b [R]',
      'unsupported RewriteRule: rewrite-condition',
    ],
    ['RewriteEngine On\nRewriteRule ^/a$ /b/%1 [R]', 'unsupported RewriteRule: redirect'],
    [
      'RewriteEngine On\nRewriteRule ^/a$ - [C]\nRewriteRule ^/b$ /c',
      'unsupported RewriteRule: rewrite-flow',
    ],
    [
      '<If "%{HTTP_USER_AGENT} =~ /x/">\nRequire all denied\n</If>',
      'unsupported Require: condition',
    ],
    ['<LocationMatch "^/(?!a)">\nHeader set A b\n</LocationMatch>', 'unsupported Header: location'],
    ['SSLUseStapling on', 'unsupported SSLUseStapling: ocsp'],
    ['ErrorDocument 500 "Sorry"', 'unsupported ErrorDocument: error-page'],
    ['RewriteRule ^/a$ /b', 'unsupported RewriteRule: location'],
    ['ExpiresDefault "access plus 1 day"', 'different ExpiresDefault: not-active'],
    ['<IfModule mod_php.c>\nphp_value a b\n</IfModule>', 'different php_value: not-loaded'],
  ])('%j is told', (text, code) => {
    expect(codesOf(hostWith(text))).toContain(code)
  })
})

test.each<[string, boolean, string[] | null]>([
  ['\\.(css|js)$', false, ['*.css', '*.js']],
  ['^\\.ht', false, ['.ht*']],
  ['^index\\.html$', false, ['index.html']],
  ['\\.JPE?G$', true, ['*.JPG', '*.JPEG']],
  ['(^#.*#|~)$', false, ['#*#', '*~']],
  ['^(?!a)', false, null],
])('%s is the names %j', (regex, isCaseless, names) => {
  expect(namesOf(regex, isCaseless)).toEqual(names)
})

everyConfig({
  examples: examplesOf('apache'),
  imports: importApache,
  parse: parseApache,
  // One directive a line, unless a backslash joins it to the one before.
  countOf: (text) =>
    text
      .replaceAll(/\\\n/g, ' ')
      .split('\n')
      .filter((line) => !/^\s*($|#|<\/)/.test(line)).length,
  odd: [
    ...[
      '<',
      '>',
      '</',
      '"',
      '\\',
      '\n',
      use('x'),
      'Define x ',
      '%{',
      '<If "',
      'RewriteRule ',
      'RewriteCond ',
    ],
    ...[
      '!',
      '^',
      '(',
      '[L]',
      '[F',
      '$1',
      '%1',
      '*',
      '/',
      '{',
      '\u0000',
      '\u00e9',
      'Require ',
      'Header set ',
      '-',
    ],
    ...[
      '99999999999999999999',
      'Options +',
      '<Files "',
      '<Location ',
      'ProxyPass ',
      '\t',
      '\u0007',
      ' [OR]',
    ],
  ],
})
