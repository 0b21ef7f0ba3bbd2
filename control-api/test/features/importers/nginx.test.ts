// SPDX-License-Identifier: MIT
// nginx's configs as drafts: what each directive becomes, that none is lost, and that no text takes the importer down.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { importNginx } from '../../../src/features/importers/nginx/import.ts'
import { parseNginx } from '../../../src/features/importers/nginx/parser.ts'
import { patternsOf } from '../../../src/features/importers/regex.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { argsOf } from '../../../src/features/importers/tree.ts'
import { examplesOf } from './corpus.ts'
import { everyConfig, expectRefused } from './every-config.ts'

const one = (text: string) => sourceOf([{ path: '/etc/nginx/nginx.conf', text }])
const parsed = (text: string) => parseNginx(['/etc/nginx/nginx.conf'], one(text)).directives
const imported = (text: string) => importNginx(['/etc/nginx/nginx.conf'], one(text))

type Site = Record<string, unknown>
function draftOf(text: string): { sites: Site[] } & Site {
  const { draft } = imported(text)
  const read = parseConfigText(draft ?? '')
  if (!read.ok) throw new Error(JSON.stringify(read.errors))
  return read.value as { sites: Site[] } & Site
}
const siteOf = (inner: string) =>
  draftOf(`server { server_name a.test; root /srv/www; ${inner} }`).sites[0] ?? {}
const codesOf = (text: string) =>
  imported(text).findings.flatMap(({ directive, verdict, notes }) =>
    notes.map(({ code }) => `${verdict} ${directive.split(' ')[0]}: ${code}`),
  )

describe('the language', () => {
  test.each([
    ['a b c;', ['a', 'b', 'c']],
    ['a "b c" \'d;e\';', ['a', 'b c', 'd;e']],
    ['a "say \\"x\\"" \\.php$;', ['a', 'say "x"', '\\.php$']],
    ['a $\x7bx}y$z;', ['a', '$\x7bx}y$z']],
    ['a # b;\n c;', ['a', 'c']],
    ['a b#c;', ['a', 'b#c']],
    ['a "\\t|\\r|\\n";', ['a', '\t|\r|\n']],
    ['\ufeffa b;', ['a', 'b']],
    ['"a" b;', ['a', 'b']],
  ])('%j', (text, words) => {
    const [first] = parsed(text)
    expect(first && [first.name, ...argsOf(first)]).toEqual(words)
  })

  test('says where each directive stands', () => {
    const [server] = parsed('# x\nserver {\n  listen 80;\n}\n')
    const place = server?.block?.[0]
    expect([server?.line, server?.column, place?.line, place?.column]).toEqual([2, 1, 3, 3])
  })

  test.each([
    ['a b', /"a" has no ";"/, '1:1'],
    ['a {', /block of "a" has no "}"/, '1:1'],
    ['}', /closes nothing/, '1:1'],
    ['\n ;', /";" follows nothing/, '2:2'],
    ['a "b', /quote .* has no end/, '1:3'],
    ['a "b"c;', /right after a closing quote/, '1:6'],
    ['a b\0;', /NUL/, '1:4'],
    [`a ${'x'.repeat(5000)};`, /more than 4096/, '1:3'],
    ['a {'.repeat(40), /more than 32 deep/, '1:99'],
    ['a;'.repeat(20_001), /more than 20000 directives/, '1:40002'],
    ['content_by_lua_block {', /has no end/, '1:22'],
    ['content_by_lua_block { [=[ }', /lacks a "\]=\]"/, '1:22'],
  ])('refuses %.20j', (text, why, place) => {
    expectRefused(() => parsed(text), why, place)
  })

  // nginxinc/crossplane#87, tmont/nginx-conf#12, nginxinc/nginx-go-crossplane#32
  test.each([
    `if x { "it's" } end`,
    '-- all that\'ll be used } here\n require "x"',
    '--[[ } \n } ]] local a = {}',
    'say("}") say(\'}\') say("\\"}")',
    'cors([[some\\.name}$]]) say([==[ ]] } ]==])',
    'local a = { b = { 1 - 2 } }',
  ])('reads past a block of Lua: %j', (lua) => {
    const found = parsed(`content_by_lua_block {\n${lua}\n}\nroot /a;`)
    expect(found.map(({ name, line }) => [name, line > 1])).toEqual([
      ['content_by_lua_block', false],
      ['root', true],
    ])
  })
})

