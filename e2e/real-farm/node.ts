// SPDX-License-Identifier: MIT
// One node under test: `farmstead-node run` with its parent, started again whenever it ends, as systemd
// does; and what a visitor sees of it.
import { execFile } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { contentDigest } from '../../control-api/src/agent-protocol/content.ts'
import { policyFor, writePolicy } from '../../scripts/testing/node-policy.mjs'
import { HOST } from './host.ts'
import type { Preload } from './preload.ts'
import { Child, cleanEnv } from './processes.ts'

const run = promisify(execFile)
const START_AGAIN_MS = 100
const ANSWER_WITHIN_MS = 2000

/** What it logs on the way from one config to the next. */
const STEPS = {
  staged: /is checked and staged/,
  swapped: /ms to be confirmed/,
  confirmed: /generation \d+ is confirmed/,
} as const
export type Step = keyof typeof STEPS
/** What no fault of ours explains: a death but by SIGKILL, a file that cannot be read. */
const UNEXPLAINED =
  /^.*(Sanitizer|runtime error|error agent: \w+\.json: |hangs; ending it|process \(\d+\) ended: (?!killed by signal 9)).*$/m
export type Victim = 'serving process' | 'parent' | 'both'

export type NodeOptions = {
  name: string
  port: number
  stateDir: string
  binary: string
  logFile: string
  /** To change its clock and to have it die at a call. */
  preload?: Preload
  /** The address it listens at; this machine's when left out. */
  host?: string
  /** Told such a line of its log. */
  onUnexplained: (line: string) => void
  /** A command to run it by, which must end up being it (exec). */
  wrap?: string[]
  /** Where its files are seen from here; `stateDir` when left out. */
  visibleStateDir?: () => string
  /** The node whose state folder it began with: by that name the control plane knows it. */
  copyOf?: string
  /** Its machine's way in, where that is not this one's. */
  socketPath?: string
}

/** What a visitor got: the version's label, or why there was none. */
export type Seen = { label: string | null; trouble: string | null }

export class RealNode {
  readonly name: string
  readonly steps = new EventEmitter<Record<Step, []>>()
  readonly #options: NodeOptions
  #child: Child | null = null
  #isWanted = false

  constructor(options: NodeOptions) {
    this.name = options.name
    this.#options = options
  }

  get logFile(): string {
    return this.#options.logFile
  }

  get stateDir(): string {
    return this.#options.stateDir
  }

  /** Where its state folder is seen from here. */
  get visibleStateDir(): string {
    return this.#options.visibleStateDir?.() ?? this.stateDir
  }

  get copyOf(): string | undefined {
    return this.#options.copyOf
  }

  get preload(): Preload {
    const { preload } = this.#options
    if (!preload) throw new Error(`${this.name} runs without a preload`)
    return preload
  }

  get host(): string {
    return this.#options.host ?? HOST
  }

  get port(): number {
    return this.#options.port
  }

  async join(url: string, token: string): Promise<void> {
    const { binary, stateDir, name, wrap = [] } = this.#options
    const words = [binary, 'join', url, '--token', token, '--state', stateDir, '--name', name]
    const [program = '', ...args] = [...wrap, ...words, ...this.#policy()]
    await run(program, args, { env: this.#env() })
  }

  /** One that allows everything: faults are tried here, and not what configs may do. */
  #policy(): string[] {
    const file = `${this.#options.logFile}.policy.json`
    mkdirSync(dirname(file), { recursive: true })
    return ['--policy', writePolicy(file, policyFor(['/']))]
  }

  start(): void {
    this.#isWanted = true
    const { binary, stateDir, logFile, wrap = [] } = this.#options
    const command = [...wrap, binary, 'run', '--state', stateDir, ...this.#policy()]
    const onOutput = (text: string) => this.#read(text)
    const child = new Child({ command, env: this.#env(), logFile, onOutput })
    this.#child = child
    child.ended.then(async () => {
      await sleep(START_AGAIN_MS)
      if (this.#isWanted && this.#child === child) this.start()
    })
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isWanted = false
    await this.#child?.end(signal)
  }

  get isRunning(): boolean {
    return this.servingPid !== null
  }

  get parentPid(): number | null {
    return this.#child?.lives ? this.#child.pid : null
  }

  /** null: there is none at the moment. */
  get servingPid(): number | null {
    const parent = this.parentPid
    if (parent === null) return null
    try {
      const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim()
      return children === '' ? null : Number(children.split(' ')[0])
    } catch {
      return null
    }
  }

  /** kill -9; false: there was nobody to kill. */
  kill(victim: Victim): boolean {
    const serving = victim === 'parent' ? null : this.servingPid
    const parent = victim === 'serving process' ? null : this.parentPid
    const pids = [parent, serving].filter((pid) => pid !== null)
    return pids.map((pid) => killed(pid)).some((done) => done)
  }

  /** What it would load after a restart: the digest of the config with all that goes with it, and its label; null: none. */
  confirmed(): { digest: string; label: string | null } | null {
    const path = join(this.visibleStateDir, 'confirmed.json')
    if (!existsSync(path)) return null
    const { digest, configText, certificates, releases } = JSON.parse(readFileSync(path, 'utf8'))
    const whole = contentDigest(digest, certificates, releases)
    return { digest: whole, label: labelIn(configText) }
  }

  see(): Promise<Seen> {
    const { host, port } = this
    const { socketPath } = this.#options
    const { promise, resolve } = Promise.withResolvers<Seen>()
    const place = socketPath ? { socketPath } : { host, port }
    const options = { ...place, path: '/', agent: false, timeout: ANSWER_WITHIN_MS }
    const asked = get(options, (response) => {
      const label = response.headers['x-version']
      response.resume()
      response.on('error', (error) => resolve({ label: null, trouble: error.message }))
      response.on('end', () =>
        typeof label === 'string' && response.statusCode === 200
          ? resolve({ label, trouble: null })
          : resolve({ label: null, trouble: `HTTP ${response.statusCode}` }),
      )
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.on('error', (error) => resolve({ label: null, trouble: error.message }))
    return promise
  }

  #env(): NodeJS.ProcessEnv {
    return { ...cleanEnv(), ...this.#options.preload?.env(this.stateDir) }
  }

  #read(text: string): void {
    const line = UNEXPLAINED.exec(text)?.[0]
    if (line) this.#options.onUnexplained(line)
    for (const [step, pattern] of Object.entries(STEPS) as [Step, RegExp][]) {
      if (pattern.test(text)) this.steps.emit(step)
    }
  }
}

function killed(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

/** The label in a config of ours. */
export const labelIn = (text: string): string | null =>
  /"X-Version",\s*"value":\s*"([^"]+)"/.exec(text)?.[1] ?? null
