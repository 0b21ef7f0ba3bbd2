// SPDX-License-Identifier: MIT

import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { useImpact } from '../../hooks/use-impact.ts'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Node, Session } from '../../lib/api-types.ts'
import { parseOverride } from '../../lib/merge-patch.ts'
import { whyNot } from '../../lib/permissions.ts'
import { askOverrideImpact, overrideQuery, putOverrideMutation } from './api.ts'

export function OverridePanel({ node, session }: { node: Node; session: Session }) {
  const override = useQuery(overrideQuery(node.id))
  return (
    <section className="panel" aria-labelledby="override-heading">
      <div className="panel-head">
        <h2 id="override-heading">{t('Override')}</h2>
        <span className="dim">
          {t('what differs on this node: merged over the version’s document (RFC 7396)')}
        </span>
      </div>
      <QueryStates query={override} what={t('The override')} skeletonRows={2}>
        {({ body, etag }) => (
          <OverrideForm
            node={node}
            session={session}
            newest={{ etag, text: JSON.stringify(body.mergePatch, null, 2) }}
            onReload={async () => void (await override.refetch())}
          />
        )}
      </QueryStates>
    </section>
  )
}

type Saved = { etag: string; text: string }
type OverrideFormProps = {
  node: Node
  session: Session
  newest: Saved
  onReload: () => Promise<void>
}

/** What is typed stays whatever is read anew meanwhile: names and labels share the ETag. */
function OverrideForm({ node, session, newest, onReload }: OverrideFormProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState<{ text: string; over: Saved } | null>(null)
  const text = typed?.text ?? newest.text
  const isOvertaken = typed !== null && typed.over.text !== newest.text
  // Where the override is still what was typed over, the newest ETag is of what its reader has seen.
  const etag = isOvertaken ? typed.over.etag : newest.etag
  const type = (next: string) =>
    setTyped(next === newest.text ? null : { text: next, over: typed?.over ?? newest })
  const parsed = parseOverride(text)
  const put = useMutation({
    ...putOverrideMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['overrides', node.id] })
      setTyped(null)
    },
  })
  const forbidden = whyNot(session, 'nodes:write')
  const change =
    parsed.ok && typed !== null && !isOvertaken
      ? { id: node.id, etag, mergePatch: parsed.mergePatch }
      : null
  const { impact, refused } = useImpact(forbidden === null ? change : null, askOverrideImpact)
  const isStale = isOvertaken || isApiError(refused, 412) || isApiError(put.error, 412)
  const readAgain = async () => {
    await onReload()
    put.reset()
    setTyped(null)
  }
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (change !== null) put.mutate(change)
  }
  const unchanged = typed === null ? t('Nothing has changed.') : null
  const blockedBy =
    forbidden ??
    unchanged ??
    (parsed.ok ? null : t('Fix the JSON first.')) ??
    (isStale ? t('Reload it first.') : null) ??
    refused?.message ??
    (impact === undefined ? t('Finding out what this would do…') : null)
  return (
    <form className="panel-body stack" onSubmit={handleSubmit}>
      <Textarea
        aria-label={t('Override of {name}, as JSON', { name: node.name })}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={parsed.ok ? null : parsed.message}
      />
      {impact !== undefined && <ImpactPanel impact={impact} />}
      {isStale ? (
        <ChangedMeanwhile what={node.name} onReload={() => void readAgain()} />
      ) : (
        <>
          {refused !== null && <ErrorBox what={t('This cannot be saved')} error={refused} />}
          {put.isError && <ErrorBox what={t('The override was not saved')} error={put.error} />}
        </>
      )}
      {put.isSuccess && typed === null && (
        <Notice tone="good" live title={t('Override saved')}>
          {t('It takes effect with the next rollout to this node.')}
        </Notice>
      )}
      <UnsavedGuard
        what={t('The override of {name}', { name: node.name })}
        isUnsaved={typed !== null}
      />
      <div className="row">
        <ActionButton type="submit" variant="default" loading={put.isPending} blockedBy={blockedBy}>
          {t('Save override of 1 node')}
        </ActionButton>
        {unchanged === null && (
          <Button variant="subtle" onClick={() => setTyped(null)}>
            {t('Undo changes')}
          </Button>
        )}
      </div>
    </form>
  )
}
