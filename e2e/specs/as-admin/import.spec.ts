// SPDX-License-Identifier: MIT
// The config of another server, of several files, from a folder of this computer to a config of the farm.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ANY_STATE } from '../../client/api.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'

const NGINX = `user www-data;
events { worker_connections 768; }
http {
  include mime.types;
  sendfile on;
  gzip on;
  gzip_types text/css application/javascript;
  include /etc/nginx/conf.d/*.conf;
  include /etc/nginx/sites-enabled/*;
}
`
const SHOP = `server {
  listen 80;
  server_name shop.example www.shop.example;
  root /srv/shop;
  include snippets/static.conf;
  location / { try_files $uri $uri/ =404; }
  location /old/ { return 301 /new/; }
  location /api/ { proxy_pass http://127.0.0.1:3000; }
}
server {
  listen 80;
  server_name docs.example;
  root /srv/docs;
  include snippets/static.conf;
  error_page 404 /404.html;
  more_clear_headers Server;
}
`

/** As Debian lays them out, with a key and passwords beside them, and a site that is a link. */
function etcNginx(folder: string): string {
  const home = join(folder, 'nginx')
  const files = {
    'nginx.conf': NGINX,
    'mime.types': 'types { text/html html; text/css css; }\n',
    'conf.d/log.conf': 'access_log /var/log/nginx/access.log;\n',
    'snippets/static.conf': 'location ~* \\.(css|js)$ { expires 30d; add_header X-Kind asset; }\n',
    'sites-available/shop': SHOP,
    htpasswd: 'ann:$2y$05$abcdefghijklmnopqrstuv\n',
    'shop.key': '-----BEGIN PRIVATE KEY-----\nnobody sends this\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  mkdirSync(join(home, 'sites-enabled'))
  symlinkSync('../sites-available/shop', join(home, 'sites-enabled/shop'))
  return home
}

test('a folder of nginx becomes three lists, a report and a config', async ({
  page,
  api,
}, testInfo) => {
  const home = etcNginx(testInfo.outputDir)
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/v1/imports')) posts.push(request.postData() ?? '')
  })

  await test.step('its files are taken, without keys and passwords', async () => {
    await page.goto('/configs')
    await page.getByRole('link', { name: 'Import' }).click()
    await expect(page.getByRole('heading', { name: 'Import a config' })).toBeVisible()
    await page.getByLabel('Folder of the config').setInputFiles(home)
    await expect(page.getByText('2 files left out, which stay on this computer')).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Server' })).toHaveValue('nginx')
    // Chromium leaves out the link, and without it there would be no site.
    await page.getByRole('button', { name: 'Use all of sites-available' }).click()
    await expect(page.getByRole('checkbox', { name: 'sites-enabled/shop' })).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('what is lost is listed first, with its place and what to do', async () => {
    await page.getByRole('button', { name: 'Import' }).click()
    const table = page.getByRole('region', { name: 'Directives, table' })
    const lost = table.getByRole('row', { name: /more_clear_headers/ })
    await expect(lost).toContainText('/etc/nginx/sites-enabled/shop:16:3')
    // Said once of all directives of the host; alone, of the one that was looked for.
    const passes = table.getByRole('row', { name: /proxy_pass/ })
    await expect(passes).toContainText('As above')
    const find = page.getByRole('textbox', { name: 'Find in this list' })
    await find.fill('proxy_pass')
    await expect(passes).toContainText('Keep it')
    await find.fill('')
    await expect(lost).toBeVisible()
    expect(posts.join()).not.toContain('nobody sends this')
    expect(posts.join()).not.toContain('$2y$05')
    await expect(page.getByText('A change goes to a few nodes first')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('the lists are gone through by keyboard, and the address keeps which', async () => {
    const lists = page.getByRole('radiogroup', { name: 'List' })
    await lists.getByRole('radio', { name: /^Not supported/ }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(lists.getByRole('radio', { name: /with a difference/ })).toBeChecked()
    await page.getByRole('textbox', { name: 'Find in this list' }).fill('server')
    await expect(page).toHaveURL(/show=different&q=server$/)
    await expect(page.getByText(/directives? found\./)).toBeVisible()
  })

  await test.step('a reload loses nothing', async () => {
    await page.reload()
    await expect(page.getByText(/directives? found\./)).toBeVisible()
    await expect(page.getByText(/farmstead-node accepts the draft/)).toBeVisible()
  })

  await test.step('the report is a file, of the words of farmctl', async () => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the report' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toBe('import-report.md')
    const report = readFileSync(await download.path(), 'utf8')
    expect(report).toContain('# From nginx: /etc/nginx/nginx.conf')
    expect(report).toContain('## Not supported')
    expect(report).toContain('## What you gain')
    expect(report).toContain('`more_clear_headers Server`')
  })

  await test.step('the draft becomes a config', async () => {
    await page.getByRole('button', { name: 'Use the draft' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('from-nginx')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create config' }).click()
    const editor = page.getByRole('textbox', { name: 'Draft of config from-nginx' })
    await expect(editor).toContainText('docs.example')
    const text = await api.textOf(1, 'from-nginx')
    expect(text).toContain('"root": "/srv/docs"')
    expect(text).not.toContain('/srv/shop')
  })

  await test.step('or the draft of one there is', async () => {
    await page.goBack()
    await page.getByRole('button', { name: 'Use the draft' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('An existing config').click()
    await dialog.getByRole('combobox', { name: 'Config' }).click()
    await page.getByRole('option', { name: 'from-nginx v1' }).click()
    await dialog.getByRole('button', { name: 'Open as draft in the editor' }).click()
    await expect(page.getByRole('textbox', { name: 'Draft of config from-nginx' })).toBeVisible()
    await expect(page).toHaveURL(/\/configs\/from-nginx$/)
  })

  const params = { path: { name: 'from-nginx' }, ...ANY_STATE }
  await api.call.DELETE('/api/v1/configs/{name}', { params })
})

test('a text that can’t be read names its line, and is mended there', async ({
  page,
  provokes,
}) => {
  provokes(/^422 \/api\/v1\/imports$/)
  await page.goto('/import')
  await page.getByRole('button', { name: 'Paste a file' }).click()
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill('server {\n  root "/srv/www;\n}\n')
  await page.getByRole('button', { name: 'Add the file' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('alert')).toContainText('/etc/nginx/nginx.conf:2:8: the quote')
  expect.soft(await wrongWithLooks(page)).toEqual([])
  await page.getByRole('button', { name: 'Open the file at line 2' }).click()
  await expect(text).toBeFocused()
  await page.keyboard.type('  root /srv/www;')
  await page.getByRole('button', { name: 'Keep the changes' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText(/farmstead-node accepts the draft/)).toBeVisible()
})
