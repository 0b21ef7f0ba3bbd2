// SPDX-License-Identifier: MIT
// Nodes that were told to run a config with releases, and say that they do.
import type { ReleaseVersion } from '../../../src/agent-protocol/messages.gen.ts'
import { about, assign, type TestNode } from '../../agents/node-client.ts'
import type { Built } from '../../helper.ts'

export const version = (name: string, number: number): ReleaseVersion => ({
  ...{ name, number },
  manifestSha256: `${name === 'www' ? 'a' : 'b'}${number}`.padEnd(64, '0'),
})
const textOf = (host: string) =>
  JSON.stringify({
    listen: [{ address: '0.0.0.0', port: 8080 }],
    sites: [{ hosts: ['*.example.org', host], release: 'www' }],
  })
const digestOf = (n: number) => `sha256:${String(n).padStart(64, '0')}`

type Told = Parameters<typeof about>[0] & { digest: string }

let texts = 0
/** Only that: it has not answered. */
export async function tell(
  service: Built,
  node: TestNode,
  releases: ReleaseVersion[],
  host = 'a.example',
): Promise<Told> {
  const digest = digestOf(++texts)
  const offer = await assign(service, { nodeId: node.id, text: textOf(host), digest, releases })
  return { generation: offer.generation, offerId: offer.offerId, digest }
}

export async function run(
  service: Built,
  node: TestNode,
  releases: ReleaseVersion[],
  host = 'a.example',
) {
  const offer = await tell(service, node, releases, host)
  const said = about(offer, offer.digest)
  await node.say('ack', said.ack)
  await node.say('result', said.applied)
  const effective = { ...said.confirm.effective, releases }
  await node.say('confirm', { ...said.confirm, effective })
  await node.report({ effective })
  return effective
}
