// SPDX-License-Identifier: MIT
// The blocks of docs/reverse-proxies.md, in the programs they are for, each of which has a file of tests. Those that this
// machine does not have are left out: set-up installs nginx and Apache, for the benchmarks.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { COMPILED } from '../compiled.ts'
import { PASSWORD, tempDir } from '../helper.ts'
import { start, startServer } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/reverse-proxies.md'), 'utf8')
/** Three processes each, on a machine that may have much else to do. */
const WITHIN_MS = 120_000
const FIRST_BYTES_WITHIN_MS = 30_000

type Place = { dir: string; port: number; upstream: string; path: string }
type Proxy = { binary: string; configure: (block: string, place: Place) => string[] }

/** The page's block, with this test's ports, path and certificate in it. */
const placed = (block: string, { dir, port, upstream, path }: Place) =>
  block
    // Before all else: the upstream's port may have these digits, too.
    .replaceAll('443', String(port))
    .replaceAll('127.0.0.1:9700', upstream)
    .replaceAll('/farm/', path)
    .replaceAll('/etc/ssl/example.org.pem', join(dir, 'cert.pem'))
    .replaceAll('/etc/ssl/example.org.key', join(dir, 'key.pem'))
    .replaceAll('example.org', 'localhost')

const put = (dir: string, name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

const PROXIES = {
  nginx: {
    binary: 'nginx',
    configure: (block, place) => {
      const { dir } = place
      const text = `daemon off; pid ${dir}/pid; error_log stderr; user root;
events {}
http { access_log off; client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir};
uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
${placed(block, place)} }`
      return ['-p', dir, '-c', put(dir, 'nginx.conf', text)]
    },
  },
  caddy: {
    binary: 'caddy',
    configure: (block, place) => {
      const { dir, port } = place
      const site = placed(block, place).replace(
        'localhost {',
        `https://localhost:${port} {\n    tls ${dir}/cert.pem ${dir}/key.pem`,
      )
      const text = `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`
      return ['run', '--adapter', 'caddyfile', '--config', put(dir, 'Caddyfile', text)]
    },
  },
  apache: {
    binary: 'apache2',
    configure: (block, place) => {
      const { dir, port } = place
      const modules = ['mpm_event', 'authz_core', 'ssl', 'proxy', 'proxy_http', 'headers'].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      )
      const text = `ServerRoot ${dir}
PidFile ${dir}/pid
Mutex file:${dir}
ErrorLog ${dir}/error.log
ServerName localhost
Listen 127.0.0.1:${port}
${modules.join('\n')}
${placed(block, place)}`
      return ['-f', put(dir, 'apache.conf', text), '-DFOREGROUND']
    },
  },
} satisfies Record<string, Proxy>

const isHere = ({ binary }: Proxy) => spawnSync('which', [binary]).status === 0
const blockFor = (name: string) => new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1]

function certificate(dir: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')]
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...ec, '-days', '2', ...subject, ...files], {
    stdio: 'ignore',
  })
}

function builtConsole(): string {
  const dir = tempDir()
  mkdirSync(join(dir, 'assets'))
  writeFileSync(join(dir, 'assets/a.js'), 'start()')
  writeFileSync(join(dir, 'index.html'), '<head></head><script src="/assets/a.js"></script>')
  return dir
}

/** From another address than the proxy's own, which is believed. */
const VISITOR = { family: 4, localAddress: '127.0.0.2' }

type Asked = { method?: string; headers?: Record<string, string>; body?: object }
type Answer = { status: number; headers: Record<string, unknown>; text: string }

/** Of a stream, which has no end, the first bytes. */
function ask(ca: string, url: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  return new Promise<Answer>((done, fail) => {
    const json = body && JSON.stringify(body)
    const all = { ...headers, ...(json && { 'content-type': 'application/json' }) }
    const request = httpsRequest(url, { method, ca, headers: all, ...VISITOR }, (response) => {
      const { statusCode: status = 0, headers } = response
      let text = ''
      const end = () => {
        done({ status, headers, text })
        request.destroy()
      }
      response.on('data', (bytes) => {
        text += bytes
        if (headers['content-type']?.startsWith('text/event-stream')) end()
      })
      response.once('end', end)
    })
    request.setTimeout(FIRST_BYTES_WITHIN_MS, () => request.destroy(new Error('nothing came')))
    request.on('error', fail).end(json)
  })
}

