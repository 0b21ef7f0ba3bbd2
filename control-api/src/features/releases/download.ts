// SPDX-License-Identifier: MIT
// Somebody's files leave from the console's own origin: they are saved, and never shown or run there.
import type { FastifyReply } from 'fastify'

type File = { name: string; size: number; sha256: string }

/** Should a browser show it all the same, it is of no origin, runs nothing and loads nothing. */
const SHUT_IN = "sandbox; default-src 'none'; frame-ancestors 'none'"

export function attachment<Reply extends FastifyReply>(reply: Reply, { name, size, sha256 }: File) {
  reply
    .header('content-length', size)
    .header('content-disposition', dispositionOf(name))
    .header('content-security-policy', SHUT_IN)
    .header('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
  return reply
}

/** RFC 6266: plain for those who read no more, and in full (RFC 8187). */
export function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
