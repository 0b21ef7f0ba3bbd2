// SPDX-License-Identifier: MIT
// The process: argv, environment, signals and exit code; nothing else.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlApiDir } from '../base/places.ts'
import { EXIT } from './exit-codes.ts'
import { Failure } from './failures.ts'
import { run, tell } from './run.ts'

const manifest: { version: string } = JSON.parse(
  readFileSync(join(controlApiDir, 'package.json'), 'utf8'),
)
const interruption = new AbortController()
const { stdin, stdout, stderr } = process
const io = { stdin, stdout, stderr, env: process.env }
const own = { ...io, version: manifest.version, stop: interruption.signal }
const words = process.argv.slice(2)

process.on('SIGINT', () => interruption.abort())
// `farmctl get nodes | head -1` is no failure. A disk that is full is one, whatever was written before.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  process.exit(tell(own, words, new Failure(`the result could not be written: ${error.message}`)))
})
// Who does not read what is said meanwhile still gets the result.
stderr.on('error', () => {})

process.exitCode = await run(own, words)
// What waits for more lines would keep the process.
stdin.destroy()