describe('includes', () => {
  const files = [
    { path: '/etc/nginx/nginx.conf', text: 'include conf.d/*.conf; include x;' },
    { path: '/etc/nginx/conf.d/b.conf', text: 'b;' },
    { path: '/etc/nginx/conf.d/a.conf', text: 'a;' },
    { path: '/etc/nginx/conf.d/.hidden.conf', text: 'hidden;' },
    { path: '/etc/nginx/conf.d/deeper/c.conf', text: 'c;' },
  ]
  test('are read in their order, of the given files alone', () => {
    const { directives, missing } = parseNginx(['/etc/nginx/nginx.conf'], sourceOf(files))
    expect(directives.map(({ name }) => name)).toEqual(['include', 'a', 'b', 'include'])
    expect(missing.map(argsOf)).toEqual([['x']])
  })

  test('of a file in sites-available are meant from the folder above, too', () => {
    const given = [
      { path: '/etc/nginx/sites-available/a', text: 'include snippets/s.conf;' },
      { path: '/etc/nginx/snippets/s.conf', text: 'index x;' },
    ]
    const { directives } = parseNginx(['/etc/nginx/sites-available/a'], sourceOf(given))
    expect(directives.map(({ name }) => name)).toEqual(['include', 'index'])
  })

  test('in a circle are refused', () => {
    const given = [
      { path: '/a', text: 'include b;' },
      { path: '/b', text: 'include /a;' },
    ]
    expect(() => parseNginx(['/a'], sourceOf(given))).toThrow('"/a" includes itself')
  })

  test('that double at each step end at a bound', () => {
    const given = Array.from({ length: 30 }, (_, i) => ({
      path: `/${i}`,
      text: `include /${i + 1}; `.repeat(2),
    }))
    expect(() => parseNginx(['/0'], sourceOf([...given, { path: '/30', text: 'a;' }]))).toThrow(
      /more than 16 deep|20000/,
    )
  })

  test('never reach the disk of whoever reads', () => {
    const { findings } = imported('include /etc/passwd; include /etc/*;')
    expect(findings.map(({ verdict }) => verdict)).toEqual(['unsupported', 'taken'])
  })
})

test.each([
  ['\\.(css|js)$', false, ['*.css', '*.js']],
  ['\\.(?:jpe?g|png)$', true, ['*.jpg', '*.JPG', '*.jpeg', '*.JPEG', '*.png', '*.PNG']],
  ['^/old/.*\\.html$', false, ['/old/**.html']],
  ['^/a/[^/]+/b$', false, ['/a/*/b']],
  ['/\\.ht', false, ['/**/.ht**', '/.ht**']],
  ['~$', false, ['*~']],
  ['^/img', false, ['/img**']],
  ['^/(de|en)/', false, ['/de/**', '/en/**']],
  ['\\d+', false, null],
  ['^/x{2}$', false, null],
  ['(?!a)b', false, null],
  ['[a-z]', false, null],
  ['\\.(', false, null],
  ['*', false, null],
  ['(((((((((a)))))))))', false, null],
  ['(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)', false, null],
])('the expression %s as patterns', (regex, isCaseless, patterns) => {
  expect(patternsOf(regex, isCaseless)).toEqual(patterns)
})

