// SPDX-License-Identifier: MIT
// Every dialog of the console, by what it is for: dialogs.test.tsx says what holds of each.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { UnsavedGuard } from '../components/unsaved-guard.tsx'
import { AcknowledgeDialog } from '../features/alerts/acknowledge-dialog.tsx'
import { DeleteRuleDialog } from '../features/alerts/rule-actions.tsx'
import { SilenceDialog } from '../features/alerts/silence-form.tsx'
import { ConfirmRecoveryDialog } from '../features/backups/confirm-recovery-dialog.tsx'
import { DeleteBackupDialog } from '../features/backups/delete-backup-dialog.tsx'
import { DeleteAuthorityDialog } from '../features/certificates/authorities/delete-authority-dialog.tsx'
import { DeleteCertificateDialog } from '../features/certificates/delete-dialog.tsx'
import { DeleteDnsWebhookDialog } from '../features/certificates/dns-webhooks/delete-dns-webhook-dialog.tsx'
import { StopDialog } from '../features/certificates/managed/stop-dialog.tsx'
import { UploadDialog } from '../features/certificates/upload-dialog.tsx'
import { DiscardDialog as DiscardDraftDialog } from '../features/configs/discard-dialog.tsx'
import { AnswerDialog } from '../features/configs/import/comparison/answer-dialog.tsx'
import { FileDialog } from '../features/configs/import/file-dialog.tsx'
import { SaveDraftDialog } from '../features/configs/import/save-draft-dialog.tsx'
import { LeaveGuard } from '../features/configs/leave-guard.tsx'
import { NewConfigDialog } from '../features/configs/new-config-dialog.tsx'
import { RecipeDialog } from '../features/configs/recipes/recipe-dialog.tsx'
import { RestoreDialog } from '../features/configs/restore-dialog.tsx'
import { SaveVersionDialog } from '../features/configs/save-version-dialog.tsx'
import type { DraftHandle } from '../features/configs/use-draft.ts'
import { DeleteGroupDialog } from '../features/groups/delete-dialog.tsx'
import { GroupDialog } from '../features/groups/group-dialog.tsx'
import { BulkDialog } from '../features/nodes/bulk/bulk-dialog.tsx'
import { CordonDialog } from '../features/nodes/cordon/cordon-dialog.tsx'
import { AdoptDialog, DiscardDialog } from '../features/nodes/drift/drift-dialogs.tsx'
import { EditNodeDialog } from '../features/nodes/edit-node-dialog.tsx'
import { TokensPanel } from '../features/nodes/enrolment/tokens-panel.tsx'
import { CloneNotice } from '../features/nodes/identity/clone-notice.tsx'
import { NewTokenDialog } from '../features/nodes/identity/new-token-dialog.tsx'
import { RevokeDialog as RevokeIdentityDialog } from '../features/nodes/identity/revoke-dialog.tsx'
import { DeleteVersionDialog } from '../features/releases/delete-version-dialog.tsx'
import { EndPreviewDialog } from '../features/releases/previews/end-preview-dialog.tsx'
import { PreviewDialog } from '../features/releases/previews/preview-dialog.tsx'
import { EmergencyButton } from '../features/rollouts/emergency-dialog.tsx'
import { FreezeButton } from '../features/rollouts/freeze-dialog.tsx'
import { RolloutActions } from '../features/rollouts/rollout-actions.tsx'
import { RevokeDialog } from '../features/tokens/revoke-dialog.tsx'
import { EditUserDialog } from '../features/users/edit-user-dialog.tsx'
import { NewUserDialog } from '../features/users/new-user-dialog.tsx'
import { WebhookActions } from '../features/webhooks/webhook-actions.tsx'
import type {
  Alert,
  AlertRule,
  Backup,
  Recovery,
  ReleasePreview,
  ReleaseVersion,
  Token,
  User,
  Webhook,
} from '../lib/api-types.ts'
import { comparisonFile } from './comparison-sample.ts'
import { type Handlers, json, never } from './fake-api.ts'
import {
  config,
  createdToken,
  group,
  impact,
  node,
  page,
  plan,
  rollout,
  session,
  version,
} from './samples.ts'

