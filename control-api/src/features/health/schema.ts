// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import { Nullable } from '../../schema/common.ts'

/** GET /health getHealth (public): is the control plane able to do its work? */
export const HealthSchema = Type.Object({
  status: Type.Enum(['ok', 'degraded']),
  version: Type.String(),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum(['control-db', 'metrics-db', 'node-check']),
      ok: Type.Boolean(),
      message: Type.String(),
    }),
  ),
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
  startedAt: Type.String({ format: 'date-time' }),
  nodeBinaryVersion: Nullable(Type.String()),
})
