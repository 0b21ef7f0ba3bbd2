// SPDX-License-Identifier: MIT

import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useImpact } from '../../hooks/use-impact.ts'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Node } from '../../lib/api-types.ts'
import { askNodeImpact, patchNodeMutation, taggedNodeQuery } from './api.ts'
import { canWriteLabels, labelsText, parseLabels } from './labels.ts'
import { nameTrouble } from './node-name.ts'

export type EditNodeDialogProps = { node: Node; onClose: () => void }

export function EditNodeDialog({ node, onClose }: EditNodeDialogProps) {
  const tagged = useQuery(taggedNodeQuery(node.id))
  return (
    <Dialog onClose={onClose} title={t('Name and labels of {name}', { name: node.name })}>
      <QueryStates query={tagged} what={t('The node')} skeletonRows={3}>
        {({ body, etag }) => (
          <EditForm
            before={body}
            etag={etag}
            onReload={() => void tagged.refetch()}
            onClose={onClose}
          />
        )}
      </QueryStates>
    </Dialog>
  )
}

type EditFormProps = { before: Node; etag: string; onReload: () => void; onClose: () => void }

/** What was typed stays when the node is read again: a conflict costs nobody their words. */
function EditForm({ before, etag, onReload, onClose }: EditFormProps) {
  const client = useQueryClient()
  const [name, setName] = useState(before.name)
  const [labels, setLabels] = useState(labelsText(before.labels))
  const [asked, setAsked] = useState(false)
  const patch = useMutation({
    ...patchNodeMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['nodes'] })
      // They share one revision: the ETag of the override is old now.
      void client.invalidateQueries({ queryKey: ['overrides', before.id] })
      onClose()
    },
  })
  const writable = canWriteLabels(before.labels)
  const parsed = writable ? parseLabels(labels) : { ok: true as const, labels: before.labels }
  const wrongName = nameTrouble(name.trim())
  const isAnother = name.trim() !== before.name || labels !== labelsText(before.labels)
  const { impact } = useImpact(
    isAnother && wrongName === null && parsed.ok
      ? { id: before.id, etag, name: name.trim(), labels: parsed.labels }
      : null,
    askNodeImpact,
  )
  const taken = isApiError(patch.error, 409) && patch.variables?.name === name.trim()
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (wrongName !== null || !parsed.ok) return
    patch.mutate({ id: before.id, etag, name: name.trim(), labels: parsed.labels })
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <TextInput
        label={t('Name')}
        description={t('Shown everywhere and unique in the farm; nothing on the machine changes')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={
          (asked && wrongName) || (taken ? t('Another node has this name. Choose another.') : null)
        }
        spellCheck={false}
        data-autofocus
      />
      {writable ? (
        <TextInput
          label={t('Labels')}
          description={t('For grouping and waves, as in rack=b2 site=fra; empty for none')}
          placeholder={t('rack=b2')}
          value={labels}
          onChange={(event) => setLabels(event.currentTarget.value)}
          error={asked && !parsed.ok ? parsed.message : null}
          spellCheck={false}
        />
      ) : (
        <Notice tone="info" title={t('Its labels stay as they are')}>
          {t(
            'A value of theirs holds a space or a comma, which cannot be written here. Change them with farmctl or through the API.',
          )}
        </Notice>
      )}
      {impact !== undefined && <ImpactPanel impact={impact} />}
      {patch.isError && !isApiError(patch.error, 409) && (
        <Trouble
          error={patch.error}
          newest={before}
          etag={etag}
          sent={patch.variables?.etag}
          onReload={onReload}
        />
      )}
      <DialogActions>
        <Button type="submit" loading={patch.isPending}>
          {t('Save name and labels')}
        </Button>
      </DialogActions>
    </form>
  )
}

type TroubleProps = {
  error: Error
  newest: Node
  etag: string
  sent: string | undefined
  onReload: () => void
}

/** Someone was faster: their state is shown before it may be written over. */
function Trouble({ error, newest, etag, sent, onReload }: TroubleProps) {
  if (!isApiError(error, 412))
    return <ErrorBox what={t('The node was not changed')} error={error} />
  if (sent === etag) {
    return (
      <Notice
        tone="warn"
        live
        title={t('Someone else has changed this node')}
        action={
          <Button variant="default" size="xs" onClick={onReload}>
            {t('Reload')}
          </Button>
        }
      >
        {t('Nothing was saved. What you have typed stays here.')}
      </Notice>
    )
  }
  return (
    <Notice tone="info" live title={t('It is called {name} now', { name: newest.name })}>
      {t('Its labels: {labelsText}. Saving replaces name and labels by what stands above.', {
        labelsText: labelsText(newest.labels) || t('none'),
      })}
    </Notice>
  )
}
