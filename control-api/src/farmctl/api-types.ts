// SPDX-License-Identifier: MIT
// Short names for the shapes in the generated types. Derived, never written twice.
import type { operations } from '@farmstead/api-types'

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never
type Answer<
  Op extends keyof operations,
  Status extends number,
> = Status extends keyof operations[Op]['responses']
  ? JsonOf<operations[Op]['responses'][Status]>
  : never

export type Node = Answer<'listNodes', 200>['items'][number]
export type NodesQuery = Omit<
  NonNullable<operations['listNodes']['parameters']['query']>,
  'limit' | 'offset' | 'cursor'
>
export type NodeDetail = Answer<'getNode', 200>
export type Explanation = Answer<'explainUrls', 200>
export type Explained = NonNullable<Explanation['items'][number]['before']>
export type Config = Answer<'getConfig', 200>
export type Version = Answer<'getVersion', 200>
export type VersionSummary = Answer<'listVersions', 200>['items'][number]
export type RolloutSummary = Answer<'listRollouts', 200>['items'][number]
export type Rollout = Answer<'getRollout', 200>
export type NodeTask = Answer<'listRolloutTasks', 200>['items'][number]
export type TaskStanding = keyof Rollout['states']
export type Evidence = NonNullable<Rollout['evidence']>
export type Policy = Rollout['policy']
export type NewRollout = operations['createRollout']['requestBody']['content']['application/json']
export type RequestSearch = Answer<'getRequestSearch', 200>
export type StartSearch =
  operations['startRequestSearch']['requestBody']['content']['application/json']
export type RolloutRules = Answer<'getRolloutRules', 200>
export type Strategy = NonNullable<NewRollout['strategy']>
export type WaveSize = NonNullable<Strategy['waves']>[number]
export type Gate = NonNullable<Strategy['gates']>[number]
export type Probe = NonNullable<Strategy['probes']>[number]
export type OnFailure = Gate['onFail']
export type RolloutPlan = Answer<'createRollout', 200>
export type Preflight = Answer<'preflightRollout', 200>
export type Release = Answer<'listReleases', 200>['items'][number]
export type NeighbourSettings = Answer<'getNeighbours', 200>
export type NeighboursNow = Answer<'getNeighboursNow', 200>
export type ReleaseVersion = Answer<'getReleaseVersion', 200>
export type ReleasePreview = Answer<'listReleasePreviews', 200>['items'][number]
export type ReleaseNode = Answer<'listReleaseNodes', 200>['items'][number]
export type FileChange = Answer<'listManifestChanges', 200>['items'][number]
export type ChangeTotals = Answer<'getManifestChangeTotals', 200>
export type BlobBatch = Answer<'postBlobs', 200>
export type Group = Answer<'getGroup', 200>
export type Impact = Answer<'deleteGroup', 200>
export type Token = Answer<'listTokens', 200>['items'][number]
export type NewToken = operations['createToken']['requestBody']['content']['application/json']
export type User = Answer<'getUser', 200>
export type Certificate = Answer<'getCertificate', 200>
export type ManagedCertificate = Answer<'getManagedCertificate', 200>
export type ManagedCertificatePatch =
  operations['updateManagedCertificate']['requestBody']['content']['application/json']
export type CertificateOrder = Answer<'listCertificateOrders', 200>['items'][number]
export type CertificateAuthority = Answer<'getCertificateAuthority', 200>
export type CertificateAuthorityPatch =
  operations['updateCertificateAuthority']['requestBody']['content']['application/json']
export type DnsWebhook = Answer<'getDnsWebhook', 200>
export type Alert = Answer<'getAlert', 200>
export type AlertRule = Answer<'getAlertRule', 200>
export type NewAlertRule =
  operations['createAlertRule']['requestBody']['content']['application/json']
export type AlertPreview = Answer<'previewAlertRule', 200>
export type Webhook = Answer<'getWebhook', 200>
export type WebhookDelivery = Answer<'testWebhook', 200>
export type WebhookPatch = operations['updateWebhook']['requestBody']['content']['application/json']
export type Backup = Answer<'getBackup', 200>
export type NewUser = operations['createUser']['requestBody']['content']['application/json']
export type UserPatch = operations['updateUser']['requestBody']['content']['application/json']
export type AuditFilter = Omit<
  NonNullable<operations['exportAudit']['parameters']['query']>,
  'format'
>
export type AuditVerification = Answer<'getAuditVerification', 200>
export type EnrolmentToken = Answer<'listEnrolmentTokens', 200>['items'][number]
export type Session = Answer<'signInUser', 201>
