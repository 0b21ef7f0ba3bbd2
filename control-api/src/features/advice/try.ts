// SPDX-License-Identifier: MIT
// Advice tried on one node: one value of its config is changed, saved as a version, and rolled out to that node alone, with a gate
// on just what the advice is about. What it proves is not released, for the order names its node.
import { type Scope, WholeFarmRequired } from '../../access/scope.ts'
import { defineError } from '../../api-shapes/errors.ts'
import type { Change } from './schema.ts'

export const NothingToTry = defineError(
  409,
  'nothing_to_try',
  'There is nothing to try now',
  (rule: string, why: string) =>
    `${why} See GET /nodes/{id}/advice for what "${rule}" says at present.`,
)
export const SetElsewhere = defineError(
  409,
  'set_elsewhere',
  'The value is not from the config',
  (pointer: string) =>
    `An override of the node or of its group says what ${pointer} is: change it there.`,
)
export const NotTheLatest = defineError(
  409,
  'not_the_latest',
  'The config has moved on',
  (config: string, running: number, latest: number) =>
    `The node runs version ${running} of ${config}, and version ${latest} is the latest: roll that out first, or change the value in it by hand.`,
)
export const NodeIsTaken = defineError(
  409,
  'node_is_taken',
  'A rollout has the node',
  (rolloutId: string) =>
    `${rolloutId} is not over for this node, be it an earlier trial: wait for its end.`,
)
export const TRY_ERRORS = [NodeIsTaken, NothingToTry, SetElsewhere, NotTheLatest, WholeFarmRequired]

type Version = { config: string; version: number }
type Saving = { config: string; text: string; parent: number; author: string; message: string }
type Strategy = {
  gates: [{ metric: Change['gate']['metric']; max: number; onFail: 'revert' }]
  minSamples: number
  minHealthySeconds: number
  soakSeconds: number
  maxSoakSeconds: number
}
type Order = Version & {
  selector: string
  nodes: string[]
  scope: Scope
  message: string
  author: { id: string | null; username: string }
  strategy: Strategy
}
export type TryDeps = {
  /** What the node runs; null: nothing that it was given. */
  runningOn: (nodeId: string) => Promise<{ nodeName: string; running: Version | null }>
  textOf: (version: Version) => Promise<string | null>
  latestOf: (config: string) => Promise<{ number: number; text: string } | null>
  withValue: (text: string, pointer: string, value: number) => string
  /** As the node gets the text; its default when it does not say. */
  valueOn: (nodeId: string, text: string, pointer: string) => Promise<unknown>
  save: (version: Saving) => Promise<number>
  /** That is not over for this node; null: none is. */
  rolloutOn: (nodeId: string) => Promise<string | null>
  order: (order: Order) => Promise<string>
}

/**
 * What the node did before is remembered for two minutes, and is compared with: soaking must be over while much of it is there.
 * The others are careful as always.
 */
const SOAK = { minHealthySeconds: 5, soakSeconds: 40, maxSoakSeconds: 70, minSamples: 100 }

type Trial = {
  nodeId: string
  rule: string
  change: Change
  author: Order['author']
}

/** A version that was saved for an order that was then refused is taken again. */
export async function tryChange(deps: TryDeps, { nodeId, rule, change, author }: Trial) {
  const { pointer, times, most, gate } = change
  const { nodeName, running } = await deps.runningOn(nodeId)
  const before = running && (await deps.textOf(running))
  if (!running || before === null) {
    throw new NothingToTry(rule, 'The node runs no version of a config that it was given.')
  }
  const from = change.now ?? (await deps.valueOn(nodeId, before, pointer))
  if (typeof from !== 'number') throw new SetElsewhere(pointer)
  const to = Math.min(most, from * times)
  if (to === from) throw new NothingToTry(rule, `${pointer} is ${most}, the most there may be.`)
  const text = deps.withValue(before, pointer, to)
  if ((await deps.valueOn(nodeId, text, pointer)) !== to) throw new SetElsewhere(pointer)
  const { config } = running
  const message = `Try ${pointer} ${to} in place of ${from} on ${nodeName}`
  const version = await saved(deps, running, { text, author: author.username, message })
  const order = {
    ...{ config, version, selector: '', nodes: [nodeId], scope: null, message, author },
    strategy: { gates: [{ ...gate, onFail: 'revert' }], ...SOAK },
  } satisfies Order
  return { config, version, pointer, from, to, rolloutId: await deps.order(order) }
}

type Said = Pick<Saving, 'text' | 'author' | 'message'>

async function saved({ latestOf, save }: TryDeps, { config, version }: Version, said: Said) {
  const latest = await latestOf(config)
  if (!latest) throw new Error(`${config} has no version: control.db is damaged`)
  if (latest.text === said.text) return latest.number
  if (latest.number !== version) throw new NotTheLatest(config, version, latest.number)
  return save({ config, parent: version, ...said })
}
