// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAskBinary } from '../../src/node-check/ask-binary.ts'
import { createNodeCheck } from '../../src/node-check/node-check.ts'
import { createNodeExplain } from '../../src/node-check/node-explain.ts'
import { tempDir } from '../helper.ts'
import { nodeBinary } from '../plain-config.ts'
import { program } from './program.ts'

const TEXT = JSON.stringify({
  sites: [
    {
      ...{ hosts: ['a.test'], root: '/srv/www' },
      redirects: [{ match: '^/old$', to: '/new', status: 301 }],
      headers: [{ name: 'X-A', value: '1' }],
    },
  ],
})

describe('what farmstead-node says of URLs', () => {
  it('is read of the real one', async () => {
    const explain = createNodeExplain({ binary: nodeBinary })
    const urls = ['http://a.test/', 'http://a.test/old', 'http://b.test/', 'http://a.test/#x']
    expect(await explain(TEXT, urls)).toMatchObject({
      verdict: 'explained',
      urls: [
        { url: urls[0], status: 200, files: ['/srv/www/index.html'], rules: [] },
        { url: urls[1], status: 301, location: '/new', rules: ['/sites/0/redirects/0'] },
        { url: urls[2], status: 421, headers: [] },
        { url: urls[3], error: expect.stringContaining('fragment') },
      ],
    })
    expect(await explain('{"sites": 1}', urls)).toEqual({ verdict: 'refused' })
  })

  it('is asked for without an argument that others could see', async () => {
    const dir = tempDir()
    const found = '{"url":"http://a.test/","error":"no"}'
    const binary = program(dir, `echo "$@" > ${dir}/args; cat > ${dir}/input; echo '[${found}]'`)
    await createNodeExplain({ binary })(TEXT, ['http://a.test/'])
    expect(readFileSync(join(dir, 'args'), 'utf8')).toBe('explain --json --text-only -\n')
    expect(readFileSync(join(dir, 'input'), 'utf8')).toBe(`http://a.test/\n\n${TEXT}`)
  })

  it('shares the bounds of who asks the same binary other things', async () => {
    const dir = tempDir()
    const binary = program(
      dir,
      `mkdir ${dir}/$$; ls -d ${dir}/*/ | wc -l >> ${dir}/most; sleep 0.05; rmdir ${dir}/$$; echo '[]'`,
    )
    const ask = createAskBinary({ binary, concurrency: 2 })
    const [check, explain] = [createNodeCheck({ binary }, ask), createNodeExplain({ binary }, ask)]
    await Promise.all([1, 2, 3, 4].flatMap(() => [check('{}'), explain(TEXT, ['http://a.test/'])]))
    const running = readFileSync(join(dir, 'most'), 'utf8').trim().split('\n').map(Number)
    expect(running).toHaveLength(8)
    expect(Math.max(...running)).toBeLessThanOrEqual(2)
  })

  it.each([
    ['does not know the command', 'exit 2', 'exit code 2'],
    ['answers in another form', `echo '[{"url":"x"}]'`, 'does not know'],
    ['leaves one out', "echo '[]'", 'does not know'],
  ])('is not known when it %s', async (_, script, why) => {
    const binary = program(tempDir(), script)
    const result = await createNodeExplain({ binary })(TEXT, ['http://a.test/'])
    expect(result).toEqual({ verdict: 'unavailable', message: expect.stringContaining(why) })
  })
})
