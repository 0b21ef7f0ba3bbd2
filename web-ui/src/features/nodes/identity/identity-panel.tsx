// SPDX-License-Identifier: MIT

import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Facts } from '../../../components/facts.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import type { Node, NodeIdentity, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { formatDateTime } from '../../../lib/time.ts'
import { Labels } from '../node-cells.tsx'
import {
  channelVerdict,
  isRenewalOverdue,
  shortHex,
  standingRefusal,
  timeLeft,
} from './identity-rules.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

export function IdentityPanel({ node, session }: { node: Node; session: Session }) {
  const { identity } = node
  const [asking, setAsking] = useState<'token' | 'revoke' | null>(null)
  const close = () => setAsking(null)
  return (
    <section className="panel" aria-labelledby="identity-heading">
      <div className="panel-head">
        <h2 id="identity-heading">{t('Identity')}</h2>
        <span className="grow" />
        <StatusBadge verdict={channelVerdict(identity)} />
      </div>
      <div className="panel-body stack">
        <Facts
          facts={[
            ...certificateFacts(identity),
            { name: t('Enrolled'), value: formatDateTime(node.enrolledAt) },
            { name: t('Forgotten'), value: <Forgotten node={node} /> },
            { name: t('Labels'), value: <Labels labels={node.labels} /> },
            { name: t('Id'), value: <code>{node.id}</code> },
          ]}
        />
        <div className="row">
          <ActionButton
            variant="default"
            size="xs"
            blockedBy={whyNot(session, 'nodes:enrol')}
            onClick={() => setAsking('token')}
          >
            {t('New token for {name}', { name: node.name })}
          </ActionButton>
          <ActionButton
            variant="danger"
            size="xs"
            blockedBy={
              whyNot(session, 'nodes:write') ??
              (identity.state === 'revoked' ? t('It is revoked already.') : null)
            }
            onClick={() => setAsking('revoke')}
          >
            {t('Revoke identity')}
          </ActionButton>
        </div>
      </div>
      {asking === 'token' && <NewTokenDialog node={node} onClose={close} />}
      {asking === 'revoke' && <RevokeDialog node={node} onClose={close} />}
    </section>
  )
}

/** Which of the two says so, and until when it may stay away. */
function Forgotten({ node: { forgetting, group } }: { node: Node }) {
  if (forgetting === null) return t('never, however long it is away')
  const { afterHours, by, at } = forgetting
  const who = by === 'token' ? t('the token it joined with') : t('its group {group}', { group })
  const rule = t('after {afterHours, plural, one {# hour} other {# hours}} away, as {who} says', {
    afterHours,
    who,
  })
  return at === null
    ? rule
    : t('{rule}: on {at}, if it is not heard before', { rule, at: formatDateTime(at) })
}

function certificateFacts(identity: NodeIdentity) {
  const { kind, issuedAt, notAfter, serial } = identity
  const refused = standingRefusal(identity)
  const facts = [{ name: t('Known by'), value: knownBy[kind] }]
  const certificate =
    kind !== 'certificate' || issuedAt === null || notAfter === null
      ? []
      : [
          { name: t('Valid until'), value: <GoodUntil identity={identity} notAfter={notAfter} /> },
          { name: t('Renewed'), value: <TimeAgo at={issuedAt} /> },
          { name: t('Serial'), value: <code title={serial ?? ''}>{shortHex(serial ?? '')}</code> },
        ]
  const refusal =
    refused === null
      ? []
      : [
          {
            name: t('Last refused'),
            value: (
              <>
                <TimeAgo at={refused.at} />
                {': '}
                <code>{refused.code}</code>
              </>
            ),
          },
        ]
  return [...facts, ...certificate, ...refusal]
}

const knownBy: Record<NodeIdentity['kind'], React.ReactNode> = {
  certificate: t('a certificate of this control plane’s CA'),
  credential: t('a secret, sent over plain HTTP'),
  none: t('nothing: nobody can speak for it'),
}

function GoodUntil({ identity, notAfter }: { identity: NodeIdentity; notAfter: string }) {
  const now = useNow()
  return (
    <>
      {formatDateTime(notAfter)} <span className="dim">{timeLeft(notAfter, now)}</span>
      {isRenewalOverdue(identity, now) && (
        <div>
          <StatusBadge
            verdict={{ label: t('Renewal is overdue'), tone: 'warn', shape: 'triangle' }}
          />
        </div>
      )}
    </>
  )
}
