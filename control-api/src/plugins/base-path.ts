// SPDX-License-Identifier: MIT
// The console and the API below a path of another site, such as https://example.org/farm/. Nothing inside
// knows of it: it is taken off what comes in and put before what goes out that a browser would go by. A
// proxy may leave the path in the request or take it off itself.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** '' is the root; else it begins with a slash and does not end with one. */
export type BasePath = string

export const withoutBase =
  (basePath: BasePath) =>
  ({ url = '/' }: Pick<IncomingMessage, 'url'>): string => {
    const rest = url.startsWith(basePath) ? url.slice(basePath.length) : null
    if (basePath === '' || rest === null) return url
    if (rest === '' || rest.startsWith('?')) return `/${rest}`
    return rest.startsWith('/') ? rest : url
  }

/** Must be called after everything that sets cookies. */
export function answerBelow(app: FastifyInstance, basePath: BasePath): void {
  if (basePath === '') return
  app.addHook('onSend', async (_request, reply) => {
    const { location, 'set-cookie': cookies } = reply.getHeaders()
    if (typeof location === 'string') reply.header('location', below(basePath, location))
    if (cookies === undefined) return
    reply.removeHeader('set-cookie')
    const list = [cookies].flat().map(String)
    reply.header(
      'set-cookie',
      list.map((cookie) => cookie.replace(/(?<=; Path=)[^;]+/i, (path) => below(basePath, path))),
    )
  })
}

/** Other addresses than paths of ours stay as they are. */
function below(basePath: BasePath, path: string): string {
  const isOurs = path.startsWith('/') && !path.startsWith('//')
  return isOurs && !`${path}/`.startsWith(`${basePath}/`) ? basePath + path : path
}

/** The console's document says where it lives; its scripts and styles find each other by themselves. */
export function documentBelow(basePath: BasePath, html: string): string {
  const base = `<meta name="farmstead-base" content="${basePath}/" />`
  return html
    .replace(/(?<=<head>)/, `\n    ${base}`)
    .replaceAll(/(?<=\s(?:href|src)=")\/(?!\/)/g, `${basePath}/`)
}
