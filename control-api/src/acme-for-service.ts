// SPDX-License-Identifier: MIT
// Wires the orders of certificates: to the nodes, which answer for names, to rollouts, to what leaves the house, and to
// their part of the API.
import { createAcmeEngine } from './acme/engine/engine.ts'
import { createLate } from './acme/engine/late.ts'
import { createHttpChallenges } from './acme/http-challenges.ts'
import { createServing } from './assignments/serving.ts'
import type { SecretBox } from './base/secret-box.ts'
import type { CertificateKeeper } from './certificates/keep.ts'
import type { Identity } from './control-plane/identity.ts'
import { certificateAuthorityRoutes } from './features/certificate-authorities/routes.ts'
import { configsNamingHost } from './features/configs/host-uses.ts'
import type { TextWork } from './features/configs/text-work.ts'
import { dnsWebhookRoutes } from './features/dns-webhooks/routes.ts'
import { managedCertificateRoutes } from './features/managed-certificates/routes.ts'
import type { RollOutCertificate } from './features/rollouts/renewals.ts'
import { headersOf, newWebhookSecret } from './features/webhooks/rules.ts'
import { send } from './features/webhooks/send.ts'
import type { Guard } from './features/webhooks/targets.ts'
import type { Challenges } from './fleet/challenges.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { Rhythm } from './fleet/rhythm.ts'
import type { App } from './http/app-types.ts'
import { type Services, version } from './process/services.ts'

type Deps = {
  services: Pick<Services, 'db' | 'write' | 'now' | 'disk' | 'events'>
  identity: Identity
  box: SecretBox
  keeper: CertificateKeeper
  guard: Guard
  fleet: Pick<Fleet, 'connectedIds' | 'presence'>
  challenges: Challenges
  rollOut: RollOutCertificate
  work: Pick<TextWork, 'hostsIn'>
  rhythm: Pick<Rhythm, 'orderLookMs'>
  onError: (error: unknown) => void
}

/** Of what is begun by itself. */
const ACTOR = { id: null, username: 'acme' }

export function openAcme(all: Deps) {
  const { services, identity, fleet, challenges, rollOut, work, rhythm, ...deps } = all
  const { db, write, now, disk, events } = services
  const { guard } = deps
  const stopping = new AbortController()
  const nodesServing = createServing({ db, now, hostsIn: work.hostsIn })
  const userAgent = `farmstead/${version}`
  const engine = createAcmeEngine({
    ...deps,
    ...{ db, write, now, userAgent, soonestMs: rhythm.orderLookMs },
    http: createHttpChallenges({
      challenges,
      nodesServing,
      connectedIds: () => fleet.connectedIds(),
      isConnected: (nodeId) => fleet.presence(nodeId).connected,
      now,
      soonestMs: rhythm.orderLookMs / 2,
    }),
    rollOut: (certificate, configs) => rollOut(certificate, ACTOR, configs ?? undefined),
    postDns: ({ url, secret }, { id, body }) =>
      send({
        url,
        headers: {
          ...headersOf({ id, body, eventId: null, type: '' }, [secret], now()),
          'user-agent': userAgent,
        },
        ...{ body, guard, signal: stopping.signal },
      }),
    isHeld: () => identity.recovery !== null || disk.isFull(),
  })
  // The times of a certificate are those of its newest version, whoever brought it.
  const unsubscribe = events.subscribe(({ event: { kind, action, id } }) => {
    if (kind === 'certificate' && (action === 'created' || action === 'version-added')) {
      engine.wake(id)
    }
  })
  const stop = async (): Promise<void> => {
    unsubscribe()
    stopping.abort()
    await engine.stop()
  }
  const own = { db, write, now, acme: engine }
  const { box } = deps
  const routes = async (api: App): Promise<void> => {
    await managedCertificateRoutes({
      ...own,
      nodesServing,
      configsNamingHost: (host) => configsNamingHost({ db, hostsIn: work.hostsIn }, host),
    })(api)
    await certificateAuthorityRoutes({ ...own, box, guard })(api)
    await dnsWebhookRoutes({ ...own, box, guard, newSecret: newWebhookSecret })(api)
  }
  return { ...engine, stop, late: createLate({ db, now }), routes }
}
