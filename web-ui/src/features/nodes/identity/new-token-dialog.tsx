// SPDX-License-Identifier: MIT

import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'
import { createTokenMutation, tokensQuery } from '../enrolment/api.ts'
import { JoinCommand } from '../enrolment/join-command.tsx'
import { DEFAULT_LIFE_SECONDS, lives } from '../enrolment/token-rules.ts'

/** The way back for a node whose identity has ended, and the way to a new machine for one whose has not. */
export function NewTokenDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const client = useQueryClient()
  const create = useMutation({
    ...createTokenMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  return (
    <Dialog
      onClose={onClose}
      title={t('New token for {name}', { name: node.name })}
      size="lg"
      shownOnce={create.data !== undefined}
    >
      {create.data === undefined ? (
        <Confirm
          node={node}
          pending={create.isPending}
          error={create.error}
          onConfirm={(expiresInSeconds) => create.mutate({ nodeId: node.id, expiresInSeconds })}
        />
      ) : (
        <div className="stack">
          <JoinCommand token={create.data} />
          <DialogActions leave={t('Done')} />
        </div>
      )}
    </Dialog>
  )
}

type ConfirmProps = {
  node: Node
  pending: boolean
  error: Error | null
  onConfirm: (expiresInSeconds: number) => void
}

function Confirm({ node, pending, error, onConfirm }: ConfirmProps) {
  const [life, setLife] = useState<number>(DEFAULT_LIFE_SECONDS)
  const isGood = node.identity.state === 'good'
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onConfirm(life)
  }
  return (
    <form className="stack" onSubmit={handleSubmit}>
      <ul className="bullets">
        <li>
          {t('The token changes nothing by itself: {name} goes on as it is.', { name: node.name })}
        </li>
        <li>
          {isGood
            ? t(
                'Whoever joins with it is {name} from then on, and the identity it has now ends at that moment.',
                { name: node.name },
              )
            : t('Whoever joins with it is {name} from then on.', { name: node.name })}
        </li>
        <li>{t('Its name, labels, override and history stay.')}</li>
      </ul>
      <NativeSelect
        label={t('Good for')}
        value={String(life)}
        onChange={(event) => setLife(Number(event.currentTarget.value))}
        data={lives.map(({ seconds, label }) => ({ value: String(seconds), label }))}
      />
      {error !== null && <ErrorBox what={t('No token was made')} error={error} />}
      <DialogActions>
        <Button type="submit" loading={pending}>
          {t('Make a token for {name}', { name: node.name })}
        </Button>
      </DialogActions>
    </form>
  )
}
