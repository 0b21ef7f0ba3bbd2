// SPDX-License-Identifier: MIT

import { SegmentedControl, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { certificateVerdict } from '../../components/certificate-verdict.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates, SkeletonRows } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Certificate, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { certificatesQuery } from './api.ts'
import classes from './certificates.module.css'
import { HostNames } from './host-names.tsx'
import { managedListQuery } from './managed/api.ts'
import { ManagedList } from './managed/managed-list.tsx'
import type { ManagedState } from './managed/rules.ts'
import { endsWords } from './rules.ts'
import { UploadDialog } from './upload-dialog.tsx'

export type CertificatesSearch = { show?: 'ordered' | 'kept'; state?: ManagedState }

type Props = {
  session: Session
  search: CertificatesSearch
  onSearch: (search: CertificatesSearch) => void
  onKept: (name: string) => void
}

export function CertificatesScreen({ session, search, onSearch, onKept }: Props) {
  const [uploading, setUploading] = useState(false)
  const blockedBy = whyNot(session, 'certificates:write')
  return (
    <Page
      width="list"
      title={t('Certificates')}
      meta={t(
        'What sites are served with over TLS. Configs name them; a new version goes to the nodes by a rollout.',
      )}
      actions={
        <>
          {blockedBy === null && (
            <ButtonLink to="/order-certificate">{t('Order a certificate')}</ButtonLink>
          )}
          <ActionButton variant="default" blockedBy={blockedBy} onClick={() => setUploading(true)}>
            {t('Upload a certificate')}
          </ActionButton>
        </>
      }
    >
      <Lists search={search} onSearch={onSearch} />
      {uploading && <UploadDialog of={null} onClose={() => setUploading(false)} onKept={onKept} />}
    </Page>
  )
}

/** Unless somebody chose: those that are ordered here, if there are any. */
function Lists({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const managed = useInfiniteQuery(managedListQuery('', null))
  const hasManaged = (managed.data?.pages[0]?.items.length ?? 0) > 0
  const isKnown = search.show !== undefined || !managed.isPending
  const show = search.show ?? (hasManaged || search.state !== undefined ? 'ordered' : 'kept')
  return (
    <>
      <SegmentedControl
        aria-label={t('Which certificates')}
        className={classes.which ?? ''}
        value={show}
        onChange={(value) => onSearch({ show: value === 'ordered' ? value : 'kept' })}
        data={[
          { value: 'ordered', label: t('Ordered here') },
          { value: 'kept', label: t('All that are kept') },
        ]}
      />
      {!isKnown && <SkeletonRows rows={3} label={t('The certificates')} />}
      {isKnown && show === 'ordered' && (
        <ManagedList
          state={search.state ?? null}
          onState={(state) => onSearch({ show, ...(state !== null && { state }) })}
        />
      )}
      {isKnown && show === 'kept' && <ListPanel />}
    </>
  )
}

function ListPanel() {
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const certificates = useInfiniteQuery(certificatesQuery(q))
  const known = certificates.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="panel" aria-label={t('Certificates, those that end first')}>
      <div className="panel-head">
        <TextInput
          aria-label={t('Find by name or host')}
          placeholder={t('Name or host')}
          size="xs"
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
        />
        <span className="dim">{t('Those that end first')}</span>
      </div>
      <QueryStates query={certificates} what={t('The certificates')} skeletonRows={3}>
        {() => (known.length === 0 ? <Nothing q={q} /> : <Table certificates={known} />)}
      </QueryStates>
      <NextPage of={certificates}>{t('Show more')}</NextPage>
    </section>
  )
}

const Nothing = ({ q }: { q: string }) =>
  q === '' ? (
    <EmptyState title={t('No certificate yet')}>
      {t(
        'Order or upload one, name it in a config, and the nodes serve it after the next rollout.',
      )}
    </EmptyState>
  ) : (
    <EmptyState title={t('None of that name or host')}>
      {t('Look for a part of either.')}
    </EmptyState>
  )

function Table({ certificates }: { certificates: Certificate[] }) {
  return (
    <ScrollBox label={t('Certificates, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Hosts')}</th>
            <th scope="col">{t('Ends')}</th>
            <th scope="col" className="wide-only">
              {t('Version')}
            </th>
            <th scope="col" className="wide-only">
              {t('Issuer')}
            </th>
          </tr>
        </thead>
        <tbody>
          {certificates.map((certificate) => (
            <Row key={certificate.name} certificate={certificate} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Row({ certificate }: { certificate: Certificate }) {
  const { name, daysLeft, latestVersion } = certificate
  return (
    <tr>
      <td className="nowrap">
        <StatusBadge verdict={certificateVerdict(certificate)} />
      </td>
      <td className="nowrap">
        <Link to="/certificates/$name" params={{ name }}>
          {name}
        </Link>
      </td>
      <td className={classes.hosts}>
        <HostNames names={latestVersion.names} most={3} />
      </td>
      <td className="nowrap" title={formatDateTime(latestVersion.notAfter)}>
        {endsWords(daysLeft)}
      </td>
      <td className="wide-only">{latestVersion.number}</td>
      <td className="wide-only">{latestVersion.issuer}</td>
    </tr>
  )
}
