// SPDX-License-Identifier: MIT
// What the service measures of itself and its farm: asked for by scrapers, and sent by itself.
import { counter } from './features/telemetry/exposition.ts'
import { createFarmFamilies } from './features/telemetry/farm.ts'
import { otlpBody } from './features/telemetry/otlp-body.ts'
import { startOtlpExport } from './features/telemetry/otlp-export.ts'
import { allFamilies, telemetryRoutes } from './features/telemetry/routes.ts'
import type { App } from './http/app-types.ts'
import type { WithCounts } from './parts.ts'
import { version } from './process/services.ts'

/** Returns how to stop what is sent by itself. */
export function serveTelemetry(app: App, parts: WithCounts): () => Promise<void> {
  const { config, services, identity, authority, fleet, acme, hub, countNodes } = parts
  const { certificateEnds, consoleCertificate, requests, ownProcess, metrics } = parts
  const { db, now, disk } = services
  const startedAtMs = now()
  const told = {
    ...{ version, metrics },
    own: () => [
      ...ownProcess.families(),
      ...requests.families(),
      counter(
        'farmstead_release_bytes_sent_total',
        'Bytes of releases that nodes fetched.',
        parts.releaseBytesSent(),
      ),
      ...(otlp?.families() ?? []),
    ],
    farm: createFarmFamilies({
      ...{
        db,
        databaseBytes: services.databaseBytes,
        dataDir: config.dataDir,
        now,
        authority,
        certificateEnds,
        ordersEnded: acme.ended,
        nodesByState: async () => (await countNodes(null)).byState,
      },
      agentsConnected: () => fleet.connectedIds().length,
      eventStreams: () => hub.size,
      isDiskFull: disk.isFull,
      consoleNotAfterMs: () => consoleCertificate?.current().notAfterMs ?? null,
      isInRecovery: () => identity.recovery !== null,
    }),
  }
  const instance = services.controlPlaneId
  const otlp: ReturnType<typeof startOtlpExport> | null =
    config.otlp &&
    startOtlpExport({
      config: config.otlp,
      gather: async () =>
        otlpBody(await allFamilies(told), { startedAtMs, nowMs: now(), version, instance }),
      onError: (error) => app.log.error({ err: error }, 'measurements could not be sent by OTLP'),
    })
  telemetryRoutes(app, told)
  return async () => otlp?.stop()
}
