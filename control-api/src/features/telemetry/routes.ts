// SPDX-License-Identifier: MIT
// GET /metrics: the control plane's own measurements, where Prometheus looks for them. The route itself is
// below /api, as everything that asks who somebody is: session cookies go there and nowhere else.
import type { App } from '../../http/app-types.ts'
import { byLabel, CONTENT_TYPE, expose, type Family } from './exposition.ts'

export const METRICS_PATH = '/api/metrics'
const WELL_KNOWN = '/metrics'

/** Of a request's target. */
export const fromWellKnown = (url: string): string =>
  url === WELL_KNOWN || url.startsWith(`${WELL_KNOWN}?`)
    ? METRICS_PATH + url.slice(WELL_KNOWN.length)
    : url

type Deps = {
  version: string
  /** Always at hand. */
  own: () => Family[]
  /** Gathered. */
  farm: () => Promise<Family[]>
}

export function telemetryRoutes(app: App, { version, own, farm }: Deps): void {
  const build = { name: 'farmstead_build_info', type: 'gauge', help: 'Its version.' } as const
  app.get(
    METRICS_PATH,
    {
      // What is measured is wanted most when there is too much to do.
      config: { permission: 'system:metrics', underPressure: true },
      schema: { hide: true },
    },
    async (_request, reply) => {
      const families = [byLabel(build, 'version', [[version, 1]]), ...own(), ...(await farm())]
      return reply
        .type(CONTENT_TYPE)
        .header('cache-control', 'no-store')
        .serializer(String)
        .send(expose(families))
    },
  )
}