describe('a site', () => {
  test.each<[string, Site]>([
    ['', { hosts: ['a.test', '*'], root: '/srv/www' }],
    ['index a.html b.html;', { index: ['a.html', 'b.html'] }],
    ['autoindex on;', { directoryListing: { enabled: true } }],
    [
      'location /pub/ { autoindex on; }',
      { directoryListing: { enabled: true, paths: ['/pub/**'] } },
    ],
    ['location /i/ { alias /srv/icons/; }', { aliases: [{ path: '/i/', folder: '/srv/icons' }] }],
    ['location /i/ { root /srv/x; }', { aliases: [{ path: '/i/', folder: '/srv/x/i' }] }],
    [
      'location = /a { return 301 /b?x=1; }',
      { redirects: [{ match: '^(?=/a$).*$', to: '/b?x=1' }] },
    ],
    [
      'return 302 https://b.test$request_uri;',
      { redirects: [{ match: '^.*$', to: 'https://b.test$0', status: 302 }] },
    ],
    ['rewrite ^/a/(.*)$ /b/$1 permanent;', { redirects: [{ match: '^/a/(.*)$', to: '/b/$1' }] }],
    ['rewrite ^/a/(.*)$ /b/$1 last;', { rewrites: [{ match: '^/a/(.*)$', to: '/b/$1' }] }],
    ['rewrite ^/a$ /b;', { rewrites: [{ match: '^/a$', to: '/b', continue: true }] }],
    [
      'error_page 404 /e.html; error_page 500 502 /f.html;',
      { errorPages: { 404: '/e.html', 500: '/f.html', 502: '/f.html' } },
    ],
    ['try_files $uri $uri/ =404;', {}],
    ['try_files $uri /index.html;', { tryFiles: [{ candidates: ['{path}', '/index.html'] }] }],
    ['location /x/ { return 404; }', { tryFiles: [{ paths: ['/x/**'], candidates: ['404'] }] }],
    ['location /x/ { deny all; }', { access: [{ action: 'deny', paths: ['/x/**'] }] }],
    [
      'allow 10.0.0.0/8; deny all; location /x/ { allow all; }',
      {
        access: [
          { action: 'allow', paths: ['/x/**'] },
          { action: 'allow', addresses: ['10.0.0.0/8'] },
          { action: 'deny' },
        ],
      },
    ],
    [
      'auth_basic "Club"; auth_basic_user_file /srv/u;',
      { auth: [{ realm: 'Club', file: '/srv/u' }] },
    ],
    [
      'expires 1d; location /a/ { expires 1h; }',
      { expires: [{ paths: ['/a/**'], maxAgeSeconds: 3600 }, { maxAgeSeconds: 86_400 }] },
    ],
    [
      'expires max; add_header Cache-Control public;',
      { expires: [{ maxAgeSeconds: 315_360_000, directives: 'public' }] },
    ],
    [
      'add_header X-A 1 always; location /b/ { add_header X-B 2; }',
      {
        headers: [
          { name: 'X-A', value: '1' },
          { action: 'remove', name: 'x-a', paths: ['/b/**'] },
          { name: 'X-B', value: '2', paths: ['/b/**'], statuses: ['2xx', '3xx'] },
        ],
      },
    ],
    ['root /srv/$host;', { root: '/srv/{host}' }],
    ['set $base /srv/x; root $base/public;', { root: '/srv/x/public' }],
    ['etag off;', { headers: [{ action: 'remove', name: 'ETag' }] }],
    [
      'if (!-e $request_filename) { rewrite ^ /app.html last; }',
      { tryFiles: [{ candidates: ['{path}', '{path}/', '/app.html'] }] },
    ],
    [
      'ssl_certificate /c.pem; ssl_certificate_key /c.key;',
      { certificates: [{ chainFile: '/c.pem', keyFile: '/c.key' }] },
    ],
    ['return 503;', { maintenance: [{}] }],
    ['access_log off;', { accessLog: { path: 'none' } }],
  ])('of %s', (text, members) => {
    const last =
      text.startsWith('root') || text.startsWith('set')
        ? `server { server_name a.test; ${text} }`
        : ''
    const site = last ? (draftOf(last).sites[0] ?? {}) : siteOf(text)
    expect(site).toEqual({ hosts: ['a.test', '*'], root: '/srv/www', ...members })
  })

  test('a location that goes before shares no rule of one that comes after', () => {
    const site = siteOf(
      'location / { return 301 https://b.test$request_uri; } location ^~ /.well-known/ { }',
    )
    expect(site.redirects).toEqual([{ match: '^(?!/\\.well-known/).*$', to: 'https://b.test$0' }])
  })

  test('http to https is a word of the site with TLS', () => {
    const draft = draftOf(
      'server { listen 80; server_name a.test; return 301 https://$host$request_uri; } server { listen 443 ssl; server_name a.test; root /srv/www; ssl_certificate /c.pem; ssl_certificate_key /c.key; }',
    )
    expect(draft.sites).toEqual([
      {
        ...{ hosts: ['a.test', '*'], root: '/srv/www', redirectToHttps: true },
        certificates: [{ chainFile: '/c.pem', keyFile: '/c.key' }],
      },
    ])
    expect(draft.listen).toEqual([
      { address: '0.0.0.0', port: 80 },
      { address: '0.0.0.0', port: 443, tls: true },
    ])
  })

  test('a host of a program is left out, and each of its directives says so', () => {
    const { draft, findings } = imported(
      'server { root /srv/blog; location ~ \\.php$ { fastcgi_pass unix:/php; } }',
    )
    expect(draft).toBeNull()
    expect(findings.map(({ verdict, notes }) => [verdict, notes[0]?.code])).toEqual(
      Array(4).fill(['unsupported', 'application']),
    )
  })
})

