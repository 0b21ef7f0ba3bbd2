// SPDX-License-Identifier: MIT
// Apache's language: words, lines and sections, and which files an import reads.
import { describe, expect, test } from 'vitest'
import { importApache } from '../../../src/features/importers/apache/import.ts'
import { parseApache } from '../../../src/features/importers/apache/parser.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import { argsOf, everyDirective } from '../../../src/features/importers/tree.ts'
import { expectRefused } from './every-config.ts'

const MAIN = '/etc/apache2/apache2.conf'
const parsed = (text: string) => parseApache([MAIN], sourceOf([{ path: MAIN, text }]))
const use = (name: string) => `\${${name}}`
const hostWith = (text: string) =>
  `<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/www\n${text}\n</VirtualHost>\n`

describe('the language', () => {
  test.each<[string, string[]]>([
    ['A b c', ['b', 'c']],
    ['A "b c" d', ['b c', 'd']],
    ['A \'b "c"\'', ['b "c"']],
    ['A "say \\"x\\"" \\.php', ['say "x"', '\\.php']],
    ['A b \\\n  c', ['b', 'c']],
    ['A "not ended', ['not ended']],
    ['A #no', ['#no']],
    ['RewriteRule ^a\\ b\\\\ "c"', ['^a\\ b\\\\', 'c']],
    [`Define x /srv\nA ${use('x')}/www ${use('y')}`, ['/srv/www', use('y')]],
    [`A ${use('APACHE_LOG_DIR')}/a.log`, ['/var/log/apache2/a.log']],
    ['A b\r\n', ['b']],
  ])('%j', (text, words) => {
    const last = parsed(text).directives.at(-1)
    expect(last && argsOf(last)).toEqual(words)
  })

  test('says where each line stands', () => {
    const { directives } = parsed('# x\n<Directory /a>\n  B c \\\n   d\n</Directory>\n\nE\n')
    const places = [...everyDirective(directives)].map(({ name, line, column }) => [
      name,
      line,
      column,
    ])
    expect(places).toEqual([
      ['Directory', 2, 1],
      ['B', 3, 3],
      ['E', 7, 1],
    ])
  })

  test.each([
    ['<Directory /a>', /has no "<\/Directory>"/, '1:1'],
    ['</Directory>', /closes nothing/, '1:1'],
    ['<Directory /a>\n</Files>', /closes nothing/, '2:1'],
    ['<Directory /a', /">" is missing/, '1:1'],
    ['A "b\0"', /NUL/, '1:1'],
    [`A ${'x'.repeat(70_000)}`, /more than 65536/, '1:1'],
    ['<If a>\n'.repeat(40), /more than 32 deep/, '33:1'],
    ['A\n'.repeat(20_001), /more than 20000 directives/, '20001:1'],
    [
      `Define x ${'y'.repeat(60_000)}\n${`A ${use('x')}\n`.repeat(200)}`,
      /variables come to more/,
      '140:1',
    ],
    ['Include apache2.conf', /includes itself/, '1:1'],
  ])('refuses %.30j', (text, why, place) => {
    expectRefused(() => parsed(text), why, place)
  })

  test('a variable that names itself is no way to much text', () => {
    const text = `Define a xxxxxxxxxx\n${`Define a ${use('a')}${use('a')}\n`.repeat(40)}`
    expectRefused(() => parsed(text), /variables come to more/, '14:1')
  })
})

