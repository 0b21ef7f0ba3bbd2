// SPDX-License-Identifier: MIT
// The certificates that are ordered here: what happens next to each, and when.

import { NativeSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { certificateVerdict } from '../../../components/certificate-verdict.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { NextPage } from '../../../components/next-page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import type { ManagedCertificate } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { HostNames } from '../host-names.tsx'
import { managedListQuery } from './api.ts'
import classes from './managed.module.css'
import { MANAGED_STATES, type ManagedState, managedVerdict, nextWords, sentence } from './rules.ts'

type Props = { state: ManagedState | null; onState: (state: ManagedState | null) => void }

export function ManagedList({ state, onState }: Props) {
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const managed = useInfiniteQuery(managedListQuery(q, state))
  const known = managed.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="panel" aria-label={t('Certificates that are ordered here')}>
      <div className="panel-head">
        <TextInput
          aria-label={t('Find by name or host')}
          placeholder={t('Name or host')}
          size="xs"
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
        />
        <NativeSelect
          aria-label={t('State')}
          size="xs"
          value={state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onState(MANAGED_STATES.find((one) => one === value) ?? null)
          }
          data={[
            { value: '', label: t('Any state') },
            ...MANAGED_STATES.map((one) => ({ value: one, label: managedVerdict(one).label })),
          ]}
        />
      </div>
      <QueryStates query={managed} what={t('The certificates')} skeletonRows={3}>
        {() =>
          known.length === 0 ? (
            <Nothing isFiltered={q !== '' || state !== null} />
          ) : (
            <Table managed={known} />
          )
        }
      </QueryStates>
      <NextPage of={managed}>{t('Show more')}</NextPage>
    </section>
  )
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title={t('None of these')}>
      {t('Look for a part of the name or of a host, or choose another state.')}
    </EmptyState>
  ) : (
    <EmptyState title={t('Nothing is ordered yet')}>
      {t('Order a certificate, and Farmstead renews it in time from then on.')}
    </EmptyState>
  )

function Table({ managed }: { managed: ManagedCertificate[] }) {
  const now = useNow()
  return (
    <ScrollBox label={t('Certificates that are ordered here, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Name, and what happens next')}</th>
            <th scope="col" className="wide-only">
              {t('Hosts')}
            </th>
            <th scope="col" className="wide-only">
              {t('Good until')}
            </th>
          </tr>
        </thead>
        <tbody>
          {managed.map((one) => (
            <Row key={one.name} managed={one} now={now} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Row({ managed, now }: { managed: ManagedCertificate; now: number }) {
  const { name, names, state, next, certificate } = managed
  return (
    <tr>
      <td className="nowrap">
        <StatusBadge verdict={managedVerdict(state)} />
      </td>
      <td>
        <Link to="/certificates/$name" params={{ name }}>
          {name}
        </Link>
        <div className={classes.next}>
          {nextWords(managed, now)} <span className="dim">{sentence(next.because)}</span>
        </div>
      </td>
      <td className={`wide-only ${classes.hosts}`}>
        <HostNames names={names} most={3} />
      </td>
      <td className="wide-only nowrap">
        {certificate === null ? (
          <span className="dim">{t('none yet')}</span>
        ) : (
          <>
            {formatDateTime(certificate.notAfter)}
            {certificate.state !== 'good' && (
              <div>
                <StatusBadge verdict={certificateVerdict(certificate)} />
              </div>
            )}
          </>
        )}
      </td>
    </tr>
  )
}
