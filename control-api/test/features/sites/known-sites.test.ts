// SPDX-License-Identifier: MIT
// Which sites there are, config by config.
import { expect, it } from 'vitest'
import { sitesIn } from '../../../src/features/configs/text/sites.ts'
import { createKnownSites, type KnownSite } from '../../../src/features/sites/known-sites.ts'
import { runningOf } from '../../../src/features/sites/running.ts'

const configs = ['a', 'b', 'c']
const newest = (config: string) => ({ config, number: 1, createdAtMs: 0 })

/** Tells which configs' texts it read. */
function ofConfigs() {
  const read: string[] = []
  const known = createKnownSites({
    newestVersions: async ({ after, limit }) =>
      configs
        .filter((config) => config > after)
        .slice(0, limit)
        .map(newest),
    newestVersion: async (config) => (configs.includes(config) ? newest(config) : undefined),
    textOf: async (config) => {
      read.push(config)
      return JSON.stringify({ sites: [{ hosts: [`${config}.example`], root: '/srv' }] })
    },
    sitesIn: async (text) => sitesIn(text),
  })
  const hosts = async (wanted?: string) => {
    const found: KnownSite[] = []
    for await (const sites of known.each(runningOf([]), wanted)) found.push(...sites)
    return found.flatMap(({ site }) => site.hosts)
  }
  return { read, hosts }
}

it('reads no other config when one is asked for', async () => {
  const { read, hosts } = ofConfigs()
  expect(await hosts('b')).toEqual(['b.example'])
  expect(read).toEqual(['b'])
  expect(await hosts('nosuch')).toEqual([])
  expect(read).toEqual(['b'])
})

it('reads the text of a version once', async () => {
  const { read, hosts } = ofConfigs()
  const all = ['a.example', 'b.example', 'c.example']
  expect(await hosts()).toEqual(all)
  expect(await hosts()).toEqual(all)
  expect(read).toEqual(configs)
})
