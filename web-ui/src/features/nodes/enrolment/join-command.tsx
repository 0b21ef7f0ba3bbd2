// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyField } from '../../../components/copy-field.tsx'
import { Notice } from '../../../components/notice.tsx'
import type { CreatedEnrolmentToken, NodeDetail } from '../../../lib/api-types.ts'
import { plural } from '../../../lib/format.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { nodeQuery } from '../api.ts'
import { tokenQuery } from './api.ts'
import { cameBack, isPlain, stateFolder } from './token-rules.ts'

/** What to run on the machine, shown this once, and then who has come. */
export function JoinCommand({ token }: { token: CreatedEnrolmentToken }) {
  const who = token.nodeName ?? 'the node'
  return (
    <div className="stack">
      {isPlain(token) && (
        <Notice tone="warn" title="This command talks over plain HTTP">
          Anyone who can read the network between the machine and the control plane can read the
          token, and with it the node’s secret. Use it only on a network you trust.
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
        The token is shown only here, and is valid for{' '}
        {token.nodeId === null ? plural(token.maxUses, 'node') : `${who} alone, once,`} until{' '}
        {formatDateTime(token.expiresAt)}.
        {!isPlain(token) && ' It names the control plane it may be given to; others never see it.'}
      </p>
      {token.nodeId === null ? <Newcomers token={token} /> : <CameBack token={token} />}
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

/** Of more nobody reads each. */
const SHOWN = 10

function Newcomers({ token }: { token: CreatedEnrolmentToken }) {
  const joined = useQuery(tokenQuery(token.id)).data?.joined
  if (joined === undefined || joined.total === 0) {
    return (
      <Notice tone="info" live title="Waiting for the node…">
        It appears here as soon as it has joined. You may leave: the token stays valid.
      </Notice>
    )
  }
  const shown = joined.items.slice(0, SHOWN)
  return (
    <>
      {shown.map(({ nodeId }) => (
        <Joined key={nodeId} id={nodeId} />
      ))}
      {joined.total > shown.length && (
        <p className="dim">and {plural(joined.total - shown.length, 'node')} before</p>
      )}
    </>
  )
}

function Joined({ id }: { id: string }) {
  const node = useQuery(nodeQuery(id)).data
  return node === undefined ? null : <JoinedNotice node={node} title={`${node.name} has joined`} />
}

function CameBack({ token }: { token: CreatedEnrolmentToken }) {
  const node = useQuery(nodeQuery(token.nodeId ?? '')).data
  if (node !== undefined && cameBack(token, node)) {
    return <JoinedNotice node={node} title={`${node.name} has joined again`} />
  }
  return (
    <Notice tone="info" live title={`Waiting for ${token.nodeName ?? 'the node'}…`}>
      This changes as soon as it has joined again. You may leave: the token stays valid.
    </Notice>
  )
}

function JoinedNotice({ node, title }: { node: NodeDetail; title: string }) {
  return (
    <Notice tone="good" live title={title}>
      {node.hostname}, {node.os} {node.arch}, farmstead-node {node.version}.{' '}
      {node.connected ? 'It is connected. ' : 'It is not running yet: start it. '}
      <Link to="/nodes/$id" params={{ id: node.id }}>
        Open {node.name}
      </Link>
    </Notice>
  )
}
