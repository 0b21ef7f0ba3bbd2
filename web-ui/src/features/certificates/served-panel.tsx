// SPDX-License-Identifier: MIT

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { ServedCertificate } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'
import { servedQuery } from './api.ts'

/** What nodes say that they serve of it, read back from their running servers. */
export function ServedPanel({ name }: { name: string }) {
  const served = useInfiniteQuery(servedQuery(name))
  const known = served.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="panel" aria-labelledby="served-heading">
      <div className="panel-head">
        <h2 id="served-heading">{t('Where it is served')}</h2>
      </div>
      <QueryStates query={served} what={t('Where it is served')} skeletonRows={3}>
        {() =>
          known.length === 0 ? (
            <EmptyState title={t('On no node')}>
              {t('Nodes say what they serve as soon as they do.')}
            </EmptyState>
          ) : (
            <Table served={known} />
          )
        }
      </QueryStates>
      <NextPage of={served}>{t('Show more')}</NextPage>
    </section>
  )
}

function Table({ served }: { served: ServedCertificate[] }) {
  return (
    <ScrollBox label={t('Where it is served, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Node')}</th>
            <th scope="col">{t('Host')}</th>
            <th scope="col">{t('Version')}</th>
            <th scope="col" className="wide-only">
              {t('Ends')}
            </th>
            <th scope="col">{t('Since')}</th>
          </tr>
        </thead>
        <tbody>
          {served.map(({ node, host, version, notAfter, since }) => (
            <tr key={`${node.id} ${host} ${version}`}>
              <td className="nowrap">
                <Link to="/nodes/$id" params={{ id: node.id }}>
                  {node.name}
                </Link>
              </td>
              <td>
                <code>{host}</code>
              </td>
              <td>{version}</td>
              <td className="wide-only nowrap">{formatDateTime(notAfter)}</td>
              <td className="nowrap">
                <TimeAgo at={since} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
