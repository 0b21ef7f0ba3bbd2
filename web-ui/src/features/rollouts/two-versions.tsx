// SPDX-License-Identifier: MIT
// What a frozen rollout left behind: some nodes on its version, the others not.

import { useQuery } from '@tanstack/react-query'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../languages/t.ts'
import type { NodeTask, Rollout, Session } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { MOST_NAMED, namedTasksQuery } from './api.ts'
import { useStart } from './use-start.ts'

type Props = { rollout: Rollout; session: Session; onStarted: (rollout: Rollout) => void }

export function TwoVersions(props: Props) {
  const { id, version, previousVersion, state } = props.rollout
  const isTwo = state === 'frozen' && previousVersion !== null && previousVersion !== version
  const left = useQuery({ ...namedTasksQuery(id, { running: true }), enabled: isTwo })
  if (!isTwo || !left.data || left.data.total === 0) return null
  return <Left {...props} left={left.data} back={previousVersion} />
}

type LeftProps = Props & { left: { items: NodeTask[]; total: number }; back: number }
/** Of more nobody reads the names. */
const NAMES_SHOWN = 10

function Left({ rollout, session, onStarted, left: { items, total }, back }: LeftProps) {
  const start = useStart(onStarted)
  const { config, version, totalNodes, selector, namesNodes } = rollout
  const isAll = total === totalNodes && selector === '' && !namesNodes
  const named = items.slice(0, NAMES_SHOWN).map(({ nodeName }) => nodeName)
  const more = total - named.length
  return (
    <Notice
      tone="warn"
      title={
        isAll
          ? t('Its nodes are on v{version}, which was frozen', { version })
          : t('The farm is on two versions')
      }
    >
      <div className="stack-tight">
        <p>
          {t(
            '{count, plural, one {# of {all} runs {config} v{version}} other {# of {all} run {config} v{version}}}: {named}',
            {
              count: total,
              all: t('{count, plural, one {# node} other {# nodes}}', { count: totalNodes }),
              config,
              version,
              named: named.join(', '),
            },
          )}
          {more > 0 && t(' and {more} more', { more: formatCount(more) })}.
        </p>
        <div>
          <ActionButton
            blockedBy={whyNot(session, 'rollouts:run') ?? whyNotNamed(total)}
            loading={start.isPending}
            onClick={() =>
              start.mutate({
                config,
                version: back,
                nodes: items.map(({ nodeId }) => nodeId),
                message: t('Back from v{version}, which was frozen', { version }),
                // Nobody is left to compare with that is well.
                strategy: { gates: [] },
              })
            }
          >
            {t('Give {total, plural, one {# node} other {# nodes}} v{back} again', { total, back })}
          </ActionButton>
        </div>
        {start.isError && <ErrorBox what={t('No rollout was started')} error={start.error} />}
      </div>
    </Notice>
  )
}

const whyNotNamed = (nodes: number): string | null =>
  nodes > MOST_NAMED
    ? t(
        'An order names at most {mostNamed} nodes. Plan a rollout of that version to all of them, or by labels.',
        { mostNamed: MOST_NAMED },
      )
    : null
