// SPDX-License-Identifier: MIT
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { IfAllowed } from '../components/if-allowed.tsx'
import { NewRuleScreen, RuleScreen } from '../features/alerts/rule-screen.tsx'
import { AlertRulesScreen } from '../features/alerts/rules-screen.tsx'
import { BackupsScreen } from '../features/backups/backups-screen.tsx'
import { AuthoritiesScreen } from '../features/certificates/authorities/authorities-screen.tsx'
import { AuthorityScreen } from '../features/certificates/authorities/authority-screen.tsx'
import { DnsWebhookScreen } from '../features/certificates/dns-webhooks/dns-webhook-screen.tsx'
import { DnsWebhooksScreen } from '../features/certificates/dns-webhooks/dns-webhooks-screen.tsx'
import { NeighboursScreen } from '../features/neighbours/neighbours-screen.tsx'
import { IdentityScreen } from '../features/oidc/identity-screen.tsx'
import { RolloutRulesScreen } from '../features/rollout-rules/rules-screen.tsx'
import { SecurityScreen } from '../features/session/security-screen.tsx'
import { SettingsNav } from '../features/settings/settings-nav.tsx'
import { SettingsScreen } from '../features/settings/settings-screen.tsx'
import { TokensScreen } from '../features/tokens/tokens-screen.tsx'
import { UsersScreen } from '../features/users/users-screen.tsx'
import { WebhookScreen } from '../features/webhooks/webhook-screen.tsx'
import { WebhooksScreen } from '../features/webhooks/webhooks-screen.tsx'
import { t } from '../languages/t.ts'

const frame = getRouteApi('/app/settings')
const overview = getRouteApi('/app/settings/')
const security = getRouteApi('/app/settings/security')
const users = getRouteApi('/app/settings/users')
const tokens = getRouteApi('/app/settings/tokens')
const rolloutRules = getRouteApi('/app/settings/rollout-rules')
const neighbours = getRouteApi('/app/settings/neighbours')
const alertRules = getRouteApi('/app/settings/alert-rules')
const newAlertRule = getRouteApi('/app/settings/alert-rules/new')
const alertRule = getRouteApi('/app/settings/alert-rules/$id')
const webhooks = getRouteApi('/app/settings/webhooks')
const webhook = getRouteApi('/app/settings/webhooks/$id')
const authorities = getRouteApi('/app/settings/certificate-authorities')
const authority = getRouteApi('/app/settings/certificate-authorities/$name')
const dnsWebhooks = getRouteApi('/app/settings/dns-webhooks')
const dnsWebhook = getRouteApi('/app/settings/dns-webhooks/$name')
const backups = getRouteApi('/app/settings/backups')
const singleSignOn = getRouteApi('/app/settings/single-sign-on')

export function SettingsFramePage() {
  const { session } = frame.useRouteContext()
  return (
    <div className="stack">
      <SettingsNav session={session} />
      <Outlet />
    </div>
  )
}

export function OverviewPage() {
  const { session } = overview.useRouteContext()
  return <SettingsScreen session={session} />
}

export function SecurityPage() {
  const { session } = security.useRouteContext()
  return <SecurityScreen session={session} />
}

export function NeighboursPage() {
  const { session } = neighbours.useRouteContext()
  return <NeighboursScreen session={session} />
}

export function UsersPage() {
  const { session } = users.useRouteContext()
  return <UsersScreen session={session} />
}

export function TokensPage() {
  const { session } = tokens.useRouteContext()
  const navigate = tokens.useNavigate()
  return (
    <TokensScreen
      session={session}
      search={tokens.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
    />
  )
}

export function RolloutRulesPage() {
  const { session } = rolloutRules.useRouteContext()
  return <RolloutRulesScreen session={session} />
}

export function AlertRulesPage() {
  const { session } = alertRules.useRouteContext()
  return <AlertRulesScreen session={session} />
}

export function NewAlertRulePage() {
  const { session } = newAlertRule.useRouteContext()
  const navigate = newAlertRule.useNavigate()
  return (
    <NewRuleScreen
      session={session}
      onMade={({ id }) =>
        void navigate({ to: '/settings/alert-rules/$id', params: { id }, ignoreBlocker: true })
      }
    />
  )
}

export function AlertRulePage() {
  const { id } = alertRule.useParams()
  const { session } = alertRule.useRouteContext()
  const navigate = alertRule.useNavigate()
  return (
    <RuleScreen
      key={id}
      id={id}
      session={session}
      onDeleted={() => void navigate({ to: '/settings/alert-rules', ignoreBlocker: true })}
    />
  )
}

export function WebhooksPage() {
  const { session } = webhooks.useRouteContext()
  return <WebhooksScreen session={session} />
}

export function WebhookPage() {
  const { id } = webhook.useParams()
  const { session } = webhook.useRouteContext()
  const navigate = webhook.useNavigate()
  return (
    <IfAllowed
      {...{ session, permission: 'webhooks:read' }}
      title={t('Webhook')}
      refusal={t('You may not see webhooks')}
    >
      <WebhookScreen
        key={id}
        id={id}
        session={session}
        onDeleted={() => void navigate({ to: '/settings/webhooks', ignoreBlocker: true })}
      />
    </IfAllowed>
  )
}

export function AuthoritiesPage() {
  const { session } = authorities.useRouteContext()
  const navigate = authorities.useNavigate()
  return (
    <AuthoritiesScreen
      session={session}
      onCreated={(name) =>
        void navigate({
          to: '/settings/certificate-authorities/$name',
          params: { name },
          ignoreBlocker: true,
        })
      }
    />
  )
}

export function AuthorityPage() {
  const { name } = authority.useParams()
  const { session } = authority.useRouteContext()
  const navigate = authority.useNavigate()
  return (
    <AuthorityScreen
      key={name}
      name={name}
      session={session}
      onDeleted={() =>
        void navigate({ to: '/settings/certificate-authorities', ignoreBlocker: true })
      }
    />
  )
}

export function DnsWebhooksPage() {
  const { session } = dnsWebhooks.useRouteContext()
  return <DnsWebhooksScreen session={session} />
}

export function DnsWebhookPage() {
  const { name } = dnsWebhook.useParams()
  const { session } = dnsWebhook.useRouteContext()
  const navigate = dnsWebhook.useNavigate()
  return (
    <DnsWebhookScreen
      key={name}
      name={name}
      session={session}
      onDeleted={() => void navigate({ to: '/settings/dns-webhooks', ignoreBlocker: true })}
    />
  )
}

export function BackupsPage() {
  const { session } = backups.useRouteContext()
  return <BackupsScreen session={session} />
}

export function SingleSignOnPage() {
  const { session } = singleSignOn.useRouteContext()
  const { problem } = singleSignOn.useSearch()
  return (
    <IdentityScreen
      session={session}
      problem={problem}
      onLeave={(url) => window.location.assign(url)}
    />
  )
}
