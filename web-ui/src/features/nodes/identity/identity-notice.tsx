// SPDX-License-Identifier: MIT

import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Node, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { isRenewalOverdue, timeLeft } from './identity-rules.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'

/** Above everything else of the node: what is wrong with who it is, and the way on. */
export function IdentityNotice({ node, session }: { node: Node; session: Session }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Trouble node={node} session={session} onToken={() => setAsking(true)} />
      {/* Not within the trouble: it is to tell when that is over. */}
      {asking && <NewTokenDialog node={node} onClose={() => setAsking(false)} />}
    </>
  )
}

type TroubleProps = { node: Node; session: Session; onToken: () => void }

function Trouble({ node, session, onToken }: TroubleProps) {
  const now = useNow()
  const { kind, state, notAfter } = node.identity
  if (state !== 'good') return <Ended node={node} session={session} onToken={onToken} />
  if (kind === 'credential') {
    return (
      <Notice tone="warn" title={t('{name} talks over plain HTTP', { name: node.name })}>
        {t(
          'Its secret and its config cross the network readably, and nobody proves to it that this is its control plane. Let it join again once the agent listener speaks TLS.',
        )}
      </Notice>
    )
  }
  if (notAfter !== null && isRenewalOverdue(node.identity, now)) {
    return (
      <Notice
        tone="warn"
        title={t('The certificate of {name} should have been renewed', { name: node.name })}
      >
        {t(
          'It ends {timeLeft}. The node renews it automatically when it reaches this control plane: see its error log. After its end only a new token brings it back.',
          { timeLeft: timeLeft(notAfter, now) },
        )}
      </Notice>
    )
  }
  return null
}

function Ended({ node, session, onToken }: TroubleProps) {
  const { state, refused } = node.identity
  return (
    <Notice
      tone="bad"
      title={
        state === 'expired'
          ? t('The certificate of {name} has expired', { name: node.name })
          : t('The identity of {name} is revoked', { name: node.name })
      }
      action={
        <ActionButton
          variant="default"
          size="xs"
          blockedBy={whyNot(session, 'nodes:enrol')}
          onClick={onToken}
        >
          {t('Make a token to let it back in')}
        </ActionButton>
      }
    >
      {t(
        'Its messages are ignored, and it keeps serving what it had. The way back is a new token, and the command it gives on its machine.',
      )}{' '}
      {refused !== null && <T text="It asked last {at}." at={<TimeAgo at={refused.at} />} />}
    </Notice>
  )
}
