// SPDX-License-Identifier: MIT
// npm test -- schemathesis: calls the real service with what openapi.json allows, and with what it does
// not, and holds every answer against it: no server error, no status, code or body it does not describe.
// The same calls each time. `node control-api/schemathesis/run.ts --seconds 900 --examples 100` looks longer.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Known } from './seed.ts'
import { type Running, startService } from './service.ts'

const HERE = import.meta.dirname
const ROOT = resolve(HERE, '../..')

const { values } = parseArgs({
  options: {
    /** Of fuzzing again and again; else each operation is called so often, however slow the machine. */
    seconds: { type: 'string' },
    examples: { type: 'string', default: '3' },
    /** Only this one, by its operationId. */
    operation: { type: 'string' },
    /** Print how each operation answered. */
    answers: { type: 'boolean', default: false },
  },
})

function schemathesis({ url, token }: Running, configFile: string): Promise<number> {
  const st = join(ROOT, '.tools/schemathesis/bin/st')
  const args = [
    ...['--config-file', configFile],
    ...['run', join(ROOT, 'control-api/openapi.json'), '--url', url],
    // Without "stateful": it follows answers to what they name, and so ends the token it calls with.
    ...['--phases', 'examples,coverage,fuzzing', '--generation-deterministic', '--no-shrink'],
    ...['--max-examples', values.examples],
    ...(values.seconds ? ['--max-time', values.seconds] : []),
    ...['--request-timeout', '20'],
    ...['--continue-on-failure', '--warnings', 'off', '--no-color'],
    ...(values.operation ? ['--include-operation-id', values.operation] : []),
  ]
  // Where FORCE_COLOR is set, to "0" even, it draws its progress twelve times a second, into a file, too.
  const { FORCE_COLOR: _, ...inherited } = process.env
  // Else Python puts what is in a set in another order each time.
  const env = { ...inherited, PYTHONHASHSEED: '0', FARMSTEAD_TOKEN: token }
  return new Promise((done, failed) => {
    const child = spawn(st, args, { cwd: join(ROOT, '.tools'), env, stdio: 'inherit' })
    child.on('error', failed)
    child.on('exit', (code) => done(code ?? 1))
  })
}

/** What is in this service, so that paths name things that are there. */
const dictionaries = (known: Known) =>
  Object.entries(known)
    .map(([name, all]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(all)}\n`)
    .join('\n')

const say = (text: string) => process.stdout.write(`${text}\n`)

function verify({ answers }: Running): boolean {
  const refusing = values.operation === undefined ? answers.refusing() : []
  if (values.answers || refusing.length > 0) say(answers.lines().join('\n'))
  if (refusing.length > 0) say(`Never answered well: ${refusing.join(', ')}`)
  return refusing.length === 0
}

const running = await startService()
const dir = mkdtempSync(join(tmpdir(), 'farmstead-schemathesis-config-'))
try {
  const configFile = join(dir, 'schemathesis.toml')
  const rules = readFileSync(join(HERE, 'schemathesis.toml'), 'utf8')
  writeFileSync(configFile, `${rules}\n${dictionaries(running.known)}`)
  const code = await schemathesis(running, configFile)
  const isWhole = verify(running)
  process.exitCode = code === 0 && !isWhole ? 1 : code
} finally {
  await running.stop()
  rmSync(dir, { recursive: true, force: true })
}
