// SPDX-License-Identifier: MIT
// Two real nodes of one farm, each with a control plane that says what a test wants: one gives, the other takes.
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { FakeControlPlane } from './fake-control-plane.mjs'
import { FakeNeighbours } from './fake-neighbours.mjs'
import { releasedFarm } from './released-farm.mjs'

/** Control planes that are of one mind: the same authority, the same keys of passes. */
export async function neighbourFarm(t) {
  const neighbours = new FakeNeighbours()
  const first = new FakeControlPlane()
  first.neighbours = neighbours
  const giver = await releasedFarm(t, first)
  const second = new FakeControlPlane()
  second.neighbours = neighbours
  second.identities = first.identities
  const taker = await releasedFarm(t, second)
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  writePolicy(giver.node.policy, {
    ...policyFor([giver.node.root]),
    neighbours: { listen: address },
  })
  return { giver, taker, neighbours, address, port, ca: first.identities.authorities[0] }
}

/** The last that a node said of what it gives, or undefined. */
export const saidGiving = (control) =>
  control
    .of('report')
    .map(({ body }) => body.neighbours)
    .findLast(Boolean)

/** A gauge of the last report. */
export const gauge = (control, name) => control.of('report').at(-1)?.body.gauges[name] ?? 0
