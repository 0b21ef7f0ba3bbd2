// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyField } from '../../../components/copy-field.tsx'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { CreatedEnrolmentToken, NodeDetail } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { nodeQuery } from '../api.ts'
import { tokenQuery } from './api.ts'
import { cameBack, isPlain, stateFolder } from './token-rules.ts'

/** What to run on the machine, shown this once, and then who has come. */
export function JoinCommand({ token }: { token: CreatedEnrolmentToken }) {
  const who = token.nodeName ?? t('the node')
  return (
    <div className="stack">
      {isPlain(token) && (
        <Notice tone="warn" title={t('This command talks over plain HTTP')}>
          {t(
            'Anyone who can read the network between the machine and the control plane can read the token, and with it the node’s secret. Use it only on a network you trust.',
          )}
        </Notice>
      )}
      {token.nodeId !== null && (
        <p>
          <T
            text="Stop farmstead-node there first (<code>systemctl stop farmstead-node</code>): the command needs its state folder. It serves nothing until it is started again."
            code={<code />}
          />
        </p>
      )}
      <CopyField
        label={
          token.nodeId === null
            ? t('Run this on the machine')
            : t('Run this on {who}’s machine', { who })
        }
        value={token.command}
      />
      <NextStep command={token.command} />
      <p className="dim">
        {token.nodeId === null
          ? t(
              'The token is shown only here, and is valid for {maxUses, plural, one {# node} other {# nodes}} until {expiresAt}.',
              { maxUses: token.maxUses, expiresAt: formatDateTime(token.expiresAt) },
            )
          : t(
              'The token is shown only here, and is valid for {who} alone, once, until {expiresAt}.',
              { who, expiresAt: formatDateTime(token.expiresAt) },
            )}
        {!isPlain(token) &&
          t(' It names the control plane it may be given to; others never see it.')}
      </p>
      {token.nodeId === null ? <Newcomers token={token} /> : <CameBack token={token} />}
    </div>
  )
}

function NextStep({ command }: { command: string }) {
  const folder = stateFolder(command)
  return (
    <p className="dim">
      <T
        text="Then start it: <code>systemctl start farmstead-node</code> with the Debian package"
        code={<code />}
      />
      {folder !== null && (
        <T
          text=", or <code>farmstead-node run --state {folder}</code> without"
          code={<code />}
          folder={folder}
        />
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
      <Notice tone="info" live title={t('Waiting for the node…')}>
        {t('It appears here as soon as it has joined. You may leave: the token stays valid.')}
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
        <p className="dim">
          {t('and {joined, plural, one {# node} other {# nodes}} before', {
            joined: joined.total - shown.length,
          })}
        </p>
      )}
    </>
  )
}

function Joined({ id }: { id: string }) {
  const node = useQuery(nodeQuery(id)).data
  return node === undefined ? null : (
    <JoinedNotice node={node} title={t('{name} has joined', { name: node.name })} />
  )
}

function CameBack({ token }: { token: CreatedEnrolmentToken }) {
  const node = useQuery(nodeQuery(token.nodeId ?? '')).data
  if (node !== undefined && cameBack(token, node)) {
    return <JoinedNotice node={node} title={t('{name} has joined again', { name: node.name })} />
  }
  return (
    <Notice
      tone="info"
      live
      title={t('Waiting for {nodeName}…', { nodeName: token.nodeName ?? t('the node') })}
    >
      {t('This changes as soon as it has joined again. You may leave: the token stays valid.')}
    </Notice>
  )
}

function JoinedNotice({ node, title }: { node: NodeDetail; title: string }) {
  return (
    <Notice tone="good" live title={title}>
      {node.connected ? (
        <T
          text="{hostname}, {os} {arch}, farmstead-node {version}. It is connected. <link>Open {name}</link>"
          hostname={node.hostname}
          os={node.os}
          arch={node.arch}
          version={node.version}
          link={<Link to="/nodes/$id" params={{ id: node.id }} />}
          name={node.name}
        />
      ) : (
        <T
          text="{hostname}, {os} {arch}, farmstead-node {version}. It is not running yet: start it. <link>Open {name}</link>"
          hostname={node.hostname}
          os={node.os}
          arch={node.arch}
          version={node.version}
          link={<Link to="/nodes/$id" params={{ id: node.id }} />}
          name={node.name}
        />
      )}
    </Notice>
  )
}
