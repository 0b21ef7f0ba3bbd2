// SPDX-License-Identifier: MIT

import { Textarea } from '@mantine/core'
import { t } from '../../../languages/t.ts'
import type { Wish } from './api.ts'
import { HostChecks } from './host-checks.tsx'
import { MAX_HOSTS, parseHosts } from './hosts.ts'

type Props = {
  value: string
  challenge: Wish['challenge']['type']
  error: string | null
  onChange: (value: string) => void
}

/** Many at once, as they are pasted from elsewhere; below it, what was understood. */
export function HostsField({ value, challenge, error, onChange }: Props) {
  const { hosts, wrong, repeated } = parseHosts(value)
  return (
    <div className="stack-tight">
      <Textarea
        label={t('Hosts')}
        description={t('Paste up to {maxHosts}: one a line, or with blanks or commas between', {
          maxHosts: MAX_HOSTS,
        })}
        placeholder={t('shop.example.org\nwww.shop.example.org')}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="off"
        styles={{ input: { fontFamily: 'var(--fs-mono)' } }}
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p className="dim" role="status">
        {t('{hosts, plural, one {# host} other {# hosts}}', { hosts: hosts.length })}
        {repeated > 0 &&
          t(', {repeated, plural, one {# repetition} other {# repetitions}} left out', {
            repeated,
          })}
        {wrong.length > 0 &&
          t('; not understood: {wrong}', {
            wrong: wrong.map(({ typed, why }) => `${typed} (${why})`).join(', '),
          })}
      </p>
      <HostChecks hosts={hosts.slice(0, MAX_HOSTS)} challenge={challenge} />
    </div>
  )
}
