// SPDX-License-Identifier: MIT
// Speaks the agent protocol to the real routes, starting from the protocol's own examples.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentDigest } from '../../src/agent-protocol/content.ts'
import { protocolDir } from '../../src/agent-protocol/message-types.ts'
import type {
  DesiredResponse,
  Effective,
  EnrolResponse,
  HelloRequest,
  ReleaseVersion,
  ReportRequest,
} from '../../src/agent-protocol/messages.gen.ts'
import type { Built } from '../helper.ts'

export function example<T = Record<string, unknown>>(name: string): T {
  return JSON.parse(readFileSync(join(protocolDir, 'examples', `${name}.json`), 'utf8'))
}

export const DIGEST = `sha256:${'a'.repeat(64)}`
export const OTHER_DIGEST = `sha256:${'b'.repeat(64)}`

export async function makeToken(service: Built, payload: Record<string, unknown> = {}) {
  const response = await service.admin.inject({
    method: 'POST',
    url: '/api/v1/enrolment-tokens',
    payload,
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<{ id: string; secret: string; token: string; command: string }>()
}

export type TestNode = Awaited<ReturnType<typeof enrolNode>>

/** A node that has enrolled and knows how to speak; it has not said hello yet. */
export async function enrolNode(service: Built, payload: Record<string, unknown> = {}) {
  const { secret } = await makeToken(service, payload)
  const enrolled = await post(service, 'enrol', { ...example('enrol.request'), token: secret })
  if (enrolled.statusCode !== 200) throw new Error(enrolled.body)
  const { nodeId, name, credential } = enrolled.json<EnrolResponse>()
  const say = (message: string, body: object) => post(service, message, body, credential)
  const desired = (have: { generation: number; digest: string } | null, waitMs = 0) =>
    say('desired', { ...example('desired.request'), have, waitMs })
  return {
    id: nodeId,
    name,
    credential,
    say,
    desired,
    hello: (changes: Partial<HelloRequest> = {}) =>
      say('hello', { ...example('hello.request.first'), nodeId, ...changes }),
    report: (changes: Partial<ReportRequest> = {}) =>
      say('report', { ...example('report.request'), ...changes }),
    /** Asks, and answers with `message` about what it got. */
    async offer(): Promise<NonNullable<DesiredResponse['assignment']>> {
      const { assignment } = (await desired(null)).json<DesiredResponse>()
      if (!assignment) throw new Error('nothing was offered')
      return assignment
    },
    show: async () => (await service.admin.inject({ url: `/api/v1/nodes/${nodeId}` })).json(),
  }
}

export function post({ agents }: Built, message: string, payload: object, credential?: string) {
  return agents.inject({
    method: 'POST',
    url: `/agent/v1/${message}`,
    payload,
    headers: credential ? { authorization: `Bearer ${credential}` } : {},
  })
}

type Assign = {
  nodeId: string
  text?: string
  digest?: string
  version?: number
  releases?: readonly ReleaseVersion[]
}

/** What a rollout does. */
export function assign(
  service: Built,
  { nodeId, text = '{}', digest = DIGEST, version = 1, releases = [] }: Assign,
) {
  return service.services.write((unit) =>
    service.assignments.assign(unit, {
      nodeId,
      rolloutId: null,
      config: 'default',
      version,
      text,
      ...{ configDigest: digest, releases, digest: contentDigest(digest, [], releases) },
      group: 'default',
    }),
  )
}

/** The node's answers about an offer, each as the protocol's example has it. */
export const about = (offer: { generation: number; offerId: string }, digest = DIGEST) => {
  const base = { generation: offer.generation, offerId: offer.offerId, digest }
  const effective: Effective = {
    ...example<{ effective: Effective }>('result.request').effective,
    generation: offer.generation,
    digest,
  }
  return {
    ack: { ...example('ack.request'), ...base },
    nack: { ...example('nack.request'), ...base },
    applied: { ...example('result.request'), ...base, effective },
    reverted: { ...example('result.request.reverted'), ...base },
    confirm: { ...example('confirm.request'), ...base, effective },
  }
}
