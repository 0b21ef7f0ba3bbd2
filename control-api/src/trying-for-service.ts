// SPDX-License-Identifier: MIT
// What a trial of advice needs of configs, groups and rollouts, which know nothing of it.
import { latestGiven } from './assignments/store.ts'
import type { Deciding } from './deciding-for-service.ts'
import type { TryDeps } from './features/advice/try.ts'
import { renderForNode, valueAt, withValue } from './features/configs/render/render.ts'
import { latestVersion } from './features/configs/store.ts'
import { schemaAt } from './features/configs/text/schema-walk.ts'
import { keysOf } from './features/configs/text/text.ts'
import type { TextWork } from './features/configs/text-work.ts'
import { saveVersion } from './features/configs/versions.ts'
import { readGrouping } from './features/groups/store.ts'
import { claimsOn } from './features/rollouts/queue/store.ts'
import { WAITING } from './features/rollouts/reducer/model.ts'
import { startRollout } from './features/rollouts/start.ts'
import { targetOf } from './labels/grouping.ts'
import { activeNode } from './node-identity/store/nodes.ts'
import type { Services } from './process/services.ts'

type Deps = {
  services: Pick<Services, 'db' | 'write' | 'now'>
  deciding: Pick<Deciding, 'schema' | 'validateAuthors' | 'orders'>
  work: Pick<TextWork, 'sitesIn'>
}

export function tryingWith({ services, deciding, work }: Deps): TryDeps {
  const { db, write, now } = services
  const { schema, validateAuthors, orders } = deciding
  return {
    async runningOn(nodeId) {
      const { name } = await activeNode(db, nodeId)
      const given = await latestGiven(db, nodeId)
      const isRunning = given?.state === 'confirmed'
      const running = isRunning ? { config: given.config, version: given.version } : null
      return { nodeName: name, running }
    },
    textOf: ({ config, version }) => orders.findVersionText(config, version),
    latestOf: async (config) => (await latestVersion(db, config)) ?? null,
    withValue: (text, pointer, value) => withValue(text, keysOf(pointer), value),
    async valueOn(nodeId, text, pointer) {
      const target = targetOf(await readGrouping(db), await activeNode(db, nodeId))
      const value = renderForNode(text, target)?.value
      const said = value === undefined ? undefined : valueAt(value, keysOf(pointer))
      return said ?? schemaAt(schema, pointer)?.default
    },
    async save(version) {
      const saving = { ...version, source: 'ui' as const }
      const { sitesIn } = work
      return (await saveVersion({ write, validate: validateAuthors, sitesIn, now }, saving)).number
    },
    async rolloutOn(nodeId) {
      const [rolloutId = null] = (await claimsOn(db, [nodeId], WAITING)).rolloutIds
      return rolloutId
    },
    order: (order) => startRollout(orders, order),
  }
}