export const edge = node()
const at = new Date(Date.now() - 60_000).toISOString()
const everything: typeof session = {
  ...session,
  permissions: ['nodes:write', 'nodes:enrol', 'rollouts:run', 'rollouts:emergency'],
}
const draftNow = { text: '{}', baseVersion: 2, updatedBy: 'ana', updatedAt: at }
const draft: DraftHandle = {
  ...{ text: '{}', saved: { body: draftNow, etag: '"1"' }, dirty: false, save: { kind: 'idle' } },
  isTheirs: false,
  ...{ baseVersion: 2, mergedWith() {} },
  ...{ change() {}, flush: async () => true, keepMine() {}, takeTheirs() {}, merge() {} },
  ...{ unresolved: [], see: () => async () => '"1"', replace() {}, setAside: null, bringBack() {} },
}
const backup: Backup = {
  ...{ id: 'backup_1', state: 'done', trigger: 'schedule', fileName: 'farmstead-1.tar.gz.age' },
  ...{ createdBy: null, createdAt: at, endedAt: at, sizeBytes: 2048, sha256: 'c'.repeat(64) },
  ...{ epoch: 4, schema: '028-backups', reason: '' },
}
const releaseVersion = { release: 'www', number: 2 } as ReleaseVersion
const releasePreview = {
  ...{ id: 'preview_1', release: 'www', number: 2, node: { id: 'node_1', name: 'edge-1' } },
} as ReleasePreview
const recovery: Recovery = { highestEpoch: 4, unheard: [] } as unknown as Recovery
const user: User = {
  ...{ id: 'user_2', username: 'bo', roles: ['viewer'], scope: null, disabled: false },
  ...{ passwordChangeRequired: false, secondFactor: false, createdAt: at },
} as User
const token = { id: 'token_1', name: 'nightly', lastUsedAt: null } as Token
const alert: Alert = {
  ...{ id: 'alert_01jd4q6v2m8w3x5y7z9abcdefg', ruleId: 'rule_01jd4q6v2m8w3x5y7z9abcdefg' },
  ...{ ruleName: 'Node silent', severity: 'critical', state: 'firing', isWithoutData: false },
  subject: { kind: 'node', id: 'node_01jd4q6v2m8w3x5y7z9abcdefg', name: 'edge-1' },
  ...{ value: null, message: 'Not heard from.', pendingSince: '2026-11-26T12:00:00.000Z' },
  ...{ firingSince: null, resolvedAt: null, resolvedBecause: null, toldAt: null },
  ...{ silencedUntil: null, acknowledgedAt: null, acknowledgedBy: null, comment: '' },
}
const alertRule: AlertRule = {
  ...{ id: 'rule_01jd4q6v2m8w3x5y7z9abcdefg', name: 'Node silent', description: '' },
  ...{ enabled: true, severity: 'critical', appliesTo: 'farm', condition: { kind: 'node-silent' } },
  ...{ forSeconds: 120, keepFiringSeconds: 60, failing: null },
  ...{ createdAt: '2026-11-26T12:00:00.000Z', createdBy: 'ana' },
}
const webhook = { id: 'webhook_1', url: 'https://hooks.example.org/x', disabledAt: null } as Webhook
const process = { incarnation: 'a'.repeat(32), hostname: 'host-1', address: null, lastSeenAt: at }
const clone = {
  ...{ detectedAt: at, keep: null, state: 'undecided' },
  incarnations: [process, { ...process, incarnation: 'b'.repeat(32), hostname: 'host-2' }],
} as unknown as NonNullable<typeof edge.clone>
const order = { config: 'default', version: 2, selector: '', message: '' }

/** A dialog, and what holds of it alone. */
export type Row = {
  file: string
  /** The dialog, or (`opens`) what opens it by itself. */
  show: (onClose: () => void) => ReactNode
  opens?: string
  opensBy?: 'link'
  leave?: string
  answers?: Handlers
  /** Where it begins; none: at Cancel. */
  field?: {
    role: 'textbox' | 'combobox' | 'checkbox' | 'radio'
    name: string | RegExp
    type?: string
  }
  /** What Enter asks the control plane for. */
  sends?: string
}
const why = (name: string | RegExp) => ({ role: 'textbox', name, type: 'It is slow' }) as const
const path = `/nodes/${edge.id}`
const acts = `/rollouts/${rollout().id}/actions`

