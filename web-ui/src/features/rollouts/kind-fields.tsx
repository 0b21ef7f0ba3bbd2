// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { t } from '../../languages/t.ts'
import type { KindCount } from './plan-rules.ts'
import classes from './strategy-form.module.css'

type Props = {
  kinds: readonly KindCount[]
  excluded: readonly string[]
  onChange: (excluded: string[]) => void
}

/** Among nodes of one kind there is nothing to choose. */
export function KindFields({ kinds, excluded, onChange }: Props) {
  if (kinds.length < 2 && excluded.length === 0) return null
  const toggle = (kind: string, isOut: boolean) =>
    onChange(isOut ? [...excluded, kind] : excluded.filter((other) => other !== kind))
  return (
    <fieldset className={classes.part}>
      <legend>{t('Kinds of nodes')}</legend>
      <p className={classes.help}>
        {t(
          'Nodes with the same system, version and capabilities refuse the same things. Leave out what refuses this version.',
        )}
      </p>
      {kinds.map(({ kind, nodes }) => (
        <Checkbox
          key={kind}
          className={classes.words}
          label={t('Leave out {nodes, plural, one {# node} other {# nodes}} of this kind', {
            nodes,
          })}
          description={kind}
          checked={excluded.includes(kind)}
          onChange={({ currentTarget: { checked } }) => toggle(kind, checked)}
        />
      ))}
    </fieldset>
  )
}
