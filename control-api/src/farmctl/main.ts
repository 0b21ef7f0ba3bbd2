// SPDX-License-Identifier: MIT
// The process: argv, environment, signals and exit code; nothing else.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { unknownNames } from '../known-environment.ts'
import { EXIT } from './exit-codes.ts'
import { errorDocument, exitCodeOfError, explain } from './failures.ts'
import { createProgram } from './program.ts'

const manifest: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
)
const interruption = new AbortController()
const { stdin, stdout, stderr } = process

process.on('SIGINT', () => interruption.abort())
// `farmctl get nodes | head -1` is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

try {
  for (const sentence of unknownNames(process.env)) stderr.write(`farmctl: ${sentence}\n`)
  const { version } = manifest
  await createProgram({
    stdin,
    stdout,
    stderr,
    env: process.env,
    version,
    stop: interruption.signal,
  }).parseAsync()
  if (interruption.signal.aborted) process.exitCode = EXIT.interrupted
} catch (error) {
  process.exitCode = tell(error)
} finally {
  // What waits for more lines would keep the process.
  stdin.destroy()
}

function tell(error: unknown): number {
  // Commander has said what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failed
  const asJson = process.argv.includes('--json')
  const text = asJson ? JSON.stringify(errorDocument(error)) : `farmctl: ${explain(error)}`
  stderr.write(`${text}\n`)
  return interruption.signal.aborted ? EXIT.interrupted : exitCodeOfError(error)
}
