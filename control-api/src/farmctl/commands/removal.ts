// SPDX-License-Identifier: MIT
// What ends: a draft that nobody wants, a config that was never rolled out.
import type { Command } from 'commander'
import { taggedBodyOf } from '../api.ts'
import { type Act, agree } from '../command.ts'
import { examples } from './examples.ts'

type Sure = { yes?: boolean }

export function registerRemoval(config: Command, act: Act): void {
  const discard = config
    .command('discard')
    .description('let the draft go: it becomes the latest version’s text again')
    .argument('<config>', 'its name')
    .option('-y, --yes', 'do not ask')
  examples(discard, ['farmctl config discard default'])
  act<Sure>(discard, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { name }
    const { etag } = await taggedBodyOf(
      api.GET('/api/v1/configs/{name}/draft', { params: { path } }),
    )
    await agree(tool, yes, `Let the draft of ${name} go?`)
    const params = { path, header: { 'if-match': etag } }
    await api.DELETE('/api/v1/configs/{name}/draft', { params })
    tool.show({ config: name, discarded: true }, () => [`The draft of ${name} is gone.`])
  })

  const remove = config
    .command('remove')
    .description('remove a config; one that was ever rolled out is kept for ever')
    .argument('<config>', 'its name')
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl config remove old-site'])
  act<Sure>(remove, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { name }
    const { etag } = await taggedBodyOf(api.GET('/api/v1/configs/{name}', { params: { path } }))
    await agree(tool, yes, `Remove ${name} with all its versions?`)
    const params = { path, header: { 'if-match': etag } }
    await api.DELETE('/api/v1/configs/{name}', { params })
    tool.show({ removed: name }, () => [`${name} is removed.`])
  })
}
