// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { CertificateAuthority, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { authoritiesQuery } from './api.ts'
import classes from './authorities.module.css'
import { NewAuthorityForm } from './new-authority-form.tsx'
import { authorityVerdict } from './rules.ts'

type Props = { session: Session; onCreated: (name: string) => void }

export function AuthoritiesScreen({ session, onCreated }: Props) {
  const blocked = whyNot(session, 'certificates:read')
  return (
    <Page
      width="list"
      title={t('Certificate authorities')}
      meta={t('Where certificates are ordered, by ACME.')}
    >
      {blocked === null ? (
        <>
          <ListPanel />
          <section className="panel" aria-labelledby="new-authority-heading">
            <div className="panel-head">
              <h2 id="new-authority-heading">{t('New authority')}</h2>
            </div>
            <div className="panel-body">
              <NewAuthorityForm
                blockedBy={whyNot(session, 'certificates:write')}
                onCreated={onCreated}
              />
            </div>
          </section>
        </>
      ) : (
        <Notice tone="info" title={t('You may not see certificate authorities')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function ListPanel() {
  const authorities = useQuery(authoritiesQuery)
  return (
    <section className="panel" aria-labelledby="authorities-heading">
      <div className="panel-head">
        <h2 id="authorities-heading">{t('Authorities')}</h2>
      </div>
      <QueryStates query={authorities} what={t('The certificate authorities')} skeletonRows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('None yet')}>
              {t('Add one below, and certificates can be ordered from it.')}
            </EmptyState>
          ) : (
            <Table authorities={items} />
          )
        }
      </QueryStates>
    </section>
  )
}

function Table({ authorities }: { authorities: CertificateAuthority[] }) {
  return (
    <ScrollBox label={t('Certificate authorities, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Name')}</th>
            <th scope="col" className="wide-only">
              {t('Directory')}
            </th>
            <th scope="col">{t('Used by')}</th>
          </tr>
        </thead>
        <tbody>
          {authorities.map((authority) => (
            <tr key={authority.name}>
              <td>
                <StatusBadge verdict={authorityVerdict(authority)} />
              </td>
              <td>
                <Link
                  to="/settings/certificate-authorities/$name"
                  params={{ name: authority.name }}
                >
                  {authority.name}
                </Link>
                {authority.lastError !== null && <div className="dim">{authority.lastError}</div>}
              </td>
              <td className={`wide-only ${classes.url}`}>{authority.directoryUrl}</td>
              <td className="nowrap">
                {t('{usedBy, plural, one {# certificate} other {# certificates}}', {
                  usedBy: authority.usedBy,
                })}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
