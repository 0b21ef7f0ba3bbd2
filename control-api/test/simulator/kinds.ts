// SPDX-License-Identifier: MIT
// Nodes of the simulation have names that sort as their numbers do, as the ids of the service do. They are of two kinds, by their number: one has an older version of the server.
export const nameOf = (number: number) => `n${String(number).padStart(3, '0')}`

const versionOf = (nodeId: string) => (Number(nodeId.slice(1)) % 2 === 0 ? '0.2.0' : '0.1.0')

export const hostOf = (nodeId: string) => ({
  version: versionOf(nodeId),
  os: 'linux',
  arch: 'x86_64',
})

/** As the planner has it. */
export const kindOf = (nodeId: string) => `linux · ${versionOf(nodeId)}`
