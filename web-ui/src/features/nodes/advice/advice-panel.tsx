// SPDX-License-Identifier: MIT

import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Advice, Node, NodeAdvice, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { adviceQuery, tryAdviceMutation } from '../api.ts'
import classes from './advice.module.css'
import { figureWords, trialWords } from './rules.ts'

/** What the stages of the last quarter of an hour mean, and what may help. */
export function AdvicePanel({ node, session }: { node: Node; session: Session }) {
  const advice = useQuery(adviceQuery(node.id))
  return (
    <section className="panel" aria-labelledby="advice-heading">
      <div className="panel-head">
        <h2 id="advice-heading">{t('Advice')}</h2>
        <span className="dim">{t('from the last 15 minutes')}</span>
      </div>
      <div className="panel-body stack">
        {advice.isError && (
          <ErrorBox
            what={t('The advice was not read')}
            error={advice.error}
            onRetry={() => void advice.refetch()}
          />
        )}
        {advice.data?.advice.map((one) => (
          <One key={one.rule} node={node} advice={one} session={session} />
        ))}
        {advice.data !== undefined && <Quiet advice={advice.data} />}
      </div>
    </section>
  )
}

type OneProps = { node: Node; advice: Advice; session: Session }

function One({ node, advice, session }: OneProps) {
  const { title, sentence, figures, arithmetic, change, whyNoChange, lastSoAt } = advice
  const trying = useMutation(tryAdviceMutation)
  const facts = figures.map((figure) => ({ name: figure.label, value: figureWords(figure) }))
  return (
    <article className={`stack ${classes.one}`} aria-label={title}>
      <h3>{title}</h3>
      {lastSoAt !== null && (
        <p className="dim">
          <T
            text="It was so {lastSoAt} and is not at this moment."
            lastSoAt={<TimeAgo at={lastSoAt} />}
          />
          {change !== null && t(' It can still be tried for a while.')}
        </p>
      )}
      <p>{sentence}</p>
      <details>
        <summary>{t('How this was worked out')}</summary>
        <div className={`stack ${classes.figures}`}>
          <Facts facts={facts} />
          <ul>
            {arithmetic.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </details>
      {change === null && whyNoChange !== null && <p className="dim">{whyNoChange}</p>}
      {change !== null && trying.data === undefined && (
        <>
          <p className="dim">{trialWords(change)}</p>
          <div className="row">
            <ActionButton
              loading={trying.isPending}
              blockedBy={whyNot(session, 'rollouts:run') ?? whyNot(session, 'configs:write')}
              onClick={() => trying.mutate({ id: node.id, rule: advice.rule })}
            >
              {t('Try it on this node')}
            </ActionButton>
          </div>
        </>
      )}
      {trying.isError && <ErrorBox what={t('It was not tried')} error={trying.error} />}
      {trying.data !== undefined && (
        <Notice
          tone="info"
          live
          title={t('Version {version} is on its way', { version: trying.data.version })}
        >
          <T
            text="It changes {pointer} from {from} to {to}, on this node only. <link>Watch the rollout</link>"
            pointer={<code>{trying.data.pointer}</code>}
            from={trying.data.from}
            to={trying.data.to}
            link={<Link to="/rollouts/$id" params={{ id: trying.data.rolloutId }} />}
          />
        </Notice>
      )}
    </article>
  )
}

function Quiet({ advice: { advice, quiet } }: { advice: NodeAdvice }) {
  if (quiet.length === 0) return null
  return (
    <details>
      <summary className="dim">
        {advice.length === 0 ? t('Nothing to advise') : t('What else was looked at')}
      </summary>
      <ul className={classes.figures}>
        {quiet.map(({ rule, why }) => (
          <li key={rule}>{why}</li>
        ))}
      </ul>
    </details>
  )
}
