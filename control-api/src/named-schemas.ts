// SPDX-License-Identifier: MIT
// The nouns of the API: shapes that get a name in openapi.json, and so in the clients made from it.

import { RoleSchema } from './access/roles.ts'
import { EffectSchema } from './api-shapes/effect.ts'
import { ImpactSchema } from './api-shapes/impact.ts'
import { NodeFactsSchema, SyncStateSchema } from './api-shapes/node-facts.ts'
import { RolloutStateSchema, TaskStateSchema } from './api-shapes/states.ts'
import { EventSchema } from './audit/event.ts'
import {
  AlertPreviewSchema,
  AlertRuleSchema,
  AlertSchema,
  SilenceSchema,
} from './features/alerts/schema.ts'
import {
  AuditDetailSchema,
  AuditEntrySchema,
  AuditVerificationSchema,
} from './features/audit/schema.ts'
import { BackupSchema, BackupSettingsSchema, RecoverySchema } from './features/backups/schema.ts'
import {
  CertificateAuthoritySchema,
  CertificateAuthorityTestSchema,
} from './features/certificate-authorities/schema.ts'
import {
  CertificateCheckSchema,
  CertificateConfigSchema,
  CertificateSchema,
  CertificateVersionSchema,
  ServedCertificateSchema,
} from './features/certificates/schema.ts'
import {
  ChangeSchema,
  ConfigSchema,
  DiffSchema,
  DraftConflictSchema,
  DraftSchema,
  TextHunkSchema,
  ValidationSchema,
  VersionPlanSchema,
  VersionSchema,
  VersionSummarySchema,
} from './features/configs/schema.ts'
import { CreatedDnsWebhookSchema, DnsWebhookSchema } from './features/dns-webhooks/schema.ts'
import {
  CreatedEnrolmentTokenSchema,
  EnrolmentTokenSchema,
} from './features/enrolment-tokens/schema.ts'
import { GroupOrderSchema, GroupSchema } from './features/groups/schema.ts'
import { HealthSchema, SystemSchema } from './features/health/schema.ts'
import { ImportSchema } from './features/importers/schema.ts'
import {
  CertificateOrderSchema,
  ManagedCertificateSchema,
} from './features/managed-certificates/schema.ts'
import { RequestSampleSchema } from './features/metrics/request-schema.ts'
import {
  FoundRequestSchema,
  RequestSearchSchema,
} from './features/metrics/request-search-schema.ts'
import { MetricsSchema, StageSchema } from './features/metrics/schema.ts'
import {
  NeighbourSettingsSchema,
  NeighboursNowSchema,
  NodeNeighbourSchema,
} from './features/neighbours/schema.ts'
import { ReleasePreviewSchema } from './features/nodes/previews/schema.ts'
import {
  DriftDetailSchema,
  EffectiveConfigSchema,
  ErrorLogSchema,
  LatencySummarySchema,
  NodeCloneSchema,
  NodeDetailSchema,
  NodeDriftSchema,
  NodeHostSchema,
  NodeIdentitySchema,
  NodePolicySchema,
  NodeSchema,
  OverrideSchema,
  RenderedConfigSchema,
} from './features/nodes/schema.ts'
import {
  BlobStateSchema,
  FileChangeSchema,
  ManifestFileSchema,
  ManifestSchema,
  ReleaseSchema,
  ReleaseVersionSchema,
} from './features/releases/schema.ts'
import { RolloutRulesSchema } from './features/rollout-rules/schema.ts'
import {
  PlanCellsSchema,
  RolloutPlanSchema,
  ToComeSchema,
} from './features/rollouts/shapes/plan-schema.ts'
import { DistributionSchema, RolloutSchema } from './features/rollouts/shapes/schema.ts'
import { NodeTaskSchema } from './features/rollouts/shapes/task-schema.ts'
import { SessionSchema } from './features/session/schema.ts'
import { SiteSchema, SiteSummarySchema } from './features/sites/schema.ts'
import { CreatedTokenSchema, TokenSchema } from './features/tokens/schema.ts'
import { CreatedUserSchema, UserSchema } from './features/users/schema.ts'
import {
  CreatedWebhookSchema,
  WebhookDeliverySchema,
  WebhookSchema,
} from './features/webhooks/schema.ts'
import type { NamedSchemas } from './openapi/named-parts.ts'

