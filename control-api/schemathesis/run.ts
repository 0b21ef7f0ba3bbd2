// SPDX-License-Identifier: MIT
// npm test -- schemathesis: calls the real service with what openapi.json allows, and with what it does
// not, and holds every answer against it: no server error, no status, code or body it does not describe.
// The same calls each time. `node control-api/schemathesis/run.ts --seconds 900 --examples 100` looks longer.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Running, startService } from './service.ts'

const HERE = import.meta.dirname
const ROOT = resolve(HERE, '../..')
/** Below what the service lets one caller ask (plugins/limits.ts). */
const REQUESTS_PER_SECOND = 45

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    examples: { type: 'string', default: '5' },
    /** Only this one, by its operationId. */
    operation: { type: 'string' },
  },
})

function schemathesis({ url, token }: Running): Promise<number> {
  const st = join(ROOT, '.tools/schemathesis/bin/st')
  const args = [
    ...['--config-file', join(HERE, 'schemathesis.toml')],
    ...['run', join(ROOT, 'control-api/openapi.json'), '--url', url],
    // Without "stateful": it follows answers to what they name, and so ends the token it calls with.
    ...['--phases', 'examples,coverage,fuzzing', '--generation-deterministic', '--no-shrink'],
    ...['--max-examples', values.examples, '--max-time', values.seconds],
    ...['--rate-limit', `${REQUESTS_PER_SECOND}/s`, '--request-timeout', '20'],
    ...['--continue-on-failure', '--warnings', 'off', '--no-color'],
    ...(values.operation ? ['--include-operation-id', values.operation] : []),
  ]
  const env = { ...process.env, FARMSTEAD_TOKEN: token }
  return new Promise((done, failed) => {
    const child = spawn(st, args, { cwd: join(ROOT, '.tools'), env, stdio: 'inherit' })
    child.on('error', failed)
    child.on('exit', (code) => done(code ?? 1))
  })
}

const running = await startService()
try {
  process.exitCode = await schemathesis(running)
} finally {
  await running.stop()
}
