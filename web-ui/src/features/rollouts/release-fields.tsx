// SPDX-License-Identifier: MIT
// Which version of each release goes with the config.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Choice, SearchSelect } from '../../components/search-select.tsx'
import { t } from '../../languages/t.ts'
import type { ReleaseVersion, RolloutPlan } from '../../lib/api-types.ts'
import { releaseVersionsQuery } from './api.ts'
import classes from './rollouts.module.css'

type Planned = RolloutPlan['releases'][number]
type OnChoose = (name: string, number: number) => void
type Props = { releases: readonly Planned[]; onChoose: OnChoose }

export function ReleaseFields({ releases, onChoose }: Props) {
  if (releases.length === 0) return null
  return (
    <section className="panel" aria-labelledby="release-fields-heading">
      <div className="panel-head">
        <h2 id="release-fields-heading">{t('Files that go with it')}</h2>
      </div>
      <div className={`panel-body ${classes.chooseFields}`}>
        {releases.map((planned) => (
          <ReleaseField key={planned.name} planned={planned} onChoose={onChoose} />
        ))}
      </div>
    </section>
  )
}

function ReleaseField({ planned, onChoose }: { planned: Planned; onChoose: OnChoose }) {
  const { name, number, before } = planned
  const [typed, setTyped] = useState('')
  const versions = useQuery(releaseVersionsQuery(name))
  const choices = (versions.data ?? []).map(choiceOf)
  const value = choices.find((one) => one.value === String(number)) ?? {
    ...{ value: String(number), label: `v${number}` },
  }
  const found = choices.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
  return (
    <SearchSelect
      label={t('Version of {name}', { name })}
      description={
        before === null
          ? t('No rollout has brought one to all nodes yet')
          : t('v{number} was brought to all nodes last', { number: before.number })
      }
      error={versions.isError ? t('Its other versions could not be read') : undefined}
      value={value}
      choices={found}
      onSearch={setTyped}
      onChange={(chosen) => onChoose(name, Number(chosen))}
      none={t('None of the newest hundred has this in number or message')}
    />
  )
}

const LABEL_LENGTH = 40

const choiceOf = ({ number, message }: ReleaseVersion): Choice => ({
  value: String(number),
  label: `v${number}: ${message.length > LABEL_LENGTH ? `${message.slice(0, LABEL_LENGTH)}…` : message}`,
})
