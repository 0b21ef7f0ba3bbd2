// SPDX-License-Identifier: MIT

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { certificateVerdict } from '../../components/certificate-verdict.ts'
import { Facts } from '../../components/facts.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Certificate, CertificateVersion, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { certificateQuery, versionsQuery } from './api.ts'
import classes from './certificates.module.css'
import { DeleteCertificateDialog } from './delete-dialog.tsx'
import { GivingPanel } from './giving-panel.tsx'
import { HostNames } from './host-names.tsx'
import { managedQuery } from './managed/api.ts'
import { ManagedPanel } from './managed/managed-panel.tsx'
import { endsWords } from './rules.ts'
import { ServedPanel } from './served-panel.tsx'
import { UploadDialog } from './upload-dialog.tsx'

type Props = { name: string; session: Session; onDeleted: () => void }

export function CertificateScreen({ name, session, onDeleted }: Props) {
  const certificate = useQuery(certificateQuery(name))
  const managed = useQuery(managedQuery(name))
  const [open, setOpen] = useState<'renew' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const blockedBy = whyNot(session, 'certificates:write')
  const etag = certificate.data?.etag
  const isFirst = isApiError(certificate.error, 404) && Boolean(managed.data)
  return (
    <Page
      width="list"
      title={name}
      meta={t('Certificate')}
      actions={
        etag !== undefined && (
          <>
            <ActionButton
              variant={managed.data ? 'default' : 'filled'}
              blockedBy={blockedBy}
              onClick={() => setOpen('renew')}
            >
              {t('Upload a new version')}
            </ActionButton>
            {blockedBy === null && (
              <ActionButton
                variant="danger"
                blockedBy={managed.data ? t('Stop ordering it first.') : null}
                onClick={() => setOpen('delete')}
              >
                {t('Delete')}
              </ActionButton>
            )}
          </>
        )
      }
    >
      {isFirst ? (
        <>
          <Notice tone="info" title={t('There is no certificate yet')}>
            {t('Its first order has not brought one so far. What happens next is below.')}
          </Notice>
          <ManagedPanel name={name} blockedBy={blockedBy} />
        </>
      ) : (
        <QueryStates query={certificate} what={t('The certificate')} skeletonRows={6}>
          {({ body }) => (
            <>
              <NewestPanel certificate={body} />
              <ManagedPanel name={name} blockedBy={blockedBy} />
              <GivingPanel name={name} />
              <ServedPanel name={name} />
              <VersionsPanel name={name} />
            </>
          )}
        </QueryStates>
      )}
      {open === 'renew' && etag !== undefined && (
        <UploadDialog of={{ name, etag }} onClose={close} />
      )}
      {open === 'delete' && etag !== undefined && (
        <DeleteCertificateDialog name={name} etag={etag} onClose={close} onDeleted={onDeleted} />
      )}
    </Page>
  )
}

function NewestPanel({ certificate }: { certificate: Certificate }) {
  const { latestVersion: version, daysLeft, releasedVersion } = certificate
  return (
    <section className="panel" aria-labelledby="newest-heading">
      <div className="panel-head">
        <h2 id="newest-heading">{t('Newest version')}</h2>
      </div>
      <div className="panel-body stack">
        {version.warnings.map(({ code, message, hint }) => (
          <Notice
            key={code}
            tone="warn"
            title={WARNINGS[code] ?? t('Look at it once more')}
          >{`${capital(message)}. ${capital(hint)}.`}</Notice>
        ))}
        <Facts
          facts={[
            { name: t('State'), value: <StatusBadge verdict={certificateVerdict(certificate)} /> },
            {
              name: t('Ends'),
              value: `${formatDateTime(version.notAfter)}, ${endsWords(daysLeft)}`,
            },
            { name: t('Hosts'), value: <HostNames names={version.names} most={100} /> },
            { name: t('Issuer'), value: version.issuer },
            { name: t('Key'), value: version.keyKind },
            { name: t('Version'), value: version.number },
            {
              name: t('New nodes get'),
              value:
                releasedVersion === null
                  ? t('this one')
                  : t('version {version}', { version: releasedVersion }),
            },
            { name: t('Kept'), value: keptWords(version) },
            {
              name: 'SHA-256',
              value: <code className={classes.fingerprint}>{version.fingerprint}</code>,
            },
          ]}
        />
      </div>
    </section>
  )
}

const WARNINGS: Record<string, string> = {
  missing_intermediate: t('An intermediate may be missing'),
  self_signed: t('It is self-signed'),
  root_included: t('It includes a root certificate'),
  names_lost: t('It covers fewer hosts than before'),
}
const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
const keptWords = ({ createdAt, createdBy, source }: CertificateVersion) =>
  source === 'acme'
    ? t('{createdAt}, ordered by {createdBy}', { createdAt: formatDateTime(createdAt), createdBy })
    : t('{createdAt}, uploaded by {createdBy}', { createdAt: formatDateTime(createdAt), createdBy })

function VersionsPanel({ name }: { name: string }) {
  const versions = useInfiniteQuery(versionsQuery(name))
  const known = versions.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="panel" aria-labelledby="versions-heading">
      <div className="panel-head">
        <h2 id="versions-heading">{t('Versions')}</h2>
      </div>
      <QueryStates query={versions} what={t('The versions')} skeletonRows={3}>
        {() => (
          <ScrollBox label={t('Versions, table')}>
            <table className="grid">
              <thead>
                <tr>
                  <th scope="col">{t('Version')}</th>
                  <th scope="col">{t('Ends')}</th>
                  <th scope="col">{t('Kept')}</th>
                  <th scope="col" className="wide-only">
                    {t('Hosts')}
                  </th>
                  <th scope="col" className="wide-only">
                    {t('SHA-256')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((version) => (
                  <tr key={version.number}>
                    <td>{version.number}</td>
                    <td className="nowrap">{formatDateTime(version.notAfter)}</td>
                    <td>{keptWords(version)}</td>
                    <td className="wide-only">
                      <HostNames names={version.names} most={3} />
                    </td>
                    <td className="wide-only">
                      <code title={version.fingerprint}>{version.fingerprint.slice(0, 12)}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </QueryStates>
      <NextPage of={versions}>{t('Show older versions')}</NextPage>
    </section>
  )
}
