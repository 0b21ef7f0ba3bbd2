// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { Quantity } from '../../components/quantity.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import type { Backup, Session } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'
import { may } from '../../lib/permissions.ts'
import { contentUrl } from './api.ts'
import { backupVerdict } from './rules.ts'

export type BackupsTableProps = {
  session: Session
  backups: readonly Backup[]
  onDelete: (backup: Backup) => void
}

export function BackupsTable({ session, backups, onDelete }: BackupsTableProps) {
  const mayDelete = may(session, 'backups:write')
  return (
    <ScrollBox label={t('Backups, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Made')}</th>
            <th scope="col">{t('Size')}</th>
            <th scope="col" className="wide-only">
              {t('By')}
            </th>
            <th scope="col" className="wide-only">
              {t('File')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('Download or delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {backups.map((backup) => (
            <tr key={backup.id}>
              <td>
                <StatusBadge verdict={backupVerdict[backup.state]} />
              </td>
              <td>
                <TimeAgo at={backup.createdAt} />
              </td>
              <td className="nowrap">
                <Quantity of={backup.sizeBytes} as={formatBytes} />
              </td>
              <td className="wide-only">{madeBy(backup)}</td>
              <td className="wide-only">
                <FileOf backup={backup} />
              </td>
              <td className="num nowrap">
                <Actions {...{ backup, mayDelete, onDelete }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** A file that was found beside a restored database has nobody's name. */
const madeBy = ({ createdBy, trigger }: Backup) =>
  createdBy ?? (trigger === 'schedule' ? t('the schedule') : t('not known'))

function FileOf({ backup: { state, fileName, sha256, reason } }: { backup: Backup }) {
  if (state === 'failed')
    return (
      <span className="dim" lang="en">
        {forPeople(reason)}
      </span>
    )
  return (
    <>
      <code>{fileName}</code>
      {sha256 !== null && (
        <div className="dim" title={sha256}>
          {t('SHA-256 {sha256}…', { sha256: sha256.slice(0, 16) })}
        </div>
      )}
    </>
  )
}

type ActionsProps = { backup: Backup; mayDelete: boolean; onDelete: (backup: Backup) => void }

function Actions({ backup, mayDelete, onDelete }: ActionsProps) {
  return (
    <>
      {backup.state === 'done' && (
        <Button
          component="a"
          variant="default"
          size="xs"
          href={contentUrl(backup.id)}
          download
          aria-label={t('Download {fileName}', { fileName: backup.fileName })}
        >
          {t('Download')}
        </Button>
      )}{' '}
      {mayDelete && backup.state !== 'running' && (
        <Button
          variant="danger"
          size="xs"
          onClick={() => onDelete(backup)}
          aria-label={t('Delete {fileName}', { fileName: backup.fileName })}
        >
          {t('Delete')}
        </Button>
      )}
    </>
  )
}
