// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Load, runInLanes } from '../testing/lanes.mjs'

type Check = { title: string; load: Load; after?: string; isFull?: boolean }

/** Runs them, each until the test ends it, and notes what was running when one was over. */
function started(checks: Check[]) {
  const ends = new Map<string, () => void>()
  const overs: string[] = []
  const waits: boolean[] = []
  const done = runInLanes(checks, {
    run: ({ title }) =>
      new Promise<string>((resolve) => {
        ends.set(title, () => {
          ends.delete(title)
          resolve(`${title} ended`)
        })
      }),
    over: async ({ title }, result) => {
      assert.equal(result, `${title} ended`)
      overs.push([title, 'beside', ...ends.keys()].join(' '))
    },
    waitedFor: (isWaitedFor) => waits.push(isWaitedFor),
  })
  /** What begins a turn of the loop later, too. */
  const settled = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    done,
    overs,
    waits,
    running: async () => {
      await settled()
      return [...ends.keys()].sort().join(' ')
    },
    end: (title: string) => {
      const end = ends.get(title)
      assert.ok(end, `${title} is not running`)
      end()
    },
  }
}

const heavy = (title: string, after?: string): Check => ({
  title,
  load: 'heavy',
  ...(after && { after }),
})
const light = (title: string): Check => ({ title, load: 'light' })
const patient = (title: string): Check => ({ title, load: 'patient' })

test('nothing patient begins beside what is full, and what it waits for does', async () => {
  const full = { ...heavy('H', 'p'), isFull: true }
  const { done, running, end } = started([full, patient('p'), patient('q'), light('a')])
  assert.equal(await running(), 'p')
  end('p')
  assert.equal(await running(), 'H')
  end('H')
  assert.equal(await running(), 'a q')
  end('a')
  end('q')
  await done
})

test('heavy ones are alone, light ones two at a time after them, patient ones beside all', async () => {
  const { done, overs, running, end } = started([
    light('a'),
    patient('p'),
    heavy('H'),
    light('b'),
    patient('q'),
    heavy('I'),
    light('c'),
  ])
  assert.equal(await running(), 'H p')
  end('H')
  assert.equal(await running(), 'I p')
  end('p')
  assert.equal(await running(), 'I q')
  end('I')
  assert.equal(await running(), 'a b q')
  end('a')
  assert.equal(await running(), 'b c q')
  end('b')
  end('q')
  assert.equal(await running(), 'c')
  end('c')
  await done
  // What fell is tried again then: with nothing beside it but what takes nothing of it.
  assert.deepEqual(overs, [
    'H beside p',
    'p beside q',
    'I beside q',
    'a beside',
    'b beside',
    'q beside',
    'c beside',
  ])
})

test('what needs another waits for its end; what it needs need not be there', async () => {
  const { done, running, end, waits } = started([
    heavy('tests', 'build'),
    patient('build'),
    heavy('tests again', 'build'),
    heavy('more', 'nothing'),
  ])
  assert.equal(await running(), 'build')
  assert.deepEqual(waits, [true])
  end('build')
  assert.equal(await running(), 'tests')
  assert.deepEqual(waits, [true, false])
  end('tests')
  assert.equal(await running(), 'tests again')
  end('tests again')
  assert.equal(await running(), 'more')
  assert.deepEqual(waits, [true, false])
  end('more')
  await done
})
