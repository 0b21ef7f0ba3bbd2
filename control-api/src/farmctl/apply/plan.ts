// SPDX-License-Identifier: MIT
// The plan of many files: every file's errors are told, not only the first's.
import type { Api } from '../api.ts'
import type { Node } from '../api-types.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { planConfig } from './configs.ts'
import type { Folder, Kind, Manifest } from './manifests.ts'
import { planNode } from './nodes.ts'
import type { Step } from './steps.ts'

export type World = { api: Api; nodes: readonly Node[]; message: () => string }

/** A group may name a config that is made here, and a node may be in a group that is. */
const ORDER: readonly Kind[] = ['config', 'group', 'node']
const PLANNERS: Partial<Record<Kind, (world: World, manifest: Manifest) => Promise<Step>>> = {
  config: planConfig,
  node: planNode,
}

export async function planAll(world: World, { manifests }: Folder): Promise<Step[]> {
  const steps: Step[] = []
  const refused: string[] = []
  for (const manifest of ORDER.flatMap((kind) => manifests.filter((one) => one.kind === kind))) {
    try {
      const step = await PLANNERS[manifest.kind]?.(world, manifest)
      if (step) steps.push(step)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refused.push(error.message)
    }
  }
  if (refused.length > 0)
    throw new Failure(`${refused.join('\n')}\nNothing was done.`, EXIT.rejected)
  return steps
}
