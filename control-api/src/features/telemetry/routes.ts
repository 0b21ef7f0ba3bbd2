// SPDX-License-Identifier: MIT
// GET /metrics: the control plane's own measurements, where Prometheus looks for them; GET /metrics/farm: those of all nodes,
// added up. The routes themselves are below /api, as everything that asks who somebody is: session cookies go there and nowhere else.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app-types.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { wantsProtobuf } from './accept.ts'
import { byLabel, exposeText, type Family, TEXT } from './exposition.ts'
import { exposeProtobuf, PROTOBUF } from './exposition-protobuf.ts'
import { ingestFamilies, measuredFamilies } from './measured.ts'

export const METRICS_PATH = '/api/metrics'
const WELL_KNOWN = /^\/metrics(?=\/farm(?:\?|$)|\?|$)/

/** Of a request's target. */
export const fromWellKnown = (url: string): string => url.replace(WELL_KNOWN, METRICS_PATH)

type Deps = {
  version: string
  /** Always at hand. */
  own: () => Family[]
  /** Gathered. */
  farm: () => Promise<Family[]>
  metrics: Pick<MetricsStore, 'ingest' | 'totals' | 'summedUntilSeconds'>
}

/** Of the control plane. Of a metrics store that does not answer the rest is told. */
async function ownFamilies({ version, own, farm, metrics }: Deps): Promise<Family[]> {
  const build = { name: 'farmstead_build_info', type: 'gauge', help: 'Its version.' } as const
  const summedUntil = await metrics.summedUntilSeconds().catch(() => null)
  return [
    byLabel(build, 'version', [[version, 1]]),
    ...own(),
    ...ingestFamilies(metrics.ingest(), summedUntil),
    ...(await farm()),
  ]
}

/** Of the control plane and of what nodes measured. */
export const allFamilies = async (deps: Deps): Promise<Family[]> => [
  ...(await ownFamilies(deps)),
  ...measuredFamilies(await deps.metrics.totals()),
]

export function telemetryRoutes(app: App, deps: Deps): void {
  const config = { permission: 'system:metrics' } as const
  const schema = { hide: true }

  app.get(
    METRICS_PATH,
    // What is measured is wanted most when there is too much to do.
    { config: { ...config, underPressure: true }, schema },
    async (request, reply) => expose(request, reply, await ownFamilies(deps)),
  )

  app.get(`${METRICS_PATH}/farm`, { config, schema }, async (request, reply) =>
    expose(request, reply, measuredFamilies(await deps.metrics.totals())),
  )
}

function expose(request: FastifyRequest, reply: FastifyReply, families: readonly Family[]) {
  reply.header('cache-control', 'no-store').header('vary', 'accept')
  return wantsProtobuf(request.headers.accept)
    ? reply.type(PROTOBUF).send(exposeProtobuf(families))
    : reply.type(TEXT).serializer(String).send(exposeText(families))
}
