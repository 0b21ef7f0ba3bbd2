// SPDX-License-Identifier: MIT
// What requests would get with the text, beside what they get now: of one node, asked for when somebody wants to know.

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { NodeSelect } from '../../../components/node-select.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { t } from '../../../languages/t.ts'
import type { Session } from '../../../lib/api-types.ts'
import { explainQuery, wrongUrl } from '../../../lib/explain-query.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { readText } from '../form/form-state.ts'
import type { Checked } from '../use-problems.ts'
import classes from './answers.module.css'
import { AnswersList } from './answers-list.tsx'
import { originsIn, type Recent, recentQuery, urlOf } from './recent.ts'

type Props = {
  text: string
  checked: Pick<Checked, 'check' | 'problems'>
  session: Session
}

export function AnswersPanel({ text, checked, session }: Props) {
  const [nodeId, setNodeId] = useState('')
  const [origin, setOrigin] = useState('')
  const [own, setOwn] = useState<readonly string[]>([])
  const [isLooking, setLooking] = useState(false)
  const reading = readText(text)
  const origins = reading.ok ? originsIn(reading.value) : []
  const at = origins.includes(origin) ? origin : (origins[0] ?? '')
  const recent = useQuery({ ...recentQuery(nodeId), enabled: isLooking && nodeId !== '' })
  const paths = recent.data?.paths ?? []
  const urls = [...new Set([...own, ...(at === '' ? [] : paths.map((path) => urlOf(at, path)))])]
  const isGood = checked.check.kind === 'checked' && checked.problems.length === 0
  return (
    <section className={classes.answers} aria-labelledby="answers-heading">
      <h2 id="answers-heading">{t('What requests would get')}</h2>
      <div className={classes.fields}>
        <NodeSelect
          label={t('On node')}
          size="xs"
          id={nodeId}
          onChange={(id) => {
            setNodeId(id)
            setLooking(false)
          }}
        />
        {origins.length > 0 && (
          <NativeSelect
            label={t('Asked for at')}
            size="xs"
            value={at}
            onChange={({ currentTarget }) => setOrigin(currentTarget.value)}
            data={origins}
          />
        )}
        <ActionButton
          size="xs"
          variant="default"
          loading={recent.isFetching}
          blockedBy={
            whyNot(session, 'requests:read') ?? (nodeId === '' ? t('Choose a node first.') : null)
          }
          onClick={() => {
            if (isLooking) void recent.refetch()
            setLooking(true)
          }}
        >
          {t('Take its recent requests')}
        </ActionButton>
      </div>
      <OwnUrl onAdd={(url) => setOwn([url, ...own.filter((one) => one !== url)])} />
      {isLooking && (
        <QueryStates query={recent} what={t('The recent requests')} skeletonRows={1}>
          {(found) => <p className="dim">{recentWords(found)}</p>}
        </QueryStates>
      )}
      {nodeId === '' || urls.length === 0 ? (
        <p className="dim">
          {t(
            'Choose a node and take its recent requests, or add a URL: each is held against what the node has now.',
          )}
        </p>
      ) : isGood ? (
        <Asked nodeId={nodeId} urls={urls} text={text} />
      ) : (
        <p className="dim">{t('Shown once farmstead-node accepts the text.')}</p>
      )}
    </section>
  )
}

function recentWords({ paths, left, masked }: Recent): string {
  const hidden =
    masked > 0
      ? t(
          ' {masked, plural, one {# request} other {# requests}} left out: their paths are masked or cut.',
          { masked },
        )
      : ''
  if (paths.length === 0) return t('No request came that could be put to it.{hidden}', { hidden })
  const more =
    left > 0
      ? t(', and {left, plural, one {# path} other {# paths}} that came less often are left out', {
          left,
        })
      : ''
  return t('{paths, plural, one {# path} other {# paths}} of its recent requests{more}.{hidden}', {
    paths: paths.length,
    more,
    hidden,
  })
}

function OwnUrl({ onAdd }: { onAdd: (url: string) => void }) {
  const [url, setUrl] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = wrongUrl(url.trim())
    setWrong(found)
    if (found !== null) return
    onAdd(url.trim())
    setUrl('')
  }
  return (
    <form className={classes.fields} onSubmit={handleSubmit}>
      <TextInput
        className={classes.url ?? ''}
        size="xs"
        label={t('A URL of your own')}
        placeholder="https://www.example.org/index.html"
        value={url}
        error={wrong}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default">
        {t('Add')}
      </Button>
    </form>
  )
}

type AskedProps = { nodeId: string; urls: readonly string[]; text: string }

function Asked({ nodeId, urls, text }: AskedProps) {
  const answers = useQuery(explainQuery({ nodeId, urls, text }))
  return (
    <QueryStates query={answers} what={t('The answers')} skeletonRows={3}>
      {(explanation) => <AnswersList explanation={explanation} />}
    </QueryStates>
  )
}
