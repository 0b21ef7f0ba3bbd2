// SPDX-License-Identifier: MIT

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Facts } from '../../components/facts.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Backup, BackupSettings, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { backupSettingsQuery, backupsKey, backupsQuery, createBackupMutation } from './api.ts'
import { BackupsTable } from './backups-table.tsx'
import { DeleteBackupDialog } from './delete-backup-dialog.tsx'
import { howOften, lastFailure, newestGood } from './rules.ts'

export function BackupsScreen({ session }: { session: Session }) {
  const blocked = whyNot(session, 'backups:read')
  return (
    <Page
      width="list"
      title={t('Backups')}
      meta={t(
        'Of the control plane: configs, versions, users, the audit and its keys. Encrypted; this service cannot read them.',
      )}
    >
      {blocked === null ? (
        <>
          <ListPanel session={session} />
          <SettingsPanel />
        </>
      ) : (
        <Notice tone="info" title={t('You may not see backups')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function ListPanel({ session }: { session: Session }) {
  const client = useQueryClient()
  const backups = useInfiniteQuery(backupsQuery)
  const create = useMutation({
    ...createBackupMutation,
    onSuccess: () => client.invalidateQueries(backupsKey),
  })
  const [deleting, setDeleting] = useState<Backup | null>(null)
  const known = backups.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section className="panel" aria-labelledby="backups-heading">
      <div className="panel-head">
        <h2 id="backups-heading">{t('Backups')}</h2>
        <Age backups={known} />
        <span className="grow" />
        <BackUpNow
          session={session}
          running={known.some(({ state }) => state === 'running')}
          pending={create.isPending}
          onClick={() => create.mutate()}
        />
      </div>
      {create.isError && <ErrorBox what={t('No backup was begun')} error={create.error} />}
      <QueryStates query={backups} what={t('The backups')} skeletonRows={3}>
        {() => (
          <>
            <Failure backup={lastFailure(known)} />
            {known.length === 0 ? (
              <EmptyState title={t('No backup yet')}>
                {t('Without a backup, losing the disk means setting up the farm again.')}
              </EmptyState>
            ) : (
              <BackupsTable session={session} backups={known} onDelete={setDeleting} />
            )}
          </>
        )}
      </QueryStates>
      <NextPage of={backups}>{t('Show older backups')}</NextPage>
      {deleting !== null && (
        <DeleteBackupDialog backup={deleting} onClose={() => setDeleting(null)} />
      )}
    </section>
  )
}

function Age({ backups }: { backups: readonly Backup[] }) {
  const newest = newestGood(backups)
  if (newest === undefined) return null
  return (
    <span className="dim">
      <T text="the newest good one: {createdAt}" createdAt={<TimeAgo at={newest.createdAt} />} />
    </span>
  )
}

function Failure({ backup }: { backup: Backup | undefined }) {
  if (backup === undefined) return null
  const again = backup.trigger === 'schedule' ? t(' It is tried again every ten minutes.') : ''
  return (
    <Notice tone="bad" title={t('The last backup failed')}>
      {backup.reason}.{again}
    </Notice>
  )
}

type BackUpNowProps = {
  session: Session
  running: boolean
  pending: boolean
  onClick: () => void
}

function BackUpNow({ session, running, pending, onClick }: BackUpNowProps) {
  const { data: settings } = useQuery(backupSettingsQuery)
  const unready =
    settings?.configured === false ? t('Backups are not set up: see below how.') : null
  const busy = running ? t('One is being made.') : null
  return (
    <ActionButton
      loading={pending}
      blockedBy={whyNot(session, 'backups:write') ?? unready ?? busy}
      onClick={onClick}
    >
      {t('Back up now')}
    </ActionButton>
  )
}

function SettingsPanel() {
  const settings = useQuery(backupSettingsQuery)
  return (
    <section className="panel" aria-labelledby="backup-settings-heading">
      <div className="panel-head">
        <h2 id="backup-settings-heading">{t('How they are made')}</h2>
        <span className="dim">{t('set in the service’s environment')}</span>
      </div>
      <div className="panel-body stack">
        <QueryStates query={settings} what={t('The settings of backups')} skeletonRows={3}>
          {(data) => (data.configured ? <Configured settings={data} /> : <HowTo />)}
        </QueryStates>
        <p className="dim">
          <T
            text="To look into a backup: <code>admin verify-backup FILE --identity KEY</code>. To put one back, stop the service and run <code>admin restore FILE --identity KEY --yes --replace</code>. Nodes keep serving in the meantime."
            code={<code />}
          />
        </p>
      </div>
    </section>
  )
}

function Configured({ settings }: { settings: BackupSettings }) {
  return (
    <Facts
      facts={[
        { name: t('How often'), value: howOften(settings) },
        { name: t('Folder'), value: <code>{settings.directory}</code> },
        {
          name: t('Who can open them'),
          value: settings.recipients.map((recipient) => (
            <div key={recipient}>
              <code>{recipient}</code>
            </div>
          )),
        },
      ]}
    />
  )
}

function HowTo() {
  return (
    <Notice tone="warn" title={t('No backups are made')}>
      <ol>
        <li>
          <T
            text="On another machine, make a key: <code>admin backup-key --to backup-key.txt</code>, or <code>age-keygen</code>. Keep its file there. Without it, backups are worth nothing."
            code={<code />}
          />
        </li>
        <li>
          <T
            text="Set <code>FARMSTEAD_BACKUP_RECIPIENTS</code> to the public key it prints (<code>age1…</code>), and <code>FARMSTEAD_BACKUP_DIR</code> to a folder on another disk."
            code={<code />}
          />
        </li>
        <li>{t('Restart the service. It makes the first one at once, and then one a day.')}</li>
      </ol>
    </Notice>
  )
}
