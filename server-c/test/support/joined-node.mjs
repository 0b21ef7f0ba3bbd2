// SPDX-License-Identifier: MIT
// A node that has joined a control plane of its own and does not run yet.
import assert from 'node:assert/strict'
import { AgentNode } from './agent-node.mjs'
import { FakeControlPlane } from './fake-control-plane.mjs'

/** leave() ends both; it fails when the node said anything that the protocol does not allow. */
export async function joinNode(control = new FakeControlPlane()) {
  await control.start()
  const node = await AgentNode.join(control)
  const leave = async () => {
    await node.dispose()
    await control.stop()
    assert.deepEqual(control.violations, [])
  }
  return { control, node, leave }
}

/** For one test: what it starts ends with it. */
export async function joinNodeFor(t, own = new FakeControlPlane()) {
  const { control, node, leave } = await joinNode(own)
  t.after(leave)
  return { control, node }
}
