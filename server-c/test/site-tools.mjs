// SPDX-License-Identifier: MIT
// Builds small sites with the tools that people use, serves what they write as docs/serving-files.md says, and follows
// every link from page to page: each must lead to a page or a file, without a redirect, and what is missing must get the
// site's own 404. Not part of the tests: it fetches the tools from npm, and needs Debian's package hugo.
//   node test/site-tools.mjs
//   FARMSTEAD_SITE_TOOLS=/tmp/tools node test/site-tools.mjs     keeps the tools there for the next time
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startNode, tempFolder, writeTree } from './support/node.mjs'
import { get } from './support/raw.mjs'

const docs = readFileSync(
  join(dirname(fileURLToPath(import.meta.url)), '../../docs/serving-files.md'),
  'utf8',
)

/** The options of the site in the first example after these words of the page. */
function documented(words) {
  const at = docs.indexOf(words)
  assert.ok(at >= 0, words)
  const [site] = JSON.parse(/```jsonc\n([\s\S]*?)```/.exec(docs.slice(at))[1]).sites
  return Object.fromEntries(
    Object.entries(site).filter(([name]) => name !== 'hosts' && name !== 'root'),
  )
}

function run(program, args, cwd) {
  const env = { ...process.env, CI: '1', NEXT_TELEMETRY_DISABLED: '1' }
  try {
    execFileSync(program, args, { cwd, env, stdio: 'pipe', timeout: 600_000 })
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')}: ${error.message}\n${error.stdout}`)
  }
}

/** A folder in which these packages are installed. */
function tools(t, name, packages) {
  const folder = join(process.env.FARMSTEAD_SITE_TOOLS ?? tempFolder(t), name)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'node_modules'))) {
    writeTree(folder, { 'package.json': '{"private": true}' })
    run('npm', ['install', '--no-audit', '--no-fund', ...packages], folder)
  }
  return folder
}

/** Addresses of this site that a page names. */
const linksOf = (page, html) =>
  [...html.matchAll(/\s(?:href|src)="?([^"\s>]+)/g)]
    .map(([, link]) => new URL(link.replaceAll('&amp;', '&'), `http://site.test${page}`))
    .filter(({ host, protocol }) => host === 'site.test' && protocol === 'http:')
    .map(({ pathname, search }) => pathname + search)

/** Follows all links from "/" on. Returns the pages. */
async function crawl(node) {
  const seen = new Set(['/'])
  const pages = []
  for (const path of seen) {
    const { status, headers, text } = await get(node.port, path)
    assert.equal(status, 200, `${path}: ${status} ${headers.location ?? ''}`)
    if (!headers['content-type'].startsWith('text/html')) continue
    pages.push(path)
    for (const link of linksOf(path, text)) seen.add(link)
  }
  return pages
}

async function check(t, { root, site, pages, missing }) {
  const node = await startNode(t, { site: { ...site, root } })
  assert.deepEqual((await crawl(node)).sort(), pages.toSorted())
  for (const path of ['/nothing', '/nothing/', '/assets/none.js', '/.well-known/none']) {
    const { status, text } = await get(node.port, path)
    assert.equal(status, missing(path).status, path)
    assert.match(text, missing(path).text, path)
  }
  for (const path of pages)
    for (const other of [
      `${path}.html`,
      path.replace(/(?<=.)\/$/, ''),
      `${path}/`.replace('//', '/'),
    ]) {
      const { status, headers } = await get(node.port, other)
      if (status === 301) assert.equal((await get(node.port, headers.location)).status, 200, other)
    }
}

/** For what writes folders there is nothing to say; else as the page has it. */
const siteFor = (trailingSlash) =>
  trailingSlash
    ? { errorPages: { 404: '/404.html' } }
    : documented('**Docusaurus with `trailingSlash: false`**')

const own404 = (text) => () => ({ status: 404, text })

