// SPDX-License-Identifier: MIT
// From nothing to a first change, a first careful rollout and a first way back. What is done the farm itself says. Pure.
import { t } from '../../languages/t.ts'
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
    title: t('Add a node'),
    why: t('A one-time token, and one command on the machine that is to serve.'),
    to: '/enrolment',
    link: t('Add a node'),
    isDone: farm.nodes.total > 0,
  },
  {
    title: t('Save a first change'),
    why: t(
      'Say in a config what is served. A saved version never changes, and nothing is served by it yet.',
    ),
    to: '/configs',
    link: t('Open the configs'),
    orElse: { to: '/import', link: t('Import the config of another server') },
    isDone: configs.some(({ latestVersion }) => latestVersion !== null),
  },
  {
    title: t('Roll it out carefully'),
    why: t(
      'A few nodes prove it before the others get it. It stops automatically where they do worse.',
    ),
    to: '/rollouts/new',
    link: t('Prepare a rollout'),
    isDone: rollouts.some(isCareful),
  },
  {
    title: t('Go back once, while all is well'),
    why: t('Choose an older version and press “Back to”. So you know the way before you need it.'),
    to: '/configs/$name/versions',
    link: t('Choose a version'),
    isDone: rollouts.some(isWayBack),
  },
]
