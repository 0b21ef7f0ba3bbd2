// SPDX-License-Identifier: MIT
import { joinNodeFor } from './joined-node.mjs'

/** A control plane with one node. */
export async function servingFarm(t, own) {
  const { control, node } = await joinNodeFor(t, own)
  /** `version` is served, confirmed, as the next generation. */
  const serving = async (version) => {
    const assigned = control.assign(node.config(version))
    if (!node.pid) node.start()
    await node.untilVersion(version)
    await node.untilConfirmed(assigned.generation)
    return assigned
  }
  return { control, node, serving }
}
