// SPDX-License-Identifier: MIT
// lighttpd's configs as drafts: what each setting becomes, that none is lost, and that no text takes the importer down.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { importLighttpd } from '../../../src/features/importers/lighttpd/import.ts'
import { parseLighttpd } from '../../../src/features/importers/lighttpd/parser.ts'
import { hostsOf } from '../../../src/features/importers/regex.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { everyDirective } from '../../../src/features/importers/tree.ts'
import { examplesOf } from './corpus.ts'
import { everyConfig, expectRefused } from './every-config.ts'

const MAIN = '/etc/lighttpd/lighttpd.conf'
const one = (text: string) => sourceOf([{ path: MAIN, text }])
const parsed = (text: string) => parseLighttpd([MAIN], one(text))
const valueIn = (text: string, name = 'var.x') => parsed(text).blocks[0]?.settings.get(name)?.value
const imported = (text: string) => importLighttpd([MAIN], one(text))

type Site = Record<string, unknown>
const ROOT = 'server.document-root = "/srv/www"\nindex-file.names = ("index.html")\n'
function draftOf(text: string): { sites: Site[] } & Site {
  const { draft } = imported(ROOT + text)
  const read = parseConfigText(draft ?? '')
  if (!read.ok) throw new Error(JSON.stringify(read.errors))
  return read.value as { sites: Site[] } & Site
}
const siteOf = (text: string) => draftOf(text).sites[0] ?? {}
const codesOf = (text: string) =>
  imported(text).findings.flatMap(({ directive, verdict, notes }) =>
    notes.map(({ code }) => `${verdict} ${directive.split(' ')[0]}: ${code}`),
  )

describe('the language', () => {
  test.each<[string, unknown]>([
    ['var.x = "a"', 'a'],
    ['x = "a"', 'a'],
    ['var.x = "a" + "b" + 1', 'ab1'],
    ['var.x = 1 + 2', 3],
    ['var.y = "/srv"\nvar.x = var.y + "/www"', '/srv/www'],
    ['var.x = "say \\"x\\" \\.php"', 'say "x" \\.php'],
    ['var.x = "a" # b\n', 'a'],
    ['var.x = "a"\nvar.x += "b"', 'ab'],
    ['var.x = "a"\nvar.x := "b"', 'b'],
    ['server.port = 80\nvar.x = "p" + server.port', 'p80'],
    ['var.x = "#no {comment}"', '#no {comment}'],
    ['global { var.x = "a" }', 'a'],
    ['var.y = 1 var.x = "a" server.port = 80', 'a'],
    ['$HTTP["url"] =~ "^/a" { var.y = 1 var.z = 2 } var.x = "a"', 'a'],
  ])('%j', (text, value) => {
    expect(valueIn(text)).toEqual(value)
  })

  test('lists have keys, lines, a comma at the end, and are added to', () => {
    const text = 'var.x = ( "a" => "1", # one\n "b" => ( "c", 2 ),\n)\nvar.x += ( "a" => "3" )'
    expect(valueIn(text)).toMatchObject({
      entries: [
        { key: 'b', value: { entries: [{ key: null, value: 'c' }, { value: 2 }] } },
        { key: 'a', value: '3' },
      ],
    })
  })

  test('"+=" in a block begins with what holds around it, and leaves that as it was', () => {
    const { blocks } = parsed(
      'index-file.names = ("a")\n$HTTP["host"] == "x" { index-file.names += ("b") }',
    )
    const sizes = blocks.map(({ settings }) => settings.get('index-file.names')?.value)
    expect(sizes).toMatchObject([{ size: 1 }, { size: 2 }])
  })

  test('says where each line stands', () => {
    const { directives } = parsed('# x\n$HTTP["host"] == "a" {\n  x = "1"\n}\nelse { }\n')
    const places = [...everyDirective(directives)].map(({ name, line, column }) => [
      ...[name, line, column],
    ])
    expect(places).toEqual([
      ['$HTTP["host"]', 2, 1],
      ['x', 3, 3],
      ['else', 5, 1],
    ])
  })

  test.each([
    ['a', /"=", "\+=" or ":=" is missing/, '1:2'],
    ['a = ', /a value is missing/, '1:5'],
    ['a = "b', /quote .* has no end/, '1:5'],
    ['}', /closes nothing/, '1:1'],
    ['$HTTP["host"] == "a" {', /has no "}"/, '1:1'],
    ['else { }', /follows no condition/, '1:1'],
    ['a = 1 2', /begins no line/, '1:7'],
    ['a = ( "b" "c" )', /neither "," nor "\)"/, '1:11'],
    ['a = ("b") + "c"', /list can be added/, '1:11'],
    ['$HTTP["host"] < "a" { }', /begins nothing/, '1:15'],
    ['a = "b\0"', /NUL/, '1:5'],
    [`a = "${'x'.repeat(5000)}"`, /more than 4096/, '1:5'],
    ['$HTTP["host"] == "a" {\n'.repeat(40), /more than 32 deep/, '33:22'],
    [`a = ${'('.repeat(40)}`, /more than 32 deep/, '1:37'],
    [
      `$HTTP["host"] == "a" { }${'\nelse $HTTP["host"] == "b" { }'.repeat(300)}`,
      /by else/,
      '258:1',
    ],
    ['a = 1\n'.repeat(20_001), /more than 20000 directives/, '20001:1'],
    [`a = "x"\n${'a += a\n'.repeat(20)}`, /more than 4096/, '14:6'],
    [`a = ("x")\n${'a = (a, a)\n'.repeat(20)}`, /more than 8192/, '13:5'],
  ])('refuses %.30j', (text, why, place) => {
    expectRefused(() => parsed(text), why, place)
  })
})

