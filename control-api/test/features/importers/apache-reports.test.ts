// SPDX-License-Identifier: MIT
// What users of programs that read Apache's configs have reported of them, tried on ours.
import { describe, expect, test } from 'vitest'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'
import { importApache } from '../../../src/features/importers/apache/import.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'

const MAIN = '/etc/apache2/apache2.conf'
type Site = Record<string, unknown>

function read(text: string): { sites: Site[]; codes: string[] } {
  const whole = `<VirtualHost *:80>\nServerName a.test\nServerAlias www.a.test\nDocumentRoot /srv/www\n${text}\n</VirtualHost>\n`
  const { draft, findings } = importApache([MAIN], sourceOf([{ path: MAIN, text: whole }]))
  const parsed = parseConfigText(draft ?? '')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  const codes = findings.flatMap(({ verdict, notes }) =>
    notes.map(({ code }) => `${verdict} ${code}`),
  )
  return { sites: (parsed.value as { sites: Site[] }).sites, codes }
}
const inFolder = (text: string) =>
  read(`<Directory /srv/www>\nRewriteEngine On\n${text}\n</Directory>`)

describe('converters of .htaccess', () => {
  test('braces of an expression (mow/apache2nginx #2)', () => {
    const { sites } = inFolder('RewriteRule ^rule([0-9]{1,3})$ /r/$1.html [R=301,L]')
    expect(sites[0]?.redirects).toEqual([{ match: '^/rule([0-9]{1,3})$', to: '/r/$1.html' }])
  })

  test('REQUEST_URI has no query, and a condition on that is told (e404/htaccess-for-nginx #10)', () => {
    const query = inFolder(
      'RewriteCond %{REQUEST_URI} ^/f/s\\.html$\nRewriteCond %{QUERY_STRING} ea=x\nRewriteRule (.*) http://b.test/? [R=301,L]',
    )
    expect(query.sites[0]?.redirects).toBeUndefined()
    expect(query.codes.filter((one) => one === 'unsupported rewrite-condition')).toHaveLength(3)
    const path = inFolder(
      'RewriteCond %{REQUEST_URI} ^/f/s\\.html$\nRewriteRule (.*) http://b.test/? [R=301,L]',
    )
    expect(path.sites[0]?.redirects).toMatchObject([{ to: 'http://b.test/' }])
    expect(path.codes).toContain('different query-kept')
  })

  test('look-aheads (shukiv/jabali-panel #1652)', () => {
    const { sites } = inFolder('RewriteRule ^(?!lib/)(?!_media/)(.*)$ page.html [L]')
    expect(sites[0]?.rewrites).toEqual([{ match: '^/(?!lib/)(?!_media/)(.*)$', to: '/page.html' }])
  })

  test('a site that lies in a folder of its own (caddyserver/caddy #532)', () => {
    const { sites } = inFolder('RewriteRule ^$ webroot/ [L]\nRewriteRule (.*) webroot/$1 [L]')
    expect(sites[0]?.rewrites).toEqual([
      { match: '^/$', to: '/webroot/' },
      { match: '^/(.*)', to: '/webroot/$1' },
    ])
  })

  test('"is not" this name and not that one', () => {
    const { sites } = read(
      'RewriteEngine On\nRewriteCond %{HTTP_HOST} !www.a.test\nRewriteCond %{HTTP_HOST} !b.test\nRewriteRule (.*) http://www.a.test$1',
    )
    expect(sites.map(({ hosts }) => hosts)).toEqual([['www.a.test'], ['a.test', '*']])
  })

  test('files that a folder’s .htaccess keeps from visitors stay shut (litespeedtech/lscache_wp #226, matomo #20325)', () => {
    const { sites } = read(
      '<Directory /srv/www/data>\n<Files "*">\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n</Files>\n</Directory>',
    )
    expect(sites[0]?.access).toEqual([{ action: 'deny', paths: ['/data/**'] }])
  })
})

describe('parsers of its config', () => {
  test.each<[string, string, string]>([
    ['a quote that does not end (certbot #3325)', '<Location ~ "/(.*)/adm>\n</Location>', ''],
    [
      'a version without quotes (certbot #7423)',
      '<IfVersion >= 2.4>\nHeader unset A\n</IfVersion>',
      '',
    ],
    ['a comment that goes on (certbot #3686)', '# so \\\n\n \nHeader unset A', ''],
    ['blanks behind the end (certbot #8224)', '\n   \n\t', ''],
    [
      'names in small letters (certbot #3281)',
      '<ifmodule mod_headers.c>\nheader unset A\n</IfModule>',
      '',
    ],
    [
      'a condition over several lines (certbot #6247)',
      '<If "(%{HTTP_HOST} == \'x\') \\\n  || (%{QUERY_STRING} =~ /a/)">\nHeader unset A\n</If>',
      'unsupported condition',
    ],
    [
      'backslashes of expressions (certbot #2735)',
      'RewriteEngine On\nRewriteCond %{THE_REQUEST} ^[A-Z]{3,9}\\ /.+/trackback/?\\ HTTP/ [NC]\nRewriteRule ^/x$ /y [R]',
      'unsupported rewrite-condition',
    ],
    [
      'maps within variables (certbot #4637)',
      `RewriteEngine On\nRewriteMap m prg:/x\nRewriteCond ${'$'}{m:%{HTTP_HOST}} !=""\nRewriteRule ^/(.*) http://${'$'}{m:%{HTTP_HOST}}/$1 [R]`,
      'unsupported rewrite-map',
    ],
  ])('%s', (_, text, code) => {
    const { sites, codes } = read(text)
    expect(sites).toHaveLength(1)
    if (code !== '') expect(codes).toContain(code)
    else expect(codes.filter((one) => one.startsWith('unsupported'))).toEqual([])
  })
})
