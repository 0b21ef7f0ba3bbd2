// SPDX-License-Identifier: MIT
// The console's pages as a large farm fills them, and what shows of each that it can be used.
import type { Locator, Page } from '@playwright/test'
import { CERTIFICATE, CONFIG, type FarmSize, type ScaleFarm } from './farm.ts'
import type { Stir } from './stirring.ts'

export type Screen = {
  name: string
  path: string
  /** Its main content. */
  usable: (page: Page) => Locator
  /** What changes every 100 ms while it is watched, besides a node's label. */
  stirs: Stir[]
}

const row = (name: RegExp | string) => (page: Page) =>
  page.getByRole('region', { name }).getByRole('row').nth(1)
const heading = (name: RegExp | string) => (page: Page) =>
  page.getByRole('heading', { name }).first()

export function screensOf({ rollout, changing }: ScaleFarm, { versions }: FarmSize): Screen[] {
  const config = `configs/${CONFIG}`
  return [
    {
      name: 'overview',
      path: '',
      usable: (page) => page.getByText(/^(Needs you|All is well)$/),
      stirs: [],
    },
    { name: 'nodes', path: 'nodes', usable: row('Nodes, table'), stirs: [] },
    { name: 'node', path: `nodes/${changing}`, usable: heading('edge-00000'), stirs: [] },
    { name: 'groups', path: 'groups', usable: row(/Groups/), stirs: ['group'] },
    { name: 'configs', path: 'configs', usable: row(/Configs/), stirs: ['config'] },
    {
      name: 'editor',
      path: config,
      usable: (page) => page.locator('.cm-content').first(),
      stirs: ['group'],
    },
    {
      name: 'versions',
      path: `${config}/versions`,
      usable: row('Versions, table'),
      stirs: ['config'],
    },
    {
      name: 'compare',
      path: `${config}/compare?from=1&to=${versions}`,
      usable: (page) => page.locator('.cm-content').first(),
      stirs: ['config'],
    },
    {
      name: 'plan',
      path: `rollouts/new?config=${CONFIG}&version=${versions}`,
      usable: row('Plan, table'),
      stirs: [],
    },
    { name: 'rollouts', path: 'rollouts', usable: row('Rollouts, table'), stirs: ['rollout'] },
    {
      name: 'rollout',
      path: `rollouts/${rollout}`,
      usable: heading(/nodes?/i),
      stirs: ['rollout'],
    },
    { name: 'audit', path: 'audit', usable: row('The audit, table'), stirs: [] },
    { name: 'certificates', path: 'certificates', usable: row(/Certificates/), stirs: [] },
    {
      name: 'certificate',
      path: `certificates/${CERTIFICATE}`,
      usable: row('Where it is served, table'),
      stirs: [],
    },
    { name: 'enrolment', path: 'enrolment', usable: heading(/Add|node/), stirs: [] },
    { name: 'settings', path: 'settings', usable: heading(/./), stirs: [] },
  ]
}
