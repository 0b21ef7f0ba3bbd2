// SPDX-License-Identifier: MIT
// A child process that is meant to run until it is told to stop: writes its output to a log file,
// leaves its pid for the next start to find, and is started again when it dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processStart } from '../setup/lock.mjs'

const LOG_MAX_BYTES = 4 * 1024 * 1024
/** Addresses and names are not everybody's to read. */
const LOG_MODE = 0o640
const LOG_TAIL_BYTES = 16 * 1024
const FIRST_BACK_OFF_MS = 500
const LONGEST_BACK_OFF_MS = 10_000
/** A process that lived this long was not in a crash loop: the back-off starts over. */
const STABLE_MS = 60_000
const STOP_WITHIN_MS = 10_000
const POLL_MS = 50
/** Of util-linux: the kernel tells the child when we are gone, however we went; who is killed tells nobody. */
const ENDS_WITH_US = ['setpriv', '--pdeathsig', 'TERM'] as const

export type ProcessSpec = {
  name: string
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  logFile: string
  pidFile: string
}

export type Death = { name: string; how: string; logTail: string; restartInMs: number }

export class ManagedProcess {
  readonly name: string
  readonly #spec: ProcessSpec
  readonly #onDeath: (death: Death) => void
  #child: ChildProcess | null = null
  #wanted = false
  #restart: NodeJS.Timeout | undefined
  #backOffMs = FIRST_BACK_OFF_MS

  constructor(spec: ProcessSpec, onDeath: (death: Death) => void) {
    this.name = spec.name
    this.#spec = spec
    this.#onDeath = onDeath
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get isRunning(): boolean {
    return this.#child !== null
  }

  start(): void {
    this.#wanted = true
    this.#backOffMs = FIRST_BACK_OFF_MS
    rotateLog(this.#spec.logFile)
    this.#spawn()
  }

  /** Ends it for good; one that does not heed the signal in time is killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#wanted = false
    clearTimeout(this.#restart)
    const child = this.#child
    if (!child) return
    const exited = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    await exited
    clearTimeout(timer)
  }

  logTail(lines: number): string {
    return lastLines(this.#spec.logFile, lines)
  }

  #spawn(): void {
    const { command, args, env, logFile, pidFile } = this.#spec
    mkdirSync(dirname(logFile), { recursive: true })
    mkdirSync(dirname(pidFile), { recursive: true })
    const log = openSync(logFile, 'a', LOG_MODE)
    // A process group of its own: Ctrl-C is ours to pass on, in order.
    const [program, ...flags] = ENDS_WITH_US
    const words = [...flags, command, ...args]
    const child = spawn(program, words, { env, detached: true, stdio: ['ignore', log, log] })
    closeSync(log)
    const startedAt = performance.now()
    this.#child = child
    if (child.pid) writeFileSync(pidFile, `${child.pid} ${processStart(child.pid)}\n`)
    child.once('error', (error) => this.#ended(`cannot be run (${error.message})`, startedAt))
    child.once('exit', (code, signal) =>
      this.#ended(signal ? `was ended by ${signal}` : `ended with exit code ${code}`, startedAt),
    )
  }

  #ended(how: string, startedAt: number): void {
    if (!this.#child) return
    this.#child = null
    rmSync(this.#spec.pidFile, { force: true })
    if (!this.#wanted) return
    if (performance.now() - startedAt > STABLE_MS) this.#backOffMs = FIRST_BACK_OFF_MS
    const restartInMs = this.#backOffMs
    this.#backOffMs = Math.min(this.#backOffMs * 2, LONGEST_BACK_OFF_MS)
    this.#restart = setTimeout(() => this.#spawn(), restartInMs)
    this.#onDeath({ name: this.name, how, logTail: this.logTail(8), restartInMs })
  }
}

function rotateLog(file: string): void {
  if (existsSync(file) && statSync(file).size > LOG_MAX_BYTES) renameSync(file, `${file}.1`)
}

export function lastLines(file: string, lines: number): string {
  if (!existsSync(file)) return ''
  const text = readFileSync(file).subarray(-LOG_TAIL_BYTES).toString('utf8').trimEnd()
  return text.split('\n').slice(-lines).join('\n')
}

/** Ends the process a killed farm left behind, if `pidFile` names one that still lives. */
export async function endLeftover(pidFile: string): Promise<boolean> {
  if (!existsSync(pidFile)) return false
  const [pidText = '', start = ''] = readFileSync(pidFile, 'utf8').trim().split(' ')
  const pid = Number(pidText)
  const lives = () => start !== '' && processStart(pid) === start
  const found = lives()
  if (found) {
    process.kill(pid, 'SIGTERM')
    const deadline = performance.now() + STOP_WITHIN_MS
    while (lives() && performance.now() < deadline) await sleep(POLL_MS)
    if (lives()) process.kill(pid, 'SIGKILL')
  }
  rmSync(pidFile, { force: true })
  return found
}
