// SPDX-License-Identifier: MIT
// Short names for the shapes in the generated types. Derived, never written twice.
import type { components, operations } from '@farmstead/api-types'

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never
type Answer<
  Op extends keyof operations,
  Status extends number,
> = Status extends keyof operations[Op]['responses']
  ? JsonOf<operations[Op]['responses'][Status]>
  : never

export type Session = Answer<'getSession', 200>
export type OwnSession = Answer<'listOwnSessions', 200>['items'][number]
export type User = Answer<'getUser', 200>
export type Role = User['roles'][number]
export type NodesPage = Answer<'listNodes', 200>
export type Node = NodesPage['items'][number]
/** Which nodes, and in which order. */
export type NodeList = Omit<
  NonNullable<operations['listNodes']['parameters']['query']>,
  'limit' | 'offset' | 'cursor'
>
export type NodesOrder = operations['changeNodes']['requestBody']['content']['application/json']
export type NodesChange = NodesOrder['change']
export type NodesAnswer = Answer<'changeNodes', 200>
export type NodeResult = NodesAnswer['results'][number]
export type SavedView = Answer<'listViews', 200>['items'][number]
export type NodeCells = Answer<'getNodeCells', 200>
export type NodeDetail = Answer<'getNode', 200>
export type NodePolicy = NonNullable<NodeDetail['policy']>
export type RolloutSummary = Answer<'listRollouts', 200>['items'][number]
export type RequestSearch = Answer<'getRequestSearch', 200>
export type FoundRequest = RequestSearch['requests'][number]
export type StartSearch =
  operations['startRequestSearch']['requestBody']['content']['application/json']
export type SyncState = Node['sync']['state']
export type FarmSummary = Answer<'getFarmSummary', 200>
export type ConfigIdentity = NonNullable<Node['sync']['desired']>
export type EffectiveConfig = Answer<'getNodeEffectiveConfig', 200>
export type NodeIdentity = Node['identity']
export type NodeClone = NonNullable<Node['clone']>
export type NodeHost = NonNullable<Node['host']>
export type DriftDetail = Answer<'getNodeDrift', 200>
export type DriftAnswer = Answer<'decideNodeDrift', 200>
export type Samples = Answer<'watchNodeRequests', 200>
export type RequestSample = Samples['batches'][number]['samples'][number]
export type ErrorLog = Answer<'readNodeErrorLog', 200>
export type LogLevel = ErrorLog['lines'][number]['level']
export type EnrolmentToken = Answer<'listEnrolmentTokens', 200>['items'][number]
export type CreatedEnrolmentToken = Answer<'createEnrolmentToken', 201>
export type Token = Answer<'listTokens', 200>['items'][number]
export type CreatedToken = Answer<'createToken', 201>
export type Config = Answer<'getConfig', 200>
export type Version = Answer<'getVersion', 200>
export type VersionSummary = Answer<'listVersions', 200>['items'][number]
export type Draft = Answer<'getDraft', 200>
export type DraftConflict =
  operations['putDraft']['responses'][412]['content']['application/problem+json']
