// SPDX-License-Identifier: MIT
// The simulation's messages as the agent protocol has them, said to the real listener.
import type { LightMyRequestResponse } from 'fastify'
import type { DesiredResponse } from '../../src/agent-protocol/messages.gen.ts'
import type { App } from '../../src/http/app-types.ts'
import { hostOf } from './kinds.ts'
import type { Answer, Effective, Given, Message, Result } from './messages.ts'
import { credentialOf } from './real-plane.ts'
import type { Words } from './words.ts'

type Said = Exclude<Message, { kind: 'fetching' | 'ahead' }>

const BOOT = '0'.repeat(32)

export async function sayTo(
  agents: App,
  words: Words,
  nodeName: string,
  message: Said,
): Promise<Answer> {
  const nodeId = words.nodeId(nodeName)
  const response = await agents.inject({
    method: 'POST',
    url: `/agent/v1/${message.kind}`,
    payload: bodyOf(message, words, nodeName),
    headers: { authorization: `Bearer ${credentialOf(nodeId)}` },
  })
  return answerOf(message, response)
}

function bodyOf(message: Said, words: Words, nodeName: string): object {
  switch (message.kind) {
    case 'hello': {
      const { incarnation, lastResult, fences, effective, drift } = message
      return {
        ...hostOf(nodeName),
        capabilities: [],
        protocol: { min: 1, max: 1 },
        nodeId: words.nodeId(nodeName),
        bootId: BOOT,
        incarnation: words.incarnation(incarnation),
        hostname: nodeName,
        schemaDigest: words.digest('schema'),
        effective: effectiveOf(effective, words),
        lastKnownGood: null,
        fences,
        lastResult: lastResult && resultOf(lastResult, words),
        drift: drift === null ? null : { digest: words.digest(drift), text: drift, isServed: true },
      }
    }
    case 'desired': {
      const { incarnation, have } = message
      const known = have > 0 ? { generation: have, digest: words.digest('have') } : null
      const who = { bootId: BOOT, incarnation: words.incarnation(incarnation) }
      return { ...who, have: known, waitMs: 0 }
    }
    case 'ack':
      return { ...about(message.given, words), warnings: [] }
    case 'nack': {
      const { given, code, fences } = message
      return { ...about(given, words), code, message: 'it refused', errors: [], ...fences }
    }
    case 'result':
      return resultOf(message.result, words)
    case 'confirm':
      return {
        ...about(message.given, words),
        effective: effectiveOf(message.effective, words),
      }
  }
}

const about = ({ generation, offerId, digest }: Given, words: Words) => ({
  generation,
  offerId: words.offerId(offerId),
  digest: words.digest(digest),
})

const effectiveOf = (effective: Effective | null, words: Words) =>
  effective && {
    generation: effective.generation,
    digest: words.digest(effective.digest),
    bootId: BOOT,
    reloads: 0,
    ...(effective.isLocal && { source: 'local' }),
  }

const resultOf = ({ given, outcome, reason, effective }: Result, words: Words) => ({
  ...about(given, words),
  outcome,
  effective: effectiveOf(effective, words),
  reason,
  message: 'it said so',
  evidence: [],
})

function answerOf(message: Said, { statusCode, json, body }: LightMyRequestResponse): Answer {
  if (statusCode !== 200) {
    const { code } = json<{ code: string }>()
    const known = ['superseded', 'say_hello', 'say_again', 'clone_detected'] as const
    const found = known.find((one) => one === code)
    if (!found) throw new Error(`${statusCode} ${body}`)
    return { code: found }
  }
  if (message.kind === 'confirm') {
    return { code: 'ok', confirmed: json<{ confirmed: boolean }>().confirmed }
  }
  return message.kind === 'desired'
    ? { code: 'ok', assignment: givenIn(json<DesiredResponse>()) }
    : { code: 'ok' }
}

function givenIn({ assignment }: DesiredResponse): Given | null {
  if (!assignment) return null
  const { generation, offerId, release, epoch, replacesDrift = null } = assignment
  return { generation, offerId, digest: release.configDigest, epoch, replacesDrift }
}
