// SPDX-License-Identifier: MIT
// The API's reader at /api/docs, for who is signed in: Swagger UI over openapi.json. Its files are served by
// routes of our own, because those of @fastify/swagger-ui declare no permission; the console's CSP holds
// for them, and nothing is asked of another host.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotSignedIn } from '../api-shapes/errors.ts'

export const READER_PATH = '/api/docs'
/** As the page itself sees it, below whatever path it is. */
const HERE = 'docs'
const STATIC = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
)
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API · Farmstead</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${HERE}/swagger-ui.css">
  </head>
  <body>
    <main id="reader"></main>
    <noscript>The reader needs JavaScript. The description itself: /api/v1/openapi.json</noscript>
    <script src="${HERE}/swagger-ui-bundle.js"></script>
    <script src="${HERE}/reader.js"></script>
  </body>
</html>
`
/** Without a validatorUrl it would send the description's address to a service of others. */
const SCRIPT = `SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#reader',
  deepLinking: true,
  docExpansion: 'none',
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
})
`

export function serveReader(app: FastifyInstance): void {
  const route = { config: { permission: 'system:read' }, schema: { hide: true } } as const
  const send = (reply: FastifyReply, type: string, body: string | Buffer) =>
    reply.type(type).header('cache-control', 'private, max-age=3600').send(body)

  app.get(READER_PATH, { ...route, errorHandler: leadToSignIn }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(PAGE),
  )
  app.get(`${READER_PATH}/reader.js`, route, async (_request, reply) =>
    send(reply, 'text/javascript; charset=utf-8', SCRIPT),
  )
  for (const [name, type] of Object.entries(FILES)) {
    app.get(`${READER_PATH}/${name}`, route, async (_request, reply) =>
      send(reply, type, await readFile(join(STATIC, name))),
    )
  }
}

/** A browser that comes without a session; a program is told 401 as anywhere. */
function leadToSignIn(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const navigates = request.headers.accept?.includes('text/html')
  if (!(error instanceof NotSignedIn) || !navigates) throw error
  reply.redirect(`/sign-in?next=${encodeURIComponent(READER_PATH)}`)
}
