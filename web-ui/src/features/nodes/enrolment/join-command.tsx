// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyField } from '../../../components/copy-field.tsx'
import { Notice } from '../../../components/notice.tsx'
import type { CreatedEnrolmentToken, Node } from '../../../lib/api-types.ts'
import { plural } from '../../../lib/format.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { nodesQuery } from '../api.ts'
import { isPlain, joinedSince, stateFolder } from './token-rules.ts'

/** What to run on the machine, shown this once, and then who has come. */
export function JoinCommand({ token }: { token: CreatedEnrolmentToken }) {
  const nodes = useQuery(nodesQuery)
  const known = nodes.data?.find((node) => node.id === token.nodeId)
  const joined = joinedSince(token, nodes.data ?? [])
  const who = known?.name ?? 'the node'
  return (
    <div className="stack">
      {isPlain(token) && (
        <Notice tone="warn" title="This command talks over plain HTTP">
          Whoever reads the network between the machine and the control plane can read the token,
          and with it the node’s secret. Use it only on a network you trust.
        </Notice>
      )}
      {token.nodeId !== null && (
        <p>
          Stop farmstead-node there first (<code>systemctl stop farmstead-node</code>): the command
          needs its state folder. It serves nothing until it is started again.
        </p>
      )}
      <CopyField
        label={token.nodeId === null ? 'Run this on the machine' : `Run this on ${who}’s machine`}
        value={token.command}
      />
      <NextStep command={token.command} />
      <p className="dim">
        The token is shown only here, and is good for{' '}
        {token.nodeId === null ? plural(token.maxUses, 'node') : `${who} alone, once,`} until{' '}
        {formatDateTime(token.expiresAt)}.
        {!isPlain(token) && ' It names the control plane it may be given to; others never see it.'}
      </p>
      {joined.length === 0 ? (
        <Notice tone="info" live title={`Waiting for ${who}…`}>
          {token.nodeId === null
            ? 'It appears here as soon as it has joined. You may leave: the token stays good.'
            : 'This changes as soon as it has joined anew. You may leave: the token stays good.'}
        </Notice>
      ) : (
        joined.map((node) => <Joined key={node.id} node={node} again={token.nodeId !== null} />)
      )}
    </div>
  )
}

function NextStep({ command }: { command: string }) {
  const folder = stateFolder(command)
  return (
    <p className="dim">
      Then start it: <code>systemctl start farmstead-node</code> with the Debian package
      {folder !== null && (
        <>
          , or <code>farmstead-node run --state {folder}</code> without
        </>
      )}
      .
    </p>
  )
}

function Joined({ node, again }: { node: Node; again: boolean }) {
  return (
    <Notice tone="good" live title={`${node.name} has joined${again ? ' anew' : ''}`}>
      {node.hostname}, {node.os} {node.arch}, farmstead-node {node.version}.{' '}
      {node.connected ? 'It is connected. ' : 'It is not running yet: start it. '}
      <Link to="/nodes/$id" params={{ id: node.id }}>
        Open {node.name}
      </Link>
    </Notice>
  )
}
