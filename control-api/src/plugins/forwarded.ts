// SPDX-License-Identifier: MIT
// X-Forwarded-For as proxies really write it: with ports, IPv6 in brackets, `unknown`. What comes of it is
// whom sign-ins are counted by and what the audit keeps, so it must be an address: with its port, each
// connection would be somebody new.
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

const BRACKETS = /^\[([^\]]+)\](?::\d+)?$/
const IPV4 = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/

/** The address in one entry; null: there is none. */
function addressIn(entry: string): string | null {
  const text = entry.replaceAll('"', '').trim()
  const address = (BRACKETS.exec(text) ?? IPV4.exec(text))?.[1] ?? text
  return isIP(address) === 0 ? null : address
}

/**
 * From the right, where the proxy next to us wrote, as far as there are addresses. What is left of an entry
 * that is none came by way of somebody who does not say whom it is from. null: nothing is left.
 */
export function addressesIn(header: string): string | null {
  const known: string[] = []
  for (const entry of header.split(',').reverse()) {
    if (entry.trim() === '') continue
    const address = addressIn(entry)
    if (address === null) break
    known.unshift(address)
  }
  return known.length === 0 ? null : known.join(', ')
}

/** Must be called before anything asks for a request's address. */
export function readForwarded(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const given = headers['x-forwarded-for']
    if (given === undefined) return
    const addresses = addressesIn([given].flat().join(','))
    if (addresses === null) delete headers['x-forwarded-for']
    else headers['x-forwarded-for'] = addresses
  })
}