export const DIALOGS: Record<string, Row> = {
  'make a config': {
    file: 'configs/new-config-dialog.tsx',
    show: (onClose) => <NewConfigDialog onClose={onClose} />,
    field: { role: 'textbox', name: 'Name', type: 'shop' },
  },
  'use an imported draft': {
    file: 'configs/import/save-draft-dialog.tsx',
    show: (onClose) => (
      <SaveDraftDialog draft="{}" isAccepted message="From nginx" onClose={onClose} />
    ),
    field: { role: 'textbox', name: 'Name', type: 'shop' },
    sends: 'POST /configs/shop/versions',
  },
  'paste a file': {
    file: 'configs/import/file-dialog.tsx',
    show: (onClose) => (
      <FileDialog
        file={{ name: 'nginx.conf', text: '' }}
        folder="/etc/nginx"
        onClose={onClose}
        onSave={() => {}}
      />
    ),
    field: { role: 'textbox', name: 'Text', type: 'listen 80;' },
  },
  'both answers of a comparison': {
    file: 'configs/import/comparison/answer-dialog.tsx',
    leave: 'Back to the list',
    show: (onClose) => (
      <AnswerDialog
        request={{ path: '/gone', differences: [], kinds: ['status'] }}
        report={comparisonFile({ answers: [] })}
        findings={[]}
        place={{ at: 0, of: 1 }}
        onGo={() => {}}
        onClose={onClose}
      />
    ),
  },
  'save a version': {
    file: 'configs/save-version-dialog.tsx',
    show: (onClose) => (
      <SaveVersionDialog config={config()} draft={draft} onClose={onClose} onSaved={() => {}} />
    ),
    field: { role: 'textbox', name: 'Message', type: 'Longer caching' },
    sends: 'POST /configs/default/versions',
  },
  'add a recipe to a site': {
    file: 'configs/recipes/recipe-dialog.tsx',
    show: (onClose) => (
      <RecipeDialog
        text={'{ "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }'}
        sites={[{ name: 'any host (*)', value: { hosts: ['*'], root: '/srv/www' } }]}
        onClose={onClose}
        onTake={() => {}}
      />
    ),
    field: { role: 'radio', name: 'Single-page app' },
  },
  'upload a certificate': {
    file: 'certificates/upload-dialog.tsx',
    show: (onClose) => <UploadDialog of={null} onClose={onClose} />,
    field: { role: 'textbox', name: 'Name', type: 'shop' },
  },
  'renew a certificate': {
    file: 'certificates/upload-dialog.tsx',
    show: (onClose) => <UploadDialog of={{ name: 'shop', etag: '"1"' }} onClose={onClose} />,
    field: { role: 'textbox', name: 'Certificate and chain', type: 'x' },
  },
  'delete a certificate': {
    file: 'certificates/delete-dialog.tsx',
    show: (onClose) => (
      <DeleteCertificateDialog name="shop" etag={'"1"'} onClose={onClose} onDeleted={() => {}} />
    ),
  },
  'stop ordering a certificate': {
    file: 'certificates/managed/stop-dialog.tsx',
    show: (onClose) => <StopDialog name="shop" etag={'"1"'} onClose={onClose} />,
  },
  'delete a certificate authority': {
    file: 'certificates/authorities/delete-authority-dialog.tsx',
    show: (onClose) => (
      <DeleteAuthorityDialog
        name="lets-encrypt"
        etag={'"1"'}
        onClose={onClose}
        onDeleted={() => {}}
      />
    ),
  },
  'delete a DNS webhook': {
    file: 'certificates/dns-webhooks/delete-dns-webhook-dialog.tsx',
    show: (onClose) => (
      <DeleteDnsWebhookDialog name="zones" etag={'"1"'} onClose={onClose} onDeleted={() => {}} />
    ),
  },
  'discard a draft': {
    file: 'configs/discard-dialog.tsx',
    show: (onClose) => <DiscardDraftDialog config={config()} draft={draft} onClose={onClose} />,
  },
  'leave what is not saved': {
    file: 'configs/leave-guard.tsx',
    show: () => (
      <>
        <LeaveGuard draft={{ ...draft, dirty: true, flush: async () => false }} />
        <Link to="/audit">Audit</Link>
      </>
    ),
    opens: 'Audit',
    opensBy: 'link',
    leave: 'Stay here',
  },
  'leave a form that is not saved': {
    file: 'components/unsaved-guard.tsx',
    show: () => (
      <>
        <UnsavedGuard what="The override" isUnsaved />
        <Link to="/audit">Audit</Link>
      </>
    ),
    opens: 'Audit',
    opensBy: 'link',
    leave: 'Stay here',
  },
  'restore a version': {
    file: 'configs/restore-dialog.tsx',
    show: (onClose) => <RestoreDialog version={version({ number: 1 })} onClose={onClose} />,
    answers: {
      'GET /configs/default': () => json(config()),
      'GET /configs/default/draft': () => json(draftNow, { etag: '"1"' }),
    },
    field: { role: 'textbox', name: 'Message' },
    sends: 'POST /configs/default/versions/1/actions/restore',
  },
  'restore the newest version': {
    file: 'configs/restore-dialog.tsx',
    show: (onClose) => <RestoreDialog version={version()} onClose={onClose} />,
    answers: {
      'GET /configs/default': () => json(config()),
      'GET /configs/default/draft': () => json(draftNow, { etag: '"1"' }),
    },
  },
  'revert a rollout': {
    file: 'rollouts/rollout-actions.tsx',
    show: () => <RolloutActions rollout={rollout()} session={everything} />,
    opens: 'Revert',
    field: why(/^Why/),
    sends: `POST ${acts}/revert`,
  },
  'freeze a rollout': {
    file: 'rollouts/freeze-dialog.tsx',
    show: () => <FreezeButton rollout={rollout()} session={everything} />,
    opens: 'Freeze…',
  },
  'begin an emergency': {
    file: 'rollouts/emergency-dialog.tsx',
    show: () => <EmergencyButton order={order} session={everything} onStarted={() => {}} />,
    opens: 'Emergency…',
    answers: {
      'POST /rollouts': ({ query }) => (query.get('dryRun') === '1' ? json(plan()) : never()),
    },
    field: why('Why'),
    sends: 'POST /rollouts',
  },
  'cordon a node': {
    file: 'nodes/cordon/cordon-dialog.tsx',
    show: (onClose) => <CordonDialog node={edge} onClose={onClose} />,
    field: why('Why'),
    sends: `PUT ${path}/cordon`,
  },
  'change many nodes': {
    file: 'nodes/bulk/bulk-dialog.tsx',
    show: (onClose) => (
      <BulkDialog
        {...{ kind: 'label', list: {}, count: 1, onClose, onDone: () => {} }}
        selection={{ kind: 'some', ids: new Set([edge.id]) }}
      />
    ),
    field: { role: 'textbox', name: 'Labels to set', type: 'rack=b2' },
  },
  'rename a node': {
    file: 'nodes/edit-node-dialog.tsx',
    show: (onClose) => <EditNodeDialog node={edge} onClose={onClose} />,
    answers: { [`GET ${path}`]: () => json(edge, { etag: '"7"' }) },
    field: { role: 'textbox', name: 'Name' },
    sends: `PATCH ${path}`,
  },
  'keep what drifted': {
    file: 'nodes/drift/drift-dialogs.tsx',
    show: (onClose) => (
      <AdoptDialog node={edge} digest="d" config="default" onAdopted={() => {}} onClose={onClose} />
    ),
    field: why(/^Message/),
    sends: `POST ${path}/drift`,
  },
  'discard what drifted': {
    file: 'nodes/drift/drift-dialogs.tsx',
    show: (onClose) => <DiscardDialog node={edge} digest="d" onClose={onClose} />,
  },
  'a token for a known node': {
    file: 'nodes/identity/new-token-dialog.tsx',
    show: (onClose) => <NewTokenDialog node={edge} onClose={onClose} />,
    // A list opens with Enter, in every browser.
    field: { role: 'combobox', name: 'Good for' },
  },
  'revoke an identity': {
    file: 'nodes/identity/revoke-dialog.tsx',
    show: (onClose) => <RevokeIdentityDialog node={edge} onClose={onClose} />,
  },
  'keep one of two clones': {
    file: 'nodes/identity/clone-notice.tsx',
    show: () => <CloneNotice node={edge} clone={clone} session={everything} />,
    opens: 'Keep host-1',
  },
  'delete an enrolment token': {
    file: 'nodes/enrolment/tokens-panel.tsx',
    show: () => <TokensPanel />,
    opens: 'Delete the token made',
    answers: { 'GET /enrolment-tokens': () => json(page(createdToken())) },
  },
  'revoke an API token': {
    file: 'tokens/revoke-dialog.tsx',
    show: (onClose) => <RevokeDialog token={token} onClose={onClose} />,
  },
  'make a group': {
    file: 'groups/group-dialog.tsx',
    show: (onClose) => <GroupDialog name={null} onClose={onClose} />,
    answers: {
      'GET /configs': () => json(page(config())),
      'POST /groups': ({ query }) => (query.get('dryRun') === '1' ? json(impact()) : never()),
    },
    field: { role: 'textbox', name: 'Name', type: 'europe' },
    sends: 'POST /groups',
  },
  'change a group': {
    file: 'groups/group-dialog.tsx',
    show: (onClose) => <GroupDialog name="europe" onClose={onClose} />,
    answers: {
      'GET /configs': () => json(page(config())),
      'GET /groups/europe': () => json(group(), { etag: '"1"' }),
      'PUT /groups/europe': ({ query }) => (query.get('dryRun') === '1' ? json(impact()) : never()),
    },
    field: { role: 'textbox', name: /^Description/ },
    sends: 'PUT /groups/europe',
  },
  'remove a group': {
    file: 'groups/delete-dialog.tsx',
    show: (onClose) => <DeleteGroupDialog name="europe" onClose={onClose} />,
    answers: {
      'GET /groups/europe': () => json(group(), { etag: '"1"' }),
      'DELETE /groups/europe': () => json(impact()),
    },
  },
  'add a user': {
    file: 'users/new-user-dialog.tsx',
    show: (onClose) => <NewUserDialog onClose={onClose} />,
    field: { role: 'textbox', name: 'User name', type: 'cleo' },
    sends: 'POST /users',
  },
  'change a user': {
    file: 'users/edit-user-dialog.tsx',
    show: (onClose) => <EditUserDialog user={user} isSelf={false} onClose={onClose} />,
    answers: { 'GET /users/user_2': () => json(user, { etag: '"1"' }) },
    field: { role: 'checkbox', name: /^viewer/i },
    sends: 'PATCH /users/user_2',
  },
  'acknowledge an alert': {
    file: 'alerts/acknowledge-dialog.tsx',
    show: (onClose) => <AcknowledgeDialog alert={alert} onClose={onClose} />,
    field: { role: 'textbox', name: 'Comment (optional)' },
    sends: `POST /alerts/${alert.id}/actions/acknowledge`,
  },
  'silence an alert': {
    file: 'alerts/silence-form.tsx',
    show: (onClose) => <SilenceDialog alert={alert} onClose={onClose} />,
    field: why('Why'),
    sends: 'POST /alert-silences',
  },
  'delete a rule of alerts': {
    file: 'alerts/rule-actions.tsx',
    show: (onClose) => (
      <DeleteRuleDialog body={alertRule} etag={'"1"'} onClose={onClose} onDeleted={() => {}} />
    ),
  },
  'delete a webhook': {
    file: 'webhooks/webhook-actions.tsx',
    show: () => (
      <WebhookActions webhook={webhook} etag={'"1"'} blockedBy={null} onDeleted={() => {}} />
    ),
    opens: 'Delete',
  },
  'delete a backup': {
    file: 'backups/delete-backup-dialog.tsx',
    show: (onClose) => <DeleteBackupDialog backup={backup} onClose={onClose} />,
  },
  'delete a version of a release': {
    file: 'releases/delete-version-dialog.tsx',
    show: (onClose) => (
      <DeleteVersionDialog version={releaseVersion} onClose={onClose} onDeleted={() => {}} />
    ),
  },
  'preview a version of a release': {
    file: 'releases/previews/preview-dialog.tsx',
    show: (onClose) => <PreviewDialog name="www" number={2} onClose={onClose} />,
    answers: { 'GET /nodes': () => json(page(edge)) },
    field: { role: 'combobox', name: 'Ends by itself after' },
  },
  'end a preview': {
    file: 'releases/previews/end-preview-dialog.tsx',
    show: (onClose) => <EndPreviewDialog preview={releasePreview} onClose={onClose} />,
  },
  'go on from a backup': {
    file: 'backups/confirm-recovery-dialog.tsx',
    show: (onClose) => <ConfirmRecoveryDialog recovery={recovery} onClose={onClose} />,
    field: { role: 'checkbox', name: /^No other control plane/ },
  },
}
