// SPDX-License-Identifier: MIT
import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { basePath } from '../lib/base-path.ts'
import { alertsRoute } from '../routes/alerts.tsx'
import { appRoute } from '../routes/app.tsx'
import { auditEntryRoute, auditRoute } from '../routes/audit.tsx'
import {
  certificateRoute,
  certificatesRoute,
  editCertificateRoute,
  orderCertificateRoute,
} from '../routes/certificates.tsx'
import { changePasswordRoute } from '../routes/change-password.tsx'
import {
  compareRoute,
  configRoute,
  configsRoute,
  importRoute,
  versionRoute,
  versionsRoute,
} from '../routes/configs.tsx'
import { docRoute, docsRoute } from '../routes/docs.tsx'
import { enrolmentRoute } from '../routes/enrolment.tsx'
import { groupsRoute } from '../routes/groups.tsx'
import {
  compareMeasurementsRoute,
  measurementsRoute,
  topNodesRoute,
} from '../routes/measurements.tsx'
import { nodeRoute } from '../routes/node.tsx'
import { nodesRoute } from '../routes/nodes.tsx'
import { nowhereRoute } from '../routes/nowhere.tsx'
import { overviewRoute } from '../routes/overview.tsx'
import { releaseRoute, releasesRoute, releaseVersionRoute } from '../routes/releases.tsx'
import { planRoute, rolloutRoute, rolloutsRoute } from '../routes/rollouts.tsx'
import { rootRoute } from '../routes/root.tsx'
import { settingsRoute } from '../routes/settings.tsx'
import { setupRoute } from '../routes/setup.tsx'
import { signInRoute } from '../routes/sign-in.tsx'
import { requestsRoute, siteRoute, sitesRoute } from '../routes/sites.tsx'
import { BrokenScreen, NotFoundScreen, PendingScreen } from './fallbacks.tsx'

const routeTree = rootRoute.addChildren([
  setupRoute,
  signInRoute,
  changePasswordRoute,
  appRoute.addChildren([
    overviewRoute,
    sitesRoute,
    requestsRoute,
    siteRoute,
    docsRoute,
    docRoute,
    nodesRoute,
    nodeRoute,
    enrolmentRoute,
    groupsRoute,
    certificatesRoute,
    certificateRoute,
    editCertificateRoute,
    orderCertificateRoute,
    configsRoute,
    configRoute,
    versionsRoute,
    versionRoute,
    compareRoute,
    importRoute,
    releasesRoute,
    releaseRoute,
    releaseVersionRoute,
    rolloutsRoute,
    planRoute,
    rolloutRoute,
    measurementsRoute,
    compareMeasurementsRoute,
    topNodesRoute,
    alertsRoute,
    auditRoute,
    auditEntryRoute,
    settingsRoute,
    nowhereRoute,
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    basepath: basePath,
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFoundScreen,
    defaultErrorComponent: BrokenScreen,
    defaultPendingComponent: PendingScreen,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
