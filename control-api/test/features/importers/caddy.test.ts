// SPDX-License-Identifier: MIT
// Caddyfiles as drafts: what each directive becomes, that none is lost, and that no text takes the importer down.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { importCaddy } from '../../../src/features/importers/caddy/import.ts'
import { parseCaddy } from '../../../src/features/importers/caddy/parser.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { argsOf, everyDirective } from '../../../src/features/importers/tree.ts'
import { examplesOf } from './corpus.ts'
import { everyConfig, expectRefused } from './every-config.ts'

const MAIN = '/etc/caddy/Caddyfile'
const one = (text: string) => sourceOf([{ path: MAIN, text }])
const parsed = (text: string) => parseCaddy([MAIN], one(text))
const imported = (text: string) => importCaddy([MAIN], one(text))
type Site = Record<string, unknown>

function draftOf(text: string): { sites: Site[] } & Site {
  const read = parseConfigText(imported(text).draft ?? '')
  if (!read.ok) throw new Error(JSON.stringify(read.errors))
  return read.value as { sites: Site[] } & Site
}
const inSite = (text: string) => `http://a.test {\nroot * /srv/www\nfile_server\n${text}\n}\n`
const siteOf = (text: string) => draftOf(inSite(text)).sites[0] ?? {}
const codesOf = (text: string) =>
  imported(text).findings.flatMap(({ directive, verdict, notes }) =>
    notes.map(({ code }) => `${verdict} ${directive.split(' ')[0]}: ${code}`),
  )
const wordsOf = (text: string) =>
  [...everyDirective(parsed(text).directives)].map((it) => [it.name, ...argsOf(it)])

test('what no pattern says within its block is told, and left as ever or shut', () => {
  const inBlock = (line: string) =>
    `handle /a/* {\n@css path *draft*\n${line}\n}\nhandle {\nfile_server\n}`
  const said = 'unsupported'
  expect(codesOf(inSite(inBlock('try_files @css /all.css')))).toContain(
    `${said} try_files: matcher`,
  )
  expect(codesOf(inSite(inBlock('respond @css 404')))).toContain(`${said} respond: matcher`)
  expect(codesOf(inSite(inBlock('respond @css 403')))).toContain(`${said} respond: matcher`)
  const shut = siteOf(inBlock('respond @css 403')).access
  expect(shut).toEqual([{ action: 'deny', paths: ['/a/**'] }])
})

