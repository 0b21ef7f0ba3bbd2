// SPDX-License-Identifier: MIT
// Records what a busy farmstead-node reports: a real node behind a real control plane, a minute of real requests over
// HTTP and HTTPS to it, and the last report of that time, word for word, as recorded-report.json beside this file.
//   node test/bench/record-report.ts [SECONDS]     in control-api, after a release build of the node; needs openssl and dd
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { openPolicy } from '../../../scripts/testing/node-policy.mjs'
import { PROGRAMS } from '../programs.ts'
import { startService } from '../service-process.ts'

const NODE_BINARY = resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')
const RECORDED = join(import.meta.dirname, 'recorded-report.json')
const FILES = 400
const SMALLEST = 200
const LARGEST = 8 * 1024 * 1024
const CLIENTS = 24
/** Until the node serves what it was given. */
const START_MS = 3_000
/** Files, each second. */
const FORGOTTEN = 20
const run = promisify(execFile)
/** Of the clients: who makes a connection for each request, and who takes its time with the answer. */
const SHORT = 0.25
const SLOW = 0.1

const home = mkdtempSync(join(tmpdir(), 'farmstead-record-'))
const site = join(home, 'site')
const port = { http: await freePort(), https: await freePort(), agents: await freePort() }

/** From 200 bytes to 8 MiB, each size as likely by its number of digits. */
function makeSite(): string[] {
  mkdirSync(site)
  return Array.from({ length: FILES }, (_, i) => {
    const bytes = Math.round(SMALLEST * (LARGEST / SMALLEST) ** (i / FILES))
    writeFileSync(join(site, `${i}.bin`), randomBytes(bytes))
    return `/${i}.bin`
  })
}

function makeConfig(): string {
  const chainFile = join(home, 'chain.pem')
  const keyFile = join(home, 'key.pem')
  const how =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', chainFile]
  execFileSync('openssl', [...how.split(' '), ...names], { stdio: 'ignore' })
  const listen = [
    { address: '127.0.0.1', port: port.http },
    { address: '127.0.0.1', port: port.https, tls: true },
  ]
  const sites = [{ hosts: ['*'], root: site, certificates: [{ chainFile, keyFile }] }]
  const file = join(home, 'config.json')
  writeFileSync(file, JSON.stringify({ workers: 1, listen, sites }))
  return file
}

/** Between node and control plane: keeps the newest report that was taken. */
async function listenIn() {
  const kept = { report: '' }
  const agent = new HttpAgent({ keepAlive: true })
  const server = createServer((question, answer) => {
    const { url, method, headers } = question
    const isReport = url === '/agent/v1/report'
    const chunks: Buffer[] = []
    const onward = httpRequest(
      { port: port.agents, host: '127.0.0.1', path: url, method, headers, agent },
      (response) => {
        if (isReport && response.statusCode === 200) kept.report = Buffer.concat(chunks).toString()
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    question.on('data', (chunk) => isReport && chunks.push(chunk))
    question.pipe(onward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { kept, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The kernel lets go of some files' pages, so that some are read from the disk, as on a node with more than its memory holds. */
async function forgetSome(): Promise<void> {
  for (let i = 0; i < FORGOTTEN; i++) {
    const file = join(site, `${Math.floor(Math.random() * FILES)}.bin`)
    await run('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'])
  }
}

const agents = {
  http: new HttpAgent({ keepAlive: true, maxSockets: CLIENTS }),
  https: new HttpsAgent({ keepAlive: true, maxSockets: CLIENTS, rejectUnauthorized: false }),
}

/** Popular files are asked for oftener; who is slow reads a little at a time. */
function fetchOne(paths: readonly string[]): Promise<void> {
  const path = paths[Math.floor(Math.random() ** 3 * paths.length)] ?? '/'
  const isTls = Math.random() < 0.5
  const kept = isTls ? agents.https : agents.http
  const agent = Math.random() < SHORT ? false : kept
  const isSlow = Math.random() < SLOW
  return new Promise((done) => {
    const ask = isTls ? httpsRequest : httpRequest
    const about = { host: '127.0.0.1', port: isTls ? port.https : port.http, path, agent }
    const question = ask({ ...about, rejectUnauthorized: false }, (answer) => {
      answer.on('end', done)
      answer.on('data', () => {
        if (!isSlow) return
        answer.pause()
        setTimeout(() => answer.resume(), 5)
      })
    })
    question.on('error', () => done())
    question.end()
  })
}

const env = {
  PATH: process.env.PATH,
  FARMSTEAD_DATA_DIR: join(home, 'data'),
  FARMSTEAD_PORT: '0',
  FARMSTEAD_AGENT_PORT: String(port.agents),
  FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
  FARMSTEAD_NODE_BINARY: NODE_BINARY,
  FARMSTEAD_LOG_LEVEL: 'error',
}
const admin = (...words: string[]) =>
  execFileSync(process.execPath, [PROGRAMS.admin, ...words], { env })
const paths = makeSite()
admin(
  'import-config',
  '--name',
  'default',
  '--file',
  makeConfig(),
  '--message',
  'first',
  '--release',
)
const service = await startService(env)
const between = await listenIn()
const place = ['--state', join(home, 'node'), ...openPolicy(home)]

async function startNode() {
  const { token } = JSON.parse(admin('enrolment-token', '--json').toString())
  // It joins by way of this process, which must not wait for it idly.
  const words = [
    'join',
    between.url,
    '--token',
    token,
    '--name',
    'busy',
    '--insecure-http',
    ...place,
  ]
  await run(NODE_BINARY, words)
  return spawn(NODE_BINARY, ['run', ...place], { stdio: 'ignore' })
}

let node: ChildProcess | null = null
try {
  node = await startNode()
  await sleep(START_MS)
  const endsAt = performance.now() + Number(process.argv[2] ?? 60) * 1_000
  const client = async () => {
    while (performance.now() < endsAt) await fetchOne(paths)
  }
  const disk = async () => {
    for (; performance.now() < endsAt; await sleep(1_000)) await forgetSome()
  }
  await Promise.all([disk(), ...Array.from({ length: CLIENTS }, client)])
  writeFileSync(RECORDED, `${JSON.stringify(JSON.parse(between.kept.report), null, 1)}\n`)
} finally {
  node?.kill('SIGTERM')
  agents.http.destroy()
  agents.https.destroy()
  service.child.kill('SIGTERM')
  await service.ended
  between.server.closeAllConnections()
  between.server.close()
  rmSync(home, { recursive: true, force: true })
}
