// SPDX-License-Identifier: MIT
// All values that a browser sends for a name. A page of a sister host, or of another path here, can leave a
// cookie of our name, and browsers send that one first: ours is the one that we made.
import type { FastifyRequest } from 'fastify'

export function cookiesNamed(
  { headers, server }: Pick<FastifyRequest, 'headers' | 'server'>,
  name: string,
): string[] {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => server.parseCookie(pair)[name])
    .filter((value) => value !== undefined)
}
