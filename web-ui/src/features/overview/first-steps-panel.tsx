// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { StatusMark } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { FarmSummary, Session } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import { configsBegunQuery, ROLLOUTS_OF_BEGINNERS, rolloutsBegunQuery } from './api.ts'
import { firstSteps, type Step } from './first-steps.ts'
import classes from './overview.module.css'

type Props = { session: Session; farm: FarmSummary | undefined }

/** For who may take them, until all are done or they were put away. */
export function FirstStepsPanel({ session, farm }: Props) {
  const [isAway, setAway] = useLocalStorage<boolean>({
    key: `farmstead.first-steps-away.${session.user.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const enabled = !isAway && may(session, 'rollouts:run')
  const configs = useQuery({ ...configsBegunQuery, enabled })
  const rollouts = useQuery({ ...rolloutsBegunQuery, enabled })
  if (!enabled || !farm || !configs.data || !rollouts.data) return null
  const steps = firstSteps({ farm, configs: configs.data, rollouts: rollouts.data })
  const done = steps.filter(({ isDone }) => isDone).length
  const isExperienced = rollouts.data.length === ROLLOUTS_OF_BEGINNERS
  if (done === steps.length || isExperienced) return null
  const name = configs.data.find(({ latestVersion }) => latestVersion !== null)?.name ?? 'default'
  return (
    <section className="panel" aria-labelledby="first-steps-heading">
      <div className="panel-head">
        <h2 id="first-steps-heading">{t('First steps')}</h2>
        <span className="dim">{t('{done} of {steps} done', { done, steps: steps.length })}</span>
        <span className="grow" />
        <Button size="compact-xs" variant="subtle" onClick={() => setAway(true)}>
          {t('Put away')}
        </Button>
      </div>
      <ol className={classes.firstSteps}>
        {steps.map((step) => (
          <li key={step.title} className={classes.firstStep}>
            <StatusMark
              tone={step.isDone ? 'good' : 'idle'}
              shape={step.isDone ? 'disc' : 'ring'}
            />
            <div>
              <strong>{step.title}</strong>
              {step.isDone ? (
                <span className="dim"> {t('done')}</span>
              ) : (
                <>
                  <p className="dim">{step.why}</p>
                  <StepLink step={step} name={name} />
                  {step.orElse && (
                    <>
                      {t(' or ')}
                      <Link to={step.orElse.to}>{step.orElse.link}</Link>
                    </>
                  )}
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepLink({ step: { to, link }, name }: { step: Step; name: string }) {
  if (to === '/configs/$name/versions') {
    return (
      <Link to={to} params={{ name }}>
        {link}
      </Link>
    )
  }
  return <Link to={to}>{link}</Link>
}
