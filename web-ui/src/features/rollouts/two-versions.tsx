// SPDX-License-Identifier: MIT
// What a frozen rollout left behind: some nodes on its version, the others not.
import { useQuery } from '@tanstack/react-query'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import type { NodeTask, Rollout, Session } from '../../lib/api-types.ts'
import { formatCount, plural } from '../../lib/format.ts'
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
        isAll ? `Its nodes are on v${version}, which was frozen` : 'The farm is on two versions'
      }
    >
      <div className="stack-tight">
        <p>
          {formatCount(total)} of {plural(totalNodes, 'node')} {total === 1 ? 'runs' : 'run'}{' '}
          {config} v{version}: {named.join(', ')}
          {more > 0 && ` and ${formatCount(more)} more`}.
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
                message: `Back from v${version}, which was frozen`,
                // Nobody is left to compare with that is well.
                strategy: { gates: [] },
              })
            }
          >
            Give {plural(total, 'node')} v{back} again
          </ActionButton>
        </div>
        {start.isError && <ErrorBox what="No rollout was started" error={start.error} />}
      </div>
    </Notice>
  )
}

const whyNotNamed = (nodes: number): string | null =>
  nodes > MOST_NAMED
    ? `An order names at most ${MOST_NAMED} nodes. Plan a rollout of that version to all of them, or by labels.`
    : null
