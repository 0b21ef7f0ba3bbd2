// SPDX-License-Identifier: MIT
// Migrations go forward only and are frozen once released: they never import the service's own code.
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import * as core from './migrations/001-core.ts'
import * as configs from './migrations/010-configs.ts'
import * as rollouts from './migrations/011-rollouts.ts'
import * as identities from './migrations/012-identities.ts'
import * as driftTexts from './migrations/013-drift-texts.ts'
import * as access from './migrations/020-access.ts'
import * as apiTokens from './migrations/021-api-tokens.ts'
import * as oidc from './migrations/022-oidc.ts'
import * as audit from './migrations/023-audit.ts'
import * as drafts from './migrations/024-drafts.ts'
import * as groups from './migrations/025-groups.ts'
import * as rest from './migrations/026-rest.ts'
import * as webhooks from './migrations/027-webhooks.ts'
import * as backups from './migrations/028-backups.ts'
import * as rolloutWaves from './migrations/029-rollout-waves.ts'
import * as rolloutQueue from './migrations/030-rollout-queue.ts'
import * as rolloutNodes from './migrations/031-rollout-nodes.ts'
import * as rolloutProbes from './migrations/032-rollout-probes.ts'
import * as nodeLabels from './migrations/033-node-labels.ts'
import * as rolloutStragglers from './migrations/034-rollout-stragglers.ts'
import * as tasksByNode from './migrations/035-tasks-by-node.ts'
import * as cordons from './migrations/036-cordons.ts'
import * as nodePolicies from './migrations/037-node-policies.ts'
import * as rolloutNamedNodes from './migrations/040-rollout-named-nodes.ts'
import * as recoveries from './migrations/043-recoveries.ts'
import * as ephemeralNodes from './migrations/049-ephemeral-nodes.ts'
import * as groupsForget from './migrations/050-groups-forget.ts'
import * as orderedStrategies from './migrations/051-ordered-strategies.ts'
import * as webhookWaits from './migrations/058-webhook-waits.ts'
import * as rolloutReasons from './migrations/059-rollout-reasons.ts'
import * as listIndexes from './migrations/060-list-indexes.ts'
import * as certificates from './migrations/061-certificates.ts'
import * as acme from './migrations/062-acme.ts'
import * as rolloutCounts from './migrations/063-rollout-counts.ts'
import * as noNodeLabels from './migrations/064-no-node-labels.ts'
import * as alerts from './migrations/066-alerts.ts'
import * as views from './migrations/080-views.ts'
import * as releases from './migrations/085-releases.ts'
import * as sites from './migrations/090-sites.ts'
import * as releasesOnNodes from './migrations/091-releases-on-nodes.ts'
import * as sitePlaces from './migrations/095-site-places.ts'
import * as neighbours from './migrations/096-neighbours.ts'
import * as releasePreviews from './migrations/098-release-previews.ts'
import { postgresTables } from './postgres/first-step.ts'
import type { StorePlace } from './store.ts'

/** The order of the names is the order of the steps. 001–009: core; 010 and up: features. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-core': core,
  '010-configs': configs,
  '011-rollouts': rollouts,
  '012-identities': identities,
  '013-drift-texts': driftTexts,
  '020-access': access,
  '021-api-tokens': apiTokens,
  '022-oidc': oidc,
  '023-audit': audit,
  '024-drafts': drafts,
  '025-groups': groups,
  '026-rest': rest,
  '027-webhooks': webhooks,
  '028-backups': backups,
  '029-rollout-waves': rolloutWaves,
  '030-rollout-queue': rolloutQueue,
  '031-rollout-nodes': rolloutNodes,
  '032-rollout-probes': rolloutProbes,
  '033-node-labels': nodeLabels,
  '034-rollout-stragglers': rolloutStragglers,
  '035-tasks-by-node': tasksByNode,
  '036-cordons': cordons,
  '037-node-policies': nodePolicies,
  '040-rollout-named-nodes': rolloutNamedNodes,
  '043-recoveries': recoveries,
  '049-ephemeral-nodes': ephemeralNodes,
  '050-groups-forget': groupsForget,
  '051-ordered-strategies': orderedStrategies,
  '058-webhook-waits': webhookWaits,
  '059-rollout-reasons': rolloutReasons,
  '060-list-indexes': listIndexes,
  '061-certificates': certificates,
  '062-acme': acme,
  '063-rollout-counts': rolloutCounts,
  '064-no-node-labels': noNodeLabels,
  '066-alerts': alerts,
  '080-views': views,
  '085-releases': releases,
  '090-sites': sites,
  '091-releases-on-nodes': releasesOnNodes,
  '095-site-places': sitePlaces,
  '096-neighbours': neighbours,
  '098-release-previews': releasePreviews,
}

type Steps = Readonly<Record<string, Migration>>

/** In PostgreSQL the first step makes all that those up to 098 made in SQLite: the same names say the same of both. */
export const stepsOf = ({ databaseUrl }: StorePlace): Steps =>
  databaseUrl === null
    ? migrations
    : Object.fromEntries(
        Object.entries(migrations).map(([name, step]) => [
          name,
          name === FIRST ? postgresTables : name <= IN_THE_FIRST ? NOTHING : step,
        ]),
      )
const FIRST = '001-core'
const IN_THE_FIRST = '098-release-previews'
const NOTHING: Migration = { up: async () => {} }

export const migratorOf = (db: Kysely<Database>, steps: Steps = migrations) =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...steps }) } })

export async function migrateToLatest(
  db: Kysely<Database>,
  steps: Steps = migrations,
): Promise<void> {
  const { error, results } = await migratorOf(db, steps).migrateToLatest()
  if (error === undefined) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName
  throw new Error(
    `The database could not be brought up to this version${failed ? ` (step ${failed})` : ''}. It is unchanged; run the version that wrote it, or restore a backup.`,
    { cause: error },
  )
}