export const namedSchemas: NamedSchemas = {
  Alert: AlertSchema,
  AlertPreview: AlertPreviewSchema,
  AlertRule: AlertRuleSchema,
  AlertSilence: SilenceSchema,
  Backup: BackupSchema,
  BackupSettings: BackupSettingsSchema,
  AuditDetail: AuditDetailSchema,
  AuditEntry: AuditEntrySchema,
  AuditVerification: AuditVerificationSchema,
  Certificate: CertificateSchema,
  CertificateAuthority: CertificateAuthoritySchema,
  CertificateAuthorityTest: CertificateAuthorityTestSchema,
  CertificateCheck: CertificateCheckSchema,
  CertificateConfig: CertificateConfigSchema,
  CertificateOrder: CertificateOrderSchema,
  CertificateVersion: CertificateVersionSchema,
  Config: ConfigSchema,
  ConfigChange: ChangeSchema,
  ConfigDiff: DiffSchema,
  CreatedDnsWebhook: CreatedDnsWebhookSchema,
  CreatedWebhook: CreatedWebhookSchema,
  CreatedEnrolmentToken: CreatedEnrolmentTokenSchema,
  CreatedToken: CreatedTokenSchema,
  CreatedUser: CreatedUserSchema,
  DnsWebhook: DnsWebhookSchema,
  Distribution: DistributionSchema,
  Draft: DraftSchema,
  DraftConflict: DraftConflictSchema,
  EffectiveConfig: EffectiveConfigSchema,
  EnrolmentToken: EnrolmentTokenSchema,
  ErrorLog: ErrorLogSchema,
  Event: EventSchema,
  Group: GroupSchema,
  GroupOrder: GroupOrderSchema,
  Health: HealthSchema,
  Impact: ImpactSchema,
  Effect: EffectSchema,
  Import: ImportSchema,
  LatencySummary: LatencySummarySchema,
  ManagedCertificate: ManagedCertificateSchema,
  Metrics: MetricsSchema,
  Node: NodeSchema,
  NeighboursNow: NeighboursNowSchema,
  NeighbourSettings: NeighbourSettingsSchema,
  NodeClone: NodeCloneSchema,
  NodeDetail: NodeDetailSchema,
  NodeDrift: NodeDriftSchema,
  NodeDriftDetail: DriftDetailSchema,
  NodeFacts: NodeFactsSchema,
  NodeHost: NodeHostSchema,
  NodeNeighbour: NodeNeighbourSchema,
  NodeIdentity: NodeIdentitySchema,
  NodePolicy: NodePolicySchema,
  NodeTask: NodeTaskSchema,
  Override: OverrideSchema,
  Recovery: RecoverySchema,
  RenderedConfig: RenderedConfigSchema,
  BlobState: BlobStateSchema,
  FileChange: FileChangeSchema,
  Manifest: ManifestSchema,
  ManifestFile: ManifestFileSchema,
  Release: ReleaseSchema,
  ReleaseVersion: ReleaseVersionSchema,
  ReleasePreview: ReleasePreviewSchema,
  Role: RoleSchema,
  Rollout: RolloutSchema,
  PlanCells: PlanCellsSchema,
  RolloutPlan: RolloutPlanSchema,
  RolloutToCome: ToComeSchema,
  RolloutRules: RolloutRulesSchema,
  RolloutState: RolloutStateSchema,
  Session: SessionSchema,
  Site: SiteSchema,
  SiteSummary: SiteSummarySchema,

  ServedCertificate: ServedCertificateSchema,
  RequestSample: RequestSampleSchema,
  RequestSearch: RequestSearchSchema,
  FoundRequest: FoundRequestSchema,
  Stage: StageSchema,
  SyncState: SyncStateSchema,
  System: SystemSchema,
  TaskState: TaskStateSchema,
  User: UserSchema,
  Token: TokenSchema,
  TextHunk: TextHunkSchema,
  Validation: ValidationSchema,
  Version: VersionSchema,
  VersionPlan: VersionPlanSchema,
  VersionSummary: VersionSummarySchema,
  Webhook: WebhookSchema,
  WebhookDelivery: WebhookDeliverySchema,
}