describe('includes', () => {
  const files = [
    { path: MAIN, text: 'var.where = "conf"\ninclude var.where + "/*.conf"\ninclude "absent"' },
    { path: '/etc/lighttpd/conf/b.conf', text: 'b = 1' },
    { path: '/etc/lighttpd/conf/a.conf', text: 'a = 1' },
    { path: '/etc/lighttpd/conf/.hidden.conf', text: 'hidden = 1' },
  ]
  test('are read in their order, of the given files alone', () => {
    const { directives, missing } = parseLighttpd([MAIN], sourceOf(files))
    expect(directives.map(({ name }) => name)).toEqual([
      ...['var.where', 'include', 'a', 'b', 'include'],
    ])
    expect(missing).toHaveLength(1)
  })

  test('never reach a disk or a shell', () => {
    const codes = codesOf(
      'server.document-root = "/a"\ninclude "/etc/passwd"\ninclude_shell "touch /tmp/x"',
    )
    expect(codes).toEqual(
      expect.arrayContaining([
        'unsupported include: missing-file',
        'unsupported include_shell: shell',
      ]),
    )
  })

  test('in a circle are refused', () => {
    const given = [
      { path: '/a', text: 'include "b"' },
      { path: '/b', text: 'include "/a"' },
    ]
    expect(() => parseLighttpd(['/a'], sourceOf(given))).toThrow('"/a" includes itself')
  })
})

test.each([
  ['^www\\.example\\.org$', ['www.example.org']],
  ['^www.example.org$', ['www.example.org']],
  ['^(www\\.)?example\\.org$', ['example.org', 'www.example.org']],
  ['(^|\\.)example\\.org$', ['example.org', '*.example.org']],
  ['\\.example\\.org$', ['*.example.org']],
  ['example\\.org', ['example.org', '*.example.org']],
  ['^(a|b)\\.test$', ['a.test', 'b.test']],
  ['^a\\.test(:\\d+)?$', ['a.test']],
  ['^a\\.test(?::[0-9]*)*$', ['a.test']],
  ['^a\\.test(:80)$', null],
  ['^www\\.(.*)$', null],
  ['^[^.]+\\.example\\.org$', null],
  ['(', null],
])('the expression %s as hosts', (regex, hosts) => {
  expect(hostsOf(regex)).toEqual(hosts)
})

