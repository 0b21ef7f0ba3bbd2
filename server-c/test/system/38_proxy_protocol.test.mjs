// SPDX-License-Identifier: MIT
// listen[].proxyProtocol: a load balancer says first for whom a connection is. HAProxy itself is one of the clients.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import tls from 'node:tls'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { LOOPBACK, OUTSIDE, RawClient, request } from '../support/raw.mjs'
import { authorities, startTlsNode } from '../support/tls-node.mjs'

const HERE = ['127.0.0.0/8', OUTSIDE]
const files = { 'a.txt': 'alpha', 'in/b.txt': 'beta' }
const site = {
  access: [
    { action: 'allow', paths: ['/in/b.txt'], addresses: ['198.51.100.0/24'] },
    { action: 'deny', paths: ['/in/b.txt'] },
  ],
}
const V1 = 'PROXY TCP4 198.51.100.7 192.0.2.1 56324 80\r\n'
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

const proxied = (config = {}) => ({ trustedProxies: HERE, ...config })
const listen = [{ address: LOOPBACK, port: 0, proxyProtocol: true }]
const start = (t, config) => startNode(t, { files, site, config: { listen, ...proxied(config) } })

async function statusOf(node, header, { path = '/in/b.txt', lines } = {}) {
  const client = await RawClient.connect(node.port)
  client.send(header)
  client.send(request(path, { lines }))
  const { status } = await client.response()
  client.close()
  return status
}

test('rules and log go by the client in the header, of either version', async (t) => {
  const path = join(tempFolder(t), 'access.log')
  const node = await start(t, { workers: 1, accessLog: { path, format: 'json' } })
  const v2 = Buffer.concat([SIGNATURE, Buffer.from('2111000cc6336408c0000201dc0401bb', 'hex')])
  assert.equal(await statusOf(node, V1), 200)
  assert.equal(await statusOf(node, v2), 200)
  assert.equal(await statusOf(node, 'PROXY TCP4 203.0.113.5 192.0.2.1 1 2\r\n'), 403)
  assert.equal(await statusOf(node, 'PROXY TCP6 2001:db8::7 ::1 1 2\r\n'), 403)
  // Of its own connections the proxy is the client.
  assert.equal(await statusOf(node, 'PROXY UNKNOWN\r\n', { path: '/a.txt' }), 200)
  const records = await until(() => {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    return lines.length === 5 && lines.map(JSON.parse)
  }, 'five lines')
  assert.deepEqual(
    records.map(({ peer }) => peer),
    ['198.51.100.7', '198.51.100.8', '203.0.113.5', '2001:db8::7', OUTSIDE],
  )
})

test('X-Forwarded-For counts when the client in the header is a trusted proxy itself', async (t) => {
  const node = await start(t, { trustedProxies: [...HERE, '10.0.0.0/8'] })
  const lines = ['X-Forwarded-For: 198.51.100.7']
  const from = (address) => `PROXY TCP4 ${address} 192.0.2.1 1 80\r\n`
  assert.equal(await statusOf(node, from('10.1.2.3'), { lines }), 200)
  assert.equal(await statusOf(node, from('203.0.113.5'), { lines }), 403)
  assert.equal(await statusOf(node, from('10.1.2.3')), 403)
})

test('without a header, with half of one, from a stranger: nothing is answered', async (t) => {
  const node = await start(t, { limits: { headerSeconds: 1 } })
  for (const bytes of [request('/a.txt'), `${V1.slice(0, -2)}\n`, 'PROXY TCP4 x y 1 2\r\n']) {
    const client = await RawClient.connect(node.port)
    client.send(bytes)
    assert.equal((await client.closed()).length, 0, bytes)
  }
  await node.untilEnds('proxyHeader', 3)
  const half = await RawClient.connect(node.port)
  half.send(V1.slice(0, 20))
  await half.closed()
  await node.untilEnds('proxyHeader', 4)
  const silent = await RawClient.connect(node.port)
  await silent.closed()
  await node.untilEnds('silent', 1)

  assert.equal(await node.reload({ ...node.config, trustedProxies: ['10.0.0.0/8'] }), true)
  const stranger = await RawClient.connect(node.port)
  stranger.send(`${V1}${request('/a.txt')}`)
  const said = await stranger.closed().catch((error) => error.code)
  assert.ok(said === 'ECONNRESET' || /^HTTP\/1.1 503 /.test(String(said)), said)
})

test('a header where none is wanted is no request', async (t) => {
  const node = await startNode(t, { files, config: proxied() })
  assert.equal(await statusOf(node, V1, { path: '/a.txt' }), 400)
})

