// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { type Shape, StatusMark, type Tone } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { CertificateOrder, ManagedCertificate } from '../../../lib/api-types.ts'
import { formatDateTime } from '../../../lib/time.ts'
import classes from './managed.module.css'
import { OrderTrouble } from './order-trouble.tsx'
import { authorityWords, type Step, sentence, stepsOf, whenWords } from './rules.ts'

type Props = { order: CertificateOrder; challenge: ManagedCertificate['challenge'] }

/** The order that is under way: how far it is, whom it waits for, and what went wrong on its way. */
export function OpenOrderPanel({ order, challenge }: Props) {
  const now = useNow()
  const { authority, profile, waitingFor, lastError, nextAt, expiresAt, failures } = order
  return (
    <section className="panel" aria-labelledby="open-order-heading">
      <div className="panel-head">
        <h2 id="open-order-heading">{t('Open order')}</h2>
      </div>
      <div className="panel-body stack">
        <ol className={classes.steps} aria-label={t('Steps of the order')}>
          {stepsOf(order).map((step) => (
            <StepItem key={step.label} step={step} />
          ))}
        </ol>
        {waitingFor !== null && (
          <Notice tone="info" live title={t('It waits')}>
            <Waiting waitingFor={waitingFor} />
          </Notice>
        )}
        {lastError !== null && (
          <Notice tone="warn" live title={t('The last attempt failed')}>
            <OrderTrouble error={lastError} challenge={challenge} />
          </Notice>
        )}
        <Facts
          facts={[
            { name: t('Ordered from'), value: authorityWords({ name: authority, profile }) },
            {
              name: t('Started'),
              value: (
                <T
                  text="{startedAt} by {startedBy}"
                  startedAt={<TimeAgo at={order.startedAt} />}
                  startedBy={order.startedBy}
                />
              ),
            },
            ...(nextAt === null
              ? []
              : [{ name: t('Next attempt'), value: whenWords(nextAt, now) }]),
            ...(failures === 0 ? [] : [{ name: t('Failed attempts'), value: failures }]),
            ...(expiresAt === null
              ? []
              : [{ name: t('Order expires'), value: formatDateTime(expiresAt) }]),
          ]}
        />
      </div>
    </section>
  )
}

const marks: Record<Step['standing'], { tone: Tone; shape: Shape; words: string }> = {
  done: { tone: 'good', shape: 'disc', words: t('done') },
  current: { tone: 'info', shape: 'half', words: t('now') },
  ahead: { tone: 'idle', shape: 'ring', words: t('later') },
}

function StepItem({ step: { label, standing } }: { step: Step }) {
  const { tone, shape, words } = marks[standing]
  return (
    <li data-standing={standing} aria-current={standing === 'current' ? 'step' : undefined}>
      <span className={classes.step}>
        <StatusMark tone={tone} shape={shape} />
        <span className="dim">{words}</span>
        <span>{label}</span>
      </span>
    </li>
  )
}

function Waiting({ waitingFor }: { waitingFor: NonNullable<CertificateOrder['waitingFor']> }) {
  const { reason, nodes, more } = waitingFor
  return (
    <>
      {sentence(reason)}
      {nodes.length > 0 && (
        <ul className={classes.nodes}>
          {nodes.map(({ id, name }) => (
            <li key={id}>
              <Link to="/nodes/$id" params={{ id }}>
                {name}
              </Link>
            </li>
          ))}
          {more > 0 && <li className="dim">{t('and {more} more', { more })}</li>}
        </ul>
      )}
    </>
  )
}
