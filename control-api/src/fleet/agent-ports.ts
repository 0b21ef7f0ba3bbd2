// SPDX-License-Identifier: MIT
// What the channel to the nodes needs of the features that decide and measure. app.ts wires them, so
// that neither side imports the other.
import type {
  CertificateVersion,
  Effective,
  NackCode,
  ReleaseVersion,
} from '../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../api-shapes/common.ts'
import type { Unit } from '../audit/write.ts'
import type { Reader } from '../db/database.ts'
import type { Recipient, RenderTarget } from '../labels/grouping.ts'

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
  | { kind: 'connected' | 'disconnected'; nodeId: string }
  /** It has another name. */
  | { kind: 'renamed'; nodeId: string }

/** What it was offered has a release that it does not have whole yet; it has come further. */
export type Fetched = { nodeId: string; files: number; filesDone: number }

/** The rollout engine. Both run inside the transaction that stores the node's message. */
export type RolloutEngine = {
  onAgentEvent(unit: Unit, event: AgentEvent): Promise<void>
  /** Each rollout that has to do with some of them is told once. */
  onFetching(unit: Unit, nodes: readonly Fetched[]): Promise<void>
  /** People did it to these: each rollout that has to do with some of them is told once. */
  onNodesChanged(
    unit: Unit,
    change: { kind: 'decommissioned' | 'cordoned'; nodeIds: readonly string[] },
  ): Promise<void>
  /** The node runs the offered digest: may it keep it? Asked again until it is yes or the node's time is over. */
  mayKeep(unit: Unit, offer: Offer): Promise<boolean>
  /** A rollout is to tell the node what to run. */
  owns(unit: Unit, nodeId: string): Promise<boolean>
}

export type Release = { config: string; version: number; text: string }
export type Rendered = {
  text: string
  /** Of all: agent-protocol/content.ts. */
  digest: string
  configDigest: string
  /** That go with the text. */
  certificates: CertificateVersion[]
  releases: ReleaseVersion[]
}
/** The config store. */
export type Releases = {
  /** What new nodes of the group get: the last version released that goes to it; null: none yet. */
  releasedVersion(db: Reader, to: Recipient): Promise<Release | null>
  /** Those that a node was well with, newest first, each once; at most five. */
  provenReleases(db: Reader, to: Recipient): Promise<Release[]>
  /**
   * The version's text as nodes get it, with the certificates and releases that were proved; null: an override makes it
   * unreadable, a variable has no value, or one of them is not there. To nodes that get the same, the same object. For one transaction.
   */
  rendererOf(versionText: string): (db: Reader, target: RenderTarget) => Promise<Rendered | null>
  /**
   * A node speaks of places in the text it was given; people edit the version's. The same errors in
   * places of `versionText`; as they are when something has changed since `given` was rendered.
   */
  errorsForAuthor(
    version: { versionText: string; target: RenderTarget; given: string },
    errors: readonly ConfigError[],
  ): ConfigError[]
}
