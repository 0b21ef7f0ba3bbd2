// SPDX-License-Identifier: MIT
// All that the routes are made of, when the service is put together.
import type { openAcme } from './acme-for-service.ts'
import type { Assignments } from './assignments/assignments.ts'
import type { SecretBox } from './base/secret-box.ts'
import type { Authority } from './ca/authority.ts'
import type { Measured } from './certificates/expiry-watch.ts'
import type { CertificateKeeper } from './certificates/keep.ts'
import type { ConsoleCertificate } from './console-tls/certificate.ts'
import type { Identity } from './control-plane/identity.ts'
import type { Deciding } from './deciding-for-service.ts'
import type { Config } from './environment/config.ts'
import type { farmReader } from './features/alerts/look.ts'
import type { AuditVerifier } from './features/audit/verifier.ts'
import type { BackupKeeper } from './features/backups/keeper.ts'
import type { TextWork } from './features/configs/text-work.ts'
import type { createNodeCounts } from './features/nodes/counts.ts'
import type { EndNode } from './features/nodes/decommissioning.ts'
import type { FarmIndex } from './features/nodes/farm-index.ts'
import type { PreviewKeeper } from './features/nodes/previews/keeper.ts'
import type { Contents } from './features/releases/contents.ts'
import type { SiteReading } from './features/sites/reading.ts'
import type { watchProcess } from './features/telemetry/process.ts'
import type { createRequestCounter } from './features/telemetry/requests.ts'
import type { createBearers } from './features/tokens/bearer.ts'
import type { Dispatcher } from './features/webhooks/dispatcher.ts'
import type { Guard } from './features/webhooks/targets.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { AbsenceOf } from './fleet/forgetting.ts'
import type { CheckQuestions, LogQuestions } from './fleet/questions.ts'
import type { RequestSearches } from './fleet/request-searches.ts'
import type { SampleWatches } from './fleet/sample-watches.ts'
import type { App } from './http/app-types.ts'
import type { MetricsStore } from './metrics-store/metrics-store.ts'
import type { Neighbours } from './neighbours/neighbours.ts'
import type { SseHub } from './plugins/sse.ts'
import type { Services } from './process/services.ts'

/** All that routes are made of. */
export type Parts = {
  config: Config
  services: Services
  identity: Identity
  box: SecretBox
  authority: Authority | null
  fleet: Fleet
  absenceOf: AbsenceOf
  questions: { logQuestions: LogQuestions; checkQuestions: CheckQuestions }
  sampleWatches: SampleWatches
  requestSearches: RequestSearches
  /** How long a node may take to send the lines of its log. */
  logTailWithinMs: number
  /** The other listener. */
  agents: App
  assignments: Assignments
  deciding: Deciding
  endNode: EndNode
  metrics: MetricsStore
  work: TextWork
  bearers: ReturnType<typeof createBearers>
  keeper: CertificateKeeper
  certificateEnds: () => Promise<Measured>
  acme: ReturnType<typeof openAcme>
  guard: Guard
  dispatcher: Dispatcher
  verifier: AuditVerifier
  backups: BackupKeeper | null
  contents: Contents
  /** To nodes, since the start. */
  releaseBytesSent: () => number
  previewKeeper: PreviewKeeper
  neighbours: Neighbours
  consoleCertificate: ConsoleCertificate | null
  hub: SseHub
  index: FarmIndex
  siteReading: SiteReading
  requests: ReturnType<typeof createRequestCounter>
  alertFarm: ReturnType<typeof farmReader>
  ownProcess: ReturnType<typeof watchProcess>
}
export type WithCounts = Parts & { countNodes: ReturnType<typeof createNodeCounts> }
