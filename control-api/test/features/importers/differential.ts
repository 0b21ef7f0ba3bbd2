// SPDX-License-Identifier: MIT
// An old server and a node with what was imported from it, over the same files, asked the same. What differs has to be
// in the report, by its code.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import type { Finding } from '../../../src/features/importers/findings.ts'
import { nodeBinary } from '../../plain-config.ts'

export type Case = {
  path: string
  host: string
  method: string
  headers: Record<string, string>
  port: number
}
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }
export type Ports = Record<'80' | '443', number>

/** Two years ago: no file is new, and none has a time that builds give. */
const WRITTEN = new Date('2024-11-24T10:20:30Z')
const TREE: Record<string, string> = {
  'index.html': '<h1>home</h1>\n'.repeat(200),
  'about.html': '<h1>about</h1>',
  'blog/index.html': '<h1>blog</h1>',
  'blog/first/index.html': '<h1>first</h1>',
  'blog/second.html': '<h1>second</h1>',
  'posts/12-x': 'post',
  'assets/app.css': 'a{color:red}\n'.repeat(300),
  'assets/app.js': 'start();\n'.repeat(300),
  'assets/logo.png': 'PNG',
  'img/Photo.JPG': 'JPG',
  'img/two words.png': 'PNG2',
  'img/gr\u00fc\u00df.svg': '<svg/>',
  'fonts/text.woff2': 'WOFF',
  'data.json': '{"a":1}',
  'feed.xml': '<rss/>',
  'robots.txt': 'User-agent: *\n',
  'docs/guide.pdf': 'PDF',
  'disk.iso': 'ISO',
  'empty.txt': '',
  noext: 'what is it',
  'notes.bak': 'secret',
  '404.html': '<h1>not here</h1>',
  '50x.html': '<h1>our fault</h1>',
  '.env': 'PASSWORD=1',
  '.htpasswd': 'x',
  '.well-known/security.txt': 'Contact: x',
  'bare/file.txt': 'in a folder without an index',
  'intern/a.html': 'intern',
  'club/a.html': 'club',
  'club/open/a.html': 'open',
  'images/a.png': 'PNG3',
  '.well-known/acme-challenge/token': 'token',
  'private/a.html': 'private',
  'search/a.html': 'search',
  'gone/a.html': 'gone',
  'de/blog/index.html': 'deutsch',
}

/** Of "secret". */
export const PASSWORD_HASH =
  '$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1'

export function writeTree(root: string): void {
  for (const [name, text] of Object.entries(TREE)) put(join(root, name), text)
  put(join(root, 'assets/app.css.gz'), gzipSync(TREE['assets/app.css'] ?? ''))
  const linked = join(root, 'linked.html')
  if (!existsSync(linked)) symlinkSync('about.html', linked)
}

export function put(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  utimesSync(file, WRITTEN, WRITTEN)
}

export const PATHS = [
  ...Object.keys(TREE).map((name) => `/${encodeURI(name)}`),
  ...[
    '/',
    '/blog',
    '/blog/',
    '/blog/first',
    '/blog/first/',
    '/about',
    '/about/',
    '/assets',
    '/assets/',
    '/bare/',
    '/bare',
  ],
  ...[
    '/nothing',
    '/nothing.css',
    '/nothing/deep/x.html',
    '/assets/nothing.js',
    '/ASSETS/app.css',
    '//about.html',
    '/blog/../about.html',
  ],
  ...[
    '/about.php',
    '/shop/a%20b',
    '/wiki/Main',
    '/blog/12/x',
    '/feed',
    '/feed/',
    '/articles/first.html',
    '/x.asp',
    '/x.ASP',
    '/asked',
  ],
  ...[
    '/linked.html',
    '/docs',
    '/docs/',
    '/images/a.png',
    '/app/deep',
    '/health',
    '/status',
    '/de/blog',
    '/de/about',
    '/en/page-12',
  ],
  ...[
    '/.well-known/acme-challenge/token',
    '/.git/config',
    '/mirror/about.html',
    '/mirror/',
    '/a%2Fb',
    '/%7Euser/',
    '/index.html/',
    '/club/',
    '/robots.txt?x=1',
  ],
  ...['/about.html?a=1&b=2', '/wiki/?q=a%20b', '/noext?x', '/blog?x=1', '/assets/app.css.gz'],
]

const IGNORED = new Set(
  `server date connection keep-alive etag accept-ranges content-length expires vary transfer-encoding location
  cache-control content-type content-encoding last-modified allow retry-after content-security-policy strict-transport-security`.split(
    /\s+/,
  ),
)

