// SPDX-License-Identifier: MIT
// A renewed certificate on its way to who has an older one: of each version of a config that runs there a rollout, by waves and
// gates as any other. Where nodes run several versions of a config, each keeps its own.
import { AppError } from '../../api-shapes/errors.ts'
import { configsGiving, nodesBehind } from '../../assignments/store.ts'
import { RENEWAL } from './plan/strategy.ts'
import { type StartDeps, startRollout } from './start.ts'

export type Renewal = {
  config: string
  version: number
  /** null: it was refused. */
  rolloutId: string | null
  refused: string | null
}
export type RollOutCertificate = (
  certificate: { name: string; latest: number },
  author: { id: string | null; username: string },
  /** Of these configs alone; left out: of all that bring it somewhere. */
  configs?: readonly string[],
) => Promise<Renewal[]>

/** What cannot be started is told beside what was: one config's trouble holds up no other's. */
export function createRollOutCertificate(deps: StartDeps): RollOutCertificate {
  return async (certificate, author, configs) => {
    const giving = await configsGiving(deps.db, certificate, null)
    const renewals: Renewal[] = []
    for (const { config, version, behind } of giving) {
      if (behind === 0 || configs?.includes(config) === false) continue
      const isMixed = giving.some((one) => one.config === config && one.version !== version)
      const nodes = isMixed
        ? await nodesBehind(deps.db, certificate, { config, version })
        : undefined
      const message = `Renew the certificate ${certificate.name}`
      const order = {
        ...{ config, version, selector: '', scope: null, nodes, message, author },
        strategy: RENEWAL,
      }
      const started = await startRollout(deps, order).then(
        (rolloutId) => ({ rolloutId, refused: null }),
        refusalOf,
      )
      renewals.push({ config, version, ...started })
    }
    return renewals
  }
}

function refusalOf(error: unknown) {
  if (error instanceof AppError) return { rolloutId: null, refused: error.message }
  throw error
}
