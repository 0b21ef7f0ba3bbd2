// SPDX-License-Identifier: MIT
// What a rollout of a version would do, node by node: rendered with each node's override, and checked
// as each node would check it.
import { sha256 } from '../../ids.ts'
import type { ConfigError } from '../../schema/common.ts'
import {
  activeNodes,
  type FleetNode,
  latestAssignments,
  type Reader,
  versionOfDigest,
} from './store.ts'

/** The version as one node would get it. */
export type Checked = {
  text: string
  digest: string | null
  errors: ConfigError[]
  unavailable: string | null
}
export type CheckForNode = (
  versionText: string,
  mergePatch: Record<string, unknown>,
) => Promise<Checked>

export type PlannedNode = Checked & {
  node: FleetNode
  textId: string
  /** The generation that brought what it runs, when the rollout has nothing to change on it. */
  settledGeneration: number | null
  fromVersion: number | null
}

type Deps = { db: Reader; checkForNode: CheckForNode }
type Version = { config: string; text: string }

export async function planRollout(
  { db, checkForNode }: Deps,
  { config, text }: Version,
): Promise<PlannedNode[]> {
  const nodes = await activeNodes(db)
  const assigned = await latestAssignments(db)
  const checks = new Map<string, Checked>()
  const planned: PlannedNode[] = []
  for (const node of nodes) {
    // Nodes with the same override share one check. One at a time: editors are waiting for theirs.
    const checked =
      checks.get(node.merge_patch) ?? (await checkForNode(text, JSON.parse(node.merge_patch)))
    checks.set(node.merge_patch, checked)
    const running: string | null =
      node.effective === null ? null : JSON.parse(node.effective).digest
    const latest = assigned.get(node.id)
    // Unconfirmed, it may yet go back by itself.
    const isSettled =
      checked.digest !== null &&
      running === checked.digest &&
      latest?.digest === running &&
      latest.state === 'confirmed'
    planned.push({
      ...checked,
      node,
      textId: sha256(checked.text),
      settledGeneration: isSettled ? (latest?.generation ?? null) : null,
      fromVersion: running === null ? null : await versionOfDigest(db, node.id, running, config),
    })
  }
  return planned
}

/** Whether the fleet is still the one that was planned for. */
export function isSameFleet(planned: readonly PlannedNode[], nodes: readonly FleetNode[]): boolean {
  const key = (list: readonly FleetNode[]) =>
    list
      .map((node) => `${node.id}:${node.revision}`)
      .sort()
      .join()
  return key(planned.map(({ node }) => node)) === key(nodes)
}
