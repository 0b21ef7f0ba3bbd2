// SPDX-License-Identifier: MIT

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { t } from '../../../languages/t.ts'
import type { Node, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { uncordonMutation } from '../api.ts'
import { CordonDialog } from './cordon-dialog.tsx'

type CordonActionProps = { node: Node; session: Session }

export function CordonAction({ node, session }: CordonActionProps) {
  const [asking, setAsking] = useState(false)
  const blockedBy = whyNot(session, 'nodes:write')
  if (node.cordon !== null) return <Uncordon node={node} blockedBy={blockedBy} />
  return (
    <>
      <ActionButton variant="default" blockedBy={blockedBy} onClick={() => setAsking(true)}>
        {t('Cordon')}
      </ActionButton>
      {asking && <CordonDialog node={node} onClose={() => setAsking(false)} />}
    </>
  )
}

function Uncordon({ node, blockedBy }: { node: Node; blockedBy: string | null }) {
  const client = useQueryClient()
  const uncordon = useMutation({
    ...uncordonMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: ['nodes'] }),
  })
  return (
    <div className="stack-tight">
      <ActionButton
        variant="default"
        loading={uncordon.isPending}
        blockedBy={blockedBy}
        onClick={() => uncordon.mutate(node.id)}
      >
        {t('Uncordon')}
      </ActionButton>
      {uncordon.isError && <ErrorBox what={t('Not uncordoned')} error={uncordon.error} />}
    </div>
  )
}
