// SPDX-License-Identifier: MIT
// A farm whose nodes have joined, with a first version, for farmctl to roll out.
import { type Farmctl, farmctl, joinNode, siteText } from './helper.ts'

export async function farmOf(...names: string[]) {
  const farm = await farmctl()
  farm.file('default.jsonc', siteText(8101))
  await farm.run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'The first'])
  const nodes = []
  for (const name of names) nodes.push(await joinNode(farm, name))
  return { farm, nodes }
}

const OTHER_WAYS = ['--waves', '--strategy', '--emergency']
/** To all at once, unless the test is of another way. */
const howOf = (said: readonly string[]) =>
  said.some((word) => OTHER_WAYS.includes(word)) ? [] : ['--at-once']
export const start = ({ run }: Farmctl, ...more: string[]) =>
  run(['rollout', 'start', 'default', '--yes', ...howOf(more), ...more])
