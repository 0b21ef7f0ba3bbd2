// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ConfigErrors } from '../../../components/config-errors.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { t } from '../../../languages/t.ts'
import { toApiError } from '../../../lib/api-error.ts'
import type { DriftAnswer, Node } from '../../../lib/api-types.ts'
import { decideDriftMutation } from '../api.ts'

type DialogProps = { node: Node; digest: string; onClose: () => void }

function useDecide(onDecided: (answer: DriftAnswer) => void) {
  const client = useQueryClient()
  return useMutation({
    ...decideDriftMutation,
    onSuccess: async (answer) => {
      onDecided(answer)
      await client.invalidateQueries({ queryKey: ['nodes'] })
      void client.invalidateQueries({ queryKey: ['configs'] })
    },
  })
}

type AdoptDialogProps = DialogProps & {
  config: string | null
  onAdopted: (version: DriftAnswer['version']) => void
}

export function AdoptDialog({ node, digest, config, onAdopted, onClose }: AdoptDialogProps) {
  const [message, setMessage] = useState('')
  const decide = useDecide(({ version }) => {
    onAdopted(version)
    onClose()
  })
  const name = config ?? t('its config')
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const words = message.trim()
    decide.mutate({
      id: node.id,
      digest,
      action: 'adopt',
      ...(words !== '' && { message: words }),
    })
  }
  return (
    <Dialog
      onClose={onClose}
      title={t('Keep the change on {name} as a new version', { name: node.name })}
    >
      <form className="stack" onSubmit={handleSubmit}>
        <ul className="bullets">
          <li>
            {t(
              'The text on {name} becomes the newest version of {name2}, without what is this node’s own override.',
              { name: node.name, name2: name },
            )}
          </li>
          <li>
            {t('No node changes now. Roll the version out when you want the others to have it.')}
          </li>
        </ul>
        <TextInput
          label={t('Message (optional)')}
          description={t('Why, for the history')}
          placeholder={t('As it was changed on {name}', { name: node.name })}
          maxLength={500}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          data-autofocus
        />
        <Trouble error={decide.error} config={config} />
        <DialogActions>
          <Button type="submit" loading={decide.isPending}>
            {t('Save as a new version of {name}', { name })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export function DiscardDialog({ node, digest, onClose }: DialogProps) {
  const decide = useDecide(onClose)
  const version = node.sync.desired?.version
  const given = version ? `${version.config} v${version.number}` : t('what it was assigned')
  return (
    <Dialog onClose={onClose} title={t('Discard the change on {name}', { name: node.name })}>
      <div className="stack">
        <ul className="bullets">
          <li>
            {t('{name} is given {given} once more, checks it, and serves it.', {
              name: node.name,
              given,
            })}
          </li>
          <li>
            {t(
              'The file on its machine is written over. The changed text is kept nowhere: copy it from the comparison if you need it.',
            )}
          </li>
        </ul>
        <Trouble error={decide.error} config={null} />
        <DialogActions>
          <Button
            variant="danger-filled"
            loading={decide.isPending}
            onClick={() => decide.mutate({ id: node.id, digest, action: 'discard' })}
          >
            {t('Discard the change on 1 node')}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function Trouble({ error, config }: { error: Error | null; config: string | null }) {
  if (error === null) return null
  const { errors } = toApiError(error)
  return (
    <>
      <ErrorBox what={t('Nothing was decided')} error={error} />
      {errors.length > 0 && <ConfigErrors config={config} errors={errors} />}
    </>
  )
}
