// SPDX-License-Identifier: MIT
// Nodes of the simulation are of two kinds, by their number: one has an older version of the server.
const versionOf = (nodeId: string) => (Number(nodeId.slice(1)) % 2 === 0 ? '0.2.0' : '0.1.0')

export const hostOf = (nodeId: string) => ({
  version: versionOf(nodeId),
  os: 'linux',
  arch: 'x86_64',
})

/** As the planner has it. */
export const kindOf = (nodeId: string) => `linux · ${versionOf(nodeId)}`
