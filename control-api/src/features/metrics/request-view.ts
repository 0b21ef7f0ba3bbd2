// SPDX-License-Identifier: MIT
// One request as the API shows it. Pure.
import type { PlacedRequest } from '../../metrics-store/windows.ts'
import type { RequestSample } from './request-schema.ts'

export const viewRequest = ({ startedAtUs, ...request }: PlacedRequest): RequestSample => ({
  startedAt: isoUs(startedAtUs),
  ...request,
})

/** An ISO time with microseconds. */
function isoUs(us: number): string {
  const seconds = new Date(Math.floor(us / 1e6) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(us % 1e6).padStart(6, '0')}Z`
}
