// SPDX-License-Identifier: MIT
// The rail of the console's places, in the order one needs them: what there is, what changes it, what happened.

import {
  type Icon,
  IconBell,
  IconCertificate,
  IconChartLine,
  IconFileCode,
  IconFiles,
  IconGauge,
  IconHistory,
  IconServer2,
  IconSettings,
  IconStack2,
  IconStairsUp,
  IconWorld,
} from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Lamp } from '../components/lamp.tsx'
import { t } from '../languages/t.ts'
import type { Session } from '../lib/api-types.ts'
import { may } from '../lib/permissions.ts'
import classes from './shell.module.css'

type Place = { to: string; label: string; permission?: string }
type PlaceOfRail = Place & { icon: Icon; exact?: true }

export const placeGroups: readonly (readonly PlaceOfRail[])[] = [
  [
    { to: '/', label: t('Overview'), icon: IconGauge, exact: true },
    { to: '/sites', label: t('Sites'), icon: IconWorld, permission: 'configs:read' },
    { to: '/nodes', label: t('Nodes'), icon: IconServer2 },
    { to: '/groups', label: t('Groups'), icon: IconStack2 },
    {
      to: '/measurements',
      label: t('Measurements'),
      icon: IconChartLine,
      permission: 'metrics:read',
    },
  ],
  [
    { to: '/configs', label: t('Configs'), icon: IconFileCode },
    { to: '/releases', label: t('Releases'), icon: IconFiles, permission: 'releases:read' },
    { to: '/rollouts', label: t('Rollouts'), icon: IconStairsUp },
    {
      to: '/certificates',
      label: t('Certificates'),
      icon: IconCertificate,
      permission: 'certificates:read',
    },
  ],
  [
    { to: '/alerts', label: t('Alerts'), icon: IconBell, permission: 'alerts:read' },
    { to: '/audit', label: t('Audit'), icon: IconHistory, permission: 'audit:read' },
  ],
  [{ to: '/settings', label: t('Settings'), icon: IconSettings }],
]

export const placesFor = <Some extends Place>(session: Session, places: readonly Some[]): Some[] =>
  places.filter(({ permission }) => permission === undefined || may(session, permission))

export function Places({ session }: { session: Session }) {
  const rail = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // On a phone it is a strip, and the place one is at may be beyond its edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another place
  useEffect(() => {
    const here = rail.current?.querySelector('li [aria-current="page"]')
    here?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return (
    <nav ref={rail} aria-label={t('Places')} className={classes.rail}>
      <Link
        to="/"
        className={classes.brand}
        aria-label={t('Farmstead: overview')}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        <Lamp size={22} />
        <span>{t('Farmstead')}</span>
      </Link>
      {placeGroups.map((places) => (
        <ul key={places[0]?.to} className={classes.places}>
          {placesFor(session, places).map(({ to, label, icon: PlaceIcon, exact = false }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact, includeSearch: false }}>
                <PlaceIcon size={18} stroke={1.6} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