export type Difference = { aspect: string; old: string; node: string }

/** What a client would notice. `said` are headers that the config itself speaks of. */
export function differences(
  request: Case,
  old: Answer,
  node: Answer,
  ports: { old: Ports; node: Ports },
): Difference[] {
  const found: Difference[] = []
  const compare = (aspect: string, a: string, b: string) => {
    if (a !== b) found.push({ aspect, old: a, node: b })
  }
  compare('status', `${old.status}`, `${node.status}`)
  if (old.status !== node.status) return found
  const isTls = request.port === 443
  const base = (which: Ports) =>
    `${isTls ? 'https' : 'http'}://${request.host}:${which[isTls ? '443' : '80']}${request.path}`
  compare(
    'location',
    whereTo(old, base(ports.old), ports.old),
    whereTo(node, base(ports.node), ports.node),
  )
  compare('cache-control', directives(old), directives(node))
  const isFile = [200, 206].includes(old.status)
  if (isFile) {
    compare('content-type', `${old.headers['content-type']}`, `${node.headers['content-type']}`)
    compare(
      'content-encoding',
      `${old.headers['content-encoding']}`,
      `${node.headers['content-encoding']}`,
    )
    compare('last-modified', `${old.headers['last-modified']}`, `${node.headers['last-modified']}`)
    if (old.headers['content-encoding'] === node.headers['content-encoding']) {
      compare('body', contentOf(old), contentOf(node))
    }
  }
  for (const name of ['content-security-policy', 'strict-transport-security']) {
    if (isFile) compare(name, `${old.headers[name]}`, `${node.headers[name]}`)
  }
  for (const name of new Set([...Object.keys(old.headers), ...Object.keys(node.headers)])) {
    if (!IGNORED.has(name)) compare(name, `${old.headers[name]}`, `${node.headers[name]}`)
  }
  return found
}

const contentOf = ({ headers, body, status }: Answer) =>
  (headers['content-encoding'] === 'gzip' && status === 200 && body.length > 0
    ? gunzipSync(body)
    : body
  ).toString('latin1')

function whereTo({ headers }: Answer, base: string, ports: Ports): string {
  if (headers.location === undefined) return ''
  const url = new URL(headers.location, base)
  const port = url.port === '' ? url.protocol : url.port
  const name =
    port === `${ports['80']}` ? '' : port === `${ports['443']}` ? '' : port.replace(/^https?:$/, '')
  return `${url.protocol}//${url.hostname}${name}${url.pathname}${url.search}`
}

