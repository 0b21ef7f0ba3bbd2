// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// The texts that variables make of a version: each is checked once, some at a time, and there is a most of them.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createNodeChecks } from '../../../../src/features/configs/versions.ts'
import { readGrouping } from '../../../../src/features/groups/store.ts'
import { planRollout } from '../../../../src/features/rollouts/plan/planner.ts'
import { openServices } from '../../../../src/process/services.ts'
import { enrol } from '../../../bench/scale.ts'
import { tempDir } from '../../../helper.ts'

const NODES = 40
const ORDER = { config: 'default', selector: [], nodeIds: undefined, excludeKinds: [] }

async function farm() {
  const services = await openServices({ dataDir: tempDir() })
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
    plan: (text: string, mostTexts?: number) => {
      const deps = {
        db,
        readGrouping,
        checkFor: (one: string) => createNodeChecks({ db, validate }, one),
      }
      return planRollout(deps, { ...ORDER, text }, mostTexts)
    },
    asked,
    most: () => most,
  }
}

test('as many are checked at once as there are processors', async () => {
  const { plan, asked, most } = await farm()
  const { nodes } = await plan('{"n": "${node.name}"}')
  expect(new Set(nodes.map(({ textId }) => textId)).size).toBe(NODES)
  expect(asked).toHaveLength(NODES)
  expect(most()).toBe(availableParallelism())
})

test('what nodes share is checked once, also when several ask at once', async () => {
  const { plan, asked } = await farm()
  await plan('{"n": "the same"}')
  expect(asked).toHaveLength(1)
})

test('too many are refused with how many may be', async () => {
  const { plan } = await farm()
  const text = '{"n": "${node.name}"}'
  expect((await plan(text, NODES)).nodes).toHaveLength(NODES)
  await expect(plan(text, NODES - 1)).rejects.toThrow(`more than ${NODES - 1} different texts`)
})
