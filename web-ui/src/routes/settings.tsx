// SPDX-License-Identifier: MIT
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { problemIn } from '../features/oidc/rules.ts'
import type { TokensSearch } from '../features/tokens/tokens-screen.tsx'
import { part } from '../lib/load-chunk.ts'
import { appRoute } from './app.tsx'

const load = part(() => import('./settings-pages.tsx'))
const page = (name: keyof Awaited<ReturnType<typeof load>>) => lazyRouteComponent(load, name)

/** What all pages of the settings stand in. */
const settingsFrameRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: page('SettingsFramePage'),
})

const overviewRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/',
  component: page('OverviewPage'),
})

const securityRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/security',
  component: page('SecurityPage'),
})

const usersRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/users',
  component: page('UsersPage'),
})

const tokensRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/tokens',
  validateSearch: ({ all }: Record<string, unknown>): TokensSearch =>
    all === true ? { all: true } : {},
  component: page('TokensPage'),
})

const rolloutRulesRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/rollout-rules',
  component: page('RolloutRulesPage'),
})

const neighboursRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/neighbours',
  component: page('NeighboursPage'),
})

const alertRulesRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/alert-rules',
  component: page('AlertRulesPage'),
})

const newAlertRuleRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/alert-rules/new',
  component: page('NewAlertRulePage'),
})

const alertRuleRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/alert-rules/$id',
  component: page('AlertRulePage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/webhooks',
  component: page('WebhooksPage'),
})

const webhookRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/webhooks/$id',
  component: page('WebhookPage'),
})

const authoritiesRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/certificate-authorities',
  component: page('AuthoritiesPage'),
})

const authorityRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/certificate-authorities/$name',
  component: page('AuthorityPage'),
})

const dnsWebhooksRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/dns-webhooks',
  component: page('DnsWebhooksPage'),
})

const dnsWebhookRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/dns-webhooks/$name',
  component: page('DnsWebhookPage'),
})

const backupsRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/backups',
  component: page('BackupsPage'),
})

const singleSignOnRoute = createRoute({
  getParentRoute: () => settingsFrameRoute,
  path: '/single-sign-on',
  validateSearch: problemIn,
  component: page('SingleSignOnPage'),
})

export const settingsRoute = settingsFrameRoute.addChildren([
  overviewRoute,
  securityRoute,
  usersRoute,
  tokensRoute,
  rolloutRulesRoute,
  neighboursRoute,
  alertRulesRoute,
  newAlertRuleRoute,
  alertRuleRoute,
  webhooksRoute,
  webhookRoute,
  authoritiesRoute,
  authorityRoute,
  dnsWebhooksRoute,
  dnsWebhookRoute,
  backupsRoute,
  singleSignOnRoute,
])
