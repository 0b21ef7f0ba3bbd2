// SPDX-License-Identifier: MIT
// One site: who serves it, what they did, its part of the config, and what changed it.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import type { Verdict } from '../../components/status-badge.tsx'
import { TimeBar } from '../../components/time-bar.tsx'
import { type Topic, Topics } from '../../components/topics.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import { isApiError } from '../../lib/api-error.ts'
import type { Session, Site, SyncState } from '../../lib/api-types.ts'
import { fixedSpan, type TimeSearch } from '../../lib/time-range.ts'
import { siteQuery } from './api.ts'
import { CertificatesPanel } from './certificates-panel.tsx'
import { ChangesPanel } from './changes-panel.tsx'
import { PartPanel } from './part-panel.tsx'
import { hostWords, isRemoved } from './rules.ts'
import type { SiteSearch } from './search.ts'
import { ServingPanel } from './serving-panel.tsx'
import { SlowPathsPanel } from './slow-paths-panel.tsx'
import { TopRequestsPanel } from './top-requests-panel.tsx'
import { TrafficPanel } from './traffic-panel.tsx'

export type SiteScreenProps = {
  config: string
  host: string
  session: Session
  search: SiteSearch
  onSearch: (search: SiteSearch) => void
  stateVerdict: Record<SyncState, Verdict>
}

const DEFAULT_RANGE = '1h'

export function SiteScreen(props: SiteScreenProps) {
  const { config, host, search, onSearch } = props
  const site = useQuery(siteQuery(config, host))
  const { range, from, to } = search
  const time = useMemo(
    (): TimeSearch => fixedSpan({ from, to }) ?? { range: range ?? DEFAULT_RANGE },
    [range, from, to],
  )
  if (isApiError(site.error, 404)) return <NoSuchSite config={config} host={host} />
  return (
    <Page
      title={hostWords(host)}
      meta={site.data && <SiteMeta site={site.data} />}
      actions={<TimeBar time={search} standard={DEFAULT_RANGE} onTime={onSearch} />}
    >
      <QueryStates query={site} what={t('The site')} skeletonRows={8}>
        {(data) => (
          <>
            {isRemoved(data) && <Removed site={data} />}
            {data.nodesWithOwnSites > 0 && <OwnSites site={data} />}
            <Topics label={t('On this page')} topics={topicsOf({ ...props, time }, data)} />
          </>
        )}
      </QueryStates>
    </Page>
  )
}

type Timed = SiteScreenProps & { time: TimeSearch }

const topicsOf = ({ session, time, onSearch, stateVerdict }: Timed, site: Site): Topic[] => [
  {
    id: 'serving',
    title: t('Who serves it'),
    children: <ServingPanel site={site} stateVerdict={stateVerdict} />,
  },
  {
    id: 'traffic',
    title: t('Traffic'),
    children: (
      <>
        <TrafficPanel {...{ site, time, session }} onTime={onSearch} />
        <TopRequestsPanel site={site} session={session} />
        <SlowPathsPanel site={site} session={session} />
      </>
    ),
  },
  {
    id: 'certificates',
    title: t('Certificates'),
    children: <CertificatesPanel site={site} />,
  },
  {
    id: 'config',
    title: t('Its part of the config'),
    children: (
      <>
        <PartPanel site={site} />
        <ChangesPanel site={site} session={session} />
      </>
    ),
  },
]

const HOSTS_SHOWN = 5

function SiteMeta({ site }: { site: Site }) {
  const { config, version, hosts, root } = site
  const others = hosts.items.filter((host) => host !== site.host)
  const more = hosts.total - 1 - Math.min(others.length, HOSTS_SHOWN)
  return (
    <>
      <span>
        <T
          text="In {config} v{version}"
          config={
            <Link to="/configs/$name" params={{ name: config }}>
              {config}
            </Link>
          }
          version={version}
        />
      </span>
      {others.length > 0 && (
        <span>
          {t('also {others}', { others: others.slice(0, HOSTS_SHOWN).map(hostWords).join(', ') })}
          {more > 0 && t(' and {more, plural, one {# more host} other {# more hosts}}', { more })}
        </span>
      )}
      {root !== null && (
        <span>
          <T text="from {root}" root={<code>{root}</code>} />
        </span>
      )}
    </>
  )
}

function Removed({ site: { config, host, version, newestVersion, nodes } }: { site: Site }) {
  return (
    <Notice
      tone="warn"
      title={t('{config} v{newestVersion} no longer has {host}', {
        config,
        newestVersion,
        host: hostWords(host),
      })}
      action={
        <ButtonLink
          variant="default"
          size="xs"
          to="/configs/$name/compare"
          params={{ name: config }}
          search={{ from: version, to: newestVersion }}
        >
          {t('What differs')}
        </ButtonLink>
      }
    >
      {t(
        '{nodes, plural, one {# node still serves it, with v{version} or older.} other {# nodes still serve it, with v{version} or older.}}',
        { nodes, version },
      )}
    </Notice>
  )
}

const OwnSites = ({ site: { config, nodesWithOwnSites: nodes } }: { site: Site }) => (
  <Notice
    tone="info"
    title={t('{nodes, plural, one {# node} other {# nodes}} of {config} not counted here', {
      nodes,
      config,
    })}
  >
    {t(
      'An override of the node or of its group puts other sites in place of the config’s. What {nodes, plural, one {it serves} other {they serve}} stands on the node’s page.',
      { nodes },
    )}
  </Notice>
)

const NoSuchSite = ({ config, host }: { config: string; host: string }) => (
  <Page title={t('No such site')}>
    <div className="panel">
      <EmptyState
        title={t('{config} has no site for {host}', { config, host })}
        action={
          <ButtonLink to="/sites" search={{}}>
            {t('Show all sites')}
          </ButtonLink>
        }
      >
        {t('Neither its newest version nor one that nodes run has that host.')}
      </EmptyState>
    </div>
  </Page>
)
