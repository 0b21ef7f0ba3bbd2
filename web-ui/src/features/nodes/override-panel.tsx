// SPDX-License-Identifier: MIT
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { ImpactPanel } from '../../components/impact-panel.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useImpact } from '../../hooks/use-impact.ts'
import type { Node, Session } from '../../lib/api-types.ts'
import { parseOverride } from '../../lib/merge-patch.ts'
import { whyNot } from '../../lib/permissions.ts'
import { askOverrideImpact, overrideQuery, putOverrideMutation } from './api.ts'

export function OverridePanel({ node, session }: { node: Node; session: Session }) {
  const override = useQuery(overrideQuery(node.id))
  return (
    <section className="panel" aria-labelledby="override-heading">
      <div className="panel-head">
        <h2 id="override-heading">Override</h2>
        <span className="dim">
          what differs on this node: merged over the version’s document (RFC 7396)
        </span>
      </div>
      <QueryStates query={override} what="The override" skeletonRows={2}>
        {({ body, etag }) => (
          <OverrideForm
            key={etag}
            node={node}
            session={session}
            etag={etag}
            mergePatch={body.mergePatch}
          />
        )}
      </QueryStates>
    </section>
  )
}

type OverrideFormProps = {
  node: Node
  session: Session
  etag: string
  mergePatch: Record<string, unknown>
}

function OverrideForm({ node, session, etag, mergePatch }: OverrideFormProps) {
  const client = useQueryClient()
  const saved = JSON.stringify(mergePatch, null, 2)
  const [text, setText] = useState(saved)
  const parsed = parseOverride(text)
  const put = useMutation({
    ...putOverrideMutation,
    onSuccess: () => client.invalidateQueries({ queryKey: ['overrides', node.id] }),
  })
  const forbidden = whyNot(session, 'nodes:write')
  const change =
    parsed.ok && text !== saved ? { id: node.id, etag, mergePatch: parsed.mergePatch } : null
  const { impact, refused } = useImpact(forbidden === null ? change : null, askOverrideImpact)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (parsed.ok) put.mutate({ id: node.id, etag, mergePatch: parsed.mergePatch })
  }
  const unchanged = text === saved ? 'Nothing has changed.' : null
  const blockedBy =
    forbidden ??
    unchanged ??
    (parsed.ok ? null : 'Mend the JSON first.') ??
    refused?.message ??
    (impact === undefined ? 'Finding out what this would do…' : null)
  return (
    <form className="panel-body stack" onSubmit={handleSubmit}>
      <Textarea
        aria-label={`Override of ${node.name}, as JSON`}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={parsed.ok ? null : parsed.message}
      />
      {impact !== undefined && <ImpactPanel impact={impact} />}
      {refused !== null && <ErrorBox what="This cannot be saved" error={refused} />}
      {put.isSuccess && (
        <Notice tone="good" live title="Override saved">
          It takes effect with the next rollout to this node.
        </Notice>
      )}
      {put.isError && <ErrorBox what="The override was not saved" error={put.error} />}
      <div className="row">
        <ActionButton type="submit" variant="default" loading={put.isPending} blockedBy={blockedBy}>
          Save override of 1 node
        </ActionButton>
        {unchanged === null && (
          <Button variant="subtle" onClick={() => setText(saved)}>
            Undo changes
          </Button>
        )}
      </div>
    </form>
  )
}
