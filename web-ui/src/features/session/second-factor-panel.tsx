// SPDX-License-Identifier: MIT

import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { type SubmitEvent, useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { Session } from '../../lib/api-types.ts'
import {
  beginSecondFactorMutation,
  confirmSecondFactorMutation,
  removeSecondFactorMutation,
  sessionQuery,
} from './api.ts'
import classes from './gate.module.css'

const QR_PIXELS = 192
const visibilityToggleButtonProps = { 'aria-label': t('Show the password'), tabIndex: 0 }

export function SecondFactorPanel({ session }: { session: Session }) {
  const client = useQueryClient()
  const [isOn, setIsOn] = useState(session.secondFactor)
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>([])
  const turn = (on: boolean, codes: string[]) => {
    setIsOn(on)
    setRecoveryCodes(codes)
    const changed: Session = { ...session, secondFactor: on }
    client.setQueryData(sessionQuery.queryKey, changed)
  }
  return (
    <section className="panel" aria-labelledby="factor-heading">
      <div className="panel-head">
        <h2 id="factor-heading">{t('Second factor')}</h2>
        <span className="dim">{isOn ? t('on: signing in takes a code as well') : t('off')}</span>
      </div>
      <div className="panel-body stack">
        {recoveryCodes.length > 0 && <RecoveryCodes codes={recoveryCodes} />}
        {isOn ? (
          <Removal onRemoved={() => turn(false, [])} />
        ) : (
          <Beginning onConfirmed={(codes) => turn(true, codes)} />
        )}
      </div>
    </section>
  )
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <Notice tone="warn" live title={t('Keep these recovery codes: they are shown this once')}>
      <p>{t('Each stands in for a code once, when your device is not at hand.')}</p>
      <CopyField label={t('Recovery codes')} value={codes.join(' ')} />
    </Notice>
  )
}

function Beginning({ onConfirmed }: { onConfirmed: (codes: string[]) => void }) {
  const [password, setPassword] = useState('')
  const begin = useMutation(beginSecondFactorMutation)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (password !== '') begin.mutate(password)
  }
  if (begin.data) return <Confirmation begun={begin.data} onConfirmed={onConfirmed} />
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <p>
        {t(
          'An authenticator app on your phone shows a code that is asked for besides the password.',
        )}
      </p>
      <PasswordInput
        label={t('Your password')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={visibilityToggleButtonProps}
      />
      {begin.isError && <ErrorBox what={t('Not begun')} error={begin.error} />}
      <Button type="submit" loading={begin.isPending}>
        {t('Add a second factor')}
      </Button>
    </form>
  )
}

type ConfirmationProps = {
  begun: { secret: string; uri: string }
  onConfirmed: (codes: string[]) => void
}

function Confirmation({ begun, onConfirmed }: ConfirmationProps) {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    ...confirmSecondFactorMutation,
    onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (code !== '') confirm.mutate(code)
  }
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <p>
        {t('Scan this with the app, or type the secret into it. Then enter the code it shows.')}
      </p>
      <QRCodeSVG
        value={begun.uri}
        size={QR_PIXELS}
        marginSize={4}
        title={t('QR code of the secret')}
      />
      <CopyField label={t('Secret')} value={begun.secret} />
      <TextInput
        label={t('Code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {confirm.isError && <ErrorBox what={t('Not switched on')} error={confirm.error} />}
      <Button type="submit" loading={confirm.isPending}>
        {t('Switch on')}
      </Button>
    </form>
  )
}

function Removal({ onRemoved }: { onRemoved: () => void }) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const remove = useMutation({ ...removeSecondFactorMutation, onSuccess: onRemoved })
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (password !== '' && code !== '') remove.mutate({ password, code })
  }
  return (
    <form className={classes.form} onSubmit={handleSubmit} noValidate>
      <PasswordInput
        label={t('Your password')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={visibilityToggleButtonProps}
      />
      <TextInput
        label={t('Code or recovery code')}
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {remove.isError && <ErrorBox what={t('Not removed')} error={remove.error} />}
      <Button type="submit" variant="danger" loading={remove.isPending}>
        {t('Remove the second factor')}
      </Button>
    </form>
  )
}
