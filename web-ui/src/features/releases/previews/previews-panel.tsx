// SPDX-License-Identifier: MIT
// Where a version is shown under a name of its own.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { EndsAt } from '../../../components/ends-at.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { ReleasePreview, Session } from '../../../lib/api-types.ts'
import { may, whyNot } from '../../../lib/permissions.ts'
import { previewsQuery } from './api.ts'
import { EndPreviewDialog } from './end-preview-dialog.tsx'
import { PreviewDialog } from './preview-dialog.tsx'
import { previewVerdicts } from './preview-states.ts'

type Props = { name: string; number: number; session: Session }

export function PreviewsPanel({ name, number, session }: Props) {
  const previews = useQuery(previewsQuery(name))
  const [isStarting, setStarting] = useState(false)
  const [ending, setEnding] = useState<ReleasePreview | null>(null)
  const isOff = previews.data?.isOn === false
  return (
    <section className="panel" aria-labelledby="previews-heading">
      <div className="panel-head">
        <h2 id="previews-heading">{t('Previews')}</h2>
        <ActionButton
          variant="default"
          blockedBy={whyNot(session, 'rollouts:run') ?? (isOff ? OFF : null)}
          onClick={() => setStarting(true)}
        >
          {t('Preview on a node')}
        </ActionButton>
      </div>
      <div className="panel-body">
        <QueryStates query={previews} what={t('Previews')} skeletonRows={2}>
          {({ items }) => (
            <Shown
              items={items.filter((one) => one.number === number)}
              mayEnd={may(session, 'rollouts:run')}
              onEnd={setEnding}
            />
          )}
        </QueryStates>
      </div>
      {isStarting && (
        <PreviewDialog name={name} number={number} onClose={() => setStarting(false)} />
      )}
      {ending && <EndPreviewDialog preview={ending} onClose={() => setEnding(null)} />}
    </section>
  )
}

const OFF = t(
  'The control plane has no names for previews. Set FARMSTEAD_PREVIEW_HOST and restart it.',
)

type ShownProps = {
  items: readonly ReleasePreview[]
  mayEnd: boolean
  onEnd: (preview: ReleasePreview) => void
}

function Shown({ items, mayEnd, onEnd }: ShownProps) {
  if (items.length === 0)
    return <p className="dim">{t('No node shows this version as a preview.')}</p>
  return (
    <ScrollBox label={t('Previews, table')}>
      <table className="grid">
        <thead>
          <tr>
            {[t('Node'), t('Address'), t('State'), t('Ends'), t('Started by')].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            {mayEnd && (
              <th scope="col">
                <span className="visually-hidden">{t('Action')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <tr key={one.id}>
              <td>
                <Link to="/nodes/$id" params={{ id: one.node.id }}>
                  {one.node.name}
                </Link>
              </td>
              <td>{one.url ? <a href={one.url}>{one.host}</a> : one.host}</td>
              <td>
                <StatusBadge verdict={previewVerdicts[one.state]} />
                {one.error && (
                  <div className="dim" lang="en">
                    {one.error.message}
                  </div>
                )}
              </td>
              <td>
                <EndsAt at={one.endsAt} />
              </td>
              <td>{one.createdBy}</td>
              {mayEnd && (
                <td>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t('End the preview on {node}', { node: one.node.name })}
                    onClick={() => onEnd(one)}
                  >
                    {t('End')}
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
