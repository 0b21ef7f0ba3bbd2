// SPDX-License-Identifier: MIT
// What a frozen rollout left behind: some nodes on its version, the others not.
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { useStart } from './use-start.ts'

type Props = {
  rollout: Rollout
  session: Session
  /** Of all nodes that run its config now, in the rollout or not, by id: which version. */
  versions: ReadonlyMap<string, number>
  onStarted: (rollout: Rollout) => void
}

export function TwoVersions({ rollout, session, versions, onStarted }: Props) {
  const start = useStart(onStarted)
  const { config, version, previousVersion, state, tasks } = rollout
  const left = tasks.filter(({ nodeId }) => versions.get(nodeId) === version)
  const isGone = left.length === 0 || previousVersion === null || previousVersion === version
  if (state !== 'frozen' || isGone) return null
  const isOne = [...versions.values()].every((one) => one === version)
  return (
    <Notice
      tone="warn"
      title={isOne ? `The farm is on v${version}, which was frozen` : 'The farm is on two versions'}
    >
      <div className="stack-tight">
        <p>
          {plural(left.length, 'node')} of {versions.size} {left.length === 1 ? 'runs' : 'run'}{' '}
          {config} v{version}: {left.map(({ nodeName }) => nodeName).join(', ')}.
        </p>
        <div>
          <ActionButton
            blockedBy={whyNot(session, 'rollouts:run')}
            loading={start.isPending}
            onClick={() =>
              start.mutate({
                config,
                version: previousVersion,
                nodes: left.map(({ nodeId }) => nodeId),
                message: `Back from v${version}, which was frozen`,
                // Nobody is left to compare with that is well.
                strategy: { gates: [] },
              })
            }
          >
            Give {plural(left.length, 'node')} v{previousVersion} again
          </ActionButton>
        </div>
        {start.isError && <ErrorBox what="No rollout was started" error={start.error} />}
      </div>
    </Notice>
  )
}