const directives = ({ headers }: Answer) =>
  (headers['cache-control'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .sort()
    .join(', ')

const FOLDERS = new Set(
  ['', ...Object.keys(TREE)].flatMap((name) =>
    name
      .split('/')
      .slice(0, -1)
      .map((_, i, parts) => `/${parts.slice(0, i + 1).join('/')}`),
  ),
)

const resolved = (address: string) =>
  decodeURIComponent(new URL(address).href.replaceAll(/(?<!:)\/\/+/g, '/'))

type Explains = (request: Case, old: Answer, node: Answer, difference: Difference) => boolean
const HTML = /(^|\/)[^.]*$|\.html?$/
const pathOf = ({ path }: Case) => path.replace(/\?.*$/s, '')
const isStatus =
  (...pairs: [number | 'any', number][]): Explains =>
  (_, old, node, { aspect }) =>
    aspect === 'status' &&
    pairs.some(([a, b]) => (a === 'any' || a === old.status) && b === node.status)

const isFileAndMore = (request: Case) =>
  Object.keys(TREE).some((name) => decodeURI(pathOf(request)).startsWith(`/${name}/`))

/** Of each code of the report, what it speaks of. */
const EXPLAINS: Record<string, Explains> = {
  'hidden-files': (request, _, node, { aspect }) =>
    aspect === 'status' && /\/\.(?!well-known\/)/.test(request.path) && node.status === 404,
  symlinks: () => false,
  'own-answers': (request, old, node, { aspect, ...difference }) =>
    (aspect === 'status' &&
      old.status === 403 &&
      node.status === 404 &&
      pathOf(request).endsWith('/')) ||
    /%2f/i.test(request.path) ||
    aspect === 'www-authenticate' ||
    old.status === 416 ||
    (aspect === 'location' && resolved(difference.old) === resolved(difference.node)),
  'more-types': (_, old, _node, { aspect }) =>
    aspect === 'content-type' && old.headers['content-type'] === 'application/octet-stream',
  copies: (request, _, node, { aspect }) =>
    aspect === 'content-encoding' &&
    pathOf(request).endsWith('/app.css') &&
    node.headers['content-encoding'] === 'gzip',
  'folder-redirect': (request, old, node, { aspect }) =>
    (aspect === 'status' && old.status === 308 && [301, 404].includes(node.status)) ||
    (aspect === 'status' && node.status === 301 && FOLDERS.has(pathOf(request))) ||
    (aspect === 'status' && pathOf(request).endsWith('/') && old.status === 308),
  'path-case': ({ path }) => path !== path.toLowerCase(),
  nothing: (_, old, node, { aspect }) =>
    aspect === 'status' && old.status === 200 && old.body.length === 0 && node.status === 404,
  'folder-first': (request, _o, node) => node.status === 301 && FOLDERS.has(pathOf(request)),
  deferred: (_, { status }, _n, { old }) => status >= 400 && old === 'undefined',
  // Who has no certificate for a name says no more than that.
  'error-files': (_, { status }, _n, { aspect }) => status >= 400 && aspect === 'content-range',
  'handle-first': (request, _o, { status }, { aspect }) =>
    aspect === 'status' && status === 404 && pathOf(request).endsWith('.bak'),
  'all-addresses': (_, { status }) => status === 0,
  http3: (_r, _o, _n, { aspect }) => aspect === 'alt-svc',
  'types-file': (request, _o, _n, { aspect, old }) =>
    aspect === 'content-type' &&
    (old === 'undefined' || /\.(bak|js|xml|iso)$|\/(noext|feed)$/.test(pathOf(request))),
  'own-types': (_r, _o, _n, { aspect }) => aspect === 'content-type',
  'expires-header': (_, old, _node, { aspect }) =>
    aspect === 'cache-control' && old.status >= 300 && old.status < 304,
  'page-for-all': (request, old, node, { aspect }) =>
    aspect === 'status' &&
    [200, 206, 304].includes(old.status) &&
    node.status === 404 &&
    (!HTML.test(pathOf(request)) || request.path.startsWith('/.well-known/')),
  'slash-and-suffix': (request) => pathOf(request).endsWith('/'),
  'query-kept': (request, _o, _n, { aspect }) =>
    aspect === 'location' && request.path.includes('?'),
  'query-not-added': (request, _o, _n, { aspect }) =>
    aspect === 'location' && request.path.includes('?'),
  'query-not-seen': (request, _o, _n, { aspect }) =>
    ['status', 'location'].includes(aspect) && /[?%]/.test(request.path),
  'no-fallback': ({ host }, _o, _n) => host === 'unknown.test',
  'error-status': isStatus([200, 404], [206, 404], [304, 404]),
  'path-info': (request, old, node, { aspect }) =>
    aspect === 'status' &&
    node.status === 404 &&
    [200, 206, 304].includes(old.status) &&
    isFileAndMore(request),
  'file-and-more': (request, old, node, { aspect }) =>
    aspect === 'status' &&
    old.status === 404 &&
    [200, 206, 304].includes(node.status) &&
    isFileAndMore(request),
  'error-page-headers': (_r, old, _n, { node }) => old.status >= 400 && node === 'undefined',
  ranges: (request, old, node, { aspect }) =>
    aspect === 'status' &&
    'range' in request.headers &&
    ((old.status === 200 && node.status === 416) ||
      (pathOf(request).endsWith('/') && old.status === 206)),
  links: isStatus([403, 404]),
  'expires-everywhere': (_r, old, _n, { aspect }) =>
    aspect === 'cache-control' && old.status >= 300 && old.status <= 304,
  'served-path': (request, _o, _n, { aspect }) =>
    !/^(status|body|location|content-type|content-encoding|last-modified)$/.test(aspect) &&
    !(decodeURI(pathOf(request)).slice(1) in TREE),
  'headers-everywhere': (_r, old, _n, difference) =>
    old.status >= 300 && /^[a-z-]+$/.test(difference.aspect) && difference.old === 'undefined',
  forbidden: isStatus(['any', 403]),
  unavailable: isStatus(['any', 503]),
  methods: (request, _o, node) =>
    request.method !== 'GET' && request.method !== 'HEAD' && node.status >= 400,
  'https-redirect': (request, old, node, { aspect }) =>
    request.path.startsWith('/.well-known/acme-challenge/') ||
    ([old, node].every(({ status }) => status >= 301 && status <= 308) && aspect !== 'body'),
  compression: (_r, _o, _n, { aspect }) => aspect === 'content-encoding',
  'alias-slash': (_, old, node, { aspect }) =>
    aspect === 'status' && [old.status, node.status].includes(404),
  'listing-form': (request, _o, _n, { aspect }) =>
    pathOf(request).endsWith('/') &&
    ['body', 'last-modified', 'content-type', 'content-security-policy'].includes(aspect),
  'listing-paths': (request) => pathOf(request).endsWith('/'),
  'type-for-all': (_r, _o, _n, { aspect }) => aspect === 'content-type',
  'unknown-host': isStatus(['any', 421]),
  'relative-target': (_r, _o, _n, { aspect, old }) =>
    aspect === 'location' && old.includes('/srv/'),
  'host-expression': ({ host }) => host === 'unknown.test',
  'default-server': ({ host }) => host === 'unknown.test',
  modified: (_r, _o, _n, { aspect, old, node }) =>
    aspect === 'cache-control' && old === 'no-cache' && node === 'max-age=0',
  'types-304': (_, old) => old.status === 304,
  'folder-without-index': (request, old, _n, { aspect }) =>
    aspect === 'status' &&
    [301, 403, 404].includes(old.status) &&
    FOLDERS.has(pathOf(request).replace(/\/$/, '')),
}

/** A line "# differs CODE /path" of a config allows what an unsupported directive leaves out, there. */
export function unexplained(
  found: readonly Difference[],
  request: Case,
  answers: { old: Answer; node: Answer },
  findings: readonly Finding[],
  allowed: readonly [string, string][],
): Difference[] {
  const codes = new Set(findings.flatMap(({ notes }) => notes.map(({ code }) => code)))
  return found.filter(
    (one) =>
      ![...codes].some((code) => EXPLAINS[code]?.(request, answers.old, answers.node, one)) &&
      !allowed.some(([code, path]) => codes.has(code) && pathOf(request) === path),
  )
}

export const allowedIn = (text: string): [string, string][] =>
  [...text.matchAll(/^# differs (\S+) (\S+)$/gm)].map(([, code = '', path = '']) => [code, path])

export function ask({ path, host, method, headers, port }: Case, isTls = false): Promise<Answer> {
  return new Promise((done, fail) => {
    const send = isTls ? tlsRequest : plainRequest
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { host, ...headers },
      agent: false,
      rejectUnauthorized: false,
      servername: host,
    }
    const request = send(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      )
    })
    request.on('error', (error) =>
      'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPROTO')
        ? done({ status: 0, headers: {}, body: Buffer.of() })
        : fail(error),
    )
    request.setTimeout(20_000, () => request.destroy(new Error(`${host}${path}: no answer`)))
    request.end()
  })
}