/** What users of other readers of nginx's language ran into. */
describe('reported elsewhere', () => {
  test.each<[string, string, string[]]>([
    [
      'an expression with braces in quotes',
      'location ~ "^/(t|[0-9a-z]{6})$" { expires 1h; }',
      ['unsupported expires: location'],
    ],
    ['quotes in a set of characters', "location ~ ^/([^/?&:']+)/ { }", []],
    ['a brace in quotes', 'add_header X-A "W*}4";', []],
    [
      'a named place that sends one page',
      'location / { try_files $uri $uri/ @app; } location @app { rewrite ^.*$ /index.html last; }',
      ['different try_files: page-for-all'],
    ],
    ['two times of keep-alive', 'keepalive_timeout 10 10;', []],
    [
      'several error logs',
      'error_log /a.log; error_log /b.log info;',
      ['unsupported error_log: second-log'],
    ],
    [
      'certificates by relative paths',
      'ssl_certificate a.crt; ssl_certificate_key a.key;',
      ['unsupported ssl_certificate: certificate'],
    ],
    [
      'an alias without a slash, out of which ".." led',
      'location /i { alias /srv/images/; }',
      ['different alias: alias-slash'],
    ],
    [
      'a file that is looked for first',
      'try_files /closed.html $uri $uri/ =404;',
      ['different try_files: page-for-all'],
    ],
    [
      'a place that only other places of a program use',
      'location @app { proxy_pass http://a; }',
      ['unsupported proxy_pass: application'],
    ],
    [
      'a condition with a file in it',
      'if ($request_method = OPTIONS) { include absent/*; return 204; }',
      ['different include: methods', 'different return: methods'],
    ],
    [
      'names by an expression',
      'server_name ~^(www\\.)?(?<d>.+)$;',
      ['different server_name: host-name'],
    ],
  ])('%s', (_, inner, codes) => {
    const found = codesOf(`server { root /srv/www; ${inner} }`)
    expect(found).toEqual(expect.arrayContaining(codes))
    expect(found.filter((one) => one.includes('unknown'))).toEqual([])
  })

  test('an expression with braces without quotes, which nginx does not read either', () => {
    expect(() => parsed('location ~ ^/\\d{3}/ { }')).toThrow('has to stand in quotes')
  })

  test('a map with quoted expressions is read, and says what to do', () => {
    const text = 'map $http_user_agent $m { default 0; "~Opera Mini" 1; }'
    expect(codesOf(text)).toEqual(
      Array(3).fill(expect.stringMatching(/^unsupported .*: variable$/)),
    )
  })

  test('a location with headers of its own has none of those around it, as in nginx', () => {
    const site = siteOf('add_header X-A 1; location = /b { add_header X-B 2; }')
    expect(site.headers).toContainEqual({ action: 'remove', name: 'x-a', paths: ['/b'] })
  })
})

test.each([
  ['location /m/ { alias /srv/m/; } location ~* \\.(jpg|webp)$ { expires 30d; }', true],
  ['location /m/ { root /srv/m; } location ~ ^/m/x { expires 30d; }', true],
  ['location ^~ /m/ { alias /srv/m/; } location ~* \\.jpg$ { expires 30d; }', false],
  ['location /m/ { alias /srv/m/; } location ~ \\.bak$ { deny all; }', false],
  ['location /m/ { alias /srv/m/; } location ~ \\.bak$ { return 404; }', false],
  ['location /m/ { alias /srv/m/; location ~ \\.jpg$ { expires 1d; } }', false],
])('an alias says whether nginx would ask an expression first: %s', (inner, isSaid) => {
  const codes = codesOf(`server { server_name a.test; root /srv/www; ${inner} }`)
  expect(codes.some((code) => code.endsWith(': alias-first'))).toBe(isSaid)
})

