// SPDX-License-Identifier: MIT
// Texts whose sites nobody has kept are read one after the other, and who asks meanwhile hears how many are left.
import { expect, it, vi } from 'vitest'
import { type ConfigVersion, createSiteReading } from '../../../src/features/sites/reading.ts'

const versions = (...configs: string[]) => configs.map((config) => ({ config, version: 1 }))

function reading({ isHeld = (): boolean => false } = {}) {
  const unread = versions('a', 'b', 'c')
  const kept: string[] = []
  const failing = new Set<string>()
  let hold: Promise<void> | null = null
  const onError = vi.fn<(error: unknown, of: ConfigVersion) => void>()
  const isUnread = ({ config }: ConfigVersion) => !kept.includes(config)
  const reader = createSiteReading({
    unreadNewest: async () => unread.filter(isUnread),
    unreadOf: async (of) => of.filter(isUnread),
    textOf: async ({ config }) => (config === 'gone' ? null : config),
    sitesIn: async (text) => {
      await hold
      if (failing.has(text)) throw new Error('no room')
      return text
    },
    keep: async (_of, text) => {
      kept.push(text)
    },
    ...{ isHeld, onError },
  })
  const wait = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    return () => {
      hold = null
      resolve()
    }
  }
  return { ...reader, kept, failing, onError, wait }
}

it('reads the newest after the start, and those that are asked for besides', async () => {
  const { start, catchUp, kept } = reading()
  await start()
  expect(await catchUp(versions('old', 'gone'))).toBe(0)
  expect(kept).toEqual(['a', 'b', 'c', 'old'])
})

it('keeps nobody waiting for all of them, and says how many are left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const { start, catchUp, readNow, kept, wait } = reading()
  const release = wait()
  await start()
  const asked = catchUp([])
  await vi.advanceTimersByTimeAsync(2000)
  vi.useRealTimers()
  expect(await asked).toBe(3)
  release()
  await readNow(versions('c'))
  expect(kept).toContain('c')
  expect(await catchUp([])).toBe(0)
})

it('goes on after one that failed, and tries that again when somebody asks', async () => {
  const { start, catchUp, kept, failing, onError } = reading()
  failing.add('b')
  await start()
  expect(await catchUp([])).toBe(1)
  expect(kept).toEqual(['a', 'c'])
  expect(onError).toHaveBeenCalledWith(new Error('no room'), { config: 'b', version: 1 })
  failing.clear()
  expect(await catchUp([])).toBe(0)
  expect(kept).toEqual(['a', 'c', 'b'])
})

it('writes nothing while the disk is full, and stops with the service', async () => {
  let isFull = true
  const held = reading({ isHeld: () => isFull })
  await held.start()
  expect(await held.catchUp([])).toBe(3)
  expect(held.kept).toEqual([])
  isFull = false
  expect(await held.catchUp([])).toBe(0)
  const stopped = reading()
  const release = stopped.wait()
  await stopped.start()
  const stop = stopped.stop()
  release()
  await stop
  expect(stopped.kept).toEqual(['a'])
})
