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
import type { VersionSummary } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
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
    <Page title="New rollout" meta="It brings a saved version to the nodes, some of them first.">
      <div className="panel">
        <QueryStates query={configs} what="The configs" skeletonRows={3}>
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
    title="There is no config to roll out yet"
    action={<ButtonLink to="/configs">Show the configs</ButtonLink>}
  >
    Make one first: its first version is what this rollout would bring to the nodes.
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
          label="Only to nodes with these labels (optional)"
          description="As in zone=eu,!canary. Left empty: all it is for"
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
          Show the plan
        </ActionButton>
      </div>
      <p className="dim">Nothing is rolled out yet: the plan says first what would happen.</p>
    </form>
  )
}

function whyNotYet(config: string, isReading: boolean, isError: boolean): string {
  if (config === '') return 'Choose a config first.'
  if (isReading) return 'Its versions are being read…'
  return isError ? 'Its versions could not be read.' : `${config} has no saved version.`
}

function ConfigField({ config, onChange }: { config: string; onChange: (name: string) => void }) {
  const [typed, setTyped] = useState('')
  const [part] = useDebouncedValue(typed, TYPING_MS)
  const names = useQuery(configsNamedQuery(part)).data ?? []
  const nothing: Choice = { value: '', label: 'Choose a config' }
  return (
    <SearchSelect
      label="Config"
      description="What the nodes are to run"
      value={config === '' ? nothing : { value: config, label: config }}
      choices={names.map((name) => ({ value: name, label: name }))}
      onSearch={setTyped}
      onChange={onChange}
      none="No config of that name"
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
      label="Version"
      description="The newest stands first"
      value={chosen === null ? { value: '', label: '' } : choiceOf(chosen)}
      choices={found.map(choiceOf)}
      onSearch={setTyped}
      onChange={(number) => {
        const version = found.find((one) => String(one.number) === number)
        if (version) onChange(version)
      }}
      none="No version of that message or number"
    />
  )
}

const choiceOf = ({ number, message }: VersionSummary): Choice => ({
  value: String(number),
  label: `v${number}: ${message.length > 40 ? `${message.slice(0, 40)}…` : message}`,
})

const About = ({ version: { number, message, author, createdAt, nodes } }: AboutProps) => (
  <p>
    <strong>v{number}</strong>, saved by {author} <TimeAgo at={createdAt} />: “{message}”. It runs
    on {nodes === 0 ? 'no node' : plural(nodes, 'node')} now.
  </p>
)
type AboutProps = { version: VersionSummary }