test('a reload turns it on and off, and connections go on as they began', async (t) => {
  const node = await start(t)
  const old = await RawClient.connect(node.port)
  old.send(`${V1}${request('/in/b.txt')}`)
  assert.equal((await old.response()).status, 200)
  const plain = [{ ...node.config.listen[0], proxyProtocol: false }]
  assert.equal(await node.reload({ ...node.config, listen: plain }), true)
  const client = await RawClient.connect(node.port)
  client.send(request('/a.txt'))
  assert.equal((await client.response()).status, 200)
  old.send(request('/in/b.txt'))
  assert.equal((await old.response()).status, 200)
  for (const each of [old, client]) each.close()
})

test('the header goes before TLS and before HTTP/2', async (t) => {
  const { root, intermediate } = authorities(t)
  const certificates = [intermediate.issue(['localhost'])]
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['*'], certificates, ...site }],
    files,
    config: proxied(),
    listen: { proxyProtocol: true },
  })
  const socket = (await RawClient.connect(node.tlsPort)).socket
  socket.removeAllListeners('data')
  socket.write(V1)
  const secure = tls.connect({ socket, ca: root.pem, servername: 'localhost' })
  await once(secure, 'secureConnect')
  const client = new RawClient(secure)
  client.send(request('/in/b.txt'))
  assert.equal((await client.response()).status, 200)
  client.close()
  // curl says that the client is itself.
  const flags = ['-sk', '--haproxy-protocol', '--http2', '-o', '/dev/null']
  const format = ['-w', '%{http_code} %{http_version}']
  const curl = (path) =>
    execFileSync('curl', [...flags, ...format, `https://${LOOPBACK}:${node.tlsPort}${path}`], {
      encoding: 'utf8',
    })
  assert.equal(curl('/a.txt'), '200 2')
  assert.equal(curl('/in/b.txt'), '403 2')
})

/** HAProxy with what is asked of it of `server`, in the mode of `mode`. */
async function startHaproxy(t, { port, server, mode = 'tcp', bind = '' }) {
  const folder = tempFolder(t)
  const front = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  stats socket ${folder}/admin
defaults
  mode ${mode}
  timeout connect 5s
  timeout client 10s
  timeout server 10s
listen all
  bind ${LOOPBACK}:${front}${bind}
  server node ${LOOPBACK}:${port} ${server}
`,
  )
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  await until(async () => {
    const client = await RawClient.connect(front, { from: LOOPBACK }).catch(() => null)
    client?.close()
    return client
  }, 'HAProxy')
  return { front, folder }
}

for (const [name, server] of [
  ['version 1', 'send-proxy'],
  ['version 2', 'send-proxy-v2'],
  ['version 2 with all it can add', 'send-proxy-v2 proxy-v2-options ssl,cert-cn,crc32c,unique-id'],
])
  test(`HAProxy, ${name}`, async (t) => {
    const path = join(tempFolder(t), 'access.log')
    const node = await start(t, { workers: 1, accessLog: { path, format: 'json' } })
    const { front } = await startHaproxy(t, { port: node.port, server })
    const client = await RawClient.connect(front, { from: '127.0.0.9' })
    client.send(request('/a.txt'))
    assert.equal((await client.response()).status, 200)
    client.close()
    const [record] = await until(() => {
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
      return lines[0] && lines.map(JSON.parse)
    }, 'a line')
    assert.equal(record.peer, '127.0.0.9')
  })

test("HAProxy's health checks are answered, and leave no fault behind", async (t) => {
  const node = await start(t)
  const server = 'send-proxy-v2 check check-send-proxy inter 100ms fall 1 rise 1'
  const { front } = await startHaproxy(t, {
    port: node.port,
    mode: 'http',
    server: `${server}\n  option httpchk GET /a.txt\n  http-check expect status 200`,
  })
  await until(async () => (await node.counter('requests')) >= 5, 'five checks')
  const client = await RawClient.connect(front, { from: LOOPBACK })
  client.send(request('/a.txt'))
  assert.equal((await client.response()).status, 200)
  client.close()
  assert.equal(await node.ends('proxyHeader'), 0)
})

test('a proxy that ends TLS and says so is enough for redirectToHttps', async (t) => {
  const { intermediate, folder } = authorities(t)
  const { chainFile, keyFile } = intermediate.issue(['localhost'])
  const both = join(folder, 'both.pem')
  writeFileSync(both, readFileSync(chainFile, 'utf8') + readFileSync(keyFile, 'utf8'))
  const node = await startNode(t, {
    files,
    site: { redirectToHttps: true },
    config: { listen, ...proxied() },
  })
  const through = async (server, bind) => {
    const { front } = await startHaproxy(t, { port: node.port, server, bind })
    const scheme = bind ? 'https' : 'http'
    return execFileSync(
      'curl',
      ['-sk', '-o', '/dev/null', '-w', '%{http_code}', `${scheme}://${LOOPBACK}:${front}/a.txt`],
      { encoding: 'utf8' },
    )
  }
  assert.equal(await through('send-proxy-v2-ssl', ` ssl crt ${both}`), '200')
  assert.equal(await through('send-proxy-v2-ssl', ''), '301')
  assert.equal(await through('send-proxy', ` ssl crt ${both}`), '301')
})
