// SPDX-License-Identifier: MIT
// Let's Encrypt's test CA as a child process on loopback, with its own DNS; both end with the test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createPort } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createAcmeClient } from '../../src/acme/client.ts'
import { createExchange } from '../../src/acme/exchange.ts'
import { newAccountKey } from '../../src/acme/keys.ts'
import { createGuard } from '../../src/features/webhooks/targets.ts'
import { tempDir } from '../helper.ts'

const LOOPBACK = '127.0.0.1'
/** Pebble wants its ports named. */
export async function freePort(): Promise<number> {
  const server = createPort().listen(0, LOOPBACK)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Self-signed, for this machine: what a private CA's directory has. */
export function selfSigned() {
  const dir = tempDir()
  const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')]
  const names = ['-subj', '/CN=loopback', '-addext', `subjectAltName=IP:${LOOPBACK}`]
  const files = ['-keyout', key, '-out', certificate]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...names], { stdio: 'ignore' })
  return { dir, key, certificate, pem: readFileSync(certificate, 'utf8') }
}

const exchangeFor = (trustedRoots: string, timeoutMs?: number) =>
  createExchange({
    trustedRoots,
    guard: createGuard(['127.0.0.0/8']),
    userAgent: 'farmstead/test',
    signal: new AbortController().signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })

export { exchangeFor }

function start(program: string, options: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(program, options, { env: { ...process.env, ...env }, stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : null
    child.kill()
    await ended
  })
  return child
}

type Wish = { env?: NodeJS.ProcessEnv; externalAccounts?: Record<string, string> }

export async function startPebble({ env = {}, externalAccounts }: Wish = {}) {
  const tls = selfSigned()
  const [port, management, http, https, dns, dnsManagement] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  )
  const config = join(tls.dir, 'pebble.json')
  const pebble = {
    listenAddress: `${LOOPBACK}:${port}`,
    managementListenAddress: `${LOOPBACK}:${management}`,
    certificate: tls.certificate,
    privateKey: tls.key,
    httpPort: http,
    tlsPort: https,
    ...(externalAccounts && {
      externalAccountBindingRequired: true,
      externalAccountMACKeys: externalAccounts,
    }),
  }
  writeFileSync(config, JSON.stringify({ pebble }))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  const own = ['-dns01', `${LOOPBACK}:${dns}`, '-management', `${LOOPBACK}:${dnsManagement}`]
  start('pebble-challtestsrv', [...off, ...own], {})
  const defaults = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '50', PEBBLE_AUTHZREUSE: '0' }
  start('pebble', ['-config', config, '-dnsserver', `${LOOPBACK}:${dns}`], { ...defaults, ...env })
  const exchange = exchangeFor(tls.pem)
  const directoryUrl = `https://${LOOPBACK}:${port}/dir`
  await until(async () => (await exchange('GET', directoryUrl)).status === 200)

  /** Of the DNS that Pebble asks. */
  const dnsUrl = `http://${LOOPBACK}:${dnsManagement}`
  const tellDns = async (path: string, body: object) => {
    const told = await fetch(`${dnsUrl}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    if (!told.ok) throw new Error(`${path}: ${told.status}`)
  }
  return {
    httpPort: http ?? 0,
    tellDns,
    dnsUrl,
    directoryUrl,
    trustedRoots: tls.pem,
    client: (externalAccount: { keyId: string; hmacKey: string } | null = null) =>
      createAcmeClient({
        directoryUrl,
        accountKey: newAccountKey(),
        contact: ['ops@example.org'],
        externalAccount,
        exchange,
        now: Date.now,
      }),
  }
}

/** What a node does: answers for the tokens it was told. */
export async function serveTokens(
  port: number,
  tokens: () => ReadonlyMap<string, string>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const token = request.url?.match(/^\/\.well-known\/acme-challenge\/([\w-]+)$/)?.[1]
    const text = tokens().get(token ?? '')
    response.writeHead(text === undefined ? 404 : 200).end(text)
  }).listen(port, LOOPBACK)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error('it did not come to that within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
