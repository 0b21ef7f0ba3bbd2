// SPDX-License-Identifier: MIT
// Who gives a node the contents of a release that it is to have (agent-protocol/README.md, "Neighbours").
import type { FastifyRequest } from 'fastify'
import type {
  ReleasesNeighboursRequest,
  ReleasesNeighboursResponse,
} from '../agent-protocol/messages.gen.ts'
import type { App } from '../http/app-types.ts'
import type { Neighbours, Speaker } from '../neighbours/neighbours.ts'
import { admitted } from './admission.ts'
import type { Caller } from './callers.ts'
import type { NodeReleases } from './releases.ts'

type Deps = {
  releases: Pick<NodeReleases, 'demandOwn'>
  neighbours: Pick<Neighbours, 'ask'>
  callerIn: (request: FastifyRequest) => { caller: Caller; speaker: Speaker }
  /** The node is to wait for others, which come further. */
  onWait: (nodeId: string) => void
  config: object
}

export function neighbourRoutes(
  app: App,
  { releases, neighbours, callerIn, onWait, config }: Deps,
): void {
  app.post<{ Body: ReleasesNeighboursRequest }>(
    '/agent/v1/releases/neighbours',
    { schema: { body: { $ref: 'releases-neighbours.request.schema.json' } }, config },
    async (request): Promise<ReleasesNeighboursResponse> => {
      const { caller, speaker } = callerIn(request as unknown as FastifyRequest)
      const { incarnation, manifestSha256 } = request.body
      admitted(caller, incarnation)
      await releases.demandOwn(caller.id, manifestSha256)
      const answer = await neighbours.ask(speaker, request.body)
      if (answer.waitMs > 0) onWait(caller.id)
      return answer
    },
  )
}
