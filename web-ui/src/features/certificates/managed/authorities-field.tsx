// SPDX-License-Identifier: MIT
// Whom the certificate is ordered from: one authority, and others for when it fails, each with one of its profiles.

import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../../languages/t.ts'
import type { AuthorityTest, CertificateAuthority } from '../../../lib/api-types.ts'
import { offerQuery } from '../authorities/api.ts'
import type { Wish } from './api.ts'
import classes from './managed.module.css'

type Chosen = Wish['authorities'][number]
/** The API allows no more. */
const MAX_CHOSEN = 5

type Props = {
  known: readonly CertificateAuthority[]
  chosen: readonly Chosen[]
  error: string | null
  onChosen: (chosen: Chosen[]) => void
}

export function AuthoritiesField({ known, chosen, error, onChosen }: Props) {
  const [next] = known.filter(({ name }) => !chosen.some((one) => one.name === name))
  const replace = (index: number, one: Chosen) => onChosen(chosen.with(index, one))
  return (
    <fieldset className={classes.group}>
      <legend>{t('Certificate authority')}</legend>
      {chosen.map((one, index) => (
        <ChosenRow
          key={one.name}
          chosen={one}
          place={index}
          free={known.filter(
            ({ name }) => name === one.name || !chosen.some((other) => other.name === name),
          )}
          onChange={(changed) => replace(index, changed)}
          onRemove={chosen.length > 1 ? () => onChosen(chosen.toSpliced(index, 1)) : null}
          onFirst={
            index > 0 ? () => onChosen([one, ...chosen.filter((other) => other !== one)]) : null
          }
        />
      ))}
      {error !== null && (
        <p className={classes.error} role="alert">
          {error}
        </p>
      )}
      {next && chosen.length < MAX_CHOSEN && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => onChosen([...chosen, { name: next.name, profile: null }])}
          >
            {chosen.length === 0 ? t('Choose an authority') : t('Add one for when the first fails')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

type RowProps = {
  chosen: Chosen
  place: number
  free: readonly CertificateAuthority[]
  onChange: (chosen: Chosen) => void
  onRemove: (() => void) | null
  onFirst: (() => void) | null
}

function ChosenRow({ chosen, place, free, onChange, onRemove, onFirst }: RowProps) {
  const { name, profile } = chosen
  const offer = useQuery(offerQuery(name))
  const nth = place === 0 ? '' : ` ${place + 1}`
  return (
    <div className={classes.pair}>
      <NativeSelect
        label={t('Authority{nth}', { nth })}
        description={
          place === 0 ? t('It is asked first') : t('It is asked when those before it fail')
        }
        value={name}
        onChange={({ currentTarget: { value } }) => onChange({ name: value, profile: null })}
        data={free.map((one) => ({ value: one.name, label: one.name }))}
      />
      <NativeSelect
        label={t('Profile{nth}', { nth })}
        description={profileWords(offer.data, offer.isPending, profile)}
        value={profile ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ name, profile: value || null })}
        data={[
          { value: '', label: t('The authority’s own choice') },
          ...profileNames(offer.data, profile).map((one) => ({ value: one, label: one })),
        ]}
      />
      {(onRemove !== null || onFirst !== null) && (
        <div className="row">
          {onFirst !== null && (
            <Button variant="default" size="xs" onClick={onFirst}>
              {t('Ask {name} first', { name })}
            </Button>
          )}
          {onRemove !== null && (
            <Button variant="danger" size="xs" onClick={onRemove}>
              {t('Remove {name}', { name })}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Also the one that is chosen, when the authority cannot be asked or has it no more. */
function profileNames(offer: AuthorityTest | undefined, chosen: string | null): string[] {
  const offered = offer?.profiles.map(({ name }) => name) ?? []
  return chosen === null || offered.includes(chosen) ? offered : [chosen, ...offered]
}

function profileWords(
  offer: AuthorityTest | undefined,
  isPending: boolean,
  chosen: string | null,
): string {
  if (isPending) return t('Asking the authority what it offers…')
  if (!offer?.reachable) return t('The authority could not be asked what it offers')
  if (offer.profiles.length === 0) return t('This authority has no profiles')
  const known = offer.profiles.find(({ name }) => name === chosen)
  if (known) return known.description
  return chosen === null
    ? t('How long it is good, and what it is good for')
    : t('The authority does not offer this profile any more')
}
