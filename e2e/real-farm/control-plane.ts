// SPDX-License-Identifier: MIT
// The control plane under test: its own process, its own folder, mutual TLS.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { admin, serverWords, stringField } from '../../scripts/farm/control-plane.ts'
import { lastLines } from '../../scripts/farm/managed-process.ts'
import { Api } from '../client/api.ts'
import { HOST } from './host.ts'
import type { Preload } from './preload.ts'
import { Child, cleanEnv } from './processes.ts'

/** It comes: this is for when it never would. Beside other farms on two slow cores a start has taken half a minute. */
const UP_WITHIN_MS = 180_000
/** Of its log, for who must find out why it did not. */
const TAIL_LINES = 15
const POLL_MS = 50
const FIRST_CONFIG = 'first.jsonc'
const ADMIN = { username: 'admin', password: 'a long password of the faults' }

type Options = {
  home: string
  ports: { console: number; agent: number }
  agentUrl: string
  nodeBinary: string
  preload?: Preload
  /** Where nodes find it; this machine's address when left out. */
  agentHost?: string
  /** The built console; without it there is the API alone. */
  consoleDir?: string
  disk?: OwnDisk
}
/** Only who is run by `wrap` sees it at `dir`; `seen` says where others do. */
type OwnDisk = { dir: string; wrap: string[]; seen: (path: string) => string }

export class ControlPlane {
  readonly api: Api
  /** As this process sees it. */
  readonly dataDir: string
  readonly logFile: string
  readonly agentPort: number
  readonly #preload: Preload | undefined
  readonly #env: NodeJS.ProcessEnv
  readonly #wrap: readonly string[]
  #child: Child | null = null
  #isWanted = false

  constructor(options: Options) {
    const { home, ports, agentUrl, nodeBinary, preload, agentHost = HOST, consoleDir } = options
    const { disk } = options
    const dataDir = join(disk?.dir ?? home, 'control')
    this.#preload = preload
    this.#wrap = disk?.wrap ?? []
    this.dataDir = disk?.seen(dataDir) ?? dataDir
    this.logFile = join(home, 'logs/control-plane.log')
    this.agentPort = ports.agent
    this.api = new Api(`http://${HOST}:${ports.console}`)
    this.#env = {
      ...cleanEnv(),
      FARMSTEAD_DATA_DIR: dataDir,
      FARMSTEAD_HOST: HOST,
      FARMSTEAD_PORT: String(ports.console),
      FARMSTEAD_AGENT_HOST: agentHost,
      FARMSTEAD_AGENT_PORT: String(ports.agent),
      FARMSTEAD_AGENT_URL: agentUrl,
      FARMSTEAD_NODE_BINARY: nodeBinary,
      FARMSTEAD_LOG_LEVEL: 'warn',
      ...(consoleDir && { FARMSTEAD_CONSOLE_DIR: consoleDir }),
    }
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 })
  }

  get preload(): Preload {
    if (!this.#preload) throw new Error('the control plane runs without a preload')
    return this.#preload
  }

  /** Whether it ended without having been told to. */
  get hasDied(): boolean {
    return this.#isWanted && this.#child !== null && !this.#child.lives
  }

  /** With a first version for whoever joins. */
  async firstStart(configText: string): Promise<void> {
    writeFileSync(join(this.dataDir, FIRST_CONFIG), configText)
    const file = join(this.#env.FARMSTEAD_DATA_DIR ?? '', FIRST_CONFIG)
    const what = ['--name', 'default', '--file', file, '--message', 'first', '--release']
    await this.admin(['import-config', ...what])
    await this.start()
    const token = stringField(await this.admin(['init']), 'setupToken') ?? ''
    await this.api.setUp({ token, ...ADMIN })
  }

  async signInAgain(): Promise<void> {
    await this.api.signIn(ADMIN)
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    this.#isWanted = true
    const command = [...this.#wrap, process.execPath, ...serverWords]
    const env = { ...this.#env, ...this.#preload?.env(this.#env.FARMSTEAD_DATA_DIR ?? '') }
    const child = new Child({ command, env, logFile: this.logFile })
    this.#child = child
    const deadline = performance.now() + UP_WITHIN_MS
    while (!(await this.api.isUp())) {
      if (!child.lives) throw new Error(`the control plane ended at its start: see ${this.logFile}`)
      if (performance.now() > deadline) throw this.#notUp()
      await sleep(POLL_MS)
    }
  }

  #notUp(): Error {
    const after = `did not answer within ${UP_WITHIN_MS / 1000} s`
    return new Error(`the control plane ${after}; it said:\n${lastLines(this.logFile, TAIL_LINES)}`)
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#isWanted = false
    await this.#child?.end(signal)
  }

  /** One of its operator's commands. */
  async admin(words: string[]): Promise<unknown> {
    return await admin(this.#env, words, this.#wrap)
  }

  /** While it is down: the control database and what SQLite keeps beside it. */
  copyDatabase(to: string): void {
    mkdirSync(to, { recursive: true })
    for (const name of this.#databaseFiles(this.dataDir)) {
      cpSync(join(this.dataDir, name), join(to, name))
    }
  }

  restoreDatabase(from: string): void {
    for (const name of this.#databaseFiles(this.dataDir)) rmSync(join(this.dataDir, name))
    for (const name of this.#databaseFiles(from)) cpSync(join(from, name), join(this.dataDir, name))
  }

  #databaseFiles(dir: string): string[] {
    return readdirSync(dir).filter((name) => name.startsWith('control.db'))
  }
}
