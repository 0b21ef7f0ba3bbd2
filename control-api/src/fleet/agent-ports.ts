// SPDX-License-Identifier: MIT
// What the channel to the nodes needs of the features that decide and measure. app.ts wires them, so
// that neither side imports the other.
import type { Kysely, Transaction } from 'kysely'
import type { Effective, NackCode, ReportRequest } from '../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../api-shapes/common.ts'
import type { Impact } from '../api-shapes/impact.ts'
import type { Unit } from '../audit/write.ts'
import type { Database } from '../db/database.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { Grouping, Recipient, RenderTarget } from '../labels/grouping.ts'

export type Offer = {
  nodeId: string
  generation: number
  offerId: string
  digest: string
  /** null: not part of a rollout (a new node's first release). */
  rolloutId: string | null
}

/** What a node said about an offer; each arrives once, whatever the network repeated. */
export type AgentEvent =
  | (Offer & { kind: 'acked'; warnings: ConfigError[] })
  | (Offer & { kind: 'nacked'; code: NackCode; message: string; errors: ConfigError[] })
  | (Offer & { kind: 'applied'; effective: Effective | null })
  | (Offer & { kind: 'confirmed'; effective: Effective })
  | (Offer & {
      kind: 'reverted' | 'stuck'
      reason: string | null
      message: string
      evidence: string[]
      effective: Effective | null
    })
  /** After a start, an outage or a reconnect: what really runs. */
  | { kind: 'hello'; nodeId: string; effective: Effective | null; isRestart: boolean }
  /** Nothing was asked of it, and something else runs. */
  | { kind: 'effective'; nodeId: string; effective: Effective | null }
  | { kind: 'connected' | 'disconnected' | 'decommissioned' | 'cordoned'; nodeId: string }

/** The rollout engine. Both run inside the transaction that stores the node's message. */
export type RolloutEngine = {
  onAgentEvent(unit: Unit, event: AgentEvent): Promise<void>
  /** The node runs the offered digest: may it keep it? Asked again until it is yes or the node's time is over. */
  mayKeep(unit: Unit, offer: Offer): Promise<boolean>
  /** A rollout is to tell the node what to run. */
  owns(unit: Unit, nodeId: string): Promise<boolean>
}

export type Release = { config: string; version: number; text: string }
export type Rendered = { text: string; digest: string }
/** The config store. */
export type Releases = {
  /** What new nodes of the group get: the last version released that goes to it; null: none yet. */
  releasedVersion(trx: Transaction<Database>, to: Recipient): Promise<Release | null>
  /** Those that a node was well with, newest first, each once; at most five. */
  provenReleases(trx: Transaction<Database>, to: Recipient): Promise<Release[]>
  /**
   * The version's text as the node gets it, and the digest of what comes out; null: an override makes it
   * unreadable, or a variable has no value.
   */
  renderForNode(versionText: string, target: RenderTarget): Rendered | null
  /**
   * A node speaks of places in the text it was given; people edit the version's. The same errors in
   * places of `versionText`; as they are when something has changed since `given` was rendered.
   */
  errorsForAuthor(
    version: { versionText: string; target: RenderTarget; given: string },
    errors: readonly ConfigError[],
  ): ConfigError[]
}

export type VersionRef = { config: string; number: number }
export type Preview = {
  text: string
  /** null: nobody can read it, or a variable has no value; `errors` says which. */
  digest: string | null
  errors: ConfigError[]
  variables: ReadonlyMap<string, string>
}
/** The config store, looking ahead: texts as nodes would get them. Stores nothing. */
export type Previews = {
  released(to: Recipient): Promise<VersionRef | null>
  /** The author's; null: there is no such version. */
  textOf(version: VersionRef): Promise<string | null>
  /** Of a version there is. */
  render(version: VersionRef, target: RenderTarget): Promise<Preview>
  /** Where two texts differ; the whole document when one of them is not there. */
  pointers(before: Preview | null, after: Preview | null): string[]
  /** What farmstead-node would refuse, in the author's places; null: it was not asked, not after `most` texts. */
  check(preview: Preview, most: number): Promise<ConfigError[] | null>
  /** What the owners of machines with these rules would not allow, in the author's places; null: not known. */
  askOwners(all: readonly OwnedPreview[]): Promise<(one: OwnedPreview) => ConfigError[] | null>
}
/** As a node would get it whose machine's owner has these rules. */
export type OwnedPreview = { preview: Preview; rulesId: string }
export type OpenPreviews = () => Previews

/** The groups: what it would do to the farm if the node became another. */
export type NodeImpact = (
  nodeId: string,
  change: { name?: string; labels?: string; merge_patch?: string },
) => Promise<Impact>

/** The groups as they are now; in a transaction, as that sees them. */
export type ReadGrouping = (db: Kysely<Database>) => Promise<Grouping>

/** A local change of a node that an operator wants to keep. */
export type Adoption = {
  config: string
  /** The version the node was given, and what differs on it: that is not of the version. */
  version: number
  target: RenderTarget
  text: string
  author: string
  message: string
}
/** Saves it as the config's newest version; its number. Throws what is wrong with the text. */
export type Adopt = (adoption: Adoption) => Promise<number>

export type LatencySummary = {
  windowSeconds: number
  requests: number
  p50Seconds: number | null
  p99Seconds: number | null
  readWaitP99Seconds: number | null
  errorRatio: number | null
  clientErrorRatio: number | null
  notFoundRatio: number | null
  requestsPerSecond: number | null
}
/** What requests of one config generation did in one window of a node. */
export type Sample = {
  nodeId: string
  generation: number
  endedAtMs: number
  counters: Readonly<Record<string, number>>
  stages: Readonly<Partial<Record<'firstByte' | 'total' | 'readWait', Histogram>>>
}
/** The metrics store. */
export type Metrics = {
  /** Keeps the windows it has not seen; resolves with the highest sequence number of the boot it holds. */
  record(nodeId: string, report: ReportRequest): Promise<number>
  /** Of the last `windowSeconds`; a node without data is absent. */
  latencySummaries(
    nodeIds: readonly string[],
    windowSeconds: number,
  ): Promise<Map<string, LatencySummary>>
  /** Of windows that ended since then, as far back as two minutes. */
  samples(nodeIds: readonly string[], sinceMs: number): Sample[]
  check(): Promise<{ ok: boolean; message: string }>
  close(): Promise<void>
}