export type ConfigChange = NonNullable<Answer<'diffVersions', 200>['changes']>[number]
export type Effect = Answer<'previewEffect', 200>
export type Explanation = Answer<'explainUrls', 200>
export type Explained = NonNullable<Explanation['items'][number]['before']>
export type ExplainedPlace = Explained['rules'][number]
export type Validation = Answer<'validateConfig', 200>
export type ConfigError = Validation['errors'][number]
export type KnownImports = Answer<'describeImports', 200>
export type ImportedLanguage = KnownImports['languages'][number]
export type ImportBody = operations['importConfig']['requestBody']['content']['application/json']
export type Import = Answer<'importConfig', 200>
export type Finding = Import['findings'][number]
export type Release = Answer<'listReleases', 200>['items'][number]
export type ReleaseVersion = Answer<'getReleaseVersion', 200>
export type ReleaseLook = Answer<'getReleaseLook', 200>
export type ReleasePreview = Answer<'listReleasePreviews', 200>['items'][number]
export type StartedPreview = Answer<'startReleasePreview', 201>
export type ManifestFile = Answer<'listManifestFiles', 200>['items'][number]
export type FileChange = Answer<'listManifestChanges', 200>['items'][number]
export type Metrics = Answer<'queryMetrics', 200>
export type MetricsOfSets = Answer<'queryMetricsOfSets', 200>
export type MetricsComparison = Answer<'compareMetrics', 200>
export type MetricsSeries = Metrics['series'][number]
export type Stage = Metrics['stage']
export type MeasuredSets = Answer<'queryMetricsOfSets', 200>
export type MeasuredSet = MeasuredSets['sets'][number]
export type Heatmap = Answer<'queryMetricsHeatmap', 200>
export type Comparison = Answer<'compareMetrics', 200>
export type TopNodes = Answer<'listTopNodes', 200>
export type NodeAdvice = Answer<'getNodeAdvice', 200>
export type Advice = NodeAdvice['advice'][number]
export type SiteSummary = Answer<'listSites', 200>['items'][number]
export type Site = Answer<'getSite', 200>
export type SiteTraffic = Answer<'getSiteTraffic', 200>
export type Rollout = Answer<'getRollout', 200>
export type RolloutState = Rollout['state']
export type RolloutTasks = Answer<'listRolloutTasks', 200>
export type NodeTask = RolloutTasks['items'][number]
export type TaskState = NodeTask['state']
/** How tasks are counted and drawn: by state, and two that mean something else. */
export type TaskStanding = keyof Rollout['states']
export type RolloutCells = Answer<'getRolloutCells', 200>
export type Policy = Rollout['policy']
export type RolloutTimer = Rollout['timers'][number]
export type Evidence = NonNullable<Rollout['evidence']>
export type NewRollout = operations['createRollout']['requestBody']['content']['application/json']
export type Strategy = NonNullable<NewRollout['strategy']>
export type WaveSize = NonNullable<Strategy['waves']>[number]
export type GateMetric = NonNullable<Strategy['gates']>[number]['metric']
export type OnFailure = NonNullable<Strategy['onFailure']>
export type NeighbourSettings = Answer<'getNeighbours', 200>
export type NeighboursNow = Answer<'getNeighboursNow', 200>
export type RolloutRules = Answer<'getRolloutRules', 200>
export type RolloutPlan = Answer<'createRollout', 200>
export type PlanUnderWay = Answer<'listPlansUnderWay', 200>['items'][number]
export type PlanCells = Answer<'getPlanCells', 200>
export type RolloutToCome = Answer<'getRolloutToCome', 200>
export type Distribution = Rollout['distributions'][number]
export type Preflight = Answer<'preflightRollout', 200>
type Event = components['schemas']['Event']
export type EventKind = Event['kind']
export type NodeFacts = NonNullable<Event['node']>
export type System = Answer<'getSystem', 200>
export type Health = Answer<'getHealth', 200>
export type Group = Answer<'getGroup', 200>
export type Impact = Answer<'createGroup', 200>
export type RenderedConfig = Answer<'getNodeRendered', 200>
export type AuditEntry = Answer<'listAudit', 200>['items'][number]
export type AuditDetail = Answer<'getAuditEntry', 200>
export type AuditVerification = Answer<'getAuditVerification', 200>
export type Certificate = Answer<'getCertificate', 200>
export type CertificateVersion = Certificate['latestVersion']
export type CertificateConfig = Answer<'listCertificateConfigs', 200>['items'][number]
export type ServedCertificate = Answer<'listServedCertificates', 200>['items'][number]
export type Webhook = Answer<'getWebhook', 200>
export type Backup = Answer<'getBackup', 200>
export type BackupSettings = Answer<'getBackupSettings', 200>
export type Recovery = NonNullable<Answer<'getRecovery', 200>['recovery']>
export type WebhookDelivery = Answer<'listWebhookDeliveries', 200>['items'][number]
export type CertificateAuthority = Answer<'getCertificateAuthority', 200>
export type AuthorityTest = Answer<'testCertificateAuthority', 200>
export type DnsWebhook = Answer<'getDnsWebhook', 200>
export type ManagedCertificate = Answer<'getManagedCertificate', 200>
export type CertificateOrder = Answer<'listCertificateOrders', 200>['items'][number]
export type HostLook = Answer<'preflightManagedCertificate', 200>['items'][number]
export type Alert = Answer<'getAlert', 200>
export type AlertPreview = Answer<'previewAlertRule', 200>
export type AlertRule = Answer<'getAlertRule', 200>
export type AlertSilence = Answer<'listAlertSilences', 200>['items'][number]
