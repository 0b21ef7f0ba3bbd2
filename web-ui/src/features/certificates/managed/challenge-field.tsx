// SPDX-License-Identifier: MIT
// How the authority is shown that the hosts are ours.

import { NativeSelect, Radio } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { DnsWebhook } from '../../../lib/api-types.ts'
import classes from './managed.module.css'
import type { Draft } from './wish.ts'

type Props = {
  draft: Pick<Draft, 'challenge' | 'webhook'>
  webhooks: readonly DnsWebhook[]
  error: string | null
  onChange: (change: Partial<Pick<Draft, 'challenge' | 'webhook'>>) => void
}

export function ChallengeField({
  draft: { challenge, webhook },
  webhooks,
  error,
  onChange,
}: Props) {
  return (
    <div className="stack-tight">
      <Radio.Group
        label={t('How the hosts are proven')}
        value={challenge}
        onChange={(value) => onChange({ challenge: value === 'dns-01' ? value : 'http-01' })}
      >
        <div className={classes.choices}>
          <Radio
            value="http-01"
            label={t('HTTP-01: the nodes answer on port 80')}
            description={t(
              'Nothing to set up. Every host’s DNS leads to nodes of this farm, and the internet reaches them on port 80.',
            )}
          />
          <Radio
            value="dns-01"
            label={t('DNS-01: a webhook sets a TXT record')}
            description={t(
              'For wildcards, and for hosts that the internet does not reach. Needs a program of yours that sets DNS records.',
            )}
          />
        </div>
      </Radio.Group>
      {challenge === 'dns-01' &&
        (webhooks.length === 0 ? (
          <p>
            <T
              text="There is no DNS webhook yet: <link>add one</link> in the settings first."
              link={<Link to="/settings/dns-webhooks" />}
            />
          </p>
        ) : (
          <NativeSelect
            className={classes.short ?? ''}
            label={t('DNS webhook')}
            value={webhook}
            error={error}
            onChange={({ currentTarget: { value } }) => onChange({ webhook: value })}
            data={[
              { value: '', label: t('Choose one') },
              ...webhooks.map(({ name }) => ({ value: name, label: name })),
            ]}
          />
        ))}
      {error !== null && (challenge === 'http-01' || webhooks.length === 0) && (
        <p className={classes.error} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
