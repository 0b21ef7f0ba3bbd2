// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// Each text is asked of the real farmstead-node, so that many take a while.
// Who waits for a plan sees over the API how far it is, and stops it; others neither see nor stop it.
import { expect, test, vi } from 'vitest'
import { build } from '../../../helper.ts'
import { saveVersion, text } from '../farm.ts'
import { addLargeRollout } from '../large-rollout.ts'

const NODES = 300
const LIST = '/api/v1/rollouts/plans-under-way'

test('a dry run says how many texts are checked, and ends when it is stopped', async () => {
  const { admin, services } = await build()
  const named = text(8080).replace('/srv/www', '/srv/${node.name}')
  await saveVersion(admin, named, null)
  await addLargeRollout(services.db, NODES)
  await services.db.deleteFrom('node_tasks').execute()
  await services.db.deleteFrom('rollouts').execute()
  const [{ number } = { number: 0 }] = await services.db
    .selectFrom('config_versions')
    .select('number')
    .where('text', '=', named)
    .execute()
  const asked = admin.inject({
    ...{ method: 'POST', url: '/api/v1/rollouts?dryRun=1' },
    payload: { config: 'default', version: number },
  })
  const items = async () => (await admin.inject({ url: LIST })).json().items
  const { id, ...plan } = await vi.waitFor(async () => {
    const [first] = await items()
    expect(first?.checkedTexts).toBeGreaterThan(0)
    return first
  }, 20_000)
  expect(plan).toMatchObject({ config: 'default', purpose: 'plan', texts: NODES })
  const stop = () => admin.inject({ method: 'POST', url: `${LIST}/${id}/actions/stop` })
  expect((await stop()).statusCode).toBe(204)
  const answer = await asked
  expect([answer.statusCode, answer.json().code]).toEqual([409, 'plan_stopped'])
  expect(await items()).toEqual([])
  const again = await stop()
  expect([again.statusCode, again.json().code]).toEqual([404, 'plan_not_under_way'])
}, 60_000)
