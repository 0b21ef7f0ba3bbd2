// SPDX-License-Identifier: MIT
// The plan of many files: every file's errors are told, not only the first's.
import type { Api } from '../api.ts'
import type { Node } from '../api-types.ts'
import { EXIT } from '../exit-codes.ts'
import { ApiError, explain, Failure } from '../failures.ts'
import { resourceOf } from '../resources.ts'
import { planConfig } from './configs.ts'
import { allGroups, planGroup, planOrder, planRemoval } from './groups.ts'
import type { Folder, Kind, Manifest } from './manifests.ts'
import { planNode, planNodeOfFolder } from './nodes.ts'
import type { Step } from './steps.ts'

export type World = { api: Api; nodes: readonly Node[]; message: () => string; prune: boolean }

export async function planAll(world: World, folder: Folder): Promise<Step[]> {
  const plan = new Plan()
  const of = (kind: Kind) => folder.manifests.filter((one) => one.kind === kind)
  await plan.add(of('config'), (manifest) => planConfig(world, manifest))
  // A group may name a config that is made here, and a node may be in a group that is.
  const coming = new Set(plan.steps.filter(isNew).map(({ name }) => name))
  await plan.add(of('group'), (manifest) => planGroup({ ...world, coming }, manifest))
  plan.addSteps(world.prune ? await planPruning(world, folder) : [])
  if (of('group-order').length > 0) {
    const left = groupsLeft(
      (await allGroups(world.api)).map(({ name }) => name),
      plan.steps,
    )
    await plan.add(of('group-order'), (manifest) => planOrder(world.api, manifest, left))
  }
  const planOneNode = folder.whole.has('node') ? planNodeOfFolder : planNode
  await plan.add(of('node'), (manifest) => planOneNode(world, manifest))
  return plan.done()
}

const isNew = ({ action }: Step) => action === 'create'

class Plan {
  readonly steps: Step[] = []
  readonly #refused: string[] = []

  async add(manifests: readonly Manifest[], planOne: (manifest: Manifest) => Promise<Step>) {
    for (const manifest of manifests) {
      try {
        this.steps.push(await planOne(manifest))
      } catch (error) {
        if (!isAboutText(error)) throw error
        this.#refused.push(explain(error))
      }
    }
  }

  addSteps(steps: readonly Step[]): void {
    this.steps.push(...steps)
  }

  done(): Step[] {
    if (this.#refused.length === 0) return this.steps
    throw new Failure(`${this.#refused.join('\n')}\nNothing was done.`, EXIT.rejected)
  }
}

/** Of one file: the others have their own. */
const isAboutText = (error: unknown) =>
  error instanceof Failure || (error instanceof ApiError && error.status === 422)

/** What the folder does not have, where it has the whole of a kind. */
async function planPruning(world: World, { manifests, whole }: Folder): Promise<Step[]> {
  const missing = async (kind: Kind, names: () => Promise<string[]>) => {
    if (!whole.has(kind)) return []
    const here = new Set(manifests.filter((one) => one.kind === kind).map(({ name }) => name))
    return (await names()).filter((name) => !here.has(name))
  }
  const { api, nodes } = world
  const groups = await missing('group', async () =>
    (await allGroups(api)).filter(({ isDefault }) => !isDefault).map(({ name }) => name),
  )
  const configs = await missing('config', () => configNames(api))
  const others = await missing('node', async () => nodes.map(({ name }) => name))
  const removals: Step[] = []
  for (const name of groups) removals.push(await planRemoval(api, name))
  return [
    ...removals,
    ...configs.map((name) => kept('config', name, `farmctl config remove ${name}`)),
    ...others.map((name) => kept('node', name, `farmctl nodes decommission ${name}`)),
  ]
}

async function configNames(api: Api): Promise<string[]> {
  const { list, nameOf } = resourceOf('configs')
  const names: string[] = []
  const query = { selector: '', of: undefined, limit: undefined }
  for await (const config of list(api, query)) names.push(nameOf(config))
  return names
}

/** History and machines do not go with a file. */
const kept = (kind: Kind, name: string, command: string): Step => ({
  kind,
  name,
  file: null,
  action: 'kept',
  diff: [],
  notes: [`It has no file, and stays. To remove it: ${command}`],
  run: null,
})

/** Without the default group, which has no place. */
function groupsLeft(now: readonly string[], steps: readonly Step[]): string[] {
  const ofGroups = steps.filter(({ kind }) => kind === 'group')
  const gone = new Set(ofGroups.filter(({ action }) => action === 'delete').map(({ name }) => name))
  const made = ofGroups.filter(isNew).map(({ name }) => name)
  return [...now.slice(0, -1).filter((name) => !gone.has(name)), ...made]
}
