// SPDX-License-Identifier: MIT
// docs/release-recipes.md: what its jobs and its blocks say is run in bash, in the page's order, against a real node.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { COMPILED } from '../compiled.ts'
import { realFarm } from '../features/rollouts/real-farm.ts'
import { tempDir, withToken } from '../helper.ts'

const execute = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const PAGE = readFileSync(join(ROOT, 'docs/release-recipes.md'), 'utf8')
const WHOLE_TEST_MS = 600_000

const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  )
/** Of jobs the lines that have to do with us. */
const stepsOf = (job: string) =>
  [...job.matchAll(/^ +(?:run:|-) (farmctl .*)$/gm)].map(([, line = '']) => line)

function makeFiles(home: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('public/index.html', 'one')
  write('public/css/site.css', 'body {}')
  for (const version of ['20261119090000', '20261120090000']) {
    write(`srv/www/releases/${version}/index.html`, version)
  }
  symlinkSync('releases/20261120090000', join(home, 'srv/www/current'))
}

test('the recipes for releases do what they say', { timeout: WHOLE_TEST_MS }, async () => {
  const port = await freePort()
  const farm = await realFarm(1, { ports: [port] })
  const home = tempDir()
  makeFiles(home)
  await farm.ends((await farm.order(await farm.save(join(home, 'public')))).id, 'succeeded')
  await farm.app.listen({ host: '127.0.0.1', port: 0 })
  const { secret } = await withToken(farm, farm.admin)
  const env = {
    ...{ PATH: `${join(ROOT, 'control-api/bin')}:${process.env.PATH}`, HOME: home, NO_COLOR: '1' },
    ...{ FARMSTEAD_URL: `http://127.0.0.1:${(farm.app.server.address() as AddressInfo).port}` },
    ...{ GITHUB_REF_NAME: 'main', GITHUB_SHA: '3f9ac1e', CI_COMMIT_TITLE: 'A page' },
    ...{ CI_COMMIT_SHA: '3f9ac1f', ...COMPILED },
  }
  const run = async (script: string, FARMSTEAD_TOKEN: string) => {
    // To watch a wave takes minutes, and there is one node.
    const said = script
      .replaceAll('192.0.2.7', `127.0.0.1:${port}`)
      .replaceAll(' --careful', '')
      .replaceAll(/(roll-out www|rollout start default)/g, '$1 --at-once')
    const options = { cwd: home, env: { ...env, FARMSTEAD_TOKEN } }
    return await execute('bash', ['-exo', 'pipefail', '-c', said], options)
  }
  const served = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()

  const [token = '', push = '', change = '', next = '', current = ''] = blocksOf('sh')
  await run(token, secret)
  for (const block of [push, change, next]) await run(block, secret)
  expect(await served('/new.html')).toBe('new\n')

  const ciToken = readFileSync(join(home, 'ci-token.txt'), 'utf8').trim()
  const jobs = blocksOf('yaml').map(stepsOf)
  expect(jobs.map(({ length }) => length)).toEqual([3, 3])
  for (const [at, steps] of jobs.entries()) {
    writeFileSync(join(home, 'public/new.html'), `of job ${at}`)
    await run(steps.join('\n'), ciToken)
    expect(await served('/new.html')).toBe(`of job ${at}`)
  }

  const { stdout } = await run(current, secret)
  expect(
    stdout.split('\n').filter((line) => /2026112\d|20261119/.test(line)).length,
  ).toBeGreaterThan(1)
  await run('farmctl releases roll-out www --yes', secret)
  expect(await served('/')).toBe('20261120090000')
})
