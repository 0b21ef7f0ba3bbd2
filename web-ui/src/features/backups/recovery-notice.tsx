// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { Recovery, Session } from '../../lib/api-types.ts'
import { namesOf } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { recoveryQuery } from './api.ts'
import classes from './backups.module.css'
import { ConfirmRecoveryDialog } from './confirm-recovery-dialog.tsx'

/** On every page, for nothing that is pushed reaches a node. Nothing, when it was not restored. */
export function RecoveryNotice({ session }: { session: Session }) {
  const { data } = useQuery(recoveryQuery)
  const [confirming, setConfirming] = useState(false)
  const recovery = data?.recovery ?? null
  if (recovery === null) return null
  return (
    <div className={classes.recovery}>
      <Notice
        tone="warn"
        title={t('Restored from a backup: nodes get nothing until you confirm')}
        action={
          <ActionButton
            blockedBy={whyNot(session, 'backups:write')}
            onClick={() => setConfirming(true)}
          >
            {t('Go on…')}
          </ActionButton>
        }
      >
        {t('The backup is of {backupCreatedAt}. Nodes keep serving what they have. {heardText}', {
          backupCreatedAt: formatDateTime(recovery.backupCreatedAt),
          heardText: heardText(recovery),
        })}
      </Notice>
      {confirming && (
        <ConfirmRecoveryDialog recovery={recovery} onClose={() => setConfirming(false)} />
      )}
    </div>
  )
}

function heardText({ nodes, unheard }: Recovery): string {
  if (nodes === 0) return t('The backup knows no node.')
  if (unheard.length === 0)
    return t('All of the {nodes, plural, one {# node} other {# nodes}} reported since.', { nodes })
  return t(
    '{nodes} of {nodes2, plural, one {# node} other {# nodes}} reported since; not yet: {unheard}.',
    { nodes: nodes - unheard.length, nodes2: nodes, unheard: namesOf(unheard) },
  )
}
