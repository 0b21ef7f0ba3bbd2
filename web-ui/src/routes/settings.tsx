// SPDX-License-Identifier: MIT
import { createRoute, Outlet } from '@tanstack/react-router'
import { BackupsScreen } from '../features/backups/backups-screen.tsx'
import { AuthoritiesScreen } from '../features/certificates/authorities/authorities-screen.tsx'
import { AuthorityScreen } from '../features/certificates/authorities/authority-screen.tsx'
import { DnsWebhookScreen } from '../features/certificates/dns-webhooks/dns-webhook-screen.tsx'
import { DnsWebhooksScreen } from '../features/certificates/dns-webhooks/dns-webhooks-screen.tsx'
import { IdentityScreen } from '../features/oidc/identity-screen.tsx'
import { problemIn } from '../features/oidc/rules.ts'
import { RolloutRulesScreen } from '../features/rollout-rules/rules-screen.tsx'
import { SecurityScreen } from '../features/session/security-screen.tsx'
import { SettingsNav } from '../features/settings/settings-nav.tsx'
import { SettingsScreen } from '../features/settings/settings-screen.tsx'
import { TokensScreen, type TokensSearch } from '../features/tokens/tokens-screen.tsx'
import { UsersScreen } from '../features/users/users-screen.tsx'
import { WebhookScreen } from '../features/webhooks/webhook-screen.tsx'
import { WebhooksScreen } from '../features/webhooks/webhooks-screen.tsx'
import { appRoute } from './app.tsx'

/** What all pages of the settings stand in. */
const settingsFrameRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: function SettingsFrame() {
    const { session } = settingsFrameRoute.useRouteContext()
    return (
      <div className="stack">
        <SettingsNav session={session} />
        <Outlet />
      </div>
    )
  },
})

const overviewRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/',
  component: function Overview() {
    const { session } = overviewRoute.useRouteContext()
    return <SettingsScreen session={session} />
  },
})

const securityRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/security',
  component: function Security() {
    const { session } = securityRoute.useRouteContext()
    return <SecurityScreen session={session} />
  },
})

const usersRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/users',
  component: function Users() {
    const { session } = usersRoute.useRouteContext()
    return <UsersScreen session={session} />
  },
})

const tokensRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/tokens',
  validateSearch: ({ all }: Record<string, unknown>): TokensSearch =>
    all === true ? { all: true } : {},
  component: function Tokens() {
    const { session } = tokensRoute.useRouteContext()
    const navigate = tokensRoute.useNavigate()
    return (
      <TokensScreen
        session={session}
        search={tokensRoute.useSearch()}
        onSearch={(search) => void navigate({ search, replace: true })}
      />
    )
  },
})

const rolloutRulesRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/rollout-rules',
  component: function RolloutRules() {
    const { session } = rolloutRulesRoute.useRouteContext()
    return <RolloutRulesScreen session={session} />
  },
})

const webhooksRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/webhooks',
  component: function Webhooks() {
    const { session } = webhooksRoute.useRouteContext()
    return <WebhooksScreen session={session} />
  },
})

const webhookRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/webhooks/$id',
  component: function Webhook() {
    const { id } = webhookRoute.useParams()
    const { session } = webhookRoute.useRouteContext()
    const navigate = webhookRoute.useNavigate()
    return (
      <WebhookScreen
        key={id}
        id={id}
        session={session}
        onDeleted={() => void navigate({ to: '/settings/webhooks', ignoreBlocker: true })}
      />
    )
  },
})

const authoritiesRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/certificate-authorities',
  component: function Authorities() {
    const { session } = authoritiesRoute.useRouteContext()
    const navigate = authoritiesRoute.useNavigate()
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
  },
})

const authorityRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/certificate-authorities/$name',
  component: function Authority() {
    const { name } = authorityRoute.useParams()
    const { session } = authorityRoute.useRouteContext()
    const navigate = authorityRoute.useNavigate()
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
  },
})

const dnsWebhooksRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/dns-webhooks',
  component: function DnsWebhooks() {
    const { session } = dnsWebhooksRoute.useRouteContext()
    return <DnsWebhooksScreen session={session} />
  },
})

const dnsWebhookRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/dns-webhooks/$name',
  component: function DnsWebhook() {
    const { name } = dnsWebhookRoute.useParams()
    const { session } = dnsWebhookRoute.useRouteContext()
    const navigate = dnsWebhookRoute.useNavigate()
    return (
      <DnsWebhookScreen
        key={name}
        name={name}
        session={session}
        onDeleted={() => void navigate({ to: '/settings/dns-webhooks', ignoreBlocker: true })}
      />
    )
  },
})

const backupsRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/backups',
  component: function Backups() {
    const { session } = backupsRoute.useRouteContext()
    return <BackupsScreen session={session} />
  },
})

const singleSignOnRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/single-sign-on',
  validateSearch: problemIn,
  component: function SingleSignOn() {
    const { session } = singleSignOnRoute.useRouteContext()
    const { problem } = singleSignOnRoute.useSearch()
    return (
      <IdentityScreen
        session={session}
        problem={problem}
        onLeave={(url) => window.location.assign(url)}
      />
    )
  },
})

export const settingsRoute = settingsFrameRoute.addChildren([
  overviewRoute,
  securityRoute,
  usersRoute,
  tokensRoute,
  rolloutRulesRoute,
  webhooksRoute,
  webhookRoute,
  authoritiesRoute,
  authorityRoute,
  dnsWebhooksRoute,
  dnsWebhookRoute,
  backupsRoute,
  singleSignOnRoute,
])
