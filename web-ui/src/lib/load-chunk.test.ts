// SPDX-License-Identifier: MIT
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChunkDeps, loadChunk } from './load-chunk.ts'

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