describe('a site', () => {
  test.each<[string, Site]>([
    ['', {}],
    ['index-file.names := ("a.html", "b.html")', { index: ['a.html', 'b.html'] }],
    ['dir-listing.activate = "enable"', { directoryListing: { enabled: true } }],
    [
      '$HTTP["url"] =~ "^/pub/" { dir-listing.activate = "enable" }',
      { directoryListing: { enabled: true, paths: ['/pub/**'] } },
    ],
    ['alias.url = ("/i/" => "/srv/icons/")', { aliases: [{ path: '/i/', folder: '/srv/icons' }] }],
    [
      'url.redirect = ("^/a/(.*)$" => "http://b.test/$1")',
      { redirects: [{ match: '^/a/(.*)$', to: 'http://b.test/$1' }] },
    ],
    [
      'url.redirect = ("^/a" => "/b")\nurl.redirect-code = 302',
      { redirects: [{ match: '^/a', to: '/b', status: 302 }] },
    ],
    ['url.rewrite-once = ("^/a$" => "/b?c=$0")', { rewrites: [{ match: '^/a$', to: '/b' }] }],
    [
      'url.rewrite-repeat = ("^/a$" => "/b")',
      { rewrites: [{ match: '^/a$', to: '/b', continue: true }] },
    ],
    [
      'url.rewrite-if-not-file = ("" => "/app.html")',
      { tryFiles: [{ candidates: ['{path}', '/app.html'] }] },
    ],
    ['url.access-deny = ("~", ".inc")', { access: [{ action: 'deny', paths: ['*~', '*.inc'] }] }],
    [
      '$HTTP["url"] =~ "^/x/" { url.access-deny = ("") }',
      { access: [{ action: 'deny', paths: ['/x/**'] }] },
    ],
    [
      '$HTTP["url"] =~ "^/x/" { $HTTP["remoteip"] != "10.0.0.0/8" { url.access-deny = ("") } }',
      {
        access: [
          { action: 'allow', addresses: ['10.0.0.0/8'], paths: ['/x/**'] },
          { action: 'deny', paths: ['/x/**'] },
        ],
      },
    ],
    [
      '$HTTP["remoteip"] == "10.1.1.1" { url.access-deny = ("") }',
      { access: [{ action: 'deny', addresses: ['10.1.1.1'] }] },
    ],
    [
      'expire.url = ("/a/" => "access plus 1 hours", "" => "modification plus 7 days 1 hours")',
      {
        expires: [
          { paths: ['/a/**'], maxAgeSeconds: 3600 },
          { from: 'modification', maxAgeSeconds: 608_400 },
        ],
      },
    ],
    [
      'expire.url = ("/a/" => "access plus 1 years 1 months")',
      { expires: [{ paths: ['/a/**'], maxAgeSeconds: 33_696_000 }] },
    ],
    [
      'expire.mimetypes = ("image/" => "access plus 1 days")',
      { expires: [{ types: ['image/*'], maxAgeSeconds: 86_400 }] },
    ],
    [
      'setenv.add-response-header = ("X-A" => "1")\n$HTTP["url"] =~ "^/b/" { setenv.add-response-header = ("X-B" => "2") }',
      {
        headers: [
          { name: 'X-A', value: '1' },
          { action: 'remove', name: 'x-a', paths: ['/b/**'] },
          { name: 'X-B', value: '2', paths: ['/b/**'] },
        ],
      },
    ],
    [
      'setenv.add-response-header = ("X-A" => "1")\n$HTTP["url"] =~ "^/b/" { setenv.add-response-header += ("X-B" => "2") }',
      {
        headers: [
          { name: 'X-A', value: '1' },
          { name: 'X-A', value: '1', paths: ['/b/**'] },
          { name: 'X-B', value: '2', paths: ['/b/**'] },
        ],
      },
    ],
    ['static-file.etags = "disable"', { headers: [{ action: 'remove', name: 'ETag' }] }],
    ['server.error-handler-404 = "/e.html"', { errorPages: { 404: '/e.html' } }],
    ['server.follow-symlink = "enable"', { symlinks: 'any' }],
    ['connection.kbytes-per-second = 4', { connectionBytesPerSecond: 4096 }],
    [
      'auth.backend = "htpasswd"\nauth.backend.htpasswd.userfile = "/u"\nauth.require = ("/c/" => ("method" => "basic", "realm" => "Club", "require" => "user=a|user=b"))',
      { auth: [{ paths: ['/c/**'], realm: 'Club', users: ['a', 'b'], file: '/u' }] },
    ],
    [
      'auth.backend = "plain"\nauth.require = ("/c/" => ("method" => "basic", "realm" => "Club", "require" => "valid-user"))',
      { access: [{ action: 'deny', paths: ['/c/**'] }] },
    ],
    ['evhost.path-pattern = "/srv/%2/%_/"', { root: '/srv/{host2}/{host}' }],
    [
      'simple-vhost.server-root = "/srv"\nsimple-vhost.document-root = "htdocs"',
      { root: '/srv/{host}/htdocs' },
    ],
    ['ssl.pemfile = "/c.pem"', { certificates: [{ chainFile: '/c.pem', keyFile: '/c.pem' }] }],
  ])('of %s', (text, members) => {
    expect(siteOf(text)).toEqual({ hosts: ['*'], root: '/srv/www', ...members })
  })

  test('none of many suffixes is left out', () => {
    const texts = Array.from({ length: 100 }, (_, i) => `".x${i}"`)
    const { access } = siteOf(`url.access-deny = (${texts.join(', ')})`) as { access: Site[] }
    expect(access.flatMap(({ paths }) => paths)).toHaveLength(100)
    expect(access).toHaveLength(2)
  })

  test('two conditions on clients for one path shut it, since either may let somebody past', () => {
    const site = siteOf(
      '$HTTP["url"] =~ "^/x/" { $HTTP["remoteip"] != "10.0.0.0/8" { url.access-deny = ("") } }\n$HTTP["remoteip"] != "10.1.0.0/16" { url.access-deny = ("") }',
    )
    expect(site.access).toEqual([{ action: 'deny', paths: ['/x/**'] }, { action: 'deny' }])
  })

  test('hosts have what holds for them, the last block first, and else for the others', () => {
    const { sites } = draftOf(
      `$HTTP["host"] =~ "(^|\\.)a\\.test$" { server.document-root = "/srv/a" }
       else $HTTP["host"] == "b.test" { server.document-root = "/srv/b" }
       else { server.document-root = "/srv/c" }
       $HTTP["host"] == "www.a.test" { server.document-root = "/srv/www.a" }`,
    )
    expect(sites.map(({ hosts, root }) => [hosts, root])).toEqual([
      [['a.test', '*.a.test'], '/srv/a'],
      [['b.test'], '/srv/b'],
      [['www.a.test'], '/srv/www.a'],
      [['*'], '/srv/c'],
    ])
  })

  test('http to https is a word of the site, where something listens with TLS', () => {
    const to =
      '$HTTP["scheme"] == "http" { url.redirect = ("" => "https://$\x7burl.authority}$\x7burl.path}$\x7bqsa}") }'
    const tls = 'ssl.pemfile = "/c.pem"\n$SERVER["socket"] == ":443" { ssl.engine = "enable" }\n'
    const draft = draftOf(tls + to)
    expect(draft.sites[0]).toMatchObject({ redirectToHttps: true })
    expect(draft.listen).toEqual([
      { address: '0.0.0.0', port: 80 },
      { address: '0.0.0.0', port: 443, tls: true },
    ])
    expect(siteOf(to)).not.toHaveProperty('redirectToHttps')
    const socket =
      '$SERVER["socket"] == ":80" { $HTTP["host"] =~ ".*" { url.redirect = (".*" => "https://%0$0") } }'
    expect(siteOf(tls + socket)).toMatchObject({ redirectToHttps: true })
    expect(siteOf(tls + socket)).not.toHaveProperty('redirects')
  })

  test('a host of a program is left out, and each of its lines says so', () => {
    const { draft, findings } = imported(
      `${ROOT}$HTTP["host"] == "app.test" {\n$HTTP["url"] =~ "^/api/" { proxy.server = ("" => (("port" => 1))) }\n}`,
    )
    expect(draft).not.toContain('app.test')
    expect(findings.slice(2).map(({ verdict, notes }) => [verdict, notes[0]?.code])).toEqual(
      Array(3).fill(['unsupported', 'application']),
    )
    expect(imported(`${ROOT}fastcgi.server = (".php" => ((1)))`).draft).toBeNull()
    expect(imported(`${ROOT}fastcgi.server = ()`).draft).not.toBeNull()
  })

  test('of the whole node', () => {
    const draft = draftOf(
      `server.bind = "127.0.0.1"\nserver.port = 8080\nserver.max-worker = 2\nserver.max-connections = 100
       server.errorlog = "/var/log/lighttpd/error.log"\naccesslog.filename = "/x/access.log"
       mimetype.assign = (".HTML" => "text/html", "" => "text/plain", "README" => "text/plain")
       deflate.mimetypes = ("text/")\nserver.feature-flags += ("server.h2proto" => "disable")
       extforward.forwarder = ("10.0.0.1" => "trust")`,
    )
    expect(draft).toMatchObject({
      listen: [{ address: '127.0.0.1', port: 8080 }],
      workers: 2,
      limits: { connections: 100 },
      errorLog: { path: '/var/log/farmstead/error.log' },
      accessLog: { path: '/var/log/farmstead/access.log' },
      mimeTypes: { '.html': 'text/html' },
      defaultType: 'text/plain',
      charset: '',
      compression: { cacheFolder: '/var/cache/farmstead', types: ['text/*'] },
      http2: false,
      trustedProxies: ['10.0.0.1'],
    })
  })
})

