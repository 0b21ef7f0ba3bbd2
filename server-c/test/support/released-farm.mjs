// SPDX-License-Identifier: MIT
// A node of which one site serves the release `www`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { servingFarm } from './serving-farm.mjs'

/** Of a site whose release is `www`. */
const released = (node, version, overrides = {}) => ({
  ...node.config(version),
  sites: [
    {
      hosts: ['*'],
      release: 'www',
      headers: [{ action: 'set', name: 'X-Version', value: version }],
    },
  ],
  ...overrides,
})

export const read = async (node, path, headers = {}) => {
  const answer = await fetch(`http://127.0.0.1:${node.port}${path}`, { headers })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** A node that serves nothing yet, and its control plane's releases. */
export async function releasedFarm(t, own) {
  const { control, node } = await servingFarm(t, own)
  const { releases } = control
  // What the machine's owner lets configs serve is elsewhere.
  writePolicy(node.policy, policyFor([join(node.dir, 'www')]))
  const assign = (release, version = 'r', overrides = {}) => {
    const config = released(node, version, overrides)
    const { generation } = control.assign(config, {}, undefined, release ? [release] : undefined)
    if (!node.pid) node.start()
    return generation
  }
  const serve = async (release, version, overrides) => {
    const generation = assign(release, version, overrides)
    await node.untilConfirmed(generation)
    return generation
  }
  const refused = async (release, overrides) => {
    const generation = assign(release, 'refused', overrides)
    const [nack] = await control.until(
      'nack',
      () => control.of('nack', generation)[0] && control.of('nack', generation),
    )
    return nack.body
  }
  const stored = () => {
    const contents = join(node.state, 'releases/contents')
    return readdirSync(contents).flatMap((folder) => readdirSync(join(contents, folder)))
  }
  const trees = () => readdirSync(join(node.state, 'releases/trees'))
  return { control, node, releases, assign, serve, refused, stored, trees }
}
