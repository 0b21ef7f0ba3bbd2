// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { LazyCodeView } from '../../components/code/lazy-code.tsx'
import type { Place } from '../../components/code/positions.ts'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutButton } from '../../components/rollout-link.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Session, Version } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { configQuery, exportUrl, versionQuery } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

export type VersionScreenProps = { name: string; number: number; session: Session; place: Place }

export function VersionScreen({ name, number, session, place }: VersionScreenProps) {
  const version = useQuery(versionQuery(name, number))
  const latest = useQuery(configQuery(name)).data?.latestVersion ?? null
  const [restoring, setRestoring] = useState(false)
  return (
    <Page
      title={`${name} v${number}`}
      meta={version.data === undefined ? undefined : <VersionMeta version={version.data} />}
      actions={
        version.data !== undefined && (
          <>
            {version.data.parent !== null && (
              <ButtonLink
                variant="default"
                to="/configs/$name/compare"
                params={{ name }}
                search={{ from: version.data.parent, to: number }}
              >
                {t('Compare with v{parent}', { parent: version.data.parent })}
              </ButtonLink>
            )}
            <Button component="a" variant="default" href={exportUrl(name, number)} download>
              {t('Export')}
            </Button>
            <ActionButton
              variant="default"
              blockedBy={whyNot(session, 'configs:write')}
              onClick={() => setRestoring(true)}
            >
              {t('Restore')}
            </ActionButton>
            <RolloutButton config={name} version={number} latest={latest} session={session} />
          </>
        )
      }
    >
      <ConfigTabs name={name} />
      <QueryStates query={version} what={t('Version {number}', { number })} skeletonRows={8}>
        {(data) => (
          <>
            <p>{data.message}</p>
            <div className="panel">
              <LazyCodeView
                text={data.text}
                label={t('Text of {name} v{number}', { name, number })}
                place={place}
              />
            </div>
            {restoring && <RestoreDialog version={data} onClose={() => setRestoring(false)} />}
          </>
        )}
      </QueryStates>
    </Page>
  )
}

function VersionMeta({ version }: { version: Version }) {
  return (
    <>
      <span>
        <T
          text="saved by {author} {createdAt}"
          author={version.author}
          createdAt={<TimeAgo at={version.createdAt} />}
        />
      </span>
      <span>
        <T text="digest {digest}" digest={<code>{version.digest}</code>} />
      </span>
      <span>
        <Quantity of={version.sizeBytes} as={formatBytes} />
      </span>
      <span>
        {version.nodes === 0
          ? t('runs on no node')
          : t('runs on {nodes, plural, one {# node} other {# nodes}}', { nodes: version.nodes })}
      </span>
    </>
  )
}