async function behind(proxy: Proxy, block: string, path: string) {
  const [dir, port] = [tempDir(), await freePort()]
  certificate(dir)
  const server = await startServer(tempDir(), {
    FARMSTEAD_TRUST_PROXY: '127.0.0.1',
    FARMSTEAD_CONSOLE_DIR: builtConsole(),
    FARMSTEAD_BASE_PATH: path,
  })
  const upstream = new URL(server.url).host
  const args = proxy.configure(block, { dir, port, upstream, path })
  const child = spawn(proxy.binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  onTestFinished(() => {
    child.kill('SIGTERM')
  })
  const ca = readFileSync(join(dir, 'cert.pem'), 'utf8')
  const url = `https://localhost:${port}${path}`
  const isUp = () =>
    ask(ca, `${url}api/v1/health`).then(
      ({ status }) => status,
      () => said,
    )
  await expect.poll(isUp).toBe(200)
  return { url, ca, dir, setupToken: /setup#(\S+)/.exec(server.out.stdout)?.[1] ?? '' }
}

/** Below a path, and alone at its address. */
export function everythingWorksBehind(name: keyof typeof PROXIES): void {
  const proxy: Proxy = PROXIES[name]
  test.skipIf(!isHere(proxy)).each([['/farm/'], ['/']])(
    `behind ${name} as the page has it, everything works below %s`,
    { timeout: WITHIN_MS },
    async (path) => {
      const { url, ca, dir, setupToken } = await behind(proxy, blockFor(name) ?? '', path)
      const page = await ask(ca, url, { headers: { accept: 'text/html' } })
      expect([page.status, page.text]).toEqual([
        200,
        expect.stringContaining(`src="${path}assets/a.js"`),
      ])
      expect((await ask(ca, `${url}assets/a.js`)).text).toBe('start()')

      const { origin } = new URL(url)
      const headers = { origin, 'x-forwarded-for': '192.0.2.7' }
      const body = { token: setupToken, username: 'ana', password: PASSWORD }
      const made = await ask(ca, `${url}api/v1/setup`, { method: 'POST', headers, body })
      const cookie = String(made.headers['set-cookie'])
      expect([made.status, cookie]).toEqual([
        201,
        expect.stringMatching(new RegExp(`; Path=${path}api; .*Secure`)),
      ])
      const signedIn = { headers: { cookie: cookie.split(';')[0] ?? '' } }
      const session = await ask(ca, `${url}api/v1/session`, signedIn)
      expect(JSON.parse(session.text)).toMatchObject({ user: { username: 'ana' } })
      const events = await ask(ca, `${url}api/v1/events`, signedIn)
      expect(events.headers['content-type']).toMatch('text/event-stream')
      const foreign = { method: 'POST', body, headers: { origin: 'https://evil.example' } }
      expect((await ask(ca, `${url}api/v1/session`, foreign)).status).toBe(403)

      // What the client itself says of its address is not believed.
      const sessions = await ask(ca, `${url}api/v1/session/list`, signedIn)
      expect(sessions.text).toContain('"address":"127.0.0.2"')

      const env = { HOME: dir, FARMSTEAD_CA_FILE: join(dir, 'cert.pem') }
      const login = spawn(process.execPath, [PROGRAMS.farmctl, 'login', url, '--user', 'ana'], {
        env: { PATH: process.env.PATH ?? '', ...COMPILED, ...env },
        stdio: ['pipe', 'ignore', 'inherit'],
      })
      login.stdin?.end(`${PASSWORD}\n`)
      const code = await promisify<number>((done) =>
        login.once('close', (ended) => done(null, ended ?? 1)),
      )()
      expect(code).toBe(0)
      const nodes = await start(PROGRAMS.farmctl, ['get', 'nodes'], env).ended
      expect(nodes).toMatchObject({ code: 0 })
    },
  )
}
