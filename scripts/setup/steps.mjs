// SPDX-License-Identifier: MIT
// One line per step on the terminal, everything a command prints in the log file. A step that
// fails shows its last lines and one sentence with the remedy.
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { logFile } from './paths.mjs'
import { Problem, remedyFor } from './problem.mjs'

const TAIL_LINES = 15
const TAIL_BYTES = 64 * 1024

/** @param {number} startedAt */
export const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [ask] the command may ask on the terminal (sudo's password)
 */

export class Steps {
  #log
  #isTerminal = process.stdout.isTTY === true
  /** @type {Set<string>} */
  #underWay = new Set()

  constructor() {
    mkdirSync(dirname(logFile), { recursive: true })
    this.#log = openSync(logFile, 'w', 0o640)
  }

  close() {
    closeSync(this.#log)
  }

  /**
   * Runs `work`, which returns what to say about it; `null` says that nothing had to be done.
   * @param {string} title
   * @param {() => Promise<string | null> | string | null} work
   */
  async step(title, work) {
    const startedAt = performance.now()
    writeSync(this.#log, `\n=== ${title}\n`)
    this.#underWay.add(title)
    this.#show()
    const end = (/** @type {string} */ line) => {
      this.#underWay.delete(title)
      this.#say(line)
    }
    try {
      const said = await work()
      const took = said === null ? 'up to date' : `${said ? `${said}, ` : ''}${seconds(startedAt)}`
      end(`  ✓ ${title}: ${took}`)
    } catch (error) {
      end(`  ✗ ${title}: failed after ${seconds(startedAt)}`)
      throw error
    }
  }

  /** Steps beside each other. All end before the first failure is thrown: what they print has its place until then. */
  async together(/** @type {Promise<void>[]} */ steps) {
    const ended = await Promise.allSettled(steps)
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  /** A line between steps, for what takes long. @param {string} line */
  note(line) {
    this.#say(`    ${line}`)
  }

  /** @param {string} line */
  #say(line) {
    process.stdout.write(this.#isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`)
    this.#show()
  }

  #show() {
    if (!this.#isTerminal || this.#underWay.size === 0) return
    process.stdout.write(`\r\u001b[K  … ${[...this.#underWay].join(', ')}`)
  }

  /**
   * Runs a command with its output in the log. Rejects with a Problem when it fails.
   * @param {string} command
   * @param {string[]} args
   * @param {RunOptions} [options]
   * @returns {Promise<void>}
   */
  run(command, args, { cwd, env, ask = false } = {}) {
    writeSync(this.#log, `$ ${command} ${args.join(' ')}\n`)
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd,
        env: env ?? process.env,
        stdio: [ask ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      })
      let tail = ''
      const take = (/** @type {Buffer} */ chunk) => {
        writeSync(this.#log, chunk)
        tail = (tail + chunk.toString('utf8')).slice(-TAIL_BYTES)
      }
      child.stdout?.on('data', take)
      child.stderr?.on('data', take)
      child.on('error', (error) => {
        reject(
          new Problem(`"${command}" cannot be run (${error.message}). ${remedyFor('', logFile)}`),
        )
      })
      child.on('close', (code, signal) => {
        if (code === 0) return resolve()
        const detail = tail.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
        const how = signal ? `was ended by ${signal}` : `failed (exit code ${code})`
        reject(
          new Problem(`"${command} ${args[0] ?? ''}" ${how}. ${remedyFor(tail, logFile)}`, {
            detail,
          }),
        )
      })
    })
  }
}