describe('the language', () => {
  test.each<[string, string[][]]>([
    ['a b\n', [['a', 'b']]],
    ['"a b" `c "d"`\n', [['a b', 'c "d"']]],
    ['a "b \\"c\\" \\d"\n', [['a', 'b "c" \\d']]],
    ['a b \\\n  c\n', [['a', 'b', 'c']]],
    ['a # b\n# c\n', [['a']]],
    ['a b#c\n', [['a', 'b#c']]],
    ['a <<END\n  one\n\n    two\n  END 200\n', [['a', 'one\n\n  two', '200']]],
    ['a.test,\n b.test {\n c\n}\n', [['a.test,', 'b.test'], ['c']]],
    ['a.test\nb\nc\n', [['a.test'], ['b'], ['c']]],
    ['{\n a\n}\nb {\n}\n', [[''], ['a'], ['b']]],
    ['a {$X:b} {path}\n', [['a', 'b', '{path}']]],
    ['\ufeffa\r\n', [['a']]],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test.each<[string, RegExp, string]>([
    ['a {\n b\n', /has no "}"/, '1:1'],
    ['}\n', /closes nothing/, '1:1'],
    ['a "b\n', /has no end/, '1:3'],
    ['a {\n b { c\n }\n}', /line of its own/, '2:4'],
    ['a <<END\n b\n', /no line "END"/, '1:3'],
    ['a {\n {\n }\n}', /follows nothing/, '2:2'],
    ['(a) {\n import a\n}\nb {\n import a\n}', /imports itself/, '2:2'],
    ['import /etc/caddy/Caddyfile', /imports itself/, '1:1'],
    [`${'a {\n'.repeat(40)}`, /nested more than/, '33:1'],
  ])('%j is refused with its place', (text, why, place) => {
    expectRefused(() => parsed(text), why, place)
  })

  test('snippets take arguments, files are looked for beside the file that names them', () => {
    const files = [
      {
        path: MAIN,
        text: '(s) {\n x {args.0} {args[1]}\n y {args[0:]}\n}\na {\n import s 1 2\n import more/* 3\n}\n',
      },
      { path: '/etc/caddy/more/one', text: 'z {args[0]}\nimport other\n' },
      { path: '/etc/caddy/more/other', text: 'w\n' },
    ]
    const { directives } = parseCaddy(
      [MAIN],
      sourceOf([files[0], files[1]].flatMap((it) => it ?? [])),
    )
    const site = directives.find(({ name }) => name === 'a')
    expect(site?.block?.map((it) => [it.name, ...argsOf(it)])).toEqual([
      ['import', 's', '1', '2'],
      ['x', '1', '2'],
      ['y', '1', '2'],
      ['import', 'more/*', '3'],
      ['z', '3'],
      ['import', 'other'],
    ])
  })
})

describe('a site', () => {
  test('has the addresses of its line, and TLS where Caddy would', () => {
    const { listen, sites } = draftOf(
      'a.test, http://b.test, :8080 {\nroot * /srv/www\nfile_server\n}\n',
    )
    expect(listen).toEqual([
      { address: '0.0.0.0', port: 80 },
      { address: '0.0.0.0', port: 443, tls: true },
      { address: '0.0.0.0', port: 8080 },
    ])
    expect(sites.map(({ hosts, redirectToHttps }) => [hosts, redirectToHttps])).toEqual([
      [['a.test'], true],
      [['b.test', '*'], undefined],
    ])
    expect(sites[0]?.certificates).toEqual([{ name: 'a.test' }])
  })

  test('that only sends to https is a word of the other', () => {
    const { sites } = draftOf(
      'http://a.test {\nredir https://a.test{uri}\n}\na.test {\ntls /c.pem /k.pem\nroot * /srv\nfile_server\n}\n',
    )
    expect(sites).toMatchObject([{ hosts: ['a.test'], redirectToHttps: true }])
  })

  test('with a program is not in the draft, nor is one without files', () => {
    const { draft, findings } = imported(
      'http://a.test {\nroot * /srv\nreverse_proxy x:1\nfile_server\n}\n',
    )
    expect([draft, findings.map(({ notes }) => notes[0]?.code)]).toEqual([
      null,
      Array(4).fill('application'),
    ])
    expect(imported('http://a.test {\nrespond ok\n}\n').draft).toBeNull()
    expect(
      imported('http://a.test {\ntry_files {path} /index.php\nroot * /srv\nfile_server\n}\n').draft,
    ).toBeNull()
  })

  test('has a site for each host that its matchers tell apart', () => {
    const { sites } = draftOf(
      'http://*.a.test {\n@x host x.a.test\nhandle @x {\nroot * /srv/x\nfile_server\n}\n@y host y.a.test\nhandle @y {\nreverse_proxy z:1\n}\n}\n',
    )
    expect(sites).toMatchObject([{ hosts: ['x.a.test'], root: '/srv/x' }])
    expect(sites).toHaveLength(1)
  })
})

describe('rules', () => {
  test.each<[string, string, object]>([
    [
      'folders of other prefixes',
      'handle_path /d/* {\nroot * /srv/d\nfile_server\n}',
      { aliases: [{ path: '/d/', folder: '/srv/d' }] },
    ],
    [
      'a folder with its path',
      'root /d/* /srv/e',
      { aliases: [{ path: '/d/', folder: '/srv/e/d' }] },
    ],
    [
      'what is tried',
      'try_files {path} {path}.html /index.html',
      { tryFiles: [{ candidates: ['{path}', '{path}.html', '/index.html'] }] },
    ],
    [
      'a rewrite of what is missing',
      '@m not file\nrewrite @m /index.html',
      { tryFiles: [{ candidates: ['{path}', '/index.html'] }] },
    ],
    ['refusals', 'respond /a/* 403', { access: [{ action: 'deny', paths: ['/a/**'] }] }],
    [
      'refusals but for some',
      '@x not remote_ip private_ranges\nrespond @x 403',
      {
        access: [
          { action: 'allow', addresses: expect.arrayContaining(['10.0.0.0/8']) },
          { action: 'deny' },
        ],
      },
    ],
    [
      'blocks for some',
      '@x remote_ip 10.0.0.0/8\nhandle @x {\nfile_server\n}\nhandle {\nrespond 403\n}',
      { access: [{ action: 'allow', addresses: ['10.0.0.0/8'] }, { action: 'deny' }] },
    ],
    [
      'an open folder in a closed one',
      'handle /a/open/* {\nfile_server\n}\nhandle /a/* {\nrespond 403\n}',
      {
        access: [
          { action: 'allow', paths: ['/a/open/**'] },
          { action: 'deny', paths: ['/a/**'] },
        ],
      },
    ],
    [
      'lists of some folders',
      'file_server /pub/* browse',
      { directoryListing: { enabled: true, paths: ['/pub/**'] } },
    ],
    [
      'pages for errors',
      'handle_errors {\nrewrite * /e.html\nfile_server\n}',
      { errorPages: { '4xx': '/e.html', '5xx': '/e.html' } },
    ],
    [
      'closed for now',
      '@v not remote_ip 10.0.0.1\nrespond @v 503',
      { maintenance: [{ except: ['10.0.0.1'] }] },
    ],
    [
      'hidden names',
      'file_server {\nhide .git *.bak\n}',
      { access: [{ action: 'deny', paths: ['*.bak', '/*.bak/**', '/**/*.bak/**'] }] },
    ],
    [
      'a log',
      'log {\noutput file /var/log/caddy/a.log\n}',
      { accessLog: { path: '/var/log/farmstead/a.log', format: 'json' } },
    ],
  ])('%s', (_, text, site) => {
    expect(siteOf(text)).toMatchObject(site)
  })

  test('a header of one block is not that of another', () => {
    const { headers } = siteOf(
      'header X-A 1\nhandle /b/* {\nheader X-C 3\nfile_server\n}\nhandle {\nheader X-A 2\nfile_server\n}',
    )
    expect(headers).toEqual([
      { action: 'set', name: 'X-A', value: '1' },
      { action: 'set', name: 'X-A', value: '2' },
      { action: 'set', name: 'X-A', value: '1', paths: ['/b/**'] },
      { action: 'set', name: 'X-C', value: '3', paths: ['/b/**'] },
    ])
  })

  test('what is taken away is gone, wherever it was set', () => {
    const { headers } = siteOf('header /a/* -X-A\nheader X-A 1')
    expect(headers).toEqual([
      { action: 'set', name: 'X-A', value: '1' },
      { action: 'remove', name: 'X-A', paths: ['/a/**'] },
    ])
  })

  test('a header that a matcher leaves out somewhere is there as it was', () => {
    const { headers } = siteOf('@a path /a/*\n@b not path /a/*\nheader @a X 1\nheader @b X 2')
    expect((headers as object[]).at(-1)).toEqual({
      action: 'set',
      name: 'X',
      value: '1',
      paths: ['/a/**'],
    })
  })

  test.each<[string, object]>([
    ['redir /a /b', { match: '^(?i:/a)$', to: '/b', status: 302 }],
    ['redir https://b.test{uri} permanent', { match: '^.*$', to: 'https://b.test$0' }],
    ['redir https://{host}/x 308', { match: '^.*$', to: `https://${'$'}{host}/x`, status: 308 }],
    ['@n path_regexp n ^/p/(.*)$\nredir @n /q/{re.n.1} 301', { match: '^/p/(.*)$', to: '/q/$1' }],
    [
      '@n {\npath /a/*\nnot path /a/b\n}\nredir @n /x 301',
      { match: '^(?!/a/b$)(?i:/a/.*)$', to: '/x' },
    ],
    [
      'handle_path /p/* {\nredir https://b.test{uri} 301\n}',
      { match: '^/p(/.*)$', to: 'https://b.test$1' },
    ],
  ])('%s', (text, rule) => {
    expect(siteOf(text).redirects).toEqual([rule])
  })

  test('what stands behind a block for all paths does not shut the site', () => {
    const { tryFiles, access } = siteOf('handle {\nfile_server\n}\nrespond 404\nabort')
    expect([tryFiles, access]).toEqual([undefined, undefined])
    expect(codesOf(inSite('handle {\nfile_server\n}\nrespond 404'))).toContain(
      'different respond: handle-first',
    )
  })

  test('where nothing is found the path is looked for as ever', () => {
    expect(siteOf('try_files {path} {path}.html').tryFiles).toEqual([
      { candidates: ['{path}', '{path}.html', '{path}/'] },
    ])
  })

  test('where there is no file_server there are no files', () => {
    const { tryFiles } =
      draftOf('http://a.test {\nroot * /srv\nfile_server /s/*\n}\n').sites[0] ?? {}
    expect(tryFiles).toEqual([
      { paths: ['/s/**'], candidates: ['{path}', '{path}/'] },
      { candidates: ['404'] },
    ])
  })
})

describe('what keeps people out is shut where it can’t be said', () => {
  test.each([
    ['basicauth /a/* scrypt {\nann $7$x\n}', ['/a/**']],
    ['basic_auth /a/* {\nann plain\n}', ['/a/**']],
    ['@x {\npath /a/*\nremote_ip {http.request.x}\n}\nrespond @x 403', ['/a/**']],
  ])('%s', (text, paths) => {
    expect(siteOf(text).access).toContainEqual({ action: 'deny', paths })
  })

  test.each([
    ['@x not header X-Key secret\nrespond @x 403', {}],
    ['@x path /a/[bc]/*\nrespond @x 404', { paths: ['/a/**'] }],
    ['respond {$CLOSED} 403', {}],
    ['handle {$CLOSED} {\nrespond 403\n}', {}],
    ['basicauth {$CLOSED} {\nann x\n}', {}],
    ['@x expression !{path}.startsWith("/b")\nabort @x', {}],
    ['file_server {\nhide /srv/www/in\n}', { paths: ['/in', '/in/**'] }],
  ])('%s', (text, rest) => {
    expect(siteOf(text).access).toContainEqual({ action: 'deny', ...rest })
  })

  test('what a matcher leaves out does not get past a list of clients', () => {
    const { access } = siteOf(
      '@a {\npath /a/*\nnot path /a/b\n}\nrespond @a 403\n@c not remote_ip 10.0.0.1\nrespond @c 403',
    )
    expect(
      (access as { action: string; addresses?: string[] }[]).filter(
        (it) => it.action === 'allow' && !it.addresses,
      ),
    ).toEqual([])
  })

  test('two lists of clients are not each other’s way in', () => {
    const { access } = siteOf(
      '@a not remote_ip 10.0.0.1\nrespond @a 403\n@b not remote_ip 10.0.0.2\nrespond @b 403',
    )
    expect(access).toEqual([{ action: 'deny' }, { action: 'deny' }])
  })

  test('an expression that no pattern says', () => {
    expect(siteOf('@x path_regexp ^/a[0-9]+$\nrespond @x 403').rewrites).toEqual([
      { match: '^/a[0-9]+$', to: '/.closed' },
    ])
  })
})

describe('what is not taken says why', () => {
  test.each([
    [inSite('frobnicate on'), 'unsupported frobnicate: unknown'],
    [inSite('respond /h ok'), 'unsupported respond: text-answer'],
    [inSite('@b header User-Agent *bot*\nrespond @b 403'), 'unsupported respond: matcher'],
    [inSite('header X-A {host}'), 'unsupported header: header'],
    [inSite('redir /a {http.vars.x}'), 'unsupported redir: redirect'],
    [inSite('uri replace a b'), 'unsupported uri: rewrite'],
    [inSite('vars x 1'), 'unsupported vars: variable'],
    [inSite('request_body {\nmax_size 1MB\n}'), 'different request_body: by-itself'],
    [inSite('root /x* {$ROOT}'), 'unsupported root: variable'],
    ['{$HOST} {\nfile_server\n}\n', 'unsupported \ue000: variable'],
    [inSite('import absent'), 'unsupported import: missing-file'],
    ['http://a.test {\nfile_server\n}\n', 'unsupported http://a.test: root'],
    ['http://a.test/x {\nfile_server\n}\n', 'unsupported http://a.test/x: address'],
    ['a.test {\ntls internal\nroot * /s\nfile_server\n}\n', 'different tls: certificate-to-order'],
    [
      'http://a.test {\nroot * /s\nfile_server\n}\nhttp://a.test:81 {\nroot * /t\nfile_server\n}\n',
      'unsupported http://a.test:81: other-port',
    ],
  ])('%s', (text, code) => {
    expect(codesOf(text)).toContain(code)
  })
})

/** What users of Caddy have reported of its language, tried on ours. */
describe('reports', () => {
  test.each<[string, string, string[][]]>([
    [
      'a snippet whose brace stands in the next line (caddy #5701)',
      '(l)\n{\n x {args[0]}\n}\na {\n import l 1\n}\n',
      [['(l)'], ['x', '{args[0]}'], ['a'], ['import', 'l', '1'], ['x', '1']],
    ],
    [
      'arguments with a colon between (caddy #5716)',
      '(p) {\n x {args[0]}://{args[1]}\n}\na {\n import p https b\n}\n',
      [
        ['(p)'],
        ['x', '{args[0]}://{args[1]}'],
        ['a'],
        ['import', 'p', 'https', 'b'],
        ['x', 'https://b'],
      ],
    ],
    [
      '"import" as an argument (caddy #2204)',
      'a {\n b import c\n}\n',
      [['a'], ['b', 'import', 'c']],
    ],
    [
      'import in an inner block (caddy #2163)',
      '(s) {\n x\n}\na {\n log {\n import s\n }\n}\n',
      [['(s)'], ['x'], ['a'], ['log'], ['import', 's'], ['x']],
    ],
    [
      '"<<" that begins no text (caddy #5760)',
      'a <<x y\nb <<<\n',
      [
        ['a', '<<x', 'y'],
        ['b', '<<<'],
      ],
    ],
    ['a text without lines (caddy #6062)', 'a <<E\nE b\n', [['a', '', 'b']]],
    ['blank lines in a text (caddy #6048)', 'a <<E\n\t\tx\n\n\t\ty\n\t\tE\n', [['a', 'x\n\ny']]],
    [
      'a line that begins with a text (zed caddyfile #5152)',
      'a {\n "b" c\n}\n',
      [['a'], ['b', 'c']],
    ],
  ])('%s', (_, text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test('snippets of an imported file are known after it (caddy #2204)', () => {
    const files = [
      { path: MAIN, text: 'import s\na {\n import x\n}\n' },
      { path: '/etc/caddy/s', text: '(x) {\n y {args[0]}\n}\n' },
    ]
    const { directives } = parseCaddy([MAIN], sourceOf(files))
    expect(directives.at(-1)?.block?.map(({ name }) => name)).toEqual(['import', 'y'])
  })

  test('files of the same name in other folders (caddy #1892)', () => {
    const files = [
      { path: MAIN, text: 'import "a/x"\n' },
      { path: '/etc/caddy/a/x', text: 'http://a.test {\n import "../b/x"\n}\n' },
      { path: '/etc/caddy/b/x', text: 'root * /srv\nfile_server\n' },
    ]
    expect(importCaddy([MAIN], sourceOf(files)).draft).toContain('"root": "/srv"')
  })

  test('the longer of two paths goes first, whichever is written first (caddy #5037)', () => {
    const { tryFiles } = siteOf(
      'handle /a/* {\nerror 404\n}\nhandle /a/b/* {\nfile_server\n}\nhandle {\nfile_server\n}',
    )
    expect((tryFiles as { paths?: string[] }[]).map(({ paths }) => paths?.[0])).toEqual([
      '/a/b/**',
      '/a/**',
    ])
  })

  test('a prefix is taken off before the folder is looked in (caddy #3675)', () => {
    expect(siteOf('handle_path /x/* {\nroot * /srv/y\nfile_server\n}').aliases).toEqual([
      { path: '/x/', folder: '/srv/y' },
    ])
  })
})

describe('a text that is made to take long', () => {
  test.each([
    [
      'arguments in arguments',
      `(a) {\nx ${'{args[0]}'.repeat(3000)}\n}\nb {\nimport a ${'y'.repeat(60_000)}\n}\n`,
    ],
    ['places in places', inSite('handle /a/* {\n'.repeat(20) + '}\n'.repeat(20))],
    [
      'many blocks that exclude each other',
      inSite(Array.from({ length: 400 }, (_, i) => `handle /p${i}/* {\nfile_server\n}`).join('\n')),
    ],
    [
      'a matcher that many use',
      inSite(`@x path ${'/a/b '.repeat(6000)}\n${'header @x A 1\n'.repeat(6000)}`),
    ],
    [
      'headers of many places',
      inSite(
        Array.from({ length: 300 }, (_, i) => `handle /p${i}* {\nheader X-${i} 1\n}`).join('\n'),
      ),
    ],
    ['stars', inSite(`respond /${'*a'.repeat(400)} 403`)],
  ])('is over soon: %s', (_, text) => {
    const start = performance.now()
    imported(text)
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('has so many places only as there is room for', () => {
    const handles = Array.from({ length: 3000 }, (_, i) => `handle /p${i}/* {\nfile_server\n}`)
    expect(() => imported(inSite(handles.join('\n')))).toThrow('too many places')
  })

  test('is read so often only as there is room for', () => {
    const doubling = Array.from(
      { length: 16 },
      (_, i) => `(s${i + 1}) {\nimport s${i}\nimport s${i}\n}\n`,
    )
    expect(() => parsed(`(s0) {\nx\n}\n${doubling.join('')}a {\nimport s16\n}\n`)).toThrow(
      /more than|nested/,
    )
  })
})

/** Counted without the parser: each line that says something; a line that ends with a comma or a backslash goes on. */
function countOf(text: string): number {
  const bare = text.replaceAll(/`[^`]*`|"(?:\\"|[^"])*"/g, 'Q').replaceAll(/\\\n/g, ' ')
  const lines = bare.replaceAll(/,\n/g, ', ').split('\n')
  return lines.filter((line) => /^\s*[^\s#}]/.test(line)).length
}

const ODD = [
  ...[
    '{',
    '}',
    '"',
    '`',
    '\\',
    '\0',
    '\ud800',
    'é',
    '(',
    '*',
    ' ',
    '\n',
    '#',
    '{$X}',
    '/',
    '@x',
    '<<E',
  ],
  ...[
    '{\n',
    '\n}\n',
    '{args[0]}',
    ',',
    'import ',
    'not ',
    'handle ',
    '403',
    '{path}',
    '$1',
    '.php',
  ],
]

everyConfig({
  examples: examplesOf('caddy'),
  imports: importCaddy,
  parse: parseCaddy,
  countOf,
  odd: ODD,
})
