// SPDX-License-Identifier: MIT

import { Button, Checkbox, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Config, Version } from '../../lib/api-types.ts'
import { createVersionMutation } from './api.ts'
import { MAX_MESSAGE_LENGTH } from './rules.ts'
import type { DraftHandle } from './use-draft.ts'

export type SaveVersionDialogProps = {
  config: Config
  draft: DraftHandle
  onClose: () => void
  onSaved: (version: Version) => void
}

export function SaveVersionDialog({ config, draft, onClose, onSaved }: SaveVersionDialogProps) {
  const client = useQueryClient()
  const [message, setMessage] = useState('')
  const [asked, setAsked] = useState(false)
  const create = useMutation({
    ...createVersionMutation,
    onSuccess: (version) => {
      void client.invalidateQueries({ queryKey: ['configs'] })
      void client.invalidateQueries({ queryKey: ['drafts', config.name] })
      onSaved(version)
    },
  })
  const next = (config.latestVersion ?? 0) + 1
  // Somebody saved a version after this draft was begun: its changes may not be in the draft, and a
  // save on top of it would take them back without a word.
  const missed = draft.baseVersion === config.latestVersion ? null : config.latestVersion
  const [replaces, setReplaces] = useState(false)
  const mustDecide = missed !== null && !replaces
  const handleSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (message.trim() === '' || mustDecide) return
    if (!(await draft.flush())) return
    create.mutate({
      name: config.name,
      text: draft.text,
      message: message.trim(),
      parent: config.latestVersion,
    })
  }
  return (
    <Dialog
      onClose={onClose}
      title={t('Save version {next} of {name}', { next, name: config.name })}
    >
      <form className="stack" onSubmit={(event) => void handleSubmit(event)} noValidate>
        <p className="dim">
          {t(
            'A saved version never changes. Saving changes nothing on the nodes: a rollout does that.',
          )}
        </p>
        <Textarea
          label={t('Message')}
          description={t('What changes and why, for those who read the history')}
          withAsterisk
          required
          autosize
          minRows={3}
          maxRows={8}
          maxLength={MAX_MESSAGE_LENGTH}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          error={asked && message.trim() === '' ? t('Say what changes and why.') : null}
          data-autofocus
        />
        {missed !== null && (
          <div className="stack">
            <p>
              <T
                text="Version {missed} was saved after this draft was begun; what it changed may not be in your text. Close this to merge it, or compare the two. <link>Compare with v{missed}</link>"
                missed={missed}
                link={
                  <Link
                    to="/configs/$name/compare"
                    params={{ name: config.name }}
                    search={{ from: missed, to: 'draft' }}
                  />
                }
              />
            </p>
            <Checkbox
              label={t('I compared: save my text on top of version {missed}', { missed })}
              checked={replaces}
              onChange={(event) => setReplaces(event.currentTarget.checked)}
              error={asked && mustDecide ? t('Compare first, then tick this or cancel.') : null}
            />
          </div>
        )}
        {create.isError && <ErrorBox what={t('No version was saved')} error={create.error} />}
        {draft.save.kind === 'failed' && (
          <ErrorBox what={t('The draft was not saved')} error={draft.save.error} />
        )}
        <DialogActions>
          <Button type="submit" loading={create.isPending}>
            {t('Save version {next}', { next })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
