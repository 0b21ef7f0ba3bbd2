// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import { Nullable } from '../../api-shapes/common.ts'

/** GET /health getHealth (public): is the control plane able to do its work? */
export const HealthSchema = Type.Object({
  status: Type.Enum(['ok', 'degraded']),
  version: Type.String(),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum([
        'control-db',
        'metrics-db',
        'node-check',
        'agent-ca',
        'certificates',
        'backup',
      ]),
      ok: Type.Boolean(),
      attention: Type.Boolean({
        description:
          'Nothing fails, and yet something is left undone, as backups that nobody set up',
      }),
      message: Type.String(),
    }),
  ),
})
/** GET /ready getReadiness (public) */
export const ReadinessSchema = Type.Object({
  ready: Type.Boolean(),
  missing: Type.Array(Type.String(), { description: 'Why not, in words' }),
})
/** GET /system getSystem (viewer): what the console shows about the control plane itself */
export const SystemSchema = Type.Object({
  version: Type.String(),
  controlPlaneId: Type.String(),
  epoch: Type.Integer(),
  agentListener: Type.Object({
    url: Type.String(),
    transport: Type.Enum(['insecure-http', 'mtls']),
  }),
  certificateAuthority: Nullable(
    Type.Object({
      fingerprint: Type.String({ description: 'What enrolment tokens carry' }),
      notAfter: Type.String({ format: 'date-time' }),
      serverNotAfter: Type.String({
        format: 'date-time',
        description: 'Of the agent listener’s certificate, which is made anew by itself',
      }),
      nextFingerprint: Nullable(Type.String({ description: 'During a rotation: the new CA’s' })),
    }),
  ),
  startedAt: Type.String({ format: 'date-time' }),
  nodeBinaryVersion: Nullable(Type.String()),
})
