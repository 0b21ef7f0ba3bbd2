// SPDX-License-Identifier: MIT
// The process: argv, environment, signals and exit code; nothing else.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { unknownNames } from '../base/known-environment.ts'
import { visible } from '../base/terminal-text.ts'
import { EXIT } from './exit-codes.ts'
import { errorDocument, exitCodeFor, explain, Failure } from './failures.ts'
import { createProgram, wantsJson } from './program.ts'

const manifest: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
)
const interruption = new AbortController()
const { stdin, stdout, stderr } = process

const words = process.argv.slice(2)
const asJson = wantsJson(words)

process.on('SIGINT', () => interruption.abort())
// `farmctl get nodes | head -1` is no failure. A disk that is full is one, whatever was written before.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  process.exit(tell(new Failure(`the result could not be written: ${error.message}`)))
})
// Who does not read what is said meanwhile still gets the result.
stderr.on('error', () => {})

try {
  for (const sentence of unknownNames(process.env)) stderr.write(`farmctl: ${sentence}\n`)
  const { version } = manifest
  const { env } = process
  const stop = interruption.signal
  await createProgram({ stdin, stdout, stderr, env, version, stop }, { asJson }).parseAsync()
  if (interruption.signal.aborted) process.exitCode = EXIT.interrupted
} catch (error) {
  process.exitCode = tell(error)
} finally {
  // What waits for more lines would keep the process.
  stdin.destroy()
}

function tell(error: unknown): number {
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return EXIT.ok
  const exitCode = interruption.signal.aborted
    ? EXIT.interrupted
    : exitCodeFor(error, { asksForDifference: words.includes('--exit-code') })
  const say = (text: string) => stderr.write(`${stderr.isTTY ? visible(text) : text}\n`)
  // No escape of JSON: U+009B and U+202E stand in it as they are.
  if (asJson) say(JSON.stringify(errorDocument(error, exitCode)))
  // Commander has said what is wrong.
  else if (!isUsage) say(`farmctl: ${explain(error)}`)
  return exitCode
}
