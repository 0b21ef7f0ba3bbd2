// SPDX-License-Identifier: MIT
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Change, createPresenceLine } from '../../src/agents/presence-line.ts'

test('the first is told at once, the others in their order', async () => {
  const told: string[] = []
  const tell = async (nodeId: string, change: Change) => {
    told.push(`${nodeId} ${change}`)
  }
  const { add: line } = createPresenceLine({ tell, onError: () => {} })
  for (const id of ['a', 'b', 'c']) line(id, 'disconnected')
  expect(told).toEqual(['a disconnected'])
  await setImmediate()
  line('a', 'connected')
  expect(told.length).toBeLessThan(4)
  while (told.length < 4) await setImmediate()
  expect(told.slice(1)).toEqual(['b disconnected', 'c disconnected', 'a connected'])
})

test('of many some are told in a turn of the loop', async () => {
  let told = 0
  const tell = async () => {
    told++
  }
  const { add: line } = createPresenceLine({ tell, onError: () => {} })
  for (let i = 0; i < 100; i++) line(`node ${i}`, 'disconnected')
  let turns = 0
  for (; told < 100; turns++) await setImmediate()
  expect(turns).toBeGreaterThan(2)
  expect(turns).toBeLessThan(20)
})

test('one that cannot be told is said, and holds nobody up', async () => {
  const told: string[] = []
  const failed: unknown[] = []
  const { add: line } = createPresenceLine({
    tell: async (nodeId) => {
      if (nodeId === 'a') throw new Error('no room')
      told.push(nodeId)
    },
    onError: (error, change) => failed.push([change, error]),
  })
  line('a', 'connected')
  line('b', 'connected')
  while (told.length < 1) await setImmediate()
  expect(failed).toEqual([['connected', new Error('no room')]])
})

test('when it is closed it waits for those that are being told, and tells nobody else', async () => {
  const told: string[] = []
  const { promise: isWritten, resolve: write } = Promise.withResolvers<void>()
  const line = createPresenceLine({
    tell: async (nodeId) => {
      await isWritten
      told.push(nodeId)
    },
    onError: () => {},
  })
  line.add('a', 'disconnected')
  line.add('b', 'disconnected')
  let isClosed = false
  const closed = line.close().then(() => {
    isClosed = true
  })
  line.add('c', 'disconnected')
  await setImmediate()
  expect(isClosed).toBe(false)
  write()
  await closed
  expect(told).toEqual(['a'])
})