describe('what is read', () => {
  const files = [
    { path: MAIN, text: 'Include conf/*.conf\nIncludeOptional none/*\nInclude absent.conf' },
    { path: '/etc/apache2/conf/b.conf', text: 'B x' },
    { path: '/etc/apache2/conf/a.conf', text: 'A x' },
  ]
  test('includes in their order, of the given files alone', () => {
    const { directives, missing } = parseApache([MAIN], sourceOf(files))
    expect(directives.map(({ name }) => name)).toEqual([
      'Include',
      'A',
      'B',
      'IncludeOptional',
      'Include',
    ])
    expect(missing.map(({ line }) => line)).toEqual([3])
  })

  test('what a condition asks for decides, and a folder stands for its files', () => {
    const text =
      'LoadModule rewrite_module x.so\n<IfModule mod_rewrite.c>\nInclude conf\n</IfModule>\n<IfModule !mod_rewrite.c>\nInclude absent\n</IfModule>\n<IfDefine X>\nInclude absent\n</IfDefine>\n<IfVersion < 2.4>\nInclude absent\n</IfVersion>'
    const { directives, missing } = parseApache(
      [MAIN],
      sourceOf([{ path: MAIN, text }, ...files.slice(1)]),
    )
    expect(missing).toEqual([])
    expect([...everyDirective(directives)].map(({ name }) => name)).toContain('A')
  })

  // hercules-team/augeas#833, certbot/certbot#7423
  test.each([
    '<IfModule mod_dir.c>',
    '<IfVersion >= 2.4>',
    '<IfVersion ~ ^2\\.4>',
    '<IfVersion /^2\\.[4-6]/>',
    '<IfVersion !~ ^2\\.2>',
  ])('%s that holds may be left open at the end of a file', (section) => {
    const { server } = parsed(`LoadModule dir_module x.so\n${section}\nDirectoryIndex x.html\n`)
    const inner = server.find(({ block }) => block)?.block ?? []
    expect(inner.map(({ name }) => name)).toEqual(['DirectoryIndex'])
  })
  test.each(['<IfModule mod_nix.c>', '<IfVersion ~ ^2\\.2>', '<IfVersion /(/>', '<Directory /a>'])(
    '%s may not',
    (section) => {
      const text = `LoadModule dir_module x.so\n${section}\nA b\n`
      expectRefused(() => parsed(text), /has no "<\/\w+>"/, '2:1')
    },
  )

  const served = (override: string, more = '') => [
    {
      path: MAIN,
      text: hostWith(`<Directory /srv/www>\nAllowOverride ${override}\n</Directory>\n${more}`),
    },
    { path: '/srv/www/.htaccess', text: 'DirectoryIndex start.html' },
    { path: '/srv/www/a/.htaccess', text: 'Require all denied' },
    { path: '/srv/other/.htaccess', text: 'Require all denied' },
  ]
  test('.htaccess files of the roots count for their folders, where they are allowed', () => {
    const { draft } = importApache([MAIN], sourceOf(served('All')))
    expect(draft).toContain('"index": ["start.html"]')
    expect(draft).toContain('"paths": ["/a", "/a/**"]')
    expect(importApache([MAIN], sourceOf(served('None'))).draft).not.toContain('start.html')
    const closed = served('All', '<Directory /srv/www/a>\nAllowOverride None\n</Directory>')
    const { draft: partly, findings } = importApache([MAIN], sourceOf(closed))
    expect(partly).not.toContain('"deny"')
    expect(findings.find(({ file }) => file === '/srv/www/a/.htaccess')?.notes).toMatchObject([
      { code: 'override-none' },
    ])
  })

  test('of several names for such files the first that is in a folder counts', () => {
    const text = hostWith(
      'AccessFileName .rules .htaccess\n<Directory /srv/www>\nAllowOverride All\n</Directory>',
    )
    const { draft } = importApache(
      [MAIN],
      sourceOf([
        { path: MAIN, text },
        { path: '/srv/www/.htaccess', text: 'DirectoryIndex other.html' },
        { path: '/srv/www/.rules', text: 'DirectoryIndex start.html' },
        { path: '/srv/www/a/.htaccess', text: 'Require all denied' },
      ]),
    )
    expect(draft).toContain('"index": ["start.html"]')
    expect(draft).not.toContain('other.html')
    expect(draft).toContain('"paths": ["/a", "/a/**"]')
  })

  test('a lone .htaccess is a site of its folder', () => {
    const path = '/home/ann/site/.htaccess'
    const { draft } = importApache(
      [path],
      sourceOf([{ path, text: 'ErrorDocument 404 /404.html' }]),
    )
    expect(draft).toContain('"root": "/home/ann/site"')
    expect(draft).toContain('"404": "/404.html"')
  })
})
