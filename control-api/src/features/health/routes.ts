// SPDX-License-Identifier: MIT
// Is the control plane able to do its work, and what is it?
import type { Authority } from '../../ca/authority.ts'
import type { Transport } from '../../environment/config.ts'
import type { App } from '../../http/app-types.ts'
import { HealthSchema, ReadinessSchema, SystemSchema } from './schema.ts'

type CheckName = 'control-db' | 'metrics-db' | 'node-check' | 'agent-ca' | 'certificates' | 'backup'
/** `attention`: nothing fails, and yet somebody should look. */
export type Check = { ok: boolean; attention?: boolean; message: string }
type Deps = {
  version: string
  startedAtMs: number
  identity: { controlPlaneId: string; epoch: number }
  agentListener: { url: string; transport: Transport }
  /** null: plain HTTP. */
  certificateAuthority: Pick<Authority, 'status'> | null
  /** The first one is what nothing works without. */
  checks: { name: CheckName; run: () => Promise<Check> }[]
  nodeBinaryVersion: () => Promise<string | null>
  isListeningToAgents: () => boolean
}

const tags = ['system']

export const healthRoutes = (deps: Deps) => async (app: App) => {
  app.get(
    '/health',
    {
      config: { permission: 'public', underPressure: true, errors: [] },
      schema: {
        operationId: 'getHealth',
        tags,
        summary: 'Is the control plane able to do its work? 503 when it is not',
        response: { 200: HealthSchema, 503: HealthSchema },
      },
    },
    async (_request, reply) => {
      const results = await Promise.all(
        deps.checks.map(async ({ name, run }) => ({
          name,
          attention: false,
          ...(await outcome(run)),
        })),
      )
      const ok = results.every((result) => result.ok)
      // Without the control database nothing works; the rest is worth a look, not a restart.
      if (!results[0]?.ok) reply.code(503)
      return {
        status: ok ? ('ok' as const) : ('degraded' as const),
        version: deps.version,
        checks: results,
      }
    },
  )

  app.get(
    '/ready',
    {
      config: { permission: 'public', errors: [] },
      schema: {
        operationId: 'getReadiness',
        tags,
        summary: 'May requests and nodes be sent here? 503 when not: for load balancers',
        response: { 200: ReadinessSchema, 503: ReadinessSchema },
      },
    },
    async (_request, reply) => {
      const missing = await missingParts(deps)
      if (missing.length > 0) reply.code(503)
      return { ready: missing.length === 0, missing }
    },
  )

  app.get(
    '/system',
    {
      config: { permission: 'system:read', errors: [] },
      schema: {
        operationId: 'getSystem',
        tags,
        summary: 'What this control plane is and where its nodes dial',
        response: { 200: SystemSchema },
      },
    },
    async () => ({
      version: deps.version,
      controlPlaneId: deps.identity.controlPlaneId,
      epoch: deps.identity.epoch,
      agentListener: deps.agentListener,
      certificateAuthority: viewCa(deps.certificateAuthority),
      startedAt: new Date(deps.startedAtMs).toISOString(),
      nodeBinaryVersion: await deps.nodeBinaryVersion(),
    }),
  )
}

/** Less than what health looks at: a late backup is no reason to send people away. */
async function missingParts({ checks, isListeningToAgents }: Deps): Promise<string[]> {
  const database = checks[0] ? await outcome(checks[0].run) : { ok: true, message: '' }
  return [
    ...(database.ok ? [] : [`control.db does not answer: ${database.message}`]),
    ...(isListeningToAgents() ? [] : ['the agents’ listener is not open']),
  ]
}

async function outcome(run: () => Promise<Check>): Promise<Check> {
  try {
    return await run()
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function viewCa(authority: Deps['certificateAuthority']) {
  if (!authority) return null
  const { ca, next, serverNotAfterMs } = authority.status()
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    fingerprint: ca.fingerprint,
    notAfter: iso(ca.notAfterMs),
    serverNotAfter: iso(serverNotAfterMs),
    nextFingerprint: next?.fingerprint ?? null,
  }
}
