// SPDX-License-Identifier: MIT
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChunkDeps, loadAhead, loadChunk, part } from './load-chunk.ts'

const deps = (answers: boolean[]) => ({
  isReachable: vi.fn(async () => answers.shift() ?? true),
  wait: vi.fn(async () => {}),
  reload: vi.fn(),
})
const failing = (times: number) => {
  let left = times
  return vi.fn(async () => {
    if (left-- > 0) throw new TypeError('Failed to fetch dynamically imported module')
    return 'loaded'
  })
}

beforeEach(() => sessionStorage.clear())

describe('a part of the console', () => {
  test('that cannot be loaded while the control plane is away is loaded when it is back', async () => {
    const given = deps([false, false, true])
    await expect(loadChunk(failing(1), given)).resolves.toBe('loaded')
    expect(given.wait).toHaveBeenCalledTimes(2)
    expect(given.reload).not.toHaveBeenCalled()
  })
  test('that is gone makes the console start anew, once', async () => {
    const given: ChunkDeps = deps([])
    void loadChunk(failing(9), given)
    await vi.waitFor(() => expect(given.reload).toHaveBeenCalledTimes(1))
    await expect(loadChunk(failing(9), given)).rejects.toThrow('Failed to fetch')
    expect(given.reload).toHaveBeenCalledTimes(1)
  })
})

describe('the parts that a link leads to', () => {
  /** Idle when the test says. */
  function idle() {
    const waiting: (() => void)[] = []
    const state = { isBusy: false }
    const deps = {
      whenIdle: (then: () => void) => void waiting.push(then),
      isBusy: () => state.isBusy,
    }
    const next = async () => {
      for (const then of waiting.splice(0)) then()
      await new Promise((resolve) => setTimeout(resolve))
    }
    const isOver = () => waiting.length === 0
    return { deps, state, next, isOver }
  }
  const named = (loaded: string[], name: string) => async () => void loaded.push(name)

  test('are loaded one after the other when there is nothing else to do', async () => {
    const [loaded, parts] = [[] as string[], new Set<() => Promise<unknown>>()]
    part(named(loaded, 'first'), parts)
    part(async () => {
      loaded.push('second')
      part(named(loaded, 'what the second leads to'), parts)
    }, parts)
    const { deps, state, next, isOver } = idle()
    loadAhead(deps, parts)
    expect(loaded).toEqual([])
    await next()
    expect(loaded).toEqual(['first'])
    state.isBusy = true
    await next()
    expect(loaded).toEqual(['first'])
    state.isBusy = false
    await next()
    await next()
    expect(loaded).toEqual(['first', 'second', 'what the second leads to'])
    await next()
    expect(isOver()).toBe(true)
  })

  test('are loaded by who asks when one did not come before, and nothing starts anew for it', async () => {
    const [loaded, parts] = [[] as string[], new Set<() => Promise<unknown>>()]
    const isAsked = part(failing(1), parts)
    part(named(loaded, 'the next'), parts)
    const { deps, next, isOver } = idle()
    loadAhead(deps, parts)
    await next()
    expect([loaded, isOver()]).toEqual([[], true])
    await expect(isAsked()).resolves.toBe('loaded')
    const again = idle()
    loadAhead(again.deps, parts)
    await again.next()
    expect(loaded).toEqual(['the next'])
  })

  test('are not loaded for who has signed out', async () => {
    const [loaded, parts] = [[] as string[], new Set<() => Promise<unknown>>()]
    part(named(loaded, 'first'), parts)
    const { deps, next, isOver } = idle()
    const stop = loadAhead(deps, parts)
    stop()
    await next()
    expect([loaded, isOver()]).toEqual([[], true])
  })
})
