// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../components/facts.tsx'
import { Page } from '../../components/page.tsx'
import { PlainListenerNotice } from '../../components/plain-listener-notice.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
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
    <Page title="Settings">
      <PlainListenerNotice />
      <div className={classes.columns}>
        <section className="panel" aria-labelledby="account-heading">
          <div className="panel-head">
            <h2 id="account-heading">Account</h2>
          </div>
          <div className="panel-body">
            <Facts
              facts={[
                { name: 'User name', value: session.user.username },
                { name: 'Roles', value: session.user.roles.join(', ') || 'none' },
                { name: 'Scope', value: session.user.scope ?? 'the whole farm' },
                { name: 'Session ends', value: formatDateTime(session.expiresAt) },
              ]}
            />
          </div>
        </section>
        <section className="panel" aria-labelledby="system-heading">
          <div className="panel-head">
            <h2 id="system-heading">Control plane</h2>
            <a href={new URL('api/docs', baseUrl).href}>API reference</a>
          </div>
          <div className="panel-body stack">
            <QueryStates query={system} what="The control plane" skeletonRows={6}>
              {(data) => <Facts facts={systemFacts(data)} />}
            </QueryStates>
            <QueryStates query={health} what="Its health" skeletonRows={3}>
              {(data) => <Facts facts={healthFacts(data)} />}
            </QueryStates>
          </div>
        </section>
      </div>
    </Page>
  )
}

const transports = {
  'insecure-http': { label: 'Plain HTTP, not protected', tone: 'warn', shape: 'triangle' },
  mtls: { label: 'Mutual TLS', tone: 'good', shape: 'disc' },
} satisfies Record<System['agentListener']['transport'], Verdict>

function systemFacts(system: System) {
  const { agentListener } = system
  return [
    { name: 'Version', value: system.version },
    {
      name: 'Node binary',
      value: system.nodeBinaryVersion ?? 'not found: configs cannot be checked',
    },
    { name: 'Address for nodes', value: <code>{agentListener.url}</code> },
    {
      name: 'Nodes connect by',
      value: <StatusBadge verdict={transports[agentListener.transport]} />,
    },
    ...caFacts(system.certificateAuthority),
    { name: 'Running since', value: <TimeAgo at={system.startedAt} /> },
    { name: 'Epoch', value: String(system.epoch) },
    { name: 'Id', value: <code>{system.controlPlaneId}</code> },
  ]
}

/** Of the CA that makes the nodes' certificates; none on plain HTTP. */
function caFacts(ca: System['certificateAuthority']) {
  if (ca === null) return []
  const { fingerprint, notAfter, serverNotAfter, nextFingerprint } = ca
  return [
    { name: 'CA fingerprint', value: <code>{fingerprint}</code> },
    ...(nextFingerprint === null
      ? []
      : [{ name: 'Next CA', value: <code>{nextFingerprint}</code> }]),
    { name: 'CA valid until', value: formatDateTime(notAfter) },
    {
      name: 'Listener valid until',
      value: `${formatDateTime(serverNotAfter)}, renewed automatically`,
    },
  ]
}

function checkVerdict({ ok, attention }: Health['checks'][number]): Verdict {
  if (!ok) return { label: 'Fails', tone: 'bad', shape: 'square' }
  return attention
    ? { label: 'Not set up', tone: 'warn', shape: 'triangle' }
    : { label: 'Works', tone: 'good', shape: 'disc' }
}

function healthFacts(health: Health) {
  return health.checks.map((check) => ({
    name: checkNames[check.name],
    value: (
      <>
        <StatusBadge verdict={checkVerdict(check)} />{' '}
        {check.message !== '' && <span className="dim">{forPeople(check.message)}</span>}
      </>
    ),
  }))
}
