// SPDX-License-Identifier: MIT
// The real service, its commands and a real node, each a process, for tests that end and restore them.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { cookiesOf } from '../durability/session.ts'
import { nodeBinary, tempDir } from '../helper.ts'
import { START_WITHIN_MS } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'

const execute = promisify(execFile)
const PASSWORD = 'a long password of the tests'

export type Json = Record<string, unknown>
export type Process = { child: ChildProcess; output: () => string; end: () => Promise<void> }

export function run(command: string[], env: NodeJS.ProcessEnv = {}): Process {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const closed = new Promise<void>((done) => child.on('close', () => done()))
  const end = async () => {
    child.kill('SIGKILL')
    await closed
  }
  onTestFinished(end)
  return { child, output: () => output, end }
}

/** A control plane that keeps its ports and its folder over restarts. */
export class RealControlPlane {
  readonly env: NodeJS.ProcessEnv
  #process: Process | null = null
  #url = ''
  #cookie = ''
  /** What every process of it is run by: a namespace with a small disk. */
  readonly #wrap: string[]

  constructor(env: NodeJS.ProcessEnv = {}, wrap: string[] = []) {
    this.#wrap = wrap
    this.env = {
      ...COMPILED,
      FARMSTEAD_DATA_DIR: join(tempDir(), 'data'),
      FARMSTEAD_PORT: '0',
      FARMSTEAD_AGENT_PORT: '0',
      FARMSTEAD_AGENT_URL: 'http://127.0.0.1:1',
      FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
      FARMSTEAD_NODE_BINARY: nodeBinary,
      FARMSTEAD_LOG_LEVEL: 'error',
      ...env,
    }
  }

  async start(): Promise<void> {
    const started = run([...this.#wrap, process.execPath, PROGRAMS.server], this.env)
    this.#process = started
    await expect.poll(started.output, { timeout: START_WITHIN_MS }).toMatch(/Agents +http/)
    this.#url = /Console and API {2}(\S+)/.exec(started.output())?.[1] ?? ''
    const agents = /Agents +(http:\S+)/.exec(started.output())?.[1] ?? ''
    // Nodes dial the same port after a restart.
    this.env.FARMSTEAD_AGENT_URL = agents
    this.env.FARMSTEAD_AGENT_PORT = new URL(agents).port
  }

  get output(): string {
    return this.#process?.output() ?? ''
  }

  async end(): Promise<void> {
    await this.#process?.end()
  }

  async admin(...args: string[]): Promise<Json> {
    const [program = '', ...words] = [...this.#wrap, process.execPath, PROGRAMS.admin]
    const env = { PATH: process.env.PATH, ...this.env }
    const { stdout } = await execute(program, [...words, ...args, '--json'], { env })
    return JSON.parse(stdout)
  }

  /** As an administrator, whoever that was before. */
  async signIn(): Promise<void> {
    const { password } = await this.admin('reset-admin-password')
    await this.#signInWith(String(password))
    await this.must('PUT', '/session/password', {
      currentPassword: password,
      newPassword: PASSWORD,
    })
    await this.#signInWith(PASSWORD)
  }

  async #signInWith(password: string): Promise<void> {
    const answer = await this.ask('POST', '/session', { username: 'admin', password })
    if (answer.status !== 201) throw new Error(`no sign-in: ${await answer.text()}`)
    this.#cookie = cookiesOf(answer)
  }

  ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        origin: this.#url,
        ...(this.#cookie && { cookie: this.#cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async must<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as T
  }
}
