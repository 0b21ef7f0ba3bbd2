// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import type { CertificateAuthority, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { sentence, whenWords } from '../managed/rules.ts'
import { authorityQuery } from './api.ts'
import classes from './authorities.module.css'
import { AuthorityActions } from './authority-actions.tsx'
import { EditAuthorityPanel } from './edit-authority-panel.tsx'
import { authorityVerdict } from './rules.ts'

type Props = { name: string; session: Session; onDeleted: () => void }

export function AuthorityScreen({ name, session, onDeleted }: Props) {
  const authority = useQuery(authorityQuery(name))
  const blockedBy = whyNot(session, 'certificates:write')
  return (
    <Page title={name} meta={t('Certificate authority')}>
      <QueryStates query={authority} what={t('The certificate authority')} skeletonRows={6}>
        {({ body, etag }) => (
          <>
            <StatePanel authority={body} />
            <AuthorityActions name={name} etag={etag} blockedBy={blockedBy} onDeleted={onDeleted} />
            <EditAuthorityPanel authority={body} etag={etag} blockedBy={blockedBy} />
          </>
        )}
      </QueryStates>
    </Page>
  )
}

function StatePanel({ authority }: { authority: CertificateAuthority }) {
  const now = useNow()
  const { state, heldUntil, lastError, failures, externalAccountKeyId } = authority
  return (
    <section className="panel" aria-label={t('Its state')}>
      <div className="panel-body stack">
        {lastError !== null && (
          <Notice
            tone="warn"
            title={state === 'held' ? t('Nothing is ordered there now') : t('It failed last time')}
          >
            {sentence(lastError)}
            {heldUntil !== null && state === 'held' && (
              <p>{t('It is asked again {whenWords}.', { whenWords: whenWords(heldUntil, now) })}</p>
            )}
          </Notice>
        )}
        <Facts
          facts={[
            { name: t('State'), value: <StatusBadge verdict={authorityVerdict(authority)} /> },
            ...(failures === 0 ? [] : [{ name: t('Failures in a row'), value: failures }]),
            {
              name: t('Directory'),
              value: <span className={classes.url}>{authority.directoryUrl}</span>,
            },
            {
              name: t('Used by'),
              value: t('{usedBy, plural, one {# certificate} other {# certificates}}', {
                usedBy: authority.usedBy,
              }),
            },
            { name: t('Contact'), value: authority.contact.join(', ') || t('none') },
            {
              name: t('External account'),
              value:
                externalAccountKeyId === null ? t('none') : <code>{externalAccountKeyId}</code>,
            },
            {
              name: t('Trusted roots'),
              value: authority.trustedRoots ? t('its own as well') : t('those of this machine'),
            },
            {
              name: t('Added'),
              value: t('{createdAt} by {createdBy}', {
                createdAt: formatDateTime(authority.createdAt),
                createdBy: authority.createdBy,
              }),
            },
          ]}
        />
      </div>
    </section>
  )
}
