// SPDX-License-Identifier: MIT
import { expect, onTestFinished, test } from 'vitest'
import { MAX_QUEUE, startTextWork } from '../../../src/features/configs/text-work.ts'

function start() {
  const work = startTextWork()
  onTestFinished(work.close)
  return work
}

test('the event loop goes on while a text of a megabyte is read', async () => {
  const work = start()
  await work.examine('{}')
  let turns = 0
  const count = () => {
    turns++
    running = setImmediate(count)
  }
  let running = setImmediate(count)
  const { digest, errors } = await work.examine(`{"sites":[${'0,'.repeat(500_000)}0]}`)
  clearImmediate(running)
  expect(digest).toMatch(/^sha256:/)
  expect(errors.length).toBeGreaterThan(0)
  // Read on this thread, it would be one.
  expect(turns).toBeGreaterThan(10)
})

test('a text that is read elsewhere is read as it would be here', async () => {
  const work = start()
  const from = '{ "__proto__": 1, "sites": [] }'
  const to = `{ "sites": [{ "hosts": ["a"], "root": "/\${node.name}" }], "__proto__": 2 }`
  const { changes, hunks } = await work.compare({ from, to, contextLines: 3 })
  expect(changes?.map(({ pointer }) => pointer)).toEqual(['/__proto__', '/sites/0'])
  expect(hunks).toHaveLength(1)
  expect(await work.compare({ from: null, to: '{', contextLines: 3 })).toMatchObject({
    changes: null,
  })
  expect(await work.sampleOf(to)).toContain('"/x1"')
  expect(await work.sampleOf('{')).toBeNull()
})

test('no more texts wait for a thread than are read soon; the next is refused', async () => {
  const work = start()
  const asked = Array.from({ length: MAX_QUEUE + 20 }, () => work.sampleOf('{}'))
  const answers = await Promise.allSettled(asked)
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(MAX_QUEUE)
  expect(refused[0]).toMatchObject({ reason: { statusCode: 503, code: 'overloaded' } })
  // What waited has been read, and the next is taken again.
  expect(await work.sampleOf('{}')).toBe('{}')
})
