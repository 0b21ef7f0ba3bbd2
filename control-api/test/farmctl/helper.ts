// SPDX-License-Identifier: MIT
// farmctl as people run it, with a home of its own, against the real service on a real socket. A process of its own takes
// a third of a second of a core before it has read its words: what a test is told by `run` is done in the test's own
// process, unless the process itself is the matter. docs/farmctl.md is run by processes, command by command.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Config } from '../../src/environment/config.ts'
import { Contexts } from '../../src/farmctl/contexts.ts'
import { run as runHere } from '../../src/farmctl/run.ts'
import type { Streams } from '../../src/farmctl/terminal.ts'
import { version } from '../../src/process/services.ts'
import { COMPILED } from '../compiled.ts'
import { type Built, build, QUICK, tempDir, withToken } from '../helper.ts'
import { PROGRAMS } from '../programs.ts'
import { SimulatedNode } from '../simulated-node.ts'

/** Processes that start while others build take their time. */
export const FARMCTL_TEST_MS = 240_000

export type Ended = { code: number | null; stdout: string; stderr: string }
export type Running = {
  child: ChildProcess
  out: { stdout: string; stderr: string }
  ended: Promise<Ended>
}
export type Farmctl = {
  service: Built
  url: string
  home: string
  start(args: readonly string[], env?: Record<string, string>): Running
  /** On a terminal: what is written to the child is typed. */
  type(args: readonly string[]): Running
  /** With what it reads from standard input. */
  run(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended>
  /** Parses what --json printed. */
  json(...args: string[]): Promise<never>
  file(path: string, text: string): string
}

/** Signed in as an administrator, unless told otherwise. `asProcess`: `run` and `json` start one, too. */
export async function farmctl({
  signedIn = true,
  asProcess = false,
  config = {},
}: {
  signedIn?: boolean
  asProcess?: boolean
  config?: Partial<Config>
} = {}): Promise<Farmctl> {
  const service = await build({ config, rhythm: QUICK })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const home = tempDir()
  const environment = { PATH: process.env.PATH ?? '', HOME: home, NO_COLOR: '1', ...COMPILED }
  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    watched(
      spawn(process.execPath, [PROGRAMS.farmctl, ...args], {
        cwd: home,
        env: { ...environment, ...env },
      }),
    )
  const run: Farmctl['run'] = (args, input = '', env = {}) => {
    if (!asProcess) return runIn(home, { env: { ...environment, ...env }, args, input })
    const { child, ended } = start(args, env)
    child.stdin?.end(input)
    return ended
  }
  const type: Farmctl['type'] = (args) => {
    const command = [process.execPath, PROGRAMS.farmctl, ...args]
      .map((word) => `'${word}'`)
      .join(' ')
    const options = { cwd: home, env: { ...environment, TERM: 'xterm' } }
    return watched(spawn('script', ['-qec', command, '/dev/null'], options))
  }
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json'])
    if (code !== 0) throw new Error(`farmctl ${args.join(' ')}: ${code} ${stderr}`)
    return JSON.parse(stdout) as never
  }
  const file = (path: string, text: string) => {
    const full = join(home, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
    return path
  }
  if (signedIn) await signIn(service, home, url)
  return { service, url, home, start, type, run, json, file }
}

type Command = { env: Record<string, string>; args: readonly string[]; input: string }

/** In this process, which is in that folder until the test is over: what people name on a command line is looked for there. */
async function runIn(home: string, { env, args, input }: Command): Promise<Ended> {
  const before = process.cwd()
  if (before !== home) {
    process.chdir(home)
    onTestFinished(() => process.chdir(before))
  }
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const [stdout, stderr] = [takeAll(), takeAll()]
  const streams = { stdin: Readable.from(input ? [Buffer.from(input)] : []), ...{ stdout, stderr } }
  const own = { ...(streams as unknown as Streams), env, version, stop: stop.signal }
  const code = await runHere(own, args)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** As a pipe does: no terminal. */
function takeAll(): Writable & { text(): string } {
  const chunks: Buffer[] = []
  const taking = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return Object.assign(taking, { text: () => Buffer.concat(chunks).toString('utf8') })
}

/** As `farmctl login` leaves it, without its process: each test begins so, and login has tests of its own. */
async function signIn(service: Built, home: string, url: string): Promise<void> {
  const { id, secret } = await withToken(service, service.admin, { name: 'farmctl' })
  const name = new URL(url).host
  new Contexts({ HOME: home }).change((stored) => {
    stored.contexts[name] = { url, token: { id, secret }, caFile: null }
    stored.current = name
  })
}

export function watched(child: ChildProcess): Running {
  const out = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    out.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    out.stderr += text
  })
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, ...out })))
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, out, ended }
}

/** A node of the farm that obeys until it is told otherwise. */
export async function joinNode({ service }: Farmctl, name: string): Promise<SimulatedNode> {
  if (!service.agents.server.listening) await service.agents.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.agents.server.address() as AddressInfo
  const { secret } = (
    await service.admin.inject({
      method: 'POST',
      url: '/api/v1/enrolment-tokens',
      payload: { labels: { zone: name } },
    })
  ).json()
  const node = await SimulatedNode.join(`http://127.0.0.1:${port}`, secret, name)
  await node.connect()
  onTestFinished(() => node.disconnect())
  return node
}

export const siteText = (port: number) =>
  `// A site of one file.\n{\n  "listen": [{ "port": ${port} }],\n  "sites": [{ "hosts": ["*"], "root": "/srv/www" }]\n}\n`
