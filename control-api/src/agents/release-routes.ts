// SPDX-License-Identifier: MIT
// Releases for nodes, as bytes (agent-protocol/README.md, "Releases").
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NoSuchRelease, RangeNotSatisfiable, TooMuchTogether } from '../agent-protocol/errors.ts'
import type { ReleasesContentsRequest } from '../agent-protocol/messages.gen.ts'
import type { App } from '../http/app-types.ts'
import type { Content } from '../release-store/contents-stream.ts'
import type { Caller } from './callers.ts'
import { beginOf, MOST_TOGETHER_BYTES, type NodeReleases } from './releases.ts'

type Deps = {
  releases: NodeReleases
  believed: (request: FastifyRequest) => Caller
  config: object
}
type OneContent = { Params: { sha256: string; base?: string }; Headers: { range?: string } }

export function releaseRoutes(app: App, { releases, believed, config }: Deps): void {
  type Find = (nodeId: string, params: OneContent['Params']) => Promise<Content>
  const sendOne = (find: Find) => {
    return async (request: FastifyRequest<OneContent>, reply: FastifyReply) => {
      const { id } = believed(request as unknown as FastifyRequest)
      return await releases.send(reply, id, async () => {
        const content = await find(id, request.params)
        const from = beginOf(request.headers.range, content.size)
        if (from === null) throw new RangeNotSatisfiable(content.size)
        return { contents: [content], from }
      })
    }
  }
  const options = { exposeHeadRoute: false, config }
  app.get<OneContent>(
    '/agent/v1/releases/manifests/:sha256',
    options,
    sendOne((id, { sha256 }) => releases.manifest(id, sha256)),
  )
  app.get<OneContent>(
    '/agent/v1/releases/manifests/:sha256/of/:base',
    options,
    sendOne((id, { sha256, base = '' }) => releases.delta(id, sha256, base)),
  )
  app.get<OneContent>(
    '/agent/v1/releases/contents/:sha256',
    options,
    sendOne(async (id, { sha256 }) => {
      const [content] = await releases.contents(id, [sha256])
      if (!content) throw new NoSuchRelease(sha256)
      return content
    }),
  )

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
