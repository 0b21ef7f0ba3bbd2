// SPDX-License-Identifier: MIT
// A new rollout begins here where nothing was chosen yet: which version, and for whom.

import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { type Choice, SearchSelect } from '../../components/search-select.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { VersionSummary } from '../../lib/api-types.ts'
import { configsNamedQuery, type Release, versionsFoundQuery } from './api.ts'
import classes from './rollouts.module.css'

type Props = {
  config: string
  selector: string
  onChoose: (release: Release) => void
}

const TYPING_MS = 250

export function ChooseRelease({ config: given, selector, onChoose }: Props) {
  const configs = useQuery(configsNamedQuery(''))
  return (
    <Page
      title={t('New rollout')}
      meta={t('It brings a saved version to the nodes, some of them first.')}
    >
      <div className="panel">
        <QueryStates query={configs} what={t('The configs')} skeletonRows={3}>
          {([newest, ...others]) =>
            newest === undefined ? (
              <NoConfig />
            ) : (
              <Form
                first={given || (others.length === 0 ? newest : '')}
                selector={selector}
                onChoose={onChoose}
              />
            )
          }
        </QueryStates>
      </div>
    </Page>
  )
}

const NoConfig = () => (
  <EmptyState
    title={t('There is no config to roll out yet')}
    action={<ButtonLink to="/configs">{t('Show the configs')}</ButtonLink>}
  >
    {t('Make one first: its first version is what this rollout would bring to the nodes.')}
  </EmptyState>
)

type FormProps = { first: string; selector: string; onChoose: (release: Release) => void }

function Form({ first, selector: given, onChoose }: FormProps) {
  const [config, setConfig] = useState(first)
  const [version, setVersion] = useState<VersionSummary | null>(null)
  const [selector, setSelector] = useState(given)
  const newest = useQuery({ ...versionsFoundQuery(config, ''), enabled: config !== '' })
  // While another config's are read, those that are there are of the one before.
  const isReading = newest.isPending || newest.isPlaceholderData
  const chosen = version ?? (isReading ? null : (newest.data?.[0] ?? null))
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (chosen === null) return
    const only = selector.trim()
    onChoose({ config, version: chosen.number, ...(only !== '' && { selector: only }) })
  }
  return (
    <form className="panel-body stack" onSubmit={handleSubmit} noValidate>
      <div className={classes.chooseFields}>
        <ConfigField
          config={config}
          onChange={(name) => {
            setConfig(name)
            setVersion(null)
          }}
        />
        {config !== '' && (
          <VersionField key={config} config={config} chosen={chosen} onChange={setVersion} />
        )}
        <TextInput
          label={t('Only to nodes with these labels (optional)')}
          description={t('As in zone=eu,!canary. Left empty: all it is for')}
          spellCheck={false}
          value={selector}
          onChange={(event) => setSelector(event.currentTarget.value)}
        />
      </div>
      {chosen !== null && <About version={chosen} />}
      <div>
        <ActionButton
          type="submit"
          blockedBy={chosen === null ? whyNotYet(config, isReading, newest.isError) : null}
        >
          {t('Show the plan')}
        </ActionButton>
      </div>
      <p className="dim">
        {t('Nothing is rolled out yet: the plan says first what would happen.')}
      </p>
    </form>
  )
}

function whyNotYet(config: string, isReading: boolean, isError: boolean): string {
  if (config === '') return t('Choose a config first.')
  if (isReading) return t('Its versions are being read…')
  return isError
    ? t('Its versions could not be read.')
    : t('{config} has no saved version.', { config })
}

function ConfigField({ config, onChange }: { config: string; onChange: (name: string) => void }) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const names = useQuery(configsNamedQuery(part)).data ?? []
  const nothing: Choice = { value: '', label: t('Choose a config') }
  return (
    <SearchSelect
      label={t('Config')}
      description={t('What the nodes are to run')}
      value={config === '' ? nothing : { value: config, label: config }}
      choices={names.map((name) => ({ value: name, label: name }))}
      onSearch={setTyped}
      onChange={onChange}
      none={t('No config of that name')}
    />
  )
}

type VersionFieldProps = {
  config: string
  chosen: VersionSummary | null
  onChange: (version: VersionSummary) => void
}

function VersionField({ config, chosen, onChange }: VersionFieldProps) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed, TYPING_MS)
  const found = useQuery(versionsFoundQuery(config, q)).data ?? []
  return (
    <SearchSelect
      label={t('Version')}
      description={t('The newest stands first')}
      value={chosen === null ? { value: '', label: '' } : choiceOf(chosen)}
      choices={found.map(choiceOf)}
      onSearch={setTyped}
      onChange={(number) => {
        const version = found.find((one) => String(one.number) === number)
        if (version) onChange(version)
      }}
      none={t('No version of that message or number')}
    />
  )
}

const choiceOf = ({ number, message }: VersionSummary): Choice => ({
  value: String(number),
  label: `v${number}: ${message.length > 40 ? `${message.slice(0, 40)}…` : message}`,
})

const About = ({ version: { number, message, author, createdAt, nodes } }: AboutProps) => (
  <p>
    {nodes === 0 ? (
      <T
        text="{strong}, saved by {author} {createdAt}: “{message}”. It runs on no node now."
        strong={<strong>v{number}</strong>}
        author={author}
        createdAt={<TimeAgo at={createdAt} />}
        message={message}
      />
    ) : (
      <T
        text="{strong}, saved by {author} {createdAt}: “{message}”. It runs on {nodes, plural, one {# node} other {# nodes}} now."
        strong={<strong>v{number}</strong>}
        author={author}
        createdAt={<TimeAgo at={createdAt} />}
        message={message}
        nodes={nodes}
      />
    )}
  </p>
)
type AboutProps = { version: VersionSummary }
