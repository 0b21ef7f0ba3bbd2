// SPDX-License-Identifier: MIT
// All sites of the farm, by host: what people ask for first.

import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { certificateVerdict } from '../../components/certificate-verdict.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { EndsAt } from '../../components/ends-at.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { MarkedText } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { SiteSummary } from '../../lib/api-types.ts'
import { DASH, formatByteRate, formatRate, formatRatio } from '../../lib/format.ts'
import { sitesQuery } from './api.ts'
import { hostWords, isRemoved, soonestOf } from './rules.ts'
import type { SitesSearch } from './search.ts'
import classes from './sites.module.css'

type Props = { search: SitesSearch; onSearch: (search: SitesSearch) => void }

const TYPING_MS = 250

export function SitesScreen({ search, onSearch }: Props) {
  const [q] = useDebouncedValue(search.q?.trim() ?? '', TYPING_MS)
  const sites = useInfiniteQuery(sitesQuery(q))
  return (
    <Page
      title={t('Sites')}
      meta={t(
        'Every site of every config, who serves it, and what it answered in the last 5 minutes',
      )}
      actions={
        <ButtonLink variant="default" to="/sites/requests" search={{}}>
          {t('Search requests')}
        </ButtonLink>
      }
    >
      <div className="panel">
        <div className="panel-head">
          <TextInput
            aria-label={t('Find by host or config')}
            placeholder={t('Host or config')}
            size="xs"
            value={search.q ?? ''}
            onChange={({ currentTarget: { value } }) => onSearch({ q: value || undefined })}
            spellCheck={false}
          />
        </div>
        <QueryStates query={sites} what={t('The sites')} skeletonRows={5}>
          {({ pages }) => {
            const known = pages.flatMap(({ items }) => items)
            const unread = pages.at(-1)?.unread ?? 0
            return (
              <>
                {unread > 0 && <StillReading versions={unread} />}
                {known.length > 0 ? (
                  <Sites known={known} hasMore={sites.hasNextPage} />
                ) : (
                  unread === 0 && <NothingFound q={q} />
                )}
              </>
            )
          }}
        </QueryStates>
        <NextPage of={sites}>{t('Show more sites')}</NextPage>
      </div>
    </Page>
  )
}

const StillReading = ({ versions }: { versions: number }) => (
  <Notice tone="info" title={t('Not all sites are here yet')}>
    {t(
      'The control plane still has to read {versions, plural, one {# config version} other {# config versions}} after its update. The list fills up by itself.',
      { versions },
    )}
  </Notice>
)

const NothingFound = ({ q }: { q: string }) =>
  q === '' ? (
    <NoSite />
  ) : (
    <EmptyState title={t('No such site')}>
      {t('No host and no config has “{q}” in its name.', { q })}
    </EmptyState>
  )

const NoSite = () => (
  <EmptyState
    title={t('No site yet')}
    action={<ButtonLink to="/configs">{t('Open the configs')}</ButtonLink>}
  >
    {t('A site is a part of a config: the hosts that visitors ask for, and the folder they get.')}
  </EmptyState>
)

const columns: Column[] = [
  { title: t('Site') },
  { title: t('Config') },
  { title: t('Nodes'), className: 'num' },
  { title: t('Requests/s'), className: 'num' },
  { title: '5xx', className: 'num' },
  { title: t('Sent'), className: 'num' },
  { title: t('Certificate') },
  { title: t('Folder'), className: 'wide-only' },
]
const keyOf = ({ config, host }: SiteSummary) => `${host} ${config}`

function Sites({ known, hasMore }: { known: SiteSummary[]; hasMore: boolean }) {
  return (
    <LongTable
      label={t('Sites, table')}
      columns={columns}
      rows={known}
      keyOf={keyOf}
      hasMore={hasMore}
    >
      {(site) => (
        <>
          <td>
            <Link to="/sites/$config/$host" params={{ config: site.config, host: site.host }}>
              <strong>{hostWords(site.host)}</strong>
            </Link>
            <OtherHosts site={site} />
          </td>
          <td>
            <Link to="/configs/$name" params={{ name: site.config }}>
              {site.config}
            </Link>{' '}
            {isRemoved(site) && (
              <MarkedText verdict={{ tone: 'warn', shape: 'triangle' }}>
                {t('not in v{newestVersion}', { newestVersion: site.newestVersion })}
              </MarkedText>
            )}
          </td>
          <td className="num">
            {site.nodes === 0 ? <span className="dim">{t('none')}</span> : site.nodes}
          </td>
          <td className="num">
            <Quantity of={site.traffic?.requestsPerSecond} as={formatRate} />
          </td>
          <td className="num">
            <Errors traffic={site.traffic} />
          </td>
          <td className="num">
            <Quantity of={site.traffic?.bytesPerSecond} as={formatByteRate} />
          </td>
          <td>
            <Certificate site={site} />
          </td>
          <td className="wide-only">
            {site.root === null ? (
              <span className="dim">–</span>
            ) : (
              <code className={classes.folder}>{site.root}</code>
            )}
          </td>
        </>
      )}
    </LongTable>
  )
}

/** Of the requests of the last minutes. */
function Errors({ traffic }: Pick<SiteSummary, 'traffic'>) {
  if (traffic === null || traffic.requestsPerSecond === 0) return DASH
  const { serverErrorsPerSecond: errors, requestsPerSecond } = traffic
  if (errors === 0) return '0 %'
  return (
    <MarkedText verdict={{ tone: 'bad', shape: 'square' }}>
      <Quantity of={errors / requestsPerSecond} as={formatRatio} />
    </MarkedText>
  )
}

function OtherHosts({ site: { hosts } }: { site: SiteSummary }) {
  const [, ...others] = hosts.items
  const more = hosts.total - hosts.items.length
  if (others.length === 0) return null
  return (
    <div className={`dim ${classes.others}`}>
      {others.map(hostWords).join(', ')}
      {more > 0 && t(' and {more, plural, one {# more host} other {# more hosts}}', { more })}
    </div>
  )
}

function Certificate({ site: { certificates, hasCertificateFiles } }: { site: SiteSummary }) {
  const soonest = soonestOf(certificates)
  if (soonest === null) {
    if (hasCertificateFiles) return <span className="dim">{t('in files of the nodes')}</span>
    return certificates.length === 0 ? (
      <span className="dim">{t('none')}</span>
    ) : (
      certificates.map(({ name }) => name).join(', ')
    )
  }
  const { name, state, notAfter } = soonest
  return (
    <MarkedText verdict={certificateVerdict({ state: state ?? 'good' })}>
      <Link to="/certificates/$name" params={{ name }}>
        {name}
      </Link>{' '}
      <span className="dim">
        <EndsAt at={notAfter ?? ''} />
      </span>
    </MarkedText>
  )
}
