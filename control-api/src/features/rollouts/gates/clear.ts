// SPDX-License-Identifier: MIT
// Gates that say something of a path where there is nothing to say, or the same thing twice. Pure.
import type { Gate } from '../shapes/schema.ts'
import { gateKey } from './gates.ts'

/** What nodes count below a path. */
const OF_PATHS: readonly Gate['metric'][] = ['errors404', 'bytesPerPage']

/** A sentence; null: they are clear. */
export function whyUnclear(gates: readonly Gate[]): string | null {
  for (const { metric, host, path } of gates) {
    if (path !== undefined && !OF_PATHS.includes(metric)) {
      return `The gate ${metric} has the path ${path}: only ${OF_PATHS.join(' and ')} may have one. Leave it out, or choose one of these.`
    }
    if (host !== undefined && path === undefined) {
      return `The gate ${metric} has the host ${host} and no path. Say which: "/" is all of it.`
    }
  }
  const ofPaths = gates.filter(({ metric }) => OF_PATHS.includes(metric)).map(gateKey)
  const twice = ofPaths.find((key, i) => ofPaths.indexOf(key) !== i)
  return twice === undefined ? null : `The gate ${twice.trim()} is there twice: leave one out.`
}
