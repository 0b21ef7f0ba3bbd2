// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../components/facts.tsx'
import { Page } from '../../components/page.tsx'
import { PlainListenerNotice } from '../../components/plain-listener-notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { baseUrl } from '../../lib/api-client.ts'
import type { Health, Session, System } from '../../lib/api-types.ts'
import { forPeople } from '../../lib/people-words.ts'
import { checkNames, healthQuery, systemQuery } from '../../lib/system-query.ts'
import { formatDateTime } from '../../lib/time.ts'
import classes from './settings.module.css'

export function SettingsScreen({ session }: { session: Session }) {
  const system = useQuery(systemQuery)
  const health = useQuery(healthQuery)
  return (
    <Page title={t('Settings')}>
      <PlainListenerNotice />
      <div className={classes.columns}>
        <section className="panel" aria-labelledby="account-heading">
          <div className="panel-head">
            <h2 id="account-heading">{t('Account')}</h2>
          </div>
          <div className="panel-body">
            <Facts
              facts={[
                { name: t('User name'), value: session.user.username },
                { name: t('Roles'), value: session.user.roles.join(', ') || t('none') },
                { name: t('Scope'), value: session.user.scope ?? t('the whole farm') },
                { name: t('Session ends'), value: formatDateTime(session.expiresAt) },
              ]}
            />
          </div>
        </section>
        <section className="panel" aria-labelledby="system-heading">
          <div className="panel-head">
            <h2 id="system-heading">{t('Control plane')}</h2>
            <a href={new URL('api/docs', baseUrl).href}>{t('API reference')}</a>
          </div>
          <div className="panel-body stack">
            <QueryStates query={system} what={t('The control plane')} skeletonRows={6}>
              {(data) => <Facts facts={systemFacts(data)} />}
            </QueryStates>
            <QueryStates query={health} what={t('Its health')} skeletonRows={3}>
              {(data) => <Facts facts={healthFacts(data)} />}
            </QueryStates>
          </div>
        </section>
      </div>
    </Page>
  )
}

const transports = {
  'insecure-http': { label: t('Plain HTTP, not protected'), tone: 'warn', shape: 'triangle' },
  mtls: { label: t('Mutual TLS'), tone: 'good', shape: 'disc' },
} satisfies Record<System['agentListener']['transport'], Verdict>

function systemFacts(system: System) {
  const { agentListener } = system
  return [
    { name: t('Version'), value: system.version },
    {
      name: t('Node binary'),
      value: system.nodeBinaryVersion ?? t('not found: configs cannot be checked'),
    },
    { name: t('Address for nodes'), value: <code>{agentListener.url}</code> },
    {
      name: t('Nodes connect by'),
      value: <StatusBadge verdict={transports[agentListener.transport]} />,
    },
    ...caFacts(system.certificateAuthority),
    { name: t('Running since'), value: <TimeAgo at={system.startedAt} /> },
    { name: t('Epoch'), value: String(system.epoch) },
    { name: t('Id'), value: <code>{system.controlPlaneId}</code> },
  ]
}

/** Of the CA that makes the nodes' certificates; none on plain HTTP. */
function caFacts(ca: System['certificateAuthority']) {
  if (ca === null) return []
  const { fingerprint, notAfter, serverNotAfter, nextFingerprint } = ca
  return [
    { name: t('CA fingerprint'), value: <code>{fingerprint}</code> },
    ...(nextFingerprint === null
      ? []
      : [{ name: t('Next CA'), value: <code>{nextFingerprint}</code> }]),
    { name: t('CA valid until'), value: formatDateTime(notAfter) },
    {
      name: t('Listener valid until'),
      value: t('{serverNotAfter}, renewed automatically', {
        serverNotAfter: formatDateTime(serverNotAfter),
      }),
    },
  ]
}

function checkVerdict({ ok, attention }: Health['checks'][number]): Verdict {
  if (!ok) return { label: t('Fails'), tone: 'bad', shape: 'square' }
  return attention
    ? { label: t('Not set up'), tone: 'warn', shape: 'triangle' }
    : { label: t('Works'), tone: 'good', shape: 'disc' }
}

function healthFacts(health: Health) {
  return health.checks.map((check) => ({
    name: checkNames[check.name],
    value: (
      <>
        <StatusBadge verdict={checkVerdict(check)} />{' '}
        {check.message !== '' && (
          <span className="dim" lang="en">
            {forPeople(check.message)}
          </span>
        )}
      </>
    ),
  }))
}
