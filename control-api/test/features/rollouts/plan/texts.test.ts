// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// The texts that variables make of a version: each is checked once, some at a time, and there is a most of them.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createNodeChecks } from '../../../../src/features/configs/versions.ts'
import { readGrouping } from '../../../../src/features/groups/store.ts'
import { planRollout } from '../../../../src/features/rollouts/plan/planner.ts'
import { createPlansUnderWay } from '../../../../src/features/rollouts/plan/plans-under-way.ts'
import { openServices } from '../../../../src/process/services.ts'
import { enrol } from '../../../bench/scale.ts'
import { tempDir } from '../../../helper.ts'
import { placeOf } from '../../../postgres.ts'

const NODES = 40
const EACH_ITS_OWN = '{"n": "${node.name}"}'
const ORDER = { config: 'default', selector: [], nodeIds: undefined, excludeKinds: [] }

async function farm() {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  const ids = Array.from({ length: NODES }, (_, i) => `node_${String(i).padStart(26, '0')}`)
  await enrol(services, ids)
  const { db } = services
  const asked: string[] = []
  let now = 0
  let most = 0
  const validate = async (text: string) => {
    asked.push(text)
    most = Math.max(most, ++now)
    await sleep(5)
    now--
    return { ok: true as const, digest: text, errors: [] as [] }
  }
  return {
    plan: (text: string, more?: Parameters<typeof planRollout>[2]) => {
      const deps = {
        db,
        readGrouping,
        checkFor: (one: string) => createNodeChecks({ db, validate }, one),
      }
      return planRollout(deps, { ...ORDER, text }, more)
    },
    asked,
    most: () => most,
  }
}

test('as many are checked at once as there are processors', async () => {
  const { plan, asked, most } = await farm()
  const { nodes } = await plan(EACH_ITS_OWN)
  expect(new Set(nodes.map(({ textId }) => textId)).size).toBe(NODES)
  expect(asked).toHaveLength(NODES)
  expect(most()).toBe(availableParallelism())
})

test('what nodes share is checked once, also when several ask at once', async () => {
  const { plan, asked } = await farm()
  await plan('{"n": "the same"}')
  expect(asked).toHaveLength(1)
})

test('too many are refused with how many may be, before one is checked', async () => {
  const { plan, asked } = await farm()
  const few = plan(EACH_ITS_OWN, { most: { texts: NODES - 1 } })
  await expect(few).rejects.toThrow(`more than ${NODES - 1} different texts`)
  expect(asked).toEqual([])
  expect((await plan(EACH_ITS_OWN, { most: { texts: NODES } })).nodes).toHaveLength(NODES)
})

test('so are few that are long together: the plan would hold them all', async () => {
  const { plan, asked } = await farm()
  const characters = EACH_ITS_OWN.length * NODES
  const long = plan(`${EACH_ITS_OWN}${' '.repeat(characters / 2)}`, { most: { characters } })
  await expect(long).rejects.toThrow(`more than ${characters} characters in all`)
  expect(asked).toEqual([])
  const same = plan(`{"n": "the same"}${' '.repeat(characters / 2)}`, { most: { characters } })
  expect((await same).nodes).toHaveLength(NODES)
})

const about = { config: 'default', version: 1, purpose: 'plan' as const, now: 0 }

test('who waits is told how many of how many are checked, and nobody else', async () => {
  const { plan, asked } = await farm()
  const underWay = createPlansUnderWay()
  const making = underWay.follow({ ...about, owner: 'ana' }, (following) =>
    plan(EACH_ITS_OWN, { following }),
  )
  expect(underWay.of('ana')).toMatchObject([{ texts: null, checkedTexts: 0 }])
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(5))
  const [seen] = underWay.of('ana')
  expect(seen).toMatchObject({ texts: NODES, since: '1970-01-01T00:00:00.000Z' })
  expect(seen?.checkedTexts).toBeGreaterThan(0)
  expect(seen?.checkedTexts).toBeLessThanOrEqual(asked.length)
  expect(underWay.of('ben')).toEqual([])
  await making
  expect(underWay.of('ana')).toEqual([])
})

test('what is stopped asks of no further text, and what nobody waits for neither', async () => {
  const { plan, asked } = await farm()
  const underWay = createPlansUnderWay()
  const gone = new AbortController()
  const begin = () =>
    underWay.follow(
      { ...about, owner: 'ana' },
      (following) => plan(EACH_ITS_OWN, { following }),
      gone.signal,
    )
  const stopped = expect(begin()).rejects.toThrow('You stopped it')
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2))
  const [{ id } = { id: '' }] = underWay.of('ana')
  expect(underWay.stop('ben', id)).toBe(false)
  expect(underWay.stop('ana', id)).toBe(true)
  await stopped
  expect(underWay.stop('ana', id)).toBe(false)
  const { length } = asked
  expect(length).toBeLessThan(NODES)
  const left = expect(begin()).rejects.toThrow()
  gone.abort()
  await left
  expect(asked).toHaveLength(length)
})
