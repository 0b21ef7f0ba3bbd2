// SPDX-License-Identifier: MIT
// Serves the built console. Its pages are addresses inside one document, so a page that exists only in
// the browser's router gets that document.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { type BasePath, documentBelow } from './base-path.ts'

/** The build puts a hash of the content into the names in here. */
const HASHED = 'assets/'
const DOCUMENT = 'index.html'
const YEAR_MS = 365 * 24 * 3600_000

export async function serveConsole(
  app: FastifyInstance,
  dir: string,
  basePath: BasePath,
): Promise<void> {
  if (!existsSync(join(dir, DOCUMENT))) {
    throw new Error(
      `FARMSTEAD_CONSOLE_DIR: ${dir} holds no ${DOCUMENT}. Build the console (npm run build in web-ui), or unset the variable to serve the API only.`,
    )
  }
  // A finished build does not change: what may be served is known now, whatever a path pretends.
  const files = new Set(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name))),
  )
  const html = documentBelow(basePath, readFileSync(join(dir, DOCUMENT), 'utf8'))
  // Its own routes would declare no permission; ours, below, does.
  await app.register(staticFiles, { root: dir, serve: false, preCompressed: true })
  app.get<{ Params: { '*': string } }>(
    '/*',
    {
      // Under pressure, too: a page that lacks one of its files stays blank, and cannot say why.
      config: { permission: 'public', rateLimit: false, underPressure: true },
      schema: { hide: true },
    },
    async (request, reply) => {
      const path = request.params['*']
      if (files.has(path) && path !== DOCUMENT) {
        return reply.sendFile(
          path,
          path.startsWith(HASHED) ? { maxAge: YEAR_MS, immutable: true } : { maxAge: 0 },
        )
      }
      const navigates = path === '' || request.headers.accept?.includes('text/html')
      if (path.startsWith('api/') || path.startsWith(HASHED) || !navigates) {
        return reply.callNotFound()
      }
      if (basePath === '') return reply.sendFile(DOCUMENT, { maxAge: 0 })
      reply.type('text/html; charset=utf-8').header('cache-control', 'public, max-age=0')
      return reply.send(html)
    },
  )
}
