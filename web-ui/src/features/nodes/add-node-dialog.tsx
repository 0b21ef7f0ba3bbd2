// SPDX-License-Identifier: MIT
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import type { CreatedEnrolmentToken } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { formatDateTime } from '../../lib/time.ts'
import { createTokenMutation, nodesQuery } from './api.ts'
import { parseLabels } from './labels.ts'

export function AddNodeDialog({ onClose }: { onClose: () => void }) {
  const create = useMutation(createTokenMutation)
  return (
    <Dialog onClose={onClose} title="Add a node" size="lg">
      {create.data === undefined ? (
        <TokenForm
          pending={create.isPending}
          error={create.error}
          onCreate={(labels) => create.mutate({ labels, maxUses: 1 })}
        />
      ) : (
        <WaitForNode token={create.data} onClose={onClose} />
      )}
    </Dialog>
  )
}

type TokenFormProps = {
  pending: boolean
  error: Error | null
  onCreate: (labels: Record<string, string>) => void
}

function TokenForm({ pending, error, onCreate }: TokenFormProps) {
  const [text, setText] = useState('')
  const [asked, setAsked] = useState(false)
  const parsed = parseLabels(text)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (parsed.ok) onCreate(parsed.labels)
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <p>
        A token lets one machine join the farm once. It is good for an hour; the node takes the
        newest version that was rolled out, by itself.
      </p>
      <TextInput
        label="Labels (optional)"
        description="For grouping and waves, as in rack=b2 site=fra"
        placeholder="rack=b2"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={asked && !parsed.ok ? parsed.message : null}
        data-autofocus
      />
      {error !== null && <ErrorBox what="No token was made" error={error} />}
      <div className="row">
        <Button type="submit" loading={pending}>
          Make a token for 1 node
        </Button>
      </div>
    </form>
  )
}

function WaitForNode({ token, onClose }: { token: CreatedEnrolmentToken; onClose: () => void }) {
  const nodes = useQuery(nodesQuery)
  const joined = (nodes.data ?? []).filter((node) => node.enrolledAt >= token.createdAt)
  return (
    <div className="stack">
      <CopyField label="Run this on the new node" value={token.command} />
      <p className="dim">
        The token is shown only here. It is good for {plural(token.maxUses, 'node')} until{' '}
        {formatDateTime(token.expiresAt)}.
      </p>
      {joined.length === 0 ? (
        <Notice tone="info" live title="Waiting for the node…">
          It appears here as soon as it has joined. You may close this: the token stays good.
        </Notice>
      ) : (
        joined.map((node) => (
          <Notice key={node.id} tone="good" live title={`${node.name} has joined`}>
            {node.hostname}, {node.os} {node.arch}, farmstead-node {node.version}.{' '}
            <Link to="/nodes/$id" params={{ id: node.id }}>
              Open {node.name}
            </Link>
          </Notice>
        ))
      )}
      <div className="row">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