/** What users of lighttpd ran into. */
describe('reported elsewhere', () => {
  test('a block has the list as it was where the block begins, not what is added below it', () => {
    const { sites } = draftOf(
      `$HTTP["host"] == "a.test" { alias.url += ("/1/" => "/srv/1/") }
       alias.url += ("/2/" => "/srv/2/")`,
    )
    expect(sites.map(({ aliases }) => aliases)).toEqual([
      [{ path: '/1/', folder: '/srv/1' }],
      [{ path: '/2/', folder: '/srv/2' }],
    ])
  })

  test('an empty list ends what holds for other hosts', () => {
    const { sites } = draftOf(
      'url.redirect = ("^/a" => "/b")\n$HTTP["host"] == "a.test" { url.redirect = () }',
    )
    expect(sites.map(({ redirects }) => redirects)).toEqual([
      undefined,
      [{ match: '^/a', to: '/b' }],
    ])
  })

  test('a header without a value is taken away', () => {
    expect(siteOf('setenv.set-response-header = ("ETag" => "", "X-A" => "1")').headers).toEqual([
      { action: 'remove', name: 'ETag' },
      { name: 'X-A', value: '1' },
    ])
  })

  test('rules for programs with the query in them are not half taken', () => {
    const text = 'url.rewrite-if-not-file = ("^/[^\\?]*(\\?.*)?$" => "index.php/$1")'
    expect(codesOf(ROOT + text)).toContain('unsupported url.rewrite-if-not-file: rewrite')
  })

  test('words for conditions of newer versions', () => {
    const { sites } = draftOf(
      `if $HTTP["host"] == "a.test" { server.follow-symlink = 1 }
       elsif $HTTP["host"] == "b.test" { server.follow-symlink = 0 }
       else if $HTTP["host"] == "c.test" { server.follow-symlink = "enable" }`,
    )
    expect(sites.map(({ symlinks }) => symlinks)).toEqual(['any', 'never', 'any', undefined])
    expect(codesOf('$REQUEST_HEADER["dnt"] == "1" { x = 1 }')).toContain('unsupported x: condition')
  })
})

