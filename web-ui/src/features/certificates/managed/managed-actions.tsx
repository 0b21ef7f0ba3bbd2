// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { ButtonLink } from '../../../components/links.tsx'
import { t } from '../../../languages/t.ts'
import type { ManagedCertificate } from '../../../lib/api-types.ts'
import { actMutation, type ManagedAction, readAgain } from './api.ts'
import classes from './managed.module.css'
import { blockedActions } from './rules.ts'
import { StopDialog } from './stop-dialog.tsx'

type Props = { managed: ManagedCertificate; etag: string; blockedBy: string | null }

export function ManagedActions({ managed, etag, blockedBy }: Props) {
  const client = useQueryClient()
  const [stopping, setStopping] = useState(false)
  const act = useMutation({
    ...actMutation,
    onSettled: () => readAgain(client),
  })
  const { name, paused } = managed
  const blocked = blockedActions(managed)
  const doing = (action: ManagedAction) => ({
    loading: act.isPending && act.variables.action === action,
    onClick: () => act.mutate({ name, action }),
  })
  if (blockedBy !== null) return <p className="dim">{blockedBy}</p>
  return (
    <>
      <div className={classes.actions}>
        <ActionButton blockedBy={blocked.order} {...doing('order-now')}>
          {t('Order now')}
        </ActionButton>
        {paused ? (
          <ActionButton variant="default" blockedBy={null} {...doing('resume')}>
            {t('Resume')}
          </ActionButton>
        ) : (
          <ActionButton variant="default" blockedBy={null} {...doing('pause')}>
            {t('Pause')}
          </ActionButton>
        )}
        <ActionButton variant="default" blockedBy={blocked.cancel} {...doing('cancel')}>
          {t('Cancel the order')}
        </ActionButton>
        <ButtonLink variant="default" to="/certificates/$name/edit" params={{ name }}>
          {t('Change')}
        </ButtonLink>
        <ActionButton variant="default" blockedBy={null} onClick={() => setStopping(true)}>
          {t('Stop ordering it')}
        </ActionButton>
      </div>
      {act.isError && <ErrorBox what={t('Not done')} error={act.error} />}
      {stopping && <StopDialog name={name} etag={etag} onClose={() => setStopping(false)} />}
    </>
  )
}
