// SPDX-License-Identifier: MIT
// What needs no answer of the control plane: the console's pages, and what one begins there.

import type { useNavigate } from '@tanstack/react-router'
import { settingsPagesFor } from '../../features/settings/settings-nav.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { placeGroups, placesFor } from '../places.tsx'
import type { Found } from './found.ts'

type Navigate = ReturnType<typeof useNavigate>
type Scheme = 'light' | 'dark' | 'auto'

export type Doing = {
  navigate: Navigate
  showKeys: () => void
  newConfig: () => void
  setScheme: (scheme: Scheme) => void
}

export const pagesAndActions = (session: Session, doing: Doing): Found[] => [
  ...actionsFor(session, doing),
  ...pagesFor(session, doing.navigate),
]

type Action = {
  label: string
  detail: string
  permission?: string
  words?: string
  act: () => void
}

function actionsFor(session: Session, doing: Doing): Found[] {
  const { navigate, showKeys, newConfig, setScheme } = doing
  const actions: Action[] = [
    {
      ...{
        label: t('New rollout'),
        detail: t('Bring a version to nodes'),
        permission: 'rollouts:run',
      },
      ...{ words: t('release deploy'), act: () => void navigate({ to: '/rollouts/new' }) },
    },
    {
      ...{ label: t('New config'), detail: t('From nothing, a copy or a file') },
      ...{ permission: 'configs:write', words: t('create'), act: newConfig },
    },
    {
      ...{
        label: t('Import a config'),
        detail: t('From another server'),
        permission: 'configs:read',
      },
      ...{ words: t('nginx lighttpd apache caddy move migrate convert') },
      act: () => void navigate({ to: '/import' }),
    },
    {
      ...{ label: t('Add a node'), detail: t('A one-time token and its command') },
      ...{ permission: 'nodes:enrol', words: t('enrol join token server') },
      act: () => void navigate({ to: '/enrolment' }),
    },
    {
      ...{ label: t('Order a certificate'), detail: t('From an authority, renewed automatically') },
      ...{ permission: 'certificates:write', words: t('tls https acme') },
      act: () => void navigate({ to: '/order-certificate' }),
    },
    {
      ...{
        label: t('New alert rule'),
        detail: t('What to be told about'),
        permission: 'alerts:write',
      },
      act: () => void navigate({ to: '/settings/alert-rules/new' }),
    },
    {
      ...{
        label: t('Docs'),
        detail: t('All pages, as of this version'),
        words: t('help manual guide'),
      },
      act: () => void navigate({ to: '/docs' }),
    },
    {
      ...{
        label: t('Keyboard shortcuts'),
        detail: t('All keys of the console'),
        words: t('help ?'),
      },
      act: showKeys,
    },
    {
      ...{
        label: t('Appearance: dark'),
        detail: t('In this browser'),
        words: t('theme mode scheme'),
      },
      act: () => setScheme('dark'),
    },
    {
      ...{
        label: t('Appearance: light'),
        detail: t('In this browser'),
        words: t('theme mode scheme'),
      },
      act: () => setScheme('light'),
    },
    {
      ...{
        label: t('Appearance: as the system'),
        detail: t('In this browser'),
        words: t('theme mode'),
      },
      act: () => setScheme('auto'),
    },
  ]
  return actions
    .filter(({ permission }) => permission === undefined || may(session, permission))
    .map(({ label, detail, words = '', act }) => ({
      ...{ key: `action ${label}`, kind: 'Actions', label, detail, words, open: act },
    }))
}

/** Below a place, and no place of their own. */
const below = [
  { to: '/measurements/compare', label: t('Compare measurements'), permission: 'metrics:read' },
  { to: '/measurements/top', label: t('Top nodes'), permission: 'metrics:read' },
]

function pagesFor(session: Session, navigate: Navigate): Found[] {
  const places = placeGroups.flatMap((group) => placesFor(session, group))
  const settings = settingsPagesFor(session)
    .filter(({ to }) => to !== '/settings')
    .map(({ to, label }) => ({ to, label, detail: t('Settings') }))
  const pages = [...places, ...placesFor(session, below), ...settings]
  return pages.map((page) => ({
    ...{ key: `page ${page.to}`, kind: 'Pages', label: page.label },
    detail: 'detail' in page ? page.detail : '',
    open: () => void navigate({ to: page.to }),
  }))
}