test('blocks that hold for many hosts end at a bound', () => {
  const text = Array.from(
    { length: 900 },
    (_, i) => `$HTTP["host"] == "${i}.test" { }\n$HTTP["url"] =~ "^/${i}/" { expire.url = () }`,
  )
  expect(() => imported(ROOT + text.join('\n'))).toThrow('more than 20000 blocks')
})

describe('what is not taken says why', () => {
  test.each([
    ['frobnicate.x = 1', 'unsupported frobnicate.x: unknown'],
    ['server.document-root = env.HOME + "/www"', 'unsupported server.document-root: variable'],
    [
      '$HTTP["useragent"] =~ "x" { url.access-deny = ("") }',
      'unsupported $HTTP["useragent"]: condition',
    ],
    [
      '$HTTP["host"] =~ "^www\\.(.*)" { url.redirect = ("^/(.*)" => "http://%1/$1") }',
      'unsupported url.redirect: host-name',
    ],
    [
      '$HTTP["url"] =~ "^/\\d+$" { expire.url = ("" => "access plus 1 days") }',
      'unsupported expire.url: location',
    ],
    [
      '$HTTP["url"] =~ "^/a" { server.document-root = "/b" }',
      'unsupported server.document-root: site-wide',
    ],
    [
      '$HTTP["host"] == "a" { server.max-connections = 1 }',
      'unsupported server.max-connections: node-wide',
    ],
    [
      '$SERVER["socket"] == ":81" { server.document-root = "/b" }',
      'unsupported server.document-root: other-port',
    ],
    [
      '$SERVER["socket"] == ":443" { ssl.engine = "enable" }',
      'unsupported $SERVER["socket"]: no-certificate',
    ],
    ['secdownload.secret = "x"', 'unsupported secdownload.secret: signed-urls'],
    ['url.redirect = ("^/a" => "/$1")', 'unsupported url.redirect: redirect'],
    ['url.redirect = ("^/a" => "http://$\x7burl.port}/")', 'unsupported url.redirect: redirect'],
    ['accesslog.filename = "|/usr/bin/logger"', 'unsupported accesslog.filename: log-pipe'],
    ['server.max-connections = "many"', 'unsupported server.max-connections: number'],
    ['server.max-read-idle = 9999', 'different server.max-read-idle: range'],
    ['server.username = "www-data"', 'different server.username: unit'],
  ])('%s', (text, code) => {
    expect(codesOf(text)).toContain(code)
  })
})

/** Counted without the parser: each assignment, include and block. */
function countOf(text: string): number {
  const bare = text.replaceAll(/"(?:\\"|[^"])*"|#.*$/gm, (one) => (one.startsWith('"') ? 'Q' : ''))
  const found = bare.matchAll(
    /\{|(?<![=!])[+:]?=(?![=>~^$])|(?<![\w.-])include(_shell)?(?![\w.-])/g,
  )
  return [...found].length
}

const ODD = [
  ...['{', '}', '"', '\\', '$', '\0', '\ud800', 'é', '(', ')', '[', '=>', '*', '\n', '#', '+', '='],
  ...['/', '%', '%1', '$1', '301', '""', '~', ',', 'else ', 'var.x', 'enable', '0', '-'],
]

everyConfig({
  examples: examplesOf('lighttpd'),
  imports: importLighttpd,
  parse: parseLighttpd,
  countOf,
  odd: ODD,
})
