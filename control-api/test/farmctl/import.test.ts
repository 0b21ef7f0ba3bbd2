// SPDX-License-Identifier: MIT
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

describe('a config of another server', { timeout: FARMCTL_TEST_MS }, () => {
  test('of nginx is sent with what it includes, and becomes a draft that can be saved', async () => {
    const { run, file, home, json } = await farmctl()
    file('nginx/nginx.conf', 'http { include sites/*.conf; include absent.conf; }')
    file(
      'nginx/sites/a.conf',
      'server { listen 8080; server_name a.test; root /srv/www; include extra; }',
    )
    file('nginx/sites/.hidden.conf', 'server { listen 1; }')
    file('nginx/extra', 'expires 1d;')
    file('secret.conf', 'never { sent; }')
    const { code, stdout, stderr } = await run([
      'import',
      'nginx',
      'nginx/nginx.conf',
      '-o',
      'draft.jsonc',
    ])
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 files')])
    expect(stdout).toContain('## Not supported')
    expect(stdout).toContain('nginx.conf:1:30 `include absent.conf`')
    const draft = readFileSync(join(home, 'draft.jsonc'), 'utf8')
    expect(draft).toContain('"expires": [{ "maxAgeSeconds": 86400 }]')
    const saved = await run(['import', 'default', 'draft.jsonc', '-m', 'From nginx'])
    expect([saved.code, saved.stderr]).toEqual([0, expect.any(String)])
    const { findings }: { findings: object[] } = await json('import', 'nginx', 'nginx/nginx.conf')
    expect(findings).toHaveLength(9)
  })

  test('or of lighttpd, too', async () => {
    const { run, file, home } = await farmctl()
    file('lighttpd.conf', 'server.document-root = "/srv/www"\ninclude "conf/*.conf"\n')
    file('conf/10.conf', 'url.access-deny = ( "~" )\n')
    const { code, stdout, stderr } = await run([
      ...['import', 'lighttpd', 'lighttpd.conf', '-o', 'draft.jsonc'],
    ])
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 files')])
    expect(stdout).toContain('10.conf:1:1 `url.access-deny')
    expect(readFileSync(join(home, 'draft.jsonc'), 'utf8')).toContain('"paths": ["*~"]')
  })

  test('or of Apache, with the .htaccess files below its roots and none beside them', async () => {
    const { run, file, home } = await farmctl()
    file('site/www/index.html', '<h1>')
    file('site/www/.htaccess', 'ErrorDocument 404 /404.html\n')
    file('site/www/a/b/.htaccess', 'Require all denied\n')
    file('site/elsewhere/.htaccess', 'Require all denied\n')
    const root = `${home}/site/www`
    const folder = `<Directory ${root}>\nAllowOverride All\nRequire all granted\n</Directory>`
    file('apache2.conf', `Listen 80\nDocumentRoot ${root}\n${folder}\n`)
    const { code, stdout, stderr } = await run([
      ...['import', 'apache', 'apache2.conf', '-o', 'draft.jsonc'],
    ])
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 files')])
    expect(stdout).toContain('a/b/.htaccess:1:1')
    const draft = readFileSync(join(home, 'draft.jsonc'), 'utf8')
    expect(draft).toContain('{ "action": "deny", "paths": ["/a/b", "/a/b/**"] }')
    expect(draft).toContain('"404": "/404.html"')
  })

  test('also those that links lead to, once each, and never in silence past one', async () => {
    const { run, file, home } = await farmctl()
    file('site/www/index.html', '<h1>')
    file('shared/rules', 'Require all denied\n')
    file('shared/deep/.htaccess', 'Require all denied\n')
    const root = `${home}/site/www`
    symlinkSync(`${home}/shared/rules`, `${root}/.htaccess`)
    symlinkSync(`${home}/shared`, `${root}/linked`)
    symlinkSync(root, `${home}/shared/deep/back`)
    symlinkSync(`${home}/nowhere`, `${root}/lost`)
    symlinkSync('itself', `${root}/itself`)
    const folder = `<Directory ${root}>\nAllowOverride All\nRequire all granted\n</Directory>`
    file('apache2.conf', `Listen 80\nDocumentRoot ${root}\n${folder}\n`)
    const words = ['import', 'apache', 'apache2.conf', '-o', 'draft.jsonc']
    const { code, stderr } = await run(words)
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 files')])
    expect(readFileSync(join(home, 'draft.jsonc'), 'utf8')).toContain(
      '[{ "action": "deny", "paths": ["/linked/deep", "/linked/deep/**"] }, { "action": "deny" }]',
    )
  })

  test('or of Caddy, with its snippets', async () => {
    const { run, file, home } = await farmctl()
    file('Caddyfile', 'import snippets/*\nhttp://a.test {\n\timport files /srv/www\n}\n')
    file('snippets/files', '(files) {\n\troot * {args[0]}\n\tfile_server\n\trespond /x/* 403\n}\n')
    const { code, stdout, stderr } = await run([
      ...['import', 'caddy', 'Caddyfile', '-o', 'draft.jsonc'],
    ])
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 files')])
    expect(stdout).toContain('snippets/files:4:2 `respond /x/* 403`')
    expect(readFileSync(join(home, 'draft.jsonc'), 'utf8')).toContain('"paths": ["/x/**"]')
  })

  test('that can’t be read, or is a program’s, ends with why', async () => {
    const { run, file, home } = await farmctl()
    file('bad.conf', 'server {\n')
    const bad = await run(['import', 'nginx', 'bad.conf'])
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringMatching(/bad\.conf:1:1: the block of "server" has no/),
    ])
    file('app.conf', 'server { location / { proxy_pass http://127.0.0.1:3000; } }')
    const app = await run(['import', 'nginx', 'app.conf'])
    expect([app.code, app.stdout]).toEqual([1, expect.stringContaining('Keep it where it is')])
    const what = await run(['import', 'iis', 'app.conf'])
    expect([what.code, what.stderr]).toEqual([1, expect.stringContaining('-m MESSAGE')])
    const dash = await run(['import', 'nginx', '-'])
    expect([dash.code, dash.stderr]).toEqual([1, expect.stringContaining('name that, not "-"')])
    const over = await run(['import', 'nginx', 'app.conf', '-o', './app.conf'])
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('to another')])
    expect(readFileSync(join(home, 'app.conf'), 'utf8')).toContain('proxy_pass')
    const none = await run(['import', 'nginx', 'nowhere.conf'])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('was not given')])
  })
})
