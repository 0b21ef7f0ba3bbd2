// SPDX-License-Identifier: MIT
// What goes wrong on the way: broken connections, nothing there, TLS.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { PASSWORD } from '../helper.ts'
import { FARMCTL_TEST_MS, type Farmctl, farmctl } from './helper.ts'

/** The command itself: what it does before Node starts belongs to it. */
const FARMCTL = resolve(import.meta.dirname, '../../bin/farmctl')
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
const exec = promisify(execFile)

async function listening(server: Server): Promise<number> {
  onTestFinished(() => {
    server.close()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

/** Passes everything on, but loses the first answer to a request that begins so. */
async function losingProxy({ url }: Farmctl, begins: string): Promise<string> {
  const { hostname, port } = new URL(url)
  let left = 1
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let isLost = false
    client.on('data', (bytes) => {
      if (bytes.toString('latin1').startsWith(begins) && left-- > 0) isLost = true
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => (isLost ? client.destroy() : client.write(bytes)))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  return `http://127.0.0.1:${await listening(server)}`
}

const secretOf = async ({ json }: Farmctl): Promise<string> =>
  ((await json('tokens', 'create', 'test')) as { secret: string }).secret

describe('on the way', { timeout: FARMCTL_TEST_MS }, () => {
  test('an answer that got lost is asked for again, and what was made is made once', async () => {
    const farm = await farmctl({ asProcess: true })
    const FARMSTEAD_TOKEN = await secretOf(farm)
    const FARMSTEAD_URL = await losingProxy(farm, 'POST /api/v1/enrolment-tokens')
    const { code } = await farm.run(['enrol', '--quiet'], '', { FARMSTEAD_URL, FARMSTEAD_TOKEN })
    const { items } = (await farm.json('get', 'enrolment-tokens')) as { items: unknown[] }
    expect(items).toHaveLength(1)
    // Its secret is not kept to be said twice: the API answers the repetition with a refusal.
    expect([0, 6]).toContain(code)
  })

  test('a reading is repeated', async () => {
    const farm = await farmctl({ asProcess: true })
    const FARMSTEAD_TOKEN = await secretOf(farm)
    const FARMSTEAD_URL = await losingProxy(farm, 'GET /api/v1/configs')
    const env = { FARMSTEAD_URL, FARMSTEAD_TOKEN }
    expect(await farm.run(['get', 'configs', '--json'], '', env)).toMatchObject({ code: 0 })
  })

  test('proxies of the environment are gone through, but to whom NO_PROXY names', async () => {
    const farm = await farmctl({ asProcess: true })
    const asked: string[] = []
    const proxy = createHttp()
    proxy.on('connect', (request, client: Socket) => {
      asked.push(request.url ?? '')
      const { hostname, port } = new URL(farm.url)
      const upstream = connect(Number(port), hostname, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
      upstream.on('error', () => client.destroy())
      client.on('error', () => upstream.destroy())
    })
    const FARMSTEAD_TOKEN = await secretOf(farm)
    const HTTP_PROXY = `http://127.0.0.1:${await listening(proxy)}`
    const FARMSTEAD_URL = 'http://farm.test:8080'
    const env = { ...{ PATH, HOME: farm.home }, ...COMPILED, FARMSTEAD_TOKEN, HTTP_PROXY }
    const get = (more: object) => exec(FARMCTL, ['get', 'configs'], { env: { ...env, ...more } })
    await get({ FARMSTEAD_URL })
    expect(asked).toEqual(['farm.test:8080'])
    await get({ FARMSTEAD_URL: farm.url, NO_PROXY: '127.0.0.1' })
    expect(asked).toHaveLength(1)
    const away = get({ FARMSTEAD_URL, HTTP_PROXY: 'http://ana:hush@127.0.0.1:1' })
    const { stderr } = await away.then(
      () => ({ stderr: '' }),
      (error: { stderr: string }) => error,
    )
    expect(stderr).toMatch(/Or it is the proxy that HTTPS_PROXY or HTTP_PROXY names/)
    expect(stderr).not.toContain('hush')
  })

  test('nothing there is said in words', async () => {
    const { run } = await farmctl({ signedIn: false, asProcess: true })
    const closed = createServer()
    const port = await listening(closed)
    await new Promise((done) => closed.close(done))
    const { code, stderr } = await run(['login', `http://127.0.0.1:${port}`, '--user', 'a'], 'b\n')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^farmctl: http:\/\/127\.0\.0\.1:\d+: nothing listens there\./)
    expect(stderr).not.toMatch(/ at .*\.ts/)
  })

  test('a CA of one’s own is believed when it is named, and only then', async () => {
    const { run, url, home } = await farmctl({ signedIn: false, asProcess: true })
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const files = ['-keyout', join(home, 'key.pem'), '-out', join(home, 'ca.pem')]
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', '-x509', ...ec, '-days', '2', ...subject, ...files], {
      stdio: 'ignore',
    })
    const pem = { key: readFileSync(files[1] ?? ''), cert: readFileSync(files[3] ?? '') }
    const proxy = createHttps(pem, async (request, reply) => {
      const chunks = await request.toArray()
      const { host: _, connection: __, ...headers } = request.headers
      const answer = await fetch(url + request.url, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const type = answer.headers.get('content-type')
      const cookies = answer.headers.getSetCookie()
      reply.writeHead(answer.status, {
        ...(type && { 'content-type': type }),
        ...(cookies.length > 0 && { 'set-cookie': cookies }),
      })
      reply.end(Buffer.from(await answer.arrayBuffer()))
    })
    const https = `https://localhost:${await listening(proxy)}`
    const args = ['login', https, '--user', 'test-admin']
    const refused = await run(args, `${PASSWORD}\n`)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/--ca-file FILE/)])
    const login = await run([...args, '--ca-file', 'ca.pem'], `${PASSWORD}\n`)
    expect([login.code, login.stderr]).toEqual([0, ''])
    expect((await run(['get', 'nodes'])).code).toBe(0)
  })
})
