// SPDX-License-Identifier: MIT
// farmctl releases neighbours.
import { expect, test } from 'vitest'
import { FARMCTL_TEST_MS, farmctl, joinNode } from './helper.ts'

const WORDS = ['releases', 'neighbours']

test('the setting is shown and changed, part by part; a node is trusted again', {
  timeout: FARMCTL_TEST_MS,
}, async () => {
  const farm = await farmctl()
  const { run, json } = farm
  const said = async (...words: string[]) => (await run([...WORDS, ...words])).stdout
  expect(await said('get')).toMatch(/^Neighbours: off\. All nodes fetch from the control plane\.\n/)
  expect(await said('set', '--zone-label', 'zone', '--at-once', '2')).toContain('label "zone"')
  expect(await json(...WORDS, 'set', '--across-zones', 'yes')).toEqual({
    ...{ zoneLabel: 'zone', acrossZones: true, maxBytesPerSecond: null, atOnce: 2 },
  })
  const rate = ['set', '--max-bytes-per-second']
  expect(await json(...WORDS, ...rate, '20000000')).toMatchObject({ maxBytesPerSecond: 20_000_000 })
  expect(await json(...WORDS, ...rate, 'any')).toMatchObject({ maxBytesPerSecond: null })
  expect(await json(...WORDS, 'get')).toMatchObject({
    settings: { zoneLabel: 'zone' },
    now: { giving: 0, taking: 0, takenBytes: 0, distrusted: [] },
  })
  const { name } = await joinNode(farm, 'node-1')
  expect(await said('trust', name)).toBe(`${name} is named to others again.\n`)
  expect(await json(...WORDS, 'set', '--zone-label', 'off')).toMatchObject({ zoneLabel: null })
})

test.each([
  [['--across-zones', 'maybe'], 'neither yes nor no'],
  [['--at-once', 'two'], '"two" is no number'],
  [['--at-once', '9'], '8'],
  [['--zone-label', 'Zone!'], 'zoneLabel'],
])('what is no setting is refused: %j', { timeout: FARMCTL_TEST_MS }, async (flags, why) => {
  const { run } = await farmctl()
  const { code, stderr } = await run([...WORDS, 'set', ...flags])
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
})
