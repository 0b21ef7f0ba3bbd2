// SPDX-License-Identifier: MIT

import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { ErrorBox } from '../../components/error-box.tsx'
import { noProof, ProofFields, proofBody } from '../../components/proof-fields.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import type { Grantable, NewToken } from './api.ts'
import { choicesOf, DEFAULT_LIFE_DAYS, lives, MAX_NAME_LENGTH } from './rules.ts'
import classes from './tokens.module.css'

export type TokenFormProps = {
  session: Session
  pending: boolean
  error: Error | null
  onCreate: (token: NewToken) => void
}

export function TokenForm({ session, pending, error, onCreate }: TokenFormProps) {
  const [name, setName] = useState('')
  const [days, setDays] = useState<number>(DEFAULT_LIFE_DAYS)
  const [everything, setEverything] = useState(false)
  const [chosen, setChosen] = useState<Grantable[]>([])
  const [proof, setProof] = useState(noProof)
  const [asked, setAsked] = useState(false)
  const nothing = !everything && chosen.length === 0
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (name.trim() === '' || nothing) return
    const permissions = everything ? null : chosen
    onCreate({ name: name.trim(), permissions, expiresInDays: days, ...proofBody(proof) })
  }
  return (
    <form className="stack" onSubmit={handleSubmit} noValidate>
      <div className={classes.fields}>
        <TextInput
          label={t('Name')}
          description={t('What will use it, as in “nightly report”')}
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={asked && name.trim() === '' ? t('Enter a name.') : null}
        />
        <NativeSelect
          label={t('Good for')}
          description={t('It expires after this')}
          value={String(days)}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
          data={lives.map((life) => ({ value: String(life.days), label: life.label }))}
        />
        <NativeSelect
          label={t('What it may do')}
          description={t('Never more than you may when it is used')}
          value={everything ? 'everything' : 'chosen'}
          onChange={(event) => setEverything(event.currentTarget.value === 'everything')}
          data={[
            { value: 'chosen', label: t('Only what I choose') },
            { value: 'everything', label: t('All I may') },
          ]}
        />
      </div>
      {!everything && (
        <Permissions
          session={session}
          chosen={chosen}
          onChosen={setChosen}
          error={asked && nothing ? t('Choose at least one.') : null}
        />
      )}
      <div className={classes.fields}>
        <ProofFields proof={proof} secondFactor={session.secondFactor} onProof={setProof} />
      </div>
      <UnsavedGuard
        what={t('The token')}
        isUnsaved={name !== '' || chosen.length > 0 || proof !== noProof}
      />
      {error !== null && <ErrorBox what={t('No token was made')} error={error} />}
      <div className="row">
        <Button type="submit" loading={pending}>
          {t('Make a token')}
        </Button>
      </div>
    </form>
  )
}

type PermissionsProps = {
  session: Session
  chosen: readonly Grantable[]
  onChosen: (chosen: Grantable[]) => void
  error: string | null
}

function Permissions({ session, chosen, onChosen, error }: PermissionsProps) {
  return (
    <div className="stack-tight">
      <fieldset className={classes.choices}>
        <legend>{t('Permissions')}</legend>
        {choicesOf(session).map(({ permission, text }) => (
          <Checkbox
            key={permission}
            label={permission}
            description={text}
            checked={chosen.includes(permission)}
            onChange={(event) =>
              onChosen(
                event.currentTarget.checked
                  ? [...chosen, permission]
                  : chosen.filter((one) => one !== permission),
              )
            }
          />
        ))}
      </fieldset>
      {error !== null && <p role="alert">{error}</p>}
    </div>
  )
}
