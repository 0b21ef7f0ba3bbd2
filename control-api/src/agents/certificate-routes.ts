// SPDX-License-Identifier: MIT
// Certificates of sites with their keys, and the keys of session tickets (agent-protocol/README.md): over a connection whose
// both ends have proved who they are, or not at all.
import type { FastifyRequest } from 'fastify'
import { NeedsCertificate, NoSuchCertificate } from '../agent-protocol/errors.ts'
import type { CertificateResponse, TicketKeysResponse } from '../agent-protocol/messages.gen.ts'
import type { App } from '../http/app-types.ts'
import type { Caller } from './callers.ts'
import type { NodeCertificates } from './certificates.ts'
import type { Inbox } from './inbox.ts'

type Deps = {
  certificates: NodeCertificates
  inbox: Pick<Inbox, 'certificateFetched'>
  believed: (request: FastifyRequest) => Caller
  config: object
}

/** One spelling of each. */
const NUMBER = /^[1-9]\d{0,14}$/

export function certificateRoutes(app: App, deps: Deps): void {
  const { certificates, inbox, believed } = deps
  const options = { exposeHeadRoute: false, config: deps.config }
  const keyed = (request: FastifyRequest): Caller => {
    const caller = believed(request)
    if (caller.certificate === null) throw new NeedsCertificate()
    return caller
  }

  app.get<{ Params: { name: string; version: string } }>(
    '/agent/v1/certificates/:name/:version',
    options,
    async (request): Promise<CertificateResponse> => {
      const caller = keyed(request)
      const { name } = request.params
      const version = Number(request.params.version)
      const wanted = { name, version }
      const isItsOwn =
        NUMBER.test(request.params.version) && (await certificates.mayHave(caller.id, wanted))
      const found = isItsOwn ? await certificates.open(wanted) : null
      if (!found) throw new NoSuchCertificate(name, request.params.version)
      const { chain, key, fingerprint: fingerprintSha256 } = found
      await inbox.certificateFetched(caller.id, { ...wanted, fingerprintSha256 })
      return { ...wanted, fingerprintSha256, chain, key }
    },
  )

  app.get(
    '/agent/v1/ticket-keys',
    options,
    async (request): Promise<TicketKeysResponse> =>
      await certificates.ticketKeys(keyed(request).id),
  )
}
