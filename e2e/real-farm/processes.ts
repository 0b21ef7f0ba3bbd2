// SPDX-License-Identifier: MIT
// Child processes that do not outlive this one, with their output in a file.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** A proxy of the machine's must not come between the parts. */
const foreign = /^(https?|all|no)_proxy$|^(FAULTS|FARMSTEAD)_/i
export const cleanEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))

export type Spec = {
  command: string[]
  env: NodeJS.ProcessEnv
  logFile: string
  /** Told each piece of its output. */
  onOutput?: (text: string) => void
}

export class Child {
  readonly process: ChildProcess
  readonly ended: Promise<void>

  constructor({ command: [program = '', ...args], env, logFile, onOutput }: Spec) {
    this.process = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    children.add(this.process)
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        appendFileSync(logFile, text)
        onOutput?.(text)
      })
    }
    this.process.stdin?.on('error', () => {})
    this.process.on('error', (error) => appendFileSync(logFile, `${error.message}\n`))
    this.ended = once(this.process, 'exit').then(
      () => {},
      () => {},
    )
    this.ended.then(() => children.delete(this.process))
  }

  get pid(): number {
    return this.process.pid ?? 0
  }

  get lives(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.lives) this.process.kill(signal)
    await this.ended
  }
}
