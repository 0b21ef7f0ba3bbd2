// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { createRoute, redirect } from '@tanstack/react-router'
import { farmSummaryQuery } from '../features/nodes/api.ts'
import { parseFarmSearch } from '../features/nodes/farm-search.ts'
import { isMeasure } from '../features/nodes/map/map-rules.ts'
import { NodesMap } from '../features/nodes/map/nodes-map.tsx'
import { OverviewScreen } from '../features/overview/overview-screen.tsx'
import { DEFAULT_RANGE, parseOverviewSearch } from '../features/overview/search.ts'
import { RolloutsNow } from '../features/rollouts/rollouts-now.tsx'
import { may } from '../lib/permissions.ts'
import { chosenSpan } from '../lib/time-range.ts'
import { appRoute } from './app.tsx'

export const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: parseOverviewSearch,
  // The list of nodes was here: a link of then, with its filters, leads to where it is now.
  beforeLoad: ({ location }) => {
    const search = parseFarmSearch(location.search)
    if (Object.keys(search).length > 0) throw redirect({ to: '/nodes', search, replace: true })
  },
  component: function Overview() {
    const search = overviewRoute.useSearch()
    const navigate = overviewRoute.useNavigate()
    const { session } = overviewRoute.useRouteContext()
    const farm = useQuery(farmSummaryQuery)
    return (
      <OverviewScreen
        session={session}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true })}
        onZoom={(from, to) =>
          void navigate({
            to: '/measurements',
            search: chosenSpan(from, to, Date.now() / 1000),
          })
        }
        farm={farm}
        rollouts={<RolloutsNow farm={farm} />}
        map={
          <NodesMap
            range={search.range ?? DEFAULT_RANGE}
            mayMeasure={may(session, 'metrics:read')}
            search={{
              by: isMeasure(search.by) ? search.by : undefined,
              label: search.label,
              as: search.as,
            }}
            onSearch={(next) => void navigate({ search: { ...search, ...next }, replace: true })}
            onOpen={(id) => void navigate({ to: '/nodes/$id', params: { id } })}
          />
        }
      />
    )
  },
})