const READY_WITHIN_MS = 30_000

export type Started = { stop: () => Promise<void> }

export async function startProgram(
  command: string,
  args: string[],
  port: number,
): Promise<Started> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  let isOver = false
  const ended = new Promise<void>((done) =>
    child.on('exit', () => {
      isOver = true
      done()
    }),
  )
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const until = Date.now() + READY_WITHIN_MS
  while (!(await isThere(port))) {
    if (!isOver && Date.now() < until) {
      await sleep(10)
      continue
    }
    const what = isOver ? 'ended' : `does not answer at ${port}`
    // Nobody else can end it: its caller never gets it.
    await stop()
    throw new Error(`${command} ${args.join(' ')} ${what}: ${said}`)
  }
  return { stop }
}

const isThere = (port: number): Promise<boolean> =>
  ask({ path: '/', host: 'ready.test', method: 'GET', headers: {}, port }).then(
    () => true,
    () => false,
  )

export const startNode = (configFile: string, port: number) =>
  startProgram(nodeBinary, ['serve', '--config', configFile], port)

export async function newPorts(): Promise<Ports> {
  return { 80: await freePort(), 443: await freePort() }
}

/** One for all configs: self-signed, and asked by clients that don't mind. */
export function certificate(dir: string): void {
  if (existsSync(join(dir, 'example.pem'))) return
  mkdirSync(dir, { recursive: true })
  const names = 'subjectAltName=DNS:example.org,DNS:*.example.org,DNS:*.shop.example.org'
  const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', join(dir, 'example.key'), '-out', join(dir, 'example.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', ...args, '-subj', '/CN=example.org', '-addext', names, ...files],
    { stdio: 'ignore' },
  )
}