describe('what is not taken says why', () => {
  test.each([
    ['server { location = /h { return 200 ok; } }', 'unsupported return: text-answer'],
    ['server { if ($http_user_agent ~ x) { return 403; } }', 'unsupported if: if'],
    ['server { frobnicate on; }', 'unsupported frobnicate: unknown'],
    ['server { add_header X-A $upstream; }', 'unsupported add_header: header'],
    ['server { location ~ ^/\\d+$ { expires 1d; } }', 'unsupported expires: location'],
    ['server { server_name ~^x; }', 'different server_name: host-name'],
    ['stream { server { } }', 'unsupported stream: other-protocol'],
    ['server { error_page 404 =200 /x; }', 'unsupported error_page: error-status'],
    ['server { listen 443 ssl; root /srv/www; }', 'unsupported listen: no-certificate'],
    [
      'server { root /srv/www; if ($scheme = http) { return 301 https://$host$request_uri; } }',
      'different server: no-https',
    ],
    ['server { add_header "X A" b; }', 'unsupported add_header: header'],
    ['server { rewrite ^/a$ /b/$1 permanent; }', 'unsupported rewrite: redirect'],
    ['server { listen 443 quic; }', 'unsupported listen: listen'],
  ])('%s', (text, code) => {
    expect(codesOf(text)).toContain(code)
  })
})

/** Counted without the parser: each directive ends with ";" or opens a block. */
function countOf(text: string): number {
  const bare = text
    .replaceAll(/(?<=^|[\s;{])(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/gs, 'Q')
    .replaceAll(/(?<=^|[\s;{}])#.*$/gm, '')
    .replaceAll('${', 'V')
  return (bare.match(/[;{]/g) ?? []).length
}

/** Each would take minutes if it were tried in every way. */
describe('a text that is made to take long', () => {
  const blank = `"${' '.repeat(4000)}"`
  test.each([
    ['digits that are no time', `expires ${'1'.repeat(32)}x;`],
    ['blanks in a condition', `if ${`${blank} `.repeat(60)} { return 404; }`],
    ['colons that are no address', `deny ${':'.repeat(4000)}x; `.repeat(60)],
  ])('is over soon: %s', (_, inner) => {
    expect(imported(`server { root /srv/www; ${inner} }`).draft).not.toBeNull()
  })

  test('is read so often only as there is room for', () => {
    const files = [
      { path: '/a', text: 'include b; '.repeat(20) },
      { path: '/b', text: '\n'.repeat(1_000_000) },
    ]
    expect(() => parseNginx(['/a'], sourceOf(files))).toThrow(/included again/)
  })

  test('makes no variable of variables that grows with each', () => {
    const sets = [...'bcdef'].map((name, i) => `set $${name} "${`$${'abcde'[i]}`.repeat(2000)}";`)
    const text = `server { root /srv/www; set $a ${'x'.repeat(4000)}; ${sets.join('\n')} }`
    const said = codesOf(text).filter((one) => one.includes(' set:'))
    expect(said).toEqual(Array(5).fill('unsupported set: variable'))
  })

  test('makes no sentence longer that each of its directives has', () => {
    const names = Array.from({ length: 250 }, (_, i) => `host-${i}.test`).join(' ')
    const server = (port: number) =>
      `server { listen ${port}; server_name ${names}; root /srv/${port}; }`
    const notes = imported(server(80) + server(81)).findings.flatMap((one) => one.notes)
    expect(notes.map(({ text }) => text)).toContainEqual(expect.stringContaining('245 more'))
    expect(Math.max(...notes.map(({ text }) => text.length))).toBeLessThan(500)
  })
})

test('what every object has is no word of the tables', () => {
  const format = 'log_format f "$time_local $constructor"; access_log /l/a.log f;'
  const draft = draftOf(`${format} error_log /l/e.log constructor; server { root /srv/www; }`)
  expect(draft.accessLog).toMatchObject({ format: '{time} -' })
  expect(draft.errorLog).toMatchObject({ level: 'error' })
})

const ODD = [
  '{',
  '}',
  ';',
  '"',
  "'",
  '\\',
  '$',
  '\0',
  '\ud800',
  'é',
  '~',
  '(',
  '[',
  '*',
  ' ',
  '\n',
  '#',
  '${',
  '/',
  '%',
  '301',
  '@x',
]

everyConfig({
  examples: examplesOf('nginx'),
  imports: importNginx,
  parse: parseNginx,
  countOf,
  odd: ODD,
})
