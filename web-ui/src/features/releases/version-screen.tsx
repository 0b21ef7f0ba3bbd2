// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { ReleaseVersion, Session } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'
import { may, whyNot } from '../../lib/permissions.ts'
import { versionQuery } from './api.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { DeleteVersionDialog } from './delete-version-dialog.tsx'
import { FilesPanel } from './files-panel.tsx'
import { LookPanel } from './looks/look-panel.tsx'
import { OnNodesPanel } from './on-nodes.tsx'
import { PreviewsPanel } from './previews/previews-panel.tsx'
import classes from './releases.module.css'

export type VersionSearch = { show?: 'changes'; from?: number }
type Props = {
  name: string
  number: number
  session: Session
  search: VersionSearch
  onSearch: (search: VersionSearch) => void
  onDeleted: () => void
}

export function ReleaseVersionScreen(props: Props) {
  const { name, number, session, search, onSearch, onDeleted } = props
  const version = useQuery(versionQuery(name, number))
  const [deleting, setDeleting] = useState(false)
  return (
    <Page
      title={`${name} v${number}`}
      meta={version.data && <Meta version={version.data} />}
      actions={
        version.data && (
          <>
            <ActionButton
              variant="default"
              blockedBy={whyNot(session, 'releases:write')}
              onClick={() => setDeleting(true)}
            >
              {t('Delete this version')}
            </ActionButton>
            <ButtonLink to="/rollouts/new" search={{ releases: { [name]: number } }}>
              {t('Plan a rollout')}
            </ButtonLink>
          </>
        )
      }
    >
      <QueryStates query={version} what={t('Version {number}', { number })} skeletonRows={8}>
        {(data) => (
          <>
            <p>{data.message}</p>
            <OnNodesPanel onNodes={data.onNodes} />
            {may(session, 'nodes:read') && (
              <>
                <LookPanel name={name} number={number} session={session} />
                <PreviewsPanel name={name} number={number} session={session} />
              </>
            )}
            <SegmentedControl
              aria-label={t('What of it')}
              className={classes.which ?? ''}
              value={search.show ?? 'files'}
              onChange={(show) => onSearch(show === 'changes' ? { show } : {})}
              data={[
                { value: 'files', label: t('Files') },
                { value: 'changes', label: t('Changes') },
              ]}
            />
            {search.show === 'changes' ? (
              <ChangesPanel
                version={data}
                from={search.from ?? data.parent}
                onFrom={(from) => onSearch({ show: 'changes', from })}
              />
            ) : (
              <FilesPanel manifest={data.manifest} />
            )}
            {deleting && (
              <DeleteVersionDialog
                version={data}
                onClose={() => setDeleting(false)}
                onDeleted={onDeleted}
              />
            )}
          </>
        )}
      </QueryStates>
    </Page>
  )
}

const Meta = ({ version }: { version: ReleaseVersion }) => (
  <>
    <span>
      <Link to="/releases/$name" params={{ name: version.release }}>
        {t('All versions')}
      </Link>
    </span>
    <span>
      <T
        text="made by {author} {createdAt}"
        author={version.author}
        createdAt={<TimeAgo at={version.createdAt} />}
      />
    </span>
    {version.source !== '' && <span>{t('of {source}', { source: version.source })}</span>}
    <span>
      {t('{files, plural, one {# file} other {# files}}, {bytes}', {
        files: version.files,
        bytes: formatBytes(version.bytes),
      })}
    </span>
    {version.links > 0 && (
      <span>{t('{links, plural, one {# link} other {# links}}', { links: version.links })}</span>
    )}
  </>
)
