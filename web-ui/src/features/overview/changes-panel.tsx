// SPDX-License-Identifier: MIT
// What changed the farm in the page's range, the newest first: the same that charts mark.

import { Button, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MarkFlag } from '../../components/chart/mark-flag.tsx'
import { Notice } from '../../components/notice.tsx'
import { SkeletonRows } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import { toApiError } from '../../lib/api-error.ts'
import { formatExact, formatMoment } from '../../lib/time.ts'
import { type Change, type ChangeKind, isChangeKind } from './changes.ts'
import classes from './overview.module.css'
import { TargetLink } from './target-link.tsx'
import type { Changes } from './use-changes.ts'

const kindLabels: Record<ChangeKind, string> = {
  ...{ version: t('Versions'), rollout: t('Rollouts'), alert: t('Alerts'), person: t('People') },
}
const ALL = 'all'

type Props = { changes: Changes; onShow: (show: ChangeKind | undefined) => void }

export function ChangesPanel({ changes, onShow }: Props) {
  const { kinds, show, kept, isLoading } = changes
  return (
    <section className="panel" aria-labelledby="changes-heading">
      <div className="panel-head">
        <h2 id="changes-heading">{t('What changed')}</h2>
        {kinds.length > 1 && (
          <SegmentedControl
            aria-label={t('Show of what changed')}
            className={classes.kinds}
            value={show ?? ALL}
            onChange={(next) => onShow(isChangeKind(next) ? next : undefined)}
            data={[
              { value: ALL, label: t('All') },
              ...kinds.map((kind) => ({ value: kind, label: <KindLabel kind={kind} /> })),
            ]}
          />
        )}
      </div>
      {isLoading ? (
        <SkeletonRows rows={5} label={t('What changed')} />
      ) : (
        <div className="panel-body stack-tight">
          <Failed changes={changes} />
          <Lines changes={changes} />
          {kept.map(({ kind, what, blocked }) => (
            <p key={kind} className="dim">
              {t('Not shown: {what}. {blocked}', { what, blocked })}
            </p>
          ))}
        </div>
      )}
    </section>
  )
}

const KindLabel = ({ kind }: { kind: ChangeKind }) => (
  <span className="nowrap">
    <MarkFlag kind={kind} /> {kindLabels[kind]}
  </span>
)

function Failed({ changes: { failed } }: { changes: Changes }) {
  const [first] = failed
  if (first === undefined) return null
  return (
    <Notice
      tone="warn"
      live
      title={t('Could not be read: {failed}', {
        failed: failed.map(({ what }) => what).join(', '),
      })}
      action={
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            for (const { query } of failed) void query.refetch()
          }}
        >
          {t('Try again')}
        </Button>
      }
    >
      {toApiError(first.query.error).message}
    </Notice>
  )
}

const nothing: Record<ChangeKind | typeof ALL, string> = {
  all: t('Nothing changed in this time.'),
  version: t('No version of a config was saved in this time.'),
  rollout: t('No rollout began, paused or ended in this time.'),
  alert: t('No alert fired or was resolved in this time.'),
  person: t('Nobody changed anything in this time.'),
}

function Lines({ changes }: { changes: Changes }) {
  const { shown, show, failed, kinds, hasOlder, now } = changes
  return (
    <>
      {shown.length === 0 ? (
        // Who could not ask does not know.
        failed.length === 0 && kinds.length > 0 && <p className="dim">{nothing[show ?? ALL]}</p>
      ) : (
        <ScrollBox label={t('Changes, newest first')} className={classes.changes}>
          <ol>
            {shown.map((change) => (
              <Line key={change.key} change={change} now={now} />
            ))}
          </ol>
        </ScrollBox>
      )}
      {hasOlder && (
        <p className="dim">
          <T
            text="There is more than fits here. {olderlink}"
            olderlink={<OlderLink {...changes} />}
          />
        </p>
      )}
    </>
  )
}

function Line({ change, now }: { change: Change; now: number }) {
  const { kind, atSeconds, text, who, note, to } = change
  const at = atSeconds * 1000
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="dim">
        {formatMoment(at, now)}
      </time>
      <MarkFlag kind={kind} />
      <span>
        <TargetLink to={to}>{text}</TargetLink>
        {who !== null && t(' by {who}', { who })}
        {note !== '' && (
          <span className="dim">
            {': '}
            {note}
          </span>
        )}
      </span>
    </li>
  )
}

const pages = {
  ...{ version: '/configs', rollout: '/rollouts', alert: '/alerts', person: '/audit' },
} as const satisfies Record<ChangeKind, string>

/** The audit has all of it, for who may read that. */
function OlderLink({ show, kinds }: Pick<Changes, 'show' | 'kinds'>) {
  const most = kinds.includes('person') ? 'person' : 'rollout'
  return <Link to={pages[show ?? most]}>{t('Older ones')}</Link>
}