for (const trailingSlash of [false, true])
  test(`Next.js, trailingSlash: ${trailingSlash}`, async (t) => {
    const folder = tools(t, 'next', ['next@15', 'react@19', 'react-dom@19'])
    rmSync(join(folder, 'out'), { recursive: true, force: true })
    const nav =
      "<nav><Link href='/'>home</Link><Link href='/about'>a</Link><Link href='/posts/first'>1</Link><Link href='/posts'>all</Link></nav>"
    const link = "import Link from 'next/link'\n"
    writeTree(folder, {
      'next.config.mjs': `export default { output: 'export', trailingSlash: ${trailingSlash} }\n`,
      'app/layout.js': `${link}export default ({ children }) => <html lang="en"><body>${nav}{children}</body></html>\n`,
      'app/page.js': 'export default () => <h1>home</h1>\n',
      'app/about/page.js': 'export default () => <h1>about</h1>\n',
      'app/posts/page.js': 'export default () => <h1>posts</h1>\n',
      'app/posts/[id]/page.js':
        "export const generateStaticParams = () => [{ id: 'first' }]\nexport default async ({ params }) => <h1>{(await params).id}</h1>\n",
      'app/not-found.js': 'export default () => <h1>not here</h1>\n',
    })
    run(join(folder, 'node_modules/.bin/next'), ['build'], folder)
    const slash = trailingSlash ? '/' : ''
    await check(t, {
      root: join(folder, 'out'),
      site: siteFor(trailingSlash),
      pages: ['/', `/about${slash}`, `/posts${slash}`, `/posts/first${slash}`],
      missing: own404(/not here/),
    })
  })

for (const trailingSlash of [false, true])
  test(`Docusaurus, trailingSlash: ${trailingSlash}`, async (t) => {
    const folder = tools(t, 'docusaurus', [
      ...['@docusaurus/core@3', '@docusaurus/preset-classic@3', 'react@19', 'react-dom@19'],
    ])
    writeTree(folder, {
      'docusaurus.config.js': `export default {
  title: 't', url: 'http://site.test', baseUrl: '/', trailingSlash: ${trailingSlash}, onBrokenLinks: 'throw',
  presets: [['classic', { docs: { routeBasePath: 'docs' }, blog: false, theme: {} }]],
  themeConfig: { navbar: { title: 't', items: [{ to: '/docs/intro', label: 'Docs' }] } },
}\n`,
      'src/pages/index.js':
        "import Layout from '@theme/Layout'\nexport default () => <Layout><h1>home</h1></Layout>\n",
      'docs/intro.md': '# Intro\n\n[below](./intro/below.md)\n',
      'docs/intro/below.md': '# Below\n\n[up](../intro.md)\n',
    })
    run(join(folder, 'node_modules/.bin/docusaurus'), ['build'], folder)
    const slash = trailingSlash ? '/' : ''
    await check(t, {
      root: join(folder, 'build'),
      site: siteFor(trailingSlash),
      pages: ['/', `/docs/intro${slash}`, `/docs/intro/below${slash}`],
      missing: own404(/Page Not Found/),
    })
  })

test('Hugo', async (t) => {
  const folder = tempFolder(t)
  const layout =
    '<!doctype html><title>x</title>{{ .Content }}{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">x</a>{{ end }}'
  writeTree(folder, {
    'config.toml': 'baseURL = "/"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n',
    'content/_index.md': 'home [posts](/posts/)\n',
    'content/posts/_index.md': 'posts\n',
    'content/posts/first.md': '---\ntitle: first\n---\n[up](../)\n',
    'layouts/_default/baseof.html': layout,
    'layouts/_default/list.html': layout,
    'layouts/_default/single.html': layout,
    'layouts/404.html': 'not here',
  })
  run('hugo', ['--quiet'], folder)
  await check(t, {
    root: join(folder, 'public'),
    site: siteFor(true),
    pages: ['/', '/posts/', '/posts/first/'],
    missing: own404(/not here/),
  })
})

test('Vite with React Router', async (t) => {
  const folder = tools(t, 'vite', ['vite@7', 'react@19', 'react-dom@19', 'react-router@7'])
  writeTree(folder, {
    'index.html':
      '<!doctype html><title>x</title><div id="root"></div><script type="module" src="/src/main.jsx"></script><a href="/users/7">x</a>',
    'src/main.jsx': `import { createRoot } from 'react-dom/client'
import { createElement } from 'react'
import { createBrowserRouter, RouterProvider } from 'react-router'
const router = createBrowserRouter([{ path: '*', element: createElement('h1', null, 'app') }])
createRoot(document.getElementById('root')).render(createElement(RouterProvider, { router }))
`,
  })
  run(join(folder, 'node_modules/.bin/vite'), ['build'], folder)
  const root = join(folder, 'dist')
  await check(t, {
    root,
    site: documented('**A single-page app**'),
    pages: ['/', '/users/7'],
    missing: (path) =>
      /js$|well-known/.test(path)
        ? { status: 404, text: /404/ }
        : { status: 200, text: /id="root"/ },
  })
  const [script] = readdirSync(join(root, 'assets'))
  const node = await startNode(t, { site: { ...documented('**A single-page app**'), root } })
  assert.match((await get(node.port, `/assets/${script}`)).headers['cache-control'], /immutable/)
})
