// SPDX-License-Identifier: MIT

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ErrorBox } from '../../../components/error-box.tsx'
import { type Choice, SearchSelect } from '../../../components/search-select.tsx'
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'
import { nodesNamedQuery } from '../../../lib/name-queries.ts'
import { parseLabels } from '../labels.ts'
import type { NewToken } from './api.ts'
import classes from './enrolment.module.css'
import { DEFAULT_LIFE_SECONDS, lives, parseUses } from './token-rules.ts'

const TYPING_MS = 250

export type TokenFormProps = {
  /** For whom; null: new nodes. */
  known: Pick<Node, 'id' | 'name'> | null
  onNode: (nodeId: string | null) => void
  pending: boolean
  error: Error | null
  onCreate: (token: NewToken) => void
}

export function TokenForm({ known, onNode, pending, error, onCreate }: TokenFormProps) {
  const [labelsText, setLabelsText] = useState('')
  const [usesText, setUsesText] = useState('1')
  const [life, setLife] = useState<number>(DEFAULT_LIFE_SECONDS)
  const [asked, setAsked] = useState(false)
  const labels = parseLabels(labelsText)
  const uses = parseUses(usesText)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (known !== null) return onCreate({ expiresInSeconds: life, nodeId: known.id })
    if (!labels.ok || !uses.ok) return
    onCreate({ expiresInSeconds: life, labels: labels.labels, maxUses: uses.uses })
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <div className={classes.fields}>
        <WhoField known={known} onNode={onNode} />
        <NativeSelect
          label={t('Good for')}
          description={t('Just long enough to reach the machine')}
          value={String(life)}
          onChange={(event) => setLife(Number(event.currentTarget.value))}
          data={lives.map(({ seconds, label }) => ({ value: String(seconds), label }))}
        />
        {known === null && (
          <>
            <TextInput
              label={t('Uses')}
              description={t('How many machines may join with it')}
              inputMode="numeric"
              value={usesText}
              onChange={(event) => setUsesText(event.currentTarget.value)}
              error={asked && !uses.ok ? uses.message : null}
            />
            <TextInput
              label={t('Labels (optional)')}
              description={t('For grouping and waves, as in rack=b2 site=fra')}
              placeholder={t('rack=b2')}
              spellCheck={false}
              value={labelsText}
              onChange={(event) => setLabelsText(event.currentTarget.value)}
              error={asked && !labels.ok ? labels.message : null}
            />
          </>
        )}
      </div>
      <p className="dim">
        {known === null
          ? t(
              'Each machine that joins with it becomes a node of its own, and takes the newest version that was rolled out.',
            )
          : t(
              'The machine that joins with it becomes {name}, and the identity the node has now ends at that moment. Name, labels, override and config stay.',
              { name: known.name },
            )}
      </p>
      <UnsavedGuard what={t('The token')} isUnsaved={labelsText !== '' || usesText !== '1'} />
      {error !== null && <ErrorBox what={t('No token was made')} error={error} />}
      <div className="row">
        <Button type="submit" loading={pending}>
          {known === null
            ? uses.ok
              ? t('Make a token for {uses, plural, one {# node} other {# nodes}}', {
                  uses: uses.uses,
                })
              : t('Make a token for nodes')
            : t('Make a token for {name}', { name: known.name })}
        </Button>
      </div>
    </form>
  )
}

const newNodes: Choice = { value: 'new', label: t('New nodes') }
const choiceOf = ({ id, name }: Pick<Node, 'id' | 'name'>): Choice => ({
  value: id,
  label: t('{name}, once more', { name }),
})

function WhoField({ known, onNode }: Pick<TokenFormProps, 'known' | 'onNode'>) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const found = useQuery(nodesNamedQuery(part))
  return (
    <SearchSelect
      label={t('Who may join with it')}
      description={t('A known node comes back as itself: type a part of its name')}
      value={known === null ? newNodes : choiceOf(known)}
      choices={[newNodes, ...(found.data?.items ?? []).map(choiceOf)]}
      onSearch={setTyped}
      onChange={(value) => onNode(value === newNodes.value ? null : value)}
      none={t('No node of that name')}
    />
  )
}
