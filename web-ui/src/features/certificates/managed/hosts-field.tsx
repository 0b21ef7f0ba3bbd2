// SPDX-License-Identifier: MIT
import { Textarea } from '@mantine/core'
import { plural } from '../../../lib/format.ts'
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
        label="Hosts"
        description={`Paste up to ${MAX_HOSTS}: one a line, or with blanks or commas between`}
        placeholder={'shop.example.org\nwww.shop.example.org'}
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
        {plural(hosts.length, 'host')}
        {repeated > 0 && `, ${plural(repeated, 'repetition')} left out`}
        {wrong.length > 0 &&
          `; not understood: ${wrong.map(({ typed, why }) => `${typed} (${why})`).join(', ')}`}
      </p>
      <HostChecks hosts={hosts.slice(0, MAX_HOSTS)} challenge={challenge} />
    </div>
  )
}
