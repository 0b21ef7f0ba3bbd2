// SPDX-License-Identifier: MIT
// A version of a release to the nodes: a rollout of the config that names it, as they run it.
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { getVersion } from '../releases/versions.ts'
import { examples } from './examples.ts'
import { ordered, type StartOptions, startable, startRollout } from './rollout-start.ts'

type Options = StartOptions & { config?: string }

export function registerRollOut(releases: Command, act: Act): void {
  const rollOut = startable(ordered(releases.command('roll-out')))
    .summary('bring a version of a release to the nodes')
    .description(
      'As “rollout start --release”: of the config that names it, in the version that most nodes run, so that nothing changes but the files. Without a number: its latest version.',
    )
    .argument('<release[=version]>', 'the release’s name, and which version of it')
    .option('--config <config[@version]>', 'the config that names it; else the only one there is')
  examples(rollOut, [
    'farmctl releases roll-out www',
    'farmctl releases roll-out www=41 --config default --careful -m "new start page"',
  ])
  act<Options>(rollOut, rollOutRelease)
}

async function rollOutRelease(tool: Tool, options: Options, what = ''): Promise<void> {
  const api = tool.api()
  const [name = '', which = 'latest'] = what.split('=')
  const { number } = await getVersion(api, name, which.replace(/^v/, ''))
  const release = [`${name}=${number}`, ...(options.release ?? [])]
  const config = options.config ?? (await onlyConfig(api))
  const version = config.includes('@') ? config : await asItRuns(api, config)
  await startRollout(tool, { ...options, release }, version)
}

async function onlyConfig(api: Api): Promise<string> {
  const { items } = await bodyOf(api.GET('/api/v1/configs', { params: { query: { limit: 2 } } }))
  const [config, other] = items
  if (config === undefined) throw new Failure('There is no config yet that could name a release.')
  if (other === undefined) return config.name
  throw new Failure('There are several configs: say which names the release, with --config NAME.')
}

/** The version that most nodes run; the latest where none of the newest hundred runs. */
async function asItRuns(api: Api, name: string): Promise<string> {
  const params = { path: { name }, query: { limit: 100 } }
  const { items } = await bodyOf(api.GET('/api/v1/configs/{name}/versions', { params }))
  const [most] = items.filter(({ nodes }) => nodes > 0).toSorted((a, b) => b.nodes - a.nodes)
  return most === undefined ? name : `${name}@${most.number}`
}
