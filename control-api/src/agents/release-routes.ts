// SPDX-License-Identifier: MIT
// Releases for nodes, as bytes (agent-protocol/README.md, "Releases").
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RangeNotSatisfiable, TooMuchTogether } from '../agent-protocol/errors.ts'
import type { ReleasesContentsRequest } from '../agent-protocol/messages.gen.ts'
import type { App } from '../http/app-types.ts'
import type { Caller } from './callers.ts'
import { beginOf, MOST_TOGETHER_BYTES, type NodeReleases } from './releases.ts'

type Deps = {
  releases: NodeReleases
  believed: (request: FastifyRequest) => Caller
  config: object
}
type OneContent = { Params: { sha256: string }; Headers: { range?: string } }

export function releaseRoutes(app: App, { releases, believed, config }: Deps): void {
  const sendOne = (of: 'manifest' | 'content') => {
    return async (request: FastifyRequest<OneContent>, reply: FastifyReply) => {
      const { id } = believed(request as unknown as FastifyRequest)
      const { sha256 } = request.params
      return await releases.send(reply, id, async () => {
        const contents =
          of === 'manifest'
            ? [await releases.manifest(id, sha256)]
            : await releases.contents(id, [sha256])
        const size = contents[0]?.size ?? 0
        const from = beginOf(request.headers.range, size)
        if (from === null) throw new RangeNotSatisfiable(size)
        return { contents, from }
      })
    }
  }
  const options = { exposeHeadRoute: false, config }
  app.get<OneContent>('/agent/v1/releases/manifests/:sha256', options, sendOne('manifest'))
  app.get<OneContent>('/agent/v1/releases/contents/:sha256', options, sendOne('content'))

  app.post<{ Body: ReleasesContentsRequest }>(
    '/agent/v1/releases/contents',
    { schema: { body: { $ref: 'releases-contents.request.schema.json' } }, config },
    async (request, reply) => {
      const { id } = believed(request as unknown as FastifyRequest)
      return await releases.send(reply, id, async () => {
        const contents = await releases.contents(id, request.body.sha256)
        const bytes = contents.reduce((sum, { size }) => sum + size, 0)
        if (bytes > MOST_TOGETHER_BYTES) throw new TooMuchTogether(bytes, MOST_TOGETHER_BYTES)
        return { contents, from: 0 }
      })
    },
  )
}
