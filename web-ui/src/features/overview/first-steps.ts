// SPDX-License-Identifier: MIT
// From nothing to a first change, a first careful rollout and a first way back. What is done the farm itself says. Pure.
import type { Config, FarmSummary, RolloutSummary } from '../../lib/api-types.ts'

export type Step = {
  title: string
  why: string
  to: '/enrolment' | '/configs' | '/rollouts/new' | '/configs/$name/versions'
  link: string
  /** Another way to the same. */
  orElse?: { to: '/import'; link: string }
  isDone: boolean
}

export type Known = {
  farm: Pick<FarmSummary, 'nodes'>
  configs: readonly Pick<Config, 'latestVersion'>[]
  rollouts: readonly Pick<RolloutSummary, 'state' | 'strategy' | 'version' | 'previousVersion'>[]
}

const isCareful = ({ state, strategy }: Known['rollouts'][number]) =>
  state === 'succeeded' && strategy?.atOnce !== true

const isWayBack = ({ state, version, previousVersion }: Known['rollouts'][number]) =>
  state === 'reverted' ||
  (state === 'succeeded' && previousVersion !== null && version < previousVersion)

export const firstSteps = ({ farm, configs, rollouts }: Known): Step[] => [
  {
    title: 'Add a node',
    why: 'A one-time token, and one command on the machine that is to serve.',
    to: '/enrolment',
    link: 'Add a node',
    isDone: farm.nodes.total > 0,
  },
  {
    title: 'Save a first change',
    why: 'Say in a config what is served. A saved version never changes, and nothing is served by it yet.',
    to: '/configs',
    link: 'Open the configs',
    orElse: { to: '/import', link: 'Import the config of another server' },
    isDone: configs.some(({ latestVersion }) => latestVersion !== null),
  },
  {
    title: 'Roll it out carefully',
    why: 'A few nodes prove it before the others get it. It stops automatically where they do worse.',
    to: '/rollouts/new',
    link: 'Prepare a rollout',
    isDone: rollouts.some(isCareful),
  },
  {
    title: 'Go back once, while all is well',
    why: 'Choose an older version and press “Back to”. So you know the way before you need it.',
    to: '/configs/$name/versions',
    link: 'Choose a version',
    isDone: rollouts.some(isWayBack),
  },
]
