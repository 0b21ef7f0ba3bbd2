// SPDX-License-Identifier: MIT
// How each operation answered. One that only ever refused was not tested: nobody held its good answers
// against its schema.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

/** They can't do well here, and are tested elsewhere. */
const ONLY_REFUSE: Record<string, string> = {
  signOut: 'ends sessions, and a token calls here: test/features/session/session.test.ts',
  changePassword: 'of a session, and a token calls here: test/features/session/session.test.ts',
  beginSecondFactor: 'of a session: test/features/session/second-factor.test.ts',
  confirmSecondFactor: 'of a session: test/features/session/second-factor.test.ts',
  removeSecondFactor: 'of a session: test/features/session/second-factor.test.ts',
  listOwnSessions: 'of a session: test/features/session/second-factor.test.ts',
  endOwnSession: 'of a session: test/features/session/second-factor.test.ts',
  endOtherSessions: 'of a session: test/features/session/second-factor.test.ts',
  listViews: 'of a session: test/features/views/',
  putView: 'of a session: test/features/views/',
  deleteView: 'of a session: test/features/views/',
  setUp: 'there is an administrator: test/features/session/session.test.ts',
  startOidcSignIn: 'there is no provider: test/features/oidc/',
  finishOidcSignIn: 'there is no provider: test/features/oidc/',
  getOidcIdentity: 'there is no provider: test/features/oidc/',
  linkOidcIdentity: 'there is no provider: test/features/oidc/',
  unlinkOidcIdentity: 'there is no provider: test/features/oidc/',
  createRollout: 'at random it is for no node, or too early or late: test/features/rollouts/',
  freezeRollout: 'the rollouts are over at once: test/features/rollouts/',
  pauseRollout: 'the rollouts are over at once: test/features/rollouts/',
  resumeRollout: 'the rollouts are over at once: test/features/rollouts/',
  skipRolloutGate: 'the rollouts are over at once: test/features/rollouts/',
  revertRollout: 'the rollouts are over at once: test/features/rollouts/',
  cancelRollout: 'no rollout waits: test/features/rollouts/line/before.test.ts',
  approveRollout: 'no rollout waits: test/features/rollouts/line/before.test.ts',
  rejectRollout: 'no rollout waits: test/features/rollouts/line/before.test.ts',
  stopPlan: 'no plan is being made: test/features/rollouts/plan/under-way.test.ts',
  deleteConfig: 'nodes run the one there is: test/features/configs/',
  deleteRelease: 'at random there is none: test/features/releases/',
  createReleaseVersion: 'at random no manifest is here: test/features/releases/',
  putManifest: 'at random no text is here: test/features/releases/',
  postBlobs: 'at random nothing is framed: test/features/releases/',
  putBlob: 'at random no bytes have the digest: test/features/releases/',
  getReleaseVersion: 'at random there is none: test/features/releases/',
  deleteReleaseVersion: 'at random there is none: test/features/releases/',
  getRelease: 'at random there is none: test/features/releases/',
  listReleaseVersions: 'at random there is none: test/features/releases/',
  listReleasePreviews: 'at random there is none: test/features/nodes/release-previews.test.ts',
  startReleasePreview:
    'nobody says under which names: test/features/nodes/release-previews.test.ts',
  endReleasePreview: 'at random there is none: test/features/nodes/release-previews.test.ts',
  getReleaseLook: 'at random there is none: test/features/nodes/release-looks.test.ts',
  startReleaseLook: 'at random there is none: test/features/nodes/release-looks.test.ts',
  listReleaseNodes: 'at random there is none: test/features/nodes/release-nodes.test.ts',
  getManifest: 'at random there is none: test/features/releases/',
  getManifestText: 'at random there is none: test/features/releases/',
  getManifestContent: 'at random there is none: test/features/releases/',
  getManifestChangeTotals: 'at random there is none: test/features/releases/',
  listManifestChanges: 'at random there is none: test/features/releases/',
  listManifestFiles: 'at random there is none: test/features/releases/',
  listMissingBlobs: 'at random there is none: test/features/releases/',
  listSlowRequests:
    'at random its time is empty, or the node is none: test/features/metrics/requests.test.ts',
  getRequestSearch: 'at random it is nobody’s: test/features/metrics/request-searches.test.ts',
  endRequestSearch: 'at random it is nobody’s: test/features/metrics/request-searches.test.ts',
  putGroupOrder: 'its ETag is a digest: test/features/groups/',
  createCertificate: 'at random it is no certificate: test/features/certificates/',
  addCertificateVersion: 'at random it is no certificate: test/features/certificates/',
  getNodeDrift: 'no node drifted: test/assignments/drift.test.ts',
  tryAdvice: 'the nodes are well, and nothing is advised: test/features/advice/',
  decideNodeDrift: 'no node drifted: test/assignments/drift.test.ts',
  decideNodeClone: 'no node runs twice: test/node-identity/clones.test.ts',
  uncordonNode: 'at random the node was decommissioned before: test/features/nodes/',
  askStatuses: 'the nodes are simulated, and say nothing: test/features/nodes/statuses.test.ts',
  readNodeErrorLog: 'the nodes are simulated and have none: test/fleet/host.test.ts',
  confirmRecovery: 'nothing was restored: test/features/backups/',
  streamEvents: 'does not end, and is not called: test/features/events/events.test.ts',
}

export class Answers {
  /** Status → how many, by operationId. */
  readonly #counts = new Map<string, Map<number, number>>()

  readonly watch = (route: RouteOptions): void => {
    const operation = route.schema?.operationId
    if (!operation || route.method === 'HEAD') return
    const counts = new Map<number, number>()
    this.#counts.set(operation, counts)
    const count = async (_request: FastifyRequest, { statusCode }: FastifyReply) => {
      counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
    }
    route.onResponse = [count, ...[route.onResponse ?? []].flat()]
  }

  /** What was asked to fill the service. */
  forget(): void {
    for (const counts of this.#counts.values()) counts.clear()
  }

  lines(): string[] {
    return [...this.#counts].map(([operation, counts]) => {
      const statuses = [...counts].sort(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`)
      return `${operation.padEnd(24)} ${statuses.join(' ')}`
    })
  }

  /** Operations without a good answer. */
  refusing(): string[] {
    const isGood = (counts: Map<number, number>) =>
      [...counts.keys()].some((status) => status < 400)
    return [...this.#counts]
      .filter(([operation, counts]) => !(operation in ONLY_REFUSE) && !isGood(counts))
      .map(([operation]) => operation)
  }
}
